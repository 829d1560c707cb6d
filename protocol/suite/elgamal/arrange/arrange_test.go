package arrange_test

import (
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/elgamal/arrange"
	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/rewind"
	"github.com/pakli/pakli/protocol/suite/elgamal/shuffle"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// g is the group of these tests.
var g = group.Ristretto255()

var families = []arrange.Family{arrange.Cut, arrange.Insert}

func verify(s arrange.Statement, proof []byte) error {
	return handtest.CheckEquations(func(b *group.Batch) error { return arrange.Verify(handtest.Here, s, proof, b) })
}

func factors(t testing.TB, n int) []group.Scalar {
	t.Helper()
	return handtest.MustHave(g.RandomScalars(rand.Reader, n))
}

var one *masking.Secret

// seat is one for all tests: the table of its key is long to make.
func seat(t testing.TB) *masking.Secret {
	if one == nil {
		one = handtest.Secret(t)
	}
	return one
}

// arranged is an honest arrangement of n open cards by permutation k.
func arranged(t testing.TB, f arrange.Family, n, k int) (arrange.Statement, arrange.Witness) {
	t.Helper()
	key, in := seat(t).Key(), handtest.Deck(t, "test", n).Cards()
	w := arrange.Witness{Choice: k, Factors: factors(t, n)}
	return arrange.Statement{Family: f, Key: key, In: in, Out: arrange.Apply(f, key, in, w)}, w
}

// claim runs the prover's algebra without asking whether s holds.
func claim(t testing.TB, s arrange.Statement, w arrange.Witness) []byte {
	t.Helper()
	tr := transcript.New(handtest.Here, s)
	return handtest.MustHave(arrange.ProveUnder(tr, s, arrange.Powers(s, tr), w, rewind.NamedCoins("claim")))
}

// Piles that are arranged by no permutation of their family, by the best that a cheat can
// do: the prover's algebra with the factors of what was done, and any claim of which.
func TestForgeries(t *testing.T) {
	for _, f := range families {
		for _, n := range []int{2, 3, 5} {
			for name, forge := range forgeries(t) {
				for k := range n {
					s, w := arranged(t, f, n, k)
					forge(&s, &w)
					if member(s, w) {
						continue // by chance that is what another of the family does
					}
					for _, claimed := range []int{k, (k + 1) % n} {
						w.Choice = claimed
						if verify(s, claim(t, s, w)) == nil {
							t.Errorf("%s of %d by %d, claimed as %d: %s: accepted", f, n, k, claimed, name)
						}
					}
				}
			}
		}
	}
}

func forgeries(t *testing.T) map[string]func(*arrange.Statement, *arrange.Witness) {
	return map[string]func(*arrange.Statement, *arrange.Witness){
		"two neighbours exchanged": func(s *arrange.Statement, w *arrange.Witness) {
			s.Out[0], s.Out[1] = s.Out[1], s.Out[0]
			w.Factors[0], w.Factors[1] = w.Factors[1], w.Factors[0]
		},
		"one card replaced": func(s *arrange.Statement, w *arrange.Witness) {
			s.Out[0] = masking.Mask(s.Key, g.HashToElement("another"), w.Factors[0])
		},
		"one card doubled": func(s *arrange.Statement, w *arrange.Witness) {
			s.Out[1], w.Factors[1] = s.Out[0], w.Factors[0]
		},
		"under another key": func(s *arrange.Statement, w *arrange.Witness) {
			s.Out[0] = masking.Mask(handtest.Secret(t).Key(), s.In[0].B, w.Factors[0])
		},
		"of another family": func(s *arrange.Statement, w *arrange.Witness) {
			s.Family = arrange.Cut + arrange.Insert - s.Family
		},
	}
}

// member reports whether s, made of open cards by w, is of its family after all.
func member(s arrange.Statement, w arrange.Witness) bool {
	for choice := range s.In {
		all := true
		for i, c := range arrange.Apply(s.Family, s.Key, s.In, arrange.Witness{Choice: choice, Factors: w.Factors}) {
			all = all && c.Equal(s.Out[i])
		}
		if all {
			return true
		}
	}
	return false
}

// A value of the statement that is chosen after the challenge, or a mask that is drawn
// again for other cards.
func TestBinding(t *testing.T) {
	a, _ := arranged(t, arrange.Cut, 3, 1)
	b, _ := arranged(t, arrange.Insert, 3, 1)
	for i := range b.In {
		a.In[i] = a.Out[(i+1)%3]
		b.In[i] = b.Out[(i+1)%3]
	}
	b.Key = handtest.Secret(t).Key()
	prooftest.Binding(t, a, b)
	prooftest.Binding(t, arrange.Mask(a.Family, a.Key, a.In), arrange.Mask(b.Family, b.Key, b.In))
}

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
