package bayergroth_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/shuffle"
	"github.com/pakli/pakli/protocol/suite/elgamal/shuffle/shuffletest"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// g is the group of these tests.
var g = group.Ristretto255()

func TestConformance(t *testing.T) {
	shuffletest.Run(t, bayergroth.Prover{}, func(n int) int { return 32 * (3*n + 10) })
	testmust.Equal(t, bayergroth.Size(g, 42), 4352, "Size(42)")
}

func check(s shuffle.Statement, proof []byte) error {
	return shuffletest.VerifyAlone(bayergroth.Prover{}, s, proof)
}

// TestOpensACard: who made the mask of a card can take it off by remasking.
func TestOpensACard(t *testing.T) {
	shuffletest.OpensACard(t, bayergroth.Prover{}, bayergroth.Labelled, bayergroth.VerifyUnder, func(under func() *transcript.Transcript, s shuffle.Statement, o masking.Opening) []byte {
		return handtest.MustHave(bayergroth.ProveUnder(under(), s, o, rand.Reader))
	})
}

// TestChallenges: a commitment that does not reach the challenges after it can be chosen last.
func TestChallenges(t *testing.T) {
	shuffletest.CheckChallenges(t, bayergroth.Prover{}, func(at transcript.Context, s shuffle.Statement, proof []byte) [][]group.Scalar {
		c := handtest.MustHave(bayergroth.ChallengesOf(transcript.New(at, bayergroth.Labelled(s)), proof, len(s.In)))
		return [][]group.Scalar{{c.X}, {c.Y, c.Z}, {c.C}}
	}, 1, 2, 8)
}

func TestBinding(t *testing.T) {
	a, b := shuffletest.BindingPair(t)
	prooftest.Binding(t, bayergroth.Labelled(a), bayergroth.Labelled(b))
}

// extract rewinds a prover 2·N times, for N values of x one of y and z and two of c, and computes
// a witness: π, which A opens to whatever x is, since d_i = y·π(i) + b_i − z; and ρ, since
// Σ_i ρ_i·x^π(i) is known for N values of x. Two answers show f = c·b + a, ã = c·d + d' and
// τ_f = τ − c·Σ_i ρ_i·x^π(i).
func extract(t *testing.T, s shuffle.Statement, prove func(bayergroth.Challenges) (bayergroth.Answer, error)) (found masking.Opening) {
	t.Helper()
	n := len(s.In)
	v := handtest.NamedScalars(t, "challenges", 5*n)
	var matrix [][]group.Scalar
	var factors []group.Scalar
	var first group.Element
	for i := range n {
		at := bayergroth.Challenges{X: v[5*i], Y: v[5*i+1], Z: v[5*i+2]}
		line := handtest.ExtractSlopes(t, 8, func(k int) ([]byte, group.Scalar) {
			at.C = v[5*i+3+k]
			answer := handtest.MustHave(prove(at))
			handtest.ExpectAccepted(t, "an answer", func(batch *group.Batch) { answer.Equations(batch, at, s) })
			if first == nil {
				first = answer.A
			}
			if !first.Equal(answer.A) {
				t.Fatal("A depends on x")
			}
			return answer.Bytes(), at.C
		})
		d, powers, factor := line[:n], line[2*n-2:3*n-2], line[3*n+1].Neg()
		var pi []uint16
		for j := range d {
			pi = append(pi, handtest.SmallNumber(t, d[j].Sub(powers[j]).Add(at.Z).Mul(at.Y.Invert()), n+1)-1)
		}
		if i > 0 && !slices.Equal(pi, found.Permutation) {
			t.Fatalf("A opens to %v and to %v", found.Permutation, pi)
		}
		found.Permutation, matrix, factors = pi, append(matrix, powers), append(factors, factor)
	}
	found.Factors = handtest.SolveLinear(t, matrix, factors)
	return found
}

// TestExtract: an accepted proof by one who knows no shuffle. The extractor takes
// 2·N transcripts: N values of x, one of (y, z) and two of c.
func TestExtract(t *testing.T) {
	for n := 2; n <= 6; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			k := handtest.Secret(t).Key()
			for _, in := range [][]masking.Card{shuffletest.OpenCards(n), shuffletest.MaskedCards(t, k, n)} {
				order := handtest.MustHave(masking.DrawPermutation(n, handtest.NamedCoins(fmt.Sprint("order", n))))
				o := shuffletest.OpeningOf(t, order...)
				s := shuffletest.RemaskBy(k, in, o)
				shuffletest.ExpectExtracted(t, extract(t, s, func(c bayergroth.Challenges) (bayergroth.Answer, error) {
					return bayergroth.ProveAt(c, s, o, handtest.NamedCoins("prover"))
				}), o)
			}
		})
	}
}

// sumOf returns Σ x^i·e_i.
func sumOf(c bayergroth.Challenges, s shuffle.Statement) masking.Card {
	var powers []group.Scalar
	for x := c.X; len(powers) < len(s.In); x = x.Mul(c.X) {
		powers = append(powers, x)
	}
	return shuffle.Statement{Key: s.Key, Out: s.In}.CombineCards(powers, group.Scalar{})
}

// simulate returns the proof that challenges, responses, A, B and C_Δ determine,
// with sum in place of Σ x^i·e_i.
func simulate(c bayergroth.Challenges, s shuffle.Statement, sum masking.Card, free bayergroth.Answer) bayergroth.Answer {
	a, generators, n := free, shuffle.Generators(g), len(s.Out)
	times := func(e group.Element) group.Element { return group.Mul(c.C, e) }
	com := func(v []group.Scalar, r group.Scalar) group.Element {
		return g.MultiMul(append([]group.Scalar{r}, v...), generators[:len(v)+1])
	}
	minusZ := slices.Repeat([]group.Scalar{c.Z.Neg()}, n)
	d := group.Mul(c.Y, a.A).Add(a.B).Add(com(minusZ, group.Scalar{}))
	full, opening := a.Products(c), make([]group.Scalar, n-1)
	for i := range opening {
		opening[i] = c.C.Mul(full[i+1]).Sub(full[i].Mul(a.Product[i+1]))
	}
	a.Cd = com(a.Product, a.R).Sub(times(d))
	a.Cdelta = com(opening, a.S).Sub(times(a.CDelta))
	a.C0 = com(a.F, a.RF).Sub(times(a.B))
	after := s.CombineCards(a.F, a.TauF)
	a.E = masking.Card{A: after.A.Sub(times(sum.A)), B: after.B.Sub(times(sum.B))}
	return a
}

// TestSimulate: a proof that tells more than that it is one. In an honest proof
// responses, A, B and C_Δ are uniform; they and the challenges determine the rest.
func TestSimulate(t *testing.T) {
	for n := 2; n <= 6; n++ {
		s, o := shuffletest.HonestShuffle(t, n)
		proof := shuffletest.Prove(t, bayergroth.Prover{}, s, o)
		c := handtest.MustHave(bayergroth.ChallengesOf(transcript.New(shuffletest.SlotContext(0), bayergroth.Labelled(s)), proof, n))
		honest := handtest.MustHave(bayergroth.Read(proof, n))
		testmust.Hold(t, bytes.Equal(simulate(c, s, sumOf(c, s), honest).Bytes(), proof), n, "cards: challenges, responses, A, B and C_Δ do not determine an honest proof")
		forgeFalse(t, s)
	}
}

// forgeFalse simulates a proof that one card is there twice.
func forgeFalse(t *testing.T, s shuffle.Statement) {
	t.Helper()
	n := len(s.In)
	s = shuffletest.DoubledCard(t, s)
	c, free := random(t, n)
	forged := simulate(c, s, sumOf(c, s), free)
	handtest.ExpectAccepted(t, "a simulated proof", func(b *group.Batch) { forged.Equations(b, c, s) })
	if check(s, forged.Bytes()) == nil {
		t.Error("a simulated proof is accepted under the challenges of the transcript")
	}
}

// random returns what a simulator draws.
func random(t *testing.T, n int) (bayergroth.Challenges, bayergroth.Answer) {
	t.Helper()
	v := handtest.NamedScalars(t, "simulator", 9+3*n)
	return bayergroth.Challenges{X: v[0], Y: v[1], Z: v[2], C: v[3]}, bayergroth.Answer{
		A: g.MulBase(v[4]), B: g.MulBase(v[5]), CDelta: g.MulBase(v[6]),
		R: v[7], S: v[8], RF: v[9], TauF: v[10],
		Product: v[11 : 11+n], F: v[11+n : 11+2*n], Partial: v[11+2*n:],
	}
}

// TestSimulateSum: the same for the argument with a hidden sum, of which subsets are
// proved; the sum masks what the simulator likes.
func TestSimulateSum(t *testing.T) {
	for n := 2; n <= 6; n++ {
		k := handtest.Secret(t).Key()
		cards, sum := shuffletest.MaskedCards(t, k, n), shuffletest.MaskedCards(t, k, 1+n)[n]
		c, free := random(t, n)
		s := shuffle.Statement{Key: k, Out: cards}
		forged := simulate(c, s, sum, free)
		handtest.ExpectAccepted(t, "a simulated proof", func(b *group.Batch) { forged.EquationsOfSum(b, c, s, sum) })
		tr := transcript.New(shuffletest.SlotContext(0), bayergroth.Labelled(shuffle.Statement{Key: k, In: cards, Out: cards}))
		var b group.Batch
		if _, _, err := bayergroth.VerifySum(tr, k, cards, sum, forged.Bytes(), &b, func() {}); err != nil || b.Check(rand.Reader) == nil {
			t.Errorf("a simulated proof is accepted under the challenges of the transcript (%v)", err)
		}
	}
}
