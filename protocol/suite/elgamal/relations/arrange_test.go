package relations_test

import (
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/elgamal/shuffle"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

var families = []relations.Family{relations.Cut, relations.Insert}

func verifyArrange(s relations.ArrangeStatement, proof []byte) error {
	return handtest.CheckEquations(func(b *group.Batch) error { return relations.VerifyArrange(handtest.Here, s, proof, b) })
}

func factors(t testing.TB, n int) []group.Scalar {
	t.Helper()
	return handtest.MustHave(handtest.Group.RandomScalars(rand.Reader, n))
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
func arranged(t testing.TB, f relations.Family, n, k int) (relations.ArrangeStatement, relations.ArrangeWitness) {
	t.Helper()
	key, in := seat(t).Key(), handtest.Deck(t, "test", n).Cards()
	w := relations.ArrangeWitness{Choice: k, Factors: factors(t, n)}
	return relations.ArrangeStatement{Family: f, Key: key, In: in, Out: relations.ArrangeCards(f, key, in, w)}, w
}

// arrangeClaim runs the prover's algebra without asking whether s holds.
func arrangeClaim(t testing.TB, s relations.ArrangeStatement, w relations.ArrangeWitness) []byte {
	t.Helper()
	tr := transcript.New(handtest.Here, s)
	return handtest.MustHave(relations.ArrangeAlgebra(tr, s, relations.ArrangePowers(s, tr), w, handtest.NamedCoins("claim")))
}

// Piles that are arranged by no permutation of their family, by the best that a cheat can
// do: the prover's algebra with the factors of what was done, and any claim of which.
func TestArrangeForgeries(t *testing.T) {
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
						if verifyArrange(s, arrangeClaim(t, s, w)) == nil {
							t.Errorf("%s of %d by %d, claimed as %d: %s: accepted", f, n, k, claimed, name)
						}
					}
				}
			}
		}
	}
}

func forgeries(t *testing.T) map[string]func(*relations.ArrangeStatement, *relations.ArrangeWitness) {
	return map[string]func(*relations.ArrangeStatement, *relations.ArrangeWitness){
		"two neighbours exchanged": func(s *relations.ArrangeStatement, w *relations.ArrangeWitness) {
			s.Out[0], s.Out[1] = s.Out[1], s.Out[0]
			w.Factors[0], w.Factors[1] = w.Factors[1], w.Factors[0]
		},
		"one card replaced": func(s *relations.ArrangeStatement, w *relations.ArrangeWitness) {
			s.Out[0] = masking.Mask(s.Key, handtest.Group.HashToElement("another"), w.Factors[0])
		},
		"one card doubled": func(s *relations.ArrangeStatement, w *relations.ArrangeWitness) {
			s.Out[1], w.Factors[1] = s.Out[0], w.Factors[0]
		},
		"under another key": func(s *relations.ArrangeStatement, w *relations.ArrangeWitness) {
			s.Out[0] = masking.Mask(handtest.Secret(t).Key(), s.In[0].B, w.Factors[0])
		},
		"of another family": func(s *relations.ArrangeStatement, w *relations.ArrangeWitness) {
			s.Family = relations.Cut + relations.Insert - s.Family
		},
	}
}

// member reports whether s, made of open cards by w, is of its family after all.
func member(s relations.ArrangeStatement, w relations.ArrangeWitness) bool {
	for choice := range s.In {
		all := true
		for i, c := range relations.ArrangeCards(s.Family, s.Key, s.In, relations.ArrangeWitness{Choice: choice, Factors: w.Factors}) {
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
func TestArrangeBinding(t *testing.T) {
	a, _ := arranged(t, relations.Cut, 3, 1)
	b, _ := arranged(t, relations.Insert, 3, 1)
	for i := range b.In {
		a.In[i] = a.Out[(i+1)%3]
		b.In[i] = b.Out[(i+1)%3]
	}
	b.Key = handtest.Secret(t).Key()
	prooftest.Binding(t, a, b)
	prooftest.Binding(t, relations.ArrangeMask(a.Family, a.Key, a.In), relations.ArrangeMask(b.Family, b.Key, b.In))
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
	var s relations.ArrangeStatement
	var of shuffle.Statement
	steps := []struct {
		unit string
		do   func() error
	}{
		{"make-µs", func() error {
			out, w, err := relations.DrawArrangement(handtest.Here, relations.Cut, x, x.Key(), in, rand.Reader)
			s = relations.ArrangeStatement{Family: relations.Cut, Key: x.Key(), In: in, Out: out}
			if err == nil {
				cut, err = relations.ProveArrange(handtest.Here, s, w, rand.Reader)
			}
			return err
		}},
		{"verify-µs", func() error {
			var batch group.Batch
			if err := relations.VerifyArrange(handtest.Here, s, cut, &batch); err != nil {
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
