package bayergroth

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// g is the group of these tests.
var g = group.Ristretto255()

func TestConformance(t *testing.T) {
	handtest.RunArgument(t, Prover{}, func(n int) int { return 32 * (3*n + 10) })
	testmust.Equal(t, Size(g, 42), 4352, "Size(42)")
}

func check(s masking.ShuffleStatement, proof []byte) error {
	return handtest.VerifyAlone(Prover{}, s, proof)
}

// TestOpensACard: who made the mask of a card can take it off by remasking.
func TestOpensACard(t *testing.T) {
	handtest.OpensACard(t, Prover{}, label, verify, func(t *transcript.Transcript, s masking.ShuffleStatement, o masking.Opening, coins io.Reader) ([]byte, error) {
		k, err := drawNonces(g, coins, len(s.In))
		return prove(t, s, o, k).proofBytes(), err
	})
}

// TestChallenges: a commitment that does not reach the challenges after it can be chosen last.
func TestChallenges(t *testing.T) {
	handtest.CheckChallenges(t, Prover{}, func(at transcript.Context, s masking.ShuffleStatement, proof []byte) [][]group.Scalar {
		c, _ := challengesOf(t, at, s, proof)
		return [][]group.Scalar{{c.x}, {c.y, c.z}, {c.c}}
	}, 1, 2, 8)
}

// challenges are all challenges of a proof.
type challenges struct{ x, y, z, c group.Scalar }

// challengesOf reads a proof and draws its challenges.
func challengesOf(t testing.TB, at transcript.Context, s masking.ShuffleStatement, proof []byte) (challenges, *message) {
	t.Helper()
	m := handtest.MustHave(parseMessage(g, proof, len(s.In)))
	tr := transcript.New(at, s.WithLabel(label))
	x := challengeX(tr, m)
	y, z := challengeYZ(tr, m)
	return challenges{x, y, z, challengeC(tr, m)}, m
}

// answerAt is the honest prover, who is given the challenges. Equal coins give
// equal nonces: it is how he is rewound.
func answerAt(c challenges, s masking.ShuffleStatement, o masking.Opening, coins io.Reader) *message {
	p := newProver(g, o.Permutation, handtest.MustHave(drawNonces(g, coins, len(s.In))), func(_, a []group.Scalar, tau group.Scalar) masking.Card { return s.CombineCards(a, tau) })
	p.commitPermutation()
	p.commitPowers(c.x)
	p.commitProduct(c.y, c.z)
	p.commitCombination()
	p.answerChallenge(c.c, group.InnerProduct(o.Factors, p.b))
	return p.m
}

// addEquations adds all equations for given challenges.
func (m *message) addEquations(b *group.Batch, c challenges, s masking.ShuffleStatement) {
	m.addSumEquations(b, c, s, group.Powers(c.x, c.x, len(s.In)), s.In...)
}

// addSumEquations adds the equations of a proof about a sum of some cards.
func (m *message) addSumEquations(b *group.Batch, c challenges, s masking.ShuffleStatement, factors []group.Scalar, in ...masking.Card) {
	m.checkProduct(b, c.y, c.z, c.c, group.Powers(c.x, c.x, len(s.Out)))
	m.checkPowers(b, c.c)
	m.checkCombination(b, s, c.c, factors, in)
}

// extract rewinds a prover 2·N times, for N values of x one of y and z and two of c, and computes
// a witness: π, which A opens to whatever x is, since d_i = y·π(i) + b_i − z; and ρ, since
// Σ_i ρ_i·x^π(i) is known for N values of x. Two answers show f = c·b + a, ã = c·d + d' and
// τ_f = τ − c·Σ_i ρ_i·x^π(i).
func extract(t *testing.T, s masking.ShuffleStatement, prove func(challenges) *message) (found masking.Opening) {
	t.Helper()
	n := len(s.In)
	v := handtest.NamedScalars(t, "challenges", 5*n)
	var matrix [][]group.Scalar
	var factors []group.Scalar
	var first group.Element
	for i := range n {
		at := challenges{x: v[5*i], y: v[5*i+1], z: v[5*i+2]}
		line := handtest.ExtractSlopes(t, 8, func(k int) ([]byte, group.Scalar) {
			at.c = v[5*i+3+k]
			answer := prove(at)
			handtest.ExpectAccepted(t, "an answer", func(batch *group.Batch) { answer.addEquations(batch, at, s) })
			if first == nil {
				first = answer.A
			}
			testmust.Require(t, first.Equal(answer.A), "A depends on x")
			return answer.proofBytes(), at.c
		})
		d, powers, factor := line[:n], line[2*n-2:3*n-2], line[3*n+1].Neg()
		var pi []uint16
		for j := range d {
			pi = append(pi, handtest.SmallNumber(t, d[j].Sub(powers[j]).Add(at.z).Mul(at.y.Invert()), n+1)-1)
		}
		testmust.Requiref(t, i <= 0 || slices.Equal(pi, found.Permutation), "A opens to %v and to %v", found.Permutation, pi)
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
			for _, in := range [][]masking.Card{handtest.OpenCards(n), handtest.MaskedCards(t, k, n)} {
				order := handtest.MustHave(masking.DrawPermutation(n, handtest.NamedCoins(fmt.Sprint("order", n))))
				o := handtest.OpeningOf(t, order...)
				s := handtest.RemaskBy(k, in, o)
				handtest.ExpectExtracted(t, extract(t, s, func(c challenges) *message { return answerAt(c, s, o, handtest.NamedCoins("prover")) }), o)
			}
		})
	}
}

// sumOf returns Σ x^i·e_i.
func sumOf(c challenges, s masking.ShuffleStatement) masking.Card {
	var powers []group.Scalar
	for x := c.x; len(powers) < len(s.In); x = x.Mul(c.x) {
		powers = append(powers, x)
	}
	return masking.ShuffleStatement{Key: s.Key, Out: s.In}.CombineCards(powers, group.Scalar{})
}

// simulate returns the proof that challenges, responses, A, B and C_Δ determine,
// with sum in place of Σ x^i·e_i.
func simulate(c challenges, s masking.ShuffleStatement, sum masking.Card, free *message) *message {
	a, generators, n := *free, masking.Generators(g), len(s.Out)
	times := func(e group.Element) group.Element { return group.Mul(c.c, e) }
	com := func(v []group.Scalar, r group.Scalar) group.Element {
		return g.MultiMul(append([]group.Scalar{r}, v...), generators[:len(v)+1])
	}
	minusZ := slices.Repeat([]group.Scalar{c.z.Neg()}, n)
	d := group.Mul(c.y, a.A).Add(a.B).Add(com(minusZ, group.Scalar{}))
	full, opening := a.partialProducts(c.y, c.z, c.c, group.Powers(c.x, c.x, n)), make([]group.Scalar, n-1)
	for i := range opening {
		opening[i] = c.c.Mul(full[i+1]).Sub(full[i].Mul(a.a[i+1]))
	}
	a.Cd = com(a.a, a.r).Sub(times(d))
	a.Cdelta = com(opening, a.s).Sub(times(a.CDelta))
	a.C0 = com(a.f, a.rf).Sub(times(a.B))
	after := s.CombineCards(a.f, a.tauf)
	a.E = masking.Card{A: after.A.Sub(times(sum.A)), B: after.B.Sub(times(sum.B))}
	return &a
}

// TestSimulate: a proof that tells more than that it is one. In an honest proof
// responses, A, B and C_Δ are uniform; they and the challenges determine the rest.
func TestSimulate(t *testing.T) {
	for n := 2; n <= 6; n++ {
		s, o := handtest.HonestShuffle(t, n)
		proof := handtest.ProveShuffle(t, Prover{}, s, o)
		c, honest := challengesOf(t, handtest.SlotContext(0), s, proof)
		testmust.Hold(t, bytes.Equal(simulate(c, s, sumOf(c, s), honest).proofBytes(), proof), n, "cards: challenges, responses, A, B and C_Δ do not determine an honest proof")
		forgeFalse(t, s)
	}
}

// forgeFalse simulates a proof that one card is there twice.
func forgeFalse(t *testing.T, s masking.ShuffleStatement) {
	t.Helper()
	n := len(s.In)
	s = handtest.DoubledCard(t, s)
	c, free := random(t, n)
	forged := simulate(c, s, sumOf(c, s), free)
	handtest.ExpectAccepted(t, "a simulated proof", func(b *group.Batch) { forged.addEquations(b, c, s) })
	testmust.Fail(t, check(s, forged.proofBytes()), "a simulated proof is accepted under the challenges of the transcript")
}

// random returns what a simulator draws.
func random(t *testing.T, n int) (challenges, *message) {
	t.Helper()
	v := handtest.NamedScalars(t, "simulator", 9+3*n)
	return challenges{v[0], v[1], v[2], v[3]}, &message{
		A: g.MulBase(v[4]), B: g.MulBase(v[5]), CDelta: g.MulBase(v[6]),
		r: v[7], s: v[8], rf: v[9], tauf: v[10],
		a: v[11 : 11+n], f: v[11+n : 11+2*n], b: v[11+2*n:],
	}
}

// TestSimulateSum: the same for the argument with a hidden sum, of which subsets are
// proved; the sum masks what the simulator likes.
func TestSimulateSum(t *testing.T) {
	for n := 2; n <= 6; n++ {
		k := handtest.Secret(t).Key()
		cards, sum := handtest.MaskedCards(t, k, n), handtest.MaskedCards(t, k, 1+n)[n]
		c, free := random(t, n)
		s := masking.ShuffleStatement{Key: k, Out: cards}
		forged := simulate(c, s, sum, free)
		handtest.ExpectAccepted(t, "a simulated proof", func(b *group.Batch) { forged.addSumEquations(b, c, s, []group.Scalar{g.One()}, sum) })
		tr := transcript.New(handtest.SlotContext(0), masking.ShuffleStatement{Key: k, In: cards, Out: cards}.WithLabel(label))
		var b group.Batch
		_, _, err := VerifySum(tr, k, cards, sum, forged.proofBytes(), &b, func() {})
		testmust.Holdf(t, err == nil && b.Check(rand.Reader) != nil, "a simulated proof is accepted under the challenges of the transcript (%v)", err)
	}
}
