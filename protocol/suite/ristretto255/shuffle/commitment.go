package shuffle

import (
	"encoding/binary"
	"sync"

	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
)

// Generators returns G_0 … G_MaxCards, the elements over which arguments commit.
// They are hashed to the group: nobody knows a relation between them, or to the
// group's generator, so there is no trapdoor.
var Generators = sync.OnceValue(func() []*group.Element {
	g := make([]*group.Element, MaxCards+1)
	for i := range g {
		g[i] = group.HashToElement("pakli/v1/commitment", binary.BigEndian.AppendUint16(nil, uint16(i)))
	}
	return g
})

// Columns returns the components A_1 … A_N and B_1 … B_N of cards.
func Columns(cards []masking.Card) (as, bs []*group.Element) {
	as, bs = make([]*group.Element, len(cards)), make([]*group.Element, len(cards))
	for i, c := range cards {
		as[i], bs[i] = c.A, c.B
	}
	return as, bs
}
