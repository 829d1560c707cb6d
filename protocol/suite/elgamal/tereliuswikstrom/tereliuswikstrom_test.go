package tereliuswikstrom

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

var argument Prover

func TestConformance(t *testing.T) {
	handtest.RunArgument(t, argument, func(n int) int { return 32 * (5*n + 9) })
	testmust.Equal(t, Size(g, 42), 7008, "Size(42)")
}

func under(s masking.ShuffleStatement) *transcript.Transcript {
	return transcript.New(handtest.SlotContext(0), s.WithLabel(label))
}

func number(n int64) group.Scalar {
	if n < 0 {
		return g.ScalarFromUint64(uint64(-n)).Neg()
	}
	return g.ScalarFromUint64(uint64(n))
}

// TestNoPermutationMatrix: the prover commits to a matrix that is none of a
// permutation, chosen such that all equations hold but those that one of the
// three parts of the argument adds. Each part is needed, and refuses.
func TestNoPermutationMatrix(t *testing.T) {
	k := handtest.Secret(t).Key()
	in := handtest.MaskedCards(t, k, 2)
	half := number(2).Invert()
	one, zero := number(1), group.Scalar{}
	for _, f := range []struct {
		name    string
		columns [][]group.Scalar   // of M with u' = M·u
		cards   [2][2]group.Scalar // e'_i is this combination of e_1 and e_2, remasked
		refused string             // by the one part
	}{
		{
			// Π u'_i = Π u_i, but the rows do not sum to one: cards scaled.
			"scaled", [][]group.Scalar{{number(2), zero}, {zero, half}},
			[2][2]group.Scalar{{half, zero}, {zero, number(2)}}, "matrix",
		},
		{
			// Rows sum to one, but Π u'_i ≠ Π u_i: half of a card moved into
			// the other.
			"mixed", [][]group.Scalar{{number(2), zero}, {number(-1), one}},
			[2][2]group.Scalar{{half, zero}, {half, one}}, "chain",
		},
		{
			// A permutation matrix, and one card twice.
			"duplicated", [][]group.Scalar{{one, zero}, {zero, one}},
			[2][2]group.Scalar{{one, zero}, {one, zero}}, "cards",
		},
	} {
		factors := handtest.OpeningOf(t, 0, 1).Factors
		s := masking.ShuffleStatement{Key: k, In: in}
		for i, row := range f.cards {
			s.Out = append(s.Out, remasked(k, plus(times(row[0], in[0]), times(row[1], in[1])), factors[i]))
		}
		sigma := func(_, permuted []group.Scalar) group.Scalar { return group.InnerProduct(permuted, factors) }
		proof := proveMatrix(s, f.columns, sigma)
		u, c, m := challengesOf(t, handtest.SlotContext(0), s, proof)
		handtest.ExpectFailing(t, f.refused, map[string]func(*group.Batch){
			"matrix": func(b *group.Batch) { m.checkMatrix(b, u, c) },
			"chain":  func(b *group.Batch) { m.checkChain(b, u, c) },
			"cards":  func(b *group.Batch) { m.checkCombination(b, s, u, c) },
		})
		testmust.Fail(t, handtest.VerifyAlone(argument, s, proof), f.name, "accepted")
	}
}

// TestMatrixOfPermutation: the forger's prover of the tests makes proofs that
// hold, if its matrix is one of a permutation.
func TestMatrixOfPermutation(t *testing.T) {
	k := handtest.Secret(t).Key()
	o := handtest.OpeningOf(t, 1, 0)
	s := handtest.RemaskBy(k, handtest.MaskedCards(t, k, 2), o)
	one, zero := number(1), group.Scalar{}
	sigma := func(_, permuted []group.Scalar) group.Scalar { return group.InnerProduct(permuted, o.Factors) }
	proof := proveMatrix(s, [][]group.Scalar{{zero, one}, {one, zero}}, sigma)
	testmust.Do(t, handtest.VerifyAlone(argument, s, proof))
}

// proveMatrix runs the honest algorithm on a forger's matrix, whose column j is the vector that C_j
// commits to; it need be none of a permutation, with u' = M·u. Weights and factors of (7) are the
// forger's: σ is what he takes for Σ u'_i·ρ_i.
func proveMatrix(s masking.ShuffleStatement, matrix [][]group.Scalar, sigma func(u, permuted []group.Scalar) group.Scalar) []byte {
	n, m, t := len(s.In), new(message), under(s)
	k := handtest.MustHave(drawNonces(g, rand.Reader, n))
	generators := masking.Generators(g)[1 : n+1]
	for j, column := range matrix {
		m.C = append(m.C, g.MulBase(k.r[j]).Add(g.MultiMul(column, generators)))
	}
	u := challengesU(t, m)
	permuted := make([]group.Scalar, n)
	for j, column := range matrix {
		permuted = group.ScaleAndAdd(u[j], column, permuted)
	}
	rn := m.setChain(g, permuted, k)
	m.T1, m.T2 = g.MulBase(k.w1), g.MulBase(k.w2)
	m.T3 = g.MulBase(k.w3).Add(g.MultiMul(k.wprime, generators))
	m.T4 = s.CombineCards(k.wprime, k.w4.Neg())
	c := challengeC(t, m)
	m.s1 = k.w1
	for _, r := range k.r {
		m.s1 = m.s1.Add(c.Mul(r))
	}
	m.s2, m.s3 = k.w2.Add(c.Mul(rn)), k.w3.Add(c.Mul(group.InnerProduct(u, k.r)))
	m.s4 = k.w4.Add(c.Mul(sigma(u, permuted)))
	m.shat, m.sprime = group.ScaleAndAdd(c, k.rhat, k.what), group.ScaleAndAdd(c, permuted, k.wprime)
	return m.proofBytes()
}

func plus(a, b masking.Card) masking.Card { return masking.Card{A: a.A.Add(b.A), B: a.B.Add(b.B)} }

func times(s group.Scalar, c masking.Card) masking.Card {
	return masking.Card{A: group.Mul(s, c.A), B: group.Mul(s, c.B)}
}

func remasked(k *masking.Key, c masking.Card, r group.Scalar) masking.Card {
	return plus(c, masking.Card{A: g.MulBase(r), B: group.Mul(r, k.Element())})
}

// TestOpensACard: who made the mask of a card can take it off by remasking.
func TestOpensACard(t *testing.T) {
	handtest.OpensACard(t, argument, label, verify, func(t *transcript.Transcript, s masking.ShuffleStatement, o masking.Opening, coins io.Reader) ([]byte, error) {
		k, err := drawNonces(g, coins, len(s.In))
		return prove(t, s, o, k).proofBytes(), err
	})
}

// TestChallenges: a commitment that does not reach the challenges after it can be chosen last.
func TestChallenges(t *testing.T) {
	handtest.CheckChallenges(t, argument, func(at transcript.Context, s masking.ShuffleStatement, proof []byte) [][]group.Scalar {
		u, c, _ := challengesOf(t, at, s, proof)
		return [][]group.Scalar{u, {c}}
	}, 3, 3*3+5)
}

// challengesOf reads a proof and draws its challenges.
func challengesOf(t testing.TB, at transcript.Context, s masking.ShuffleStatement, proof []byte) (u []group.Scalar, c group.Scalar, m *message) {
	t.Helper()
	m = handtest.MustHave(parseMessage(g, proof, len(s.In)))
	tr := transcript.New(at, s.WithLabel(label))
	u = challengesU(tr, m)
	return u, challengeC(tr, m), m
}

// extract rewinds a prover 2·N times, for N vectors u and two values of c for each, and computes
// a witness: the matrix M with u' = M·u row by row, and ρ, since Σ u'_i·ρ_i is known for N
// vectors u. Two answers show u' and, by (6) and (7), the openings of all. C opens to M.
func extract(t *testing.T, s masking.ShuffleStatement, o masking.Opening) (found masking.Opening) {
	t.Helper()
	n := len(s.In)
	var us, permuted [][]group.Scalar
	var openings, factors []group.Scalar
	var committed []group.Element
	for i := range n {
		v := handtest.NamedScalars(t, fmt.Sprint("challenges", i), n+2)
		line := handtest.ExtractSlopes(t, 3*n+5, func(k int) ([]byte, group.Scalar) {
			u, c := v[:n], v[n+k]
			p := prover{s: s, o: o, k: handtest.MustHave(drawNonces(g, handtest.NamedCoins("prover"), n))} // equal coins rewind him
			p.m.C = commitPermutation(g, o.Permutation, p.k.r)
			p.commitChain(u)
			p.answerChallenge(c)
			handtest.ExpectAccepted(t, "an answer", func(batch *group.Batch) { p.m.addEquations(batch, s, u, c) })
			if committed == nil {
				committed = p.m.C
			}
			testmust.Require(t, slices.EqualFunc(p.m.C, committed, (group.Element).Equal), "C depends on u")
			return p.m.proofBytes(), c
		})
		us, permuted = append(us, v[:n]), append(permuted, line[4+n:])
		openings, factors = append(openings, line[2]), append(factors, line[3])
	}
	found.Factors = handtest.SolveLinear(t, permuted, factors)
	for i := range n {
		var component []group.Scalar
		for _, p := range permuted {
			component = append(component, p[i])
		}
		found.Permutation = append(found.Permutation, place(t, handtest.SolveLinear(t, us, component)))
	}
	for j, r := range handtest.SolveLinear(t, us, openings) {
		i := slices.Index(found.Permutation, uint16(j))
		testmust.Holdf(t, i >= 0 && g.MulBase(r).Add(masking.Generators(g)[i+1]).Equal(committed[j]), "C_%d does not open to column %d of the matrix", j+1, j+1)
	}
	return found
}

// place returns where a row has its one entry.
func place(t *testing.T, row []group.Scalar) uint16 {
	t.Helper()
	at, sum := -1, group.Scalar{}
	for j, entry := range row {
		sum = sum.Add(entry)
		if entry.Equal(number(1)) {
			at = j
		} else if !entry.IsZero() {
			at = len(row)
		}
	}
	testmust.Require(t, at >= 0 && at < len(row) && sum.Equal(number(1)), "a row is none of a permutation")
	return uint16(at)
}

// TestExtract: an accepted proof by one who knows no shuffle. The extractor takes
// 2·N transcripts: N independent vectors u, and two values of c for each.
func TestExtract(t *testing.T) {
	for n := 2; n <= 6; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s, o := handtest.HonestShuffle(t, n)
			handtest.ExpectExtracted(t, extract(t, s, o), o)
		})
	}
}

// simulate returns the proof that challenges, responses, C and Ĉ determine.
func simulate(challenges []group.Scalar, c group.Scalar, s masking.ShuffleStatement, free *message) *message {
	a, generators := *free, masking.Generators(g)
	times := func(e group.Element) group.Element { return group.Mul(c, e) }
	sum, all, product := g.Identity(), g.Identity(), number(1)
	for i, u := range challenges {
		sum, all, product = sum.Add(a.C[i]).Sub(generators[i+1]), all.Add(group.Mul(u, a.C[i])), product.Mul(u)
	}
	n := len(challenges)
	a.T1 = g.MulBase(a.s1).Sub(times(sum))
	a.T2 = g.MulBase(a.s2).Sub(times(a.Chain[n-1].Sub(group.Mul(product, generators[0]))))
	a.T3 = g.MulBase(a.s3).Add(g.MultiMul(a.sprime, generators[1:n+1])).Sub(times(all))
	after := s.CombineCards(a.sprime, a.s4.Neg())
	before := masking.ShuffleStatement{Key: s.Key, Out: s.In}.CombineCards(challenges, group.Scalar{})
	a.T4 = masking.Card{A: after.A.Sub(times(before.A)), B: after.B.Sub(times(before.B))}
	a.That = nil
	previous := generators[0]
	for i, link := range a.Chain {
		a.That = append(a.That, g.MulBase(a.shat[i]).Add(group.Mul(a.sprime[i], previous)).Sub(times(link)))
		previous = link
	}
	return &a
}

// TestSimulate: a proof that tells more than that it is one. In an honest proof
// responses, C and Ĉ are uniform; they and the challenges determine the rest.
func TestSimulate(t *testing.T) {
	for n := 2; n <= 6; n++ {
		s, o := handtest.HonestShuffle(t, n)
		proof := handtest.ProveShuffle(t, argument, s, o)
		u, c, honest := challengesOf(t, handtest.SlotContext(0), s, proof)
		testmust.Hold(t, bytes.Equal(simulate(u, c, s, honest).proofBytes(), proof), n, "cards: challenges, responses, C and Ĉ do not determine an honest proof")

		// One card is there twice.
		s = handtest.DoubledCard(t, s)
		v := handtest.NamedScalars(t, "simulator", 5+5*n)
		free := &message{s1: v[0], s2: v[1], s3: v[2], s4: v[3], shat: v[5 : 5+n], sprime: v[5+n : 5+2*n]}
		for i := range n {
			free.C, free.Chain = append(free.C, g.MulBase(v[5+2*n+i])), append(free.Chain, g.MulBase(v[5+3*n+i]))
		}
		u, c = v[5+4*n:], v[4]
		forged := simulate(u, c, s, free)
		handtest.ExpectAccepted(t, "a simulated proof", func(b *group.Batch) { forged.addEquations(b, s, u, c) })
		testmust.Fail(t, handtest.VerifyAlone(argument, s, forged.proofBytes()), "a simulated proof is accepted under the challenges of the transcript")
	}
}
