package shuffletest

import (
	"crypto/rand"
	"fmt"
	"testing"

	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
)

// Benchmark measures proving, without the shuffle itself, and verifying, of
// decks of 20, 32, 42 and 52 cards, and reports the size of a proof.
func Benchmark(b *testing.B, a shuffle.Prover) {
	for _, n := range []int{20, 32, 42, 52} {
		k := Secret(b).Key()
		in := Masked(b, k, n)
		out, o, err := Secret(b).Shuffle(At(0), k, in, rand.Reader)
		if err != nil {
			b.Fatal(err)
		}
		s := shuffle.Statement{Key: k, In: in, Out: out}
		proof := Prove(b, a, s, o)
		b.Run(fmt.Sprint("prove/", n), func(b *testing.B) {
			for b.Loop() {
				Prove(b, a, s, o)
			}
			b.ReportMetric(float64(len(proof)), "bytes")
		})
		b.Run(fmt.Sprint("verify/", n), func(b *testing.B) {
			for b.Loop() {
				if err := Check(a, s, proof); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
