package tereliuswikstrom_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/shuffle"
	"github.com/pakli/pakli/protocol/suite/elgamal/shuffle/shuffletest"
	tw "github.com/pakli/pakli/protocol/suite/elgamal/tereliuswikstrom"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// g is the group of these tests.
var g = group.Ristretto255()

var argument tw.Prover

func TestConformance(t *testing.T) {
	shuffletest.Run(t, argument, func(n int) int { return 32 * (5*n + 9) })
	testmust.Equal(t, tw.Size(g, 42), 7008, "Size(42)")
}

func under(s shuffle.Statement) *transcript.Transcript {
	return transcript.New(shuffletest.SlotContext(0), tw.Labelled(s))
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
	in := shuffletest.MaskedCards(t, k, 2)
	half := number(2).Invert()
	one, zero := number(1), group.Scalar{}
	for _, f := range []struct {
		name    string
		columns tw.Matrix          // of M with u' = M·u
		cards   [2][2]group.Scalar // e'_i is this combination of e_1 and e_2, remasked
		refused string             // by the one part
	}{
		{
			// Π u'_i = Π u_i, but the rows do not sum to one: cards scaled.
			"scaled", tw.Matrix{{number(2), zero}, {zero, half}},
			[2][2]group.Scalar{{half, zero}, {zero, number(2)}}, "matrix",
		},
		{
			// Rows sum to one, but Π u'_i ≠ Π u_i: half of a card moved into
			// the other.
			"mixed", tw.Matrix{{number(2), zero}, {number(-1), one}},
			[2][2]group.Scalar{{half, zero}, {half, one}}, "chain",
		},
		{
			// A permutation matrix, and one card twice.
			"duplicated", tw.Matrix{{one, zero}, {zero, one}},
			[2][2]group.Scalar{{one, zero}, {one, zero}}, "cards",
		},
	} {
		factors := shuffletest.OpeningOf(t, 0, 1).Factors
		s := shuffle.Statement{Key: k, In: in}
		for i, row := range f.cards {
			s.Out = append(s.Out, remasked(k, plus(times(row[0], in[0]), times(row[1], in[1])), factors[i]))
		}
		sigma := func(_, permuted []group.Scalar) group.Scalar { return group.InnerProduct(permuted, factors) }
		proof := handtest.MustHave(tw.ProveMatrix(under(s), s, f.columns, sigma, rand.Reader))
		failing, err := tw.Failing(under(s), s, proof, rand.Reader)
		if err != nil || !slices.Equal(failing, []string{f.refused}) {
			t.Errorf("%s: the attack is built wrong: %v fail (%v), want %s alone", f.name, failing, err, f.refused)
		}
		if shuffletest.VerifyAlone(argument, s, proof) == nil {
			t.Errorf("%s: accepted", f.name)
		}
	}
}

// TestMatrixOfPermutation: the forger's prover of the tests makes proofs that
// hold, if its matrix is one of a permutation.
func TestMatrixOfPermutation(t *testing.T) {
	k := handtest.Secret(t).Key()
	o := shuffletest.OpeningOf(t, 1, 0)
	s := shuffletest.RemaskBy(k, shuffletest.MaskedCards(t, k, 2), o)
	one, zero := number(1), group.Scalar{}
	sigma := func(_, permuted []group.Scalar) group.Scalar { return group.InnerProduct(permuted, o.Factors) }
	proof := handtest.MustHave(tw.ProveMatrix(under(s), s, tw.Matrix{{zero, one}, {one, zero}}, sigma, rand.Reader))
	testmust.Do(t, shuffletest.VerifyAlone(argument, s, proof))
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
	shuffletest.OpensACard(t, argument, tw.Labelled, tw.VerifyUnder, func(under func() *transcript.Transcript, s shuffle.Statement, o masking.Opening) []byte {
		return handtest.MustHave(tw.ProveUnder(under(), s, o, rand.Reader))
	})
}

// TestChallenges: a commitment that does not reach the challenges after it can be chosen last.
func TestChallenges(t *testing.T) {
	shuffletest.CheckChallenges(t, argument, func(at transcript.Context, s shuffle.Statement, proof []byte) [][]group.Scalar {
		c := handtest.MustHave(tw.ChallengesOf(transcript.New(at, tw.Labelled(s)), proof, len(s.In)))
		return [][]group.Scalar{c.U, {c.C}}
	}, 3, 3*3+5)
}

func TestBinding(t *testing.T) {
	a, b := shuffletest.BindingPair(t)
	prooftest.Binding(t, tw.Labelled(a), tw.Labelled(b))
}

// extract rewinds a prover 2·N times, for N vectors u and two values of c for each, and computes
// a witness: the matrix M with u' = M·u row by row, and ρ, since Σ u'_i·ρ_i is known for N
// vectors u. Two answers show u' and, by (6) and (7), the openings of all. C opens to M.
func extract(t *testing.T, s shuffle.Statement, o masking.Opening) (found masking.Opening) {
	t.Helper()
	n := len(s.In)
	var us, permuted [][]group.Scalar
	var openings, factors []group.Scalar
	var committed []group.Element
	for i := range n {
		v := handtest.NamedScalars(t, fmt.Sprint("challenges", i), n+2)
		line := handtest.ExtractSlopes(t, 3*n+5, func(k int) ([]byte, group.Scalar) {
			at := tw.Challenges{U: v[:n], C: v[n+k]}
			a := handtest.MustHave(tw.ProveAt(at, s, o, handtest.NamedCoins("prover")))
			handtest.ExpectAccepted(t, "an answer", func(batch *group.Batch) { a.Equations(batch, at, s) })
			if committed == nil {
				committed = a.C
			}
			if !slices.EqualFunc(a.C, committed, (group.Element).Equal) {
				t.Fatal("C depends on u")
			}
			return a.Bytes(), at.C
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
		if i < 0 || !g.MulBase(r).Add(shuffle.Generators(g)[i+1]).Equal(committed[j]) {
			t.Errorf("C_%d does not open to column %d of the matrix", j+1, j+1)
		}
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
	if at < 0 || at >= len(row) || !sum.Equal(number(1)) {
		t.Fatal("a row is none of a permutation")
	}
	return uint16(at)
}

// TestExtract: an accepted proof by one who knows no shuffle. The extractor takes
// 2·N transcripts: N independent vectors u, and two values of c for each.
func TestExtract(t *testing.T) {
	for n := 2; n <= 6; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s, o := shuffletest.HonestShuffle(t, n)
			shuffletest.ExpectExtracted(t, extract(t, s, o), o)
		})
	}
}

// simulate returns the proof that challenges, responses, C and Ĉ determine.
func simulate(c tw.Challenges, s shuffle.Statement, free tw.Answer) tw.Answer {
	a, generators := free, shuffle.Generators(g)
	times := func(e group.Element) group.Element { return group.Mul(c.C, e) }
	sum, all, product := g.Identity(), g.Identity(), number(1)
	for i, u := range c.U {
		sum, all, product = sum.Add(a.C[i]).Sub(generators[i+1]), all.Add(group.Mul(u, a.C[i])), product.Mul(u)
	}
	n := len(c.U)
	a.T1 = g.MulBase(a.S1).Sub(times(sum))
	a.T2 = g.MulBase(a.S2).Sub(times(a.Chain[n-1].Sub(group.Mul(product, generators[0]))))
	a.T3 = g.MulBase(a.S3).Add(g.MultiMul(a.Sprime, generators[1:n+1])).Sub(times(all))
	after := s.CombineCards(a.Sprime, a.S4.Neg())
	before := shuffle.Statement{Key: s.Key, Out: s.In}.CombineCards(c.U, group.Scalar{})
	a.T4 = masking.Card{A: after.A.Sub(times(before.A)), B: after.B.Sub(times(before.B))}
	a.That = nil
	previous := generators[0]
	for i, link := range a.Chain {
		a.That = append(a.That, g.MulBase(a.Shat[i]).Add(group.Mul(a.Sprime[i], previous)).Sub(times(link)))
		previous = link
	}
	return a
}

// TestSimulate: a proof that tells more than that it is one. In an honest proof
// responses, C and Ĉ are uniform; they and the challenges determine the rest.
func TestSimulate(t *testing.T) {
	for n := 2; n <= 6; n++ {
		s, o := shuffletest.HonestShuffle(t, n)
		proof := shuffletest.Prove(t, argument, s, o)
		c := handtest.MustHave(tw.ChallengesOf(under(s), proof, n))
		honest := handtest.MustHave(tw.Read(proof, n))
		testmust.Hold(t, bytes.Equal(simulate(c, s, honest).Bytes(), proof), n, "cards: challenges, responses, C and Ĉ do not determine an honest proof")

		// One card is there twice.
		s = shuffletest.DoubledCard(t, s)
		v := handtest.NamedScalars(t, "simulator", 5+5*n)
		free := tw.Answer{S1: v[0], S2: v[1], S3: v[2], S4: v[3], Shat: v[5 : 5+n], Sprime: v[5+n : 5+2*n]}
		for i := range n {
			free.C, free.Chain = append(free.C, g.MulBase(v[5+2*n+i])), append(free.Chain, g.MulBase(v[5+3*n+i]))
		}
		c = tw.Challenges{U: v[5+4*n:], C: v[4]}
		forged := simulate(c, s, free)
		handtest.ExpectAccepted(t, "a simulated proof", func(b *group.Batch) { forged.Equations(b, c, s) })
		if shuffletest.VerifyAlone(argument, s, forged.Bytes()) == nil {
			t.Error("a simulated proof is accepted under the challenges of the transcript")
		}
	}
}
