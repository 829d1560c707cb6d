package arrange_test

import (
	"crypto/rand"
	"testing"

	"github.com/pakli/pakli/protocol/suite/ristretto255/arrange"
	"github.com/pakli/pakli/protocol/suite/ristretto255/bayergroth"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
)

// BenchmarkCut and BenchmarkShuffle are of 42 cards, remasking included: figures to be
// compared within one run.
func BenchmarkCut(b *testing.B) {
	x, in := handtest.Secret(b), handtest.Deck(b, "bench", 42).Cards()
	var s arrange.Statement
	var proof []byte
	b.Run("make", func(b *testing.B) {
		for b.Loop() {
			out, w, err := arrange.Draw(handtest.Here, arrange.Cut, x, x.Key(), in, rand.Reader)
			s = arrange.Statement{Family: arrange.Cut, Key: x.Key(), In: in, Out: out}
			if err == nil {
				proof, err = arrange.Prove(handtest.Here, s, w, rand.Reader)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(proof)), "B/proof")
	})
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			var batch group.Batch
			if arrange.Verify(handtest.Here, s, proof, &batch) != nil || batch.Check(rand.Reader) != nil {
				b.Fatal("refused")
			}
		}
	})
}

func BenchmarkShuffle(b *testing.B) {
	x, in := handtest.Secret(b), handtest.Deck(b, "bench", 42).Cards()
	var s shuffle.Statement
	var proof []byte
	b.Run("make", func(b *testing.B) {
		for b.Loop() {
			out, o, err := x.Shuffle(handtest.Here, x.Key(), in, rand.Reader)
			s = shuffle.Statement{Key: x.Key(), In: in, Out: out}
			if err == nil {
				proof, err = bayergroth.Prover{}.Prove(handtest.Here, s, o, rand.Reader)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(proof)), "B/proof")
	})
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			var batch group.Batch
			if (bayergroth.Argument{}).Verify(handtest.Here, s, proof, &batch) != nil || batch.Check(rand.Reader) != nil {
				b.Fatal("refused")
			}
		}
	})
}
