package condition_test

import (
	"crypto/rand"
	"testing"

	"github.com/pakli/pakli/protocol/suite/ristretto255/condition"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group/grouptest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
)

// BenchmarkCondition: facts that a game of tarokk with 42 cards asks for. "mults"
// is time in multiplications of an element, measured in the same run; "batch" is
// verification of one of 64 proofs of different hands that are checked together.
func BenchmarkCondition(b *testing.B) {
	x := handtest.Secret(b)
	for _, c := range []struct {
		name string
		shape
	}{
		{"no trump: 9 in 20", shape{9, 42, 20, 9, 9, 9, ""}},
		{"none of the led suit: 9 not in 5", shape{9, 42, 5, 0, 0, 0, ""}},
		{"called card not mine: 9 not in 1", shape{9, 42, 1, 0, 0, 0, ""}},
		{"no honour: 9 not in 3", shape{9, 42, 3, 0, 0, 0, ""}},
		{"1 in 20", shape{1, 42, 20, 1, 1, 1, ""}},
		{"1 in 3", shape{1, 42, 3, 1, 1, 1, ""}},
		{"four kings: 4 in 4", shape{4, 42, 4, 4, 4, 4, ""}},
		{"an honour: at least 1 of 9 in 3", shape{9, 42, 3, 1, 9, 2, ""}},
		{"two suit cards: at least 2 of 9 in 20", shape{9, 42, 20, 2, 9, 3, ""}},
		{"eight trumps: exactly 8 of 9 in 22", shape{9, 42, 22, 8, 8, 8, ""}},
	} {
		hands := make([]condition.Statement, 64)
		proofs := make([][]byte, len(hands))
		for i := range hands {
			hands[i] = c.hand(b, x)
			proofs[i] = prove(b, x, hands[i])
		}
		b.Run(c.name+"/prove", func(b *testing.B) {
			grouptest.Measure(b, 1, func() { prove(b, x, hands[0]) })
			b.ReportMetric(float64(len(proofs[0])), "bytes")
		})
		b.Run(c.name+"/verify", func(b *testing.B) {
			grouptest.Measure(b, 1, func() {
				if err := verify(handtest.Here, hands[0], proofs[0]); err != nil {
					b.Fatal(err)
				}
			})
		})
		b.Run(c.name+"/batch", func(b *testing.B) {
			grouptest.Measure(b, len(hands), func() {
				var batch group.Batch
				for i, s := range hands {
					if err := condition.Verify(handtest.Here, s, proofs[i], &batch); err != nil {
						b.Fatal(err)
					}
				}
				if err := batch.Check(rand.Reader); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}
