package bayergroth

import (
	"github.com/pakli/pakli/protocol/group"
	"github.com/pakli/pakli/protocol/proof/shuffle"
)

// commit returns com(a; r) in constant time.
func commit(a []group.Scalar, r group.Scalar) *group.Element {
	return group.MultiMul(append([]group.Scalar{r}, a...), shuffle.Generators()[:len(a)+1])
}

// commitSmall returns com(a; r) for numbers of few bits, in constant time.
func commitSmall(a []uint16, bound uint16, r group.Scalar) *group.Element {
	g := shuffle.Generators()
	return group.Mul(r, g[0]).Add(group.SmallMultiMul(a, bound, g[1:len(a)+1]))
}
