package relations

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
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

var families = []Family{Cut, Insert}

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
func arranged(t testing.TB, f Family, n, k int) (Arrangement, ArrangementWitness) {
	t.Helper()
	key, in := seat(t).Key(), handtest.Deck(t, "test", n).Cards()
	w := ArrangementWitness{Choice: k, Factors: factors(t, n)}
	return Arrangement{Family: f, Key: key, In: in, Out: ArrangeCards(f, key, in, w)}, w
}

// arrangeClaim runs the prover's algebra without asking whether s holds.
func arrangeClaim(t testing.TB, s Arrangement, w ArrangementWitness) []byte {
	t.Helper()
	tr := transcript.New(handtest.Here, s)
	return handtest.MustHave(proveArrangement(tr, s, s.drawPowers(tr), w, handtest.NamedCoins("claim")))
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
						testmust.Fail(t, verify(s, arrangeClaim(t, s, w)), f, "of", n, "by", k, "claimed as", claimed, name, "accepted")
					}
				}
			}
		}
	}
}

func forgeries(t *testing.T) map[string]func(*Arrangement, *ArrangementWitness) {
	return map[string]func(*Arrangement, *ArrangementWitness){
		"two neighbours exchanged": func(s *Arrangement, w *ArrangementWitness) {
			s.Out[0], s.Out[1] = s.Out[1], s.Out[0]
			w.Factors[0], w.Factors[1] = w.Factors[1], w.Factors[0]
		},
		"one card replaced": func(s *Arrangement, w *ArrangementWitness) {
			s.Out[0] = masking.Mask(s.Key, handtest.Group.HashToElement("another"), w.Factors[0])
		},
		"one card doubled": func(s *Arrangement, w *ArrangementWitness) {
			s.Out[1], w.Factors[1] = s.Out[0], w.Factors[0]
		},
		"under another key": func(s *Arrangement, w *ArrangementWitness) {
			s.Out[0] = masking.Mask(handtest.Secret(t).Key(), s.In[0].B, w.Factors[0])
		},
		"of another family": func(s *Arrangement, w *ArrangementWitness) {
			s.Family = Cut + Insert - s.Family
		},
	}
}

// member reports whether s, made of open cards by w, is of its family after all.
func member(s Arrangement, w ArrangementWitness) bool {
	for choice := range s.In {
		all := true
		for i, c := range ArrangeCards(s.Family, s.Key, s.In, ArrangementWitness{Choice: choice, Factors: w.Factors}) {
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
	a, _ := arranged(t, Cut, 3, 1)
	b, _ := arranged(t, Insert, 3, 1)
	for i := range b.In {
		a.In[i] = a.Out[(i+1)%3]
		b.In[i] = b.Out[(i+1)%3]
	}
	b.Key = handtest.Secret(t).Key()
	prooftest.Binding(t, a, b)
	prooftest.Binding(t, arrangeMask{a.Family, a.Key, a.In}, arrangeMask{b.Family, b.Key, b.In})
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
	var s Arrangement
	var of masking.ShuffleStatement
	steps := []struct {
		unit string
		do   func() error
	}{
		{"make-µs", func() error {
			out, w, err := DrawArrangement(handtest.Here, Cut, x, x.Key(), in, rand.Reader)
			s = Arrangement{Family: Cut, Key: x.Key(), In: in, Out: out}
			if err == nil {
				cut, err = ProveArrangement(handtest.Here, s, w, rand.Reader)
			}
			return err
		}},
		{"verify-µs", func() error {
			var batch group.Batch
			if err := s.Verify(handtest.Here, cut, &batch); err != nil {
				return err
			}
			return batch.Check(rand.Reader)
		}},
		{"make/shuffle", func() error {
			out, o, err := x.Shuffle(handtest.Here, x.Key(), in, rand.Reader)
			of = masking.ShuffleStatement{Key: x.Key(), In: in, Out: out}
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
