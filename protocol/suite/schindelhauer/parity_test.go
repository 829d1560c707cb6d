package schindelhauer

import (
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/matrix"
)

// A seat whose modulus has a small prime makes others fail: what they draw for an answer, or for the branch
// that they pretend, is no unit, and their proof is refused.
func TestMasksAreUnits(t *testing.T) {
	const size = 32
	r := Relation{Moduli: []*matrix.Modulus{prooftest.SmallFactorModulus(t, size, matrix.ParseModulus)}}
	for name, draw := range map[string]branchAnswer{
		"mask":      testmust.Have(r.drawUnitMask(prooftest.MultipleSource(size)))(t),
		"pretended": testmust.Have(r.simulateAnswer(prooftest.MultipleSource(size)))(t),
	} {
		testmust.Hold(t, r.areUnits(draw.roots), name, "not all are units")
	}
}
