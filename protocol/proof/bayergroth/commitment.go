package bayergroth

import (
	"encoding/binary"
	"sync"

	"github.com/pakli/pakli/protocol/group"
	"github.com/pakli/pakli/protocol/proof/shuffle"
)

// generators are G_0 … G_MaxCards, independent elements: Pedersen commitments
// are com(a; r) = r·G_0 + Σ a_i·G_i. Nobody knows a relation between them, so
// there is no trapdoor.
var generators = sync.OnceValue(func() []*group.Element {
	g := make([]*group.Element, shuffle.MaxCards+1)
	for i := range g {
		g[i] = group.HashToElement("pakli/v1/commitment", binary.BigEndian.AppendUint16(nil, uint16(i)))
	}
	return g
})

// commit returns com(a; r) in constant time.
func commit(a []group.Scalar, r group.Scalar) *group.Element {
	return group.MultiMul(append([]group.Scalar{r}, a...), generators()[:len(a)+1])
}

// commitSmall returns com(a; r) for numbers of few bits, in constant time.
func commitSmall(a []uint16, bound uint16, r group.Scalar) *group.Element {
	g := generators()
	return group.Mul(r, g[0]).Add(group.SmallMultiMul(a, bound, g[1:len(a)+1]))
}
