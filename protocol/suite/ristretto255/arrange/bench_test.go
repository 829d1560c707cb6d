package arrange_test

import (
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/suite/ristretto255/arrange"
	"github.com/pakli/pakli/protocol/suite/ristretto255/bayergroth"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
)

// BenchmarkCut compares a cut of as many cards with a shuffle, remasking included, in turn
// and within one run: the least time of each, and the ratios.
func BenchmarkCut(b *testing.B) {
	for _, n := range []int{42, 52} {
		b.Run(fmt.Sprintf("%d cards", n), func(b *testing.B) { compare(b, n) })
	}
}

func compare(b *testing.B, n int) {
	x, in := handtest.Secret(b), handtest.Deck(b, "bench", n).Cards()
	var cut, mixed []byte
	var s arrange.Statement
	var of shuffle.Statement
	steps := []struct {
		unit string
		do   func() error
	}{
		{"make-µs", func() error {
			out, w, err := arrange.Draw(handtest.Here, arrange.Cut, x, x.Key(), in, rand.Reader)
			s = arrange.Statement{Family: arrange.Cut, Key: x.Key(), In: in, Out: out}
			if err == nil {
				cut, err = arrange.Prove(handtest.Here, s, w, rand.Reader)
			}
			return err
		}},
		{"verify-µs", func() error {
			var batch group.Batch
			if err := arrange.Verify(handtest.Here, s, cut, &batch); err != nil {
				return err
			}
			return batch.Check(rand.Reader)
		}},
		{"make/shuffle", func() error {
			out, o, err := x.Shuffle(handtest.Here, x.Key(), in, rand.Reader)
			of = shuffle.Statement{Key: x.Key(), In: in, Out: out}
			if err == nil {
				mixed, err = bayergroth.Prover{}.Prove(handtest.Here, of, o, rand.Reader)
			}
			return err
		}},
		{"verify/shuffle", func() error {
			var batch group.Batch
			if err := (bayergroth.Argument{}).Verify(handtest.Here, of, mixed, &batch); err != nil {
				return err
			}
			return batch.Check(rand.Reader)
		}},
	}
	least := make([]time.Duration, len(steps))
	for b.Loop() {
		for i, step := range steps {
			began := time.Now()
			testmust.Do(b, step.do())
			if took := time.Since(began); least[i] == 0 || took < least[i] {
				least[i] = took
			}
		}
	}
	for i, step := range steps {
		figure := float64(least[i].Microseconds())
		if i >= 2 {
			figure = float64(least[i-2]) / float64(least[i])
		}
		b.ReportMetric(figure, step.unit)
	}
	b.ReportMetric(float64(len(cut)), "B/proof")
}
