package arrange_test

import (
	"crypto/rand"
	"fmt"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/suite/ristretto255/arrange"
	"github.com/pakli/pakli/protocol/suite/ristretto255/disjunction"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/suite/ristretto255/rewind"
	"github.com/pakli/pakli/protocol/transcript"
)

var families = []arrange.Family{arrange.Cut, arrange.Insert}

func verify(s arrange.Statement, proof []byte) error {
	return handtest.Holds(func(b *group.Batch) error { return arrange.Verify(handtest.Here, s, proof, b) })
}

func factors(t testing.TB, n int) []group.Scalar {
	t.Helper()
	return handtest.Must(group.RandomScalars(rand.Reader, n))
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
	return handtest.Must(arrange.ProveUnder(tr, s, arrange.Powers(s, tr), w, rewind.Coins("claim")))
}

// An honest player who is refused: of every size, family and permutation, among them
// that which leaves the order as it is. And a size that is not what is promised.
func TestHonest(t *testing.T) {
	for _, f := range families {
		for _, n := range []int{1, 2, 3, 42} {
			for _, k := range slices.Compact([]int{0, n / 2, n - 1}) {
				s, w := arranged(t, f, n, k)
				proof, err := arrange.Prove(handtest.Here, s, w, rand.Reader)
				if err != nil || verify(s, proof) != nil {
					t.Fatalf("%s of %d by %d: %v, %v", f, n, k, err, verify(s, proof))
				}
				if len(proof) != 32*(4*n-1) || len(proof) != disjunction.Size(n) {
					t.Errorf("%s of %d: %d bytes", f, n, len(proof))
				}
			}
		}
	}
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
			s.Out[0] = masking.Mask(s.Key, group.HashToElement("another"), w.Factors[0])
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

// A proof of another length of pile, and one whose challenges do not add up to that of
// the transcript: without that, every branch can be simulated.
func TestOtherPiles(t *testing.T) {
	s, w := arranged(t, arrange.Cut, 4, 1)
	proof := claim(t, s, w)
	for n := range 4 {
		less := s
		less.In, less.Out = s.In[:n], s.Out[:n]
		if verify(less, proof) == nil || verify(s, proof[:n*128]) == nil {
			t.Errorf("a proof of 4 is accepted of %d", n)
		}
	}
	for k := range 3 {
		p := group.NewParser(proof)
		elements, scalars := p.Elements(8), p.Scalars(7)
		scalars[k] = scalars[k].Add(group.ScalarFromUint64(1))
		changed := group.Encode(elements...)
		for _, x := range scalars {
			changed = x.AppendTo(changed)
		}
		if verify(s, changed) == nil {
			t.Errorf("challenge %d is free", k)
		}
	}
}

// An accepted arrangement by one who knows no permutation and factors of it. The
// extractor takes two transcripts for each of N values of x: the branch whose challenge
// changes is the permutation, its answers give Σ x^i·ρ_i, and N of these give ρ_i.
func TestExtract(t *testing.T) {
	const n = 4
	for _, f := range families {
		s, w := arranged(t, f, n, 2)
		var sums []group.Scalar
		at := rewind.Scalars(t, "x", n)
		for _, x := range at {
			powers := group.Powers(group.ScalarFromUint64(1), x, n)
			var answers [2]branches
			for slot := range uint16(2) {
				proof := handtest.Must(arrange.ProveUnder(transcript.New(handtest.At(slot), s), s, powers, w, rewind.Coins(fmt.Sprint(x.Bytes()))))
				rewind.Accepted(t, "an answer", func(b *group.Batch) {
					testmust.Do(t, arrange.VerifyUnder(transcript.New(handtest.At(slot), s), s, powers, proof, b))
				})
				answers[slot] = read(t, proof, n)
			}
			if !slices.Equal(answers[0].commitments, answers[1].commitments) {
				t.Fatal("the prover was not rewound: it says other first words")
			}
			// The answers of true and simulated branches agree but for one.
			var found []int
			for k := range n {
				if !answers[0].z[k].Equal(answers[1].z[k]) {
					found = append(found, k)
				}
			}
			if !slices.Equal(found, []int{w.Choice}) {
				t.Fatalf("branches %v have two answers, want %d", found, w.Choice)
			}
			c := answers[0].free[w.Choice].Sub(answers[1].free[w.Choice])
			sums = append(sums, answers[0].z[w.Choice].Sub(answers[1].z[w.Choice]).Mul(c.Invert()))
		}
		for i, r := range rewind.Polynomial(t, at, sums) {
			if !r.Equal(w.Factors[i]) {
				t.Errorf("%s: factor %d is not what was extracted", f, i)
			}
		}
	}
}

// branches is a proof in its parts.
type branches struct {
	commitments []string
	free, z     []group.Scalar
}

func read(t *testing.T, proof []byte, n int) branches {
	t.Helper()
	p := group.NewParser(proof)
	b := branches{}
	for _, e := range p.Elements(2 * n) {
		b.commitments = append(b.commitments, string(e.Bytes()))
	}
	b.free, b.z = p.Scalars(n-1), p.Scalars(n)
	testmust.Do(t, p.Close())
	return b
}
