package tereliuswikstrom_test

import (
	"crypto/rand"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle/shuffletest"
	tw "github.com/pakli/pakli/protocol/suite/ristretto255/tereliuswikstrom"
	"github.com/pakli/pakli/protocol/transcript"
)

var argument tw.Prover

func TestConformance(t *testing.T) {
	shuffletest.Run(t, argument, func(n int) int { return 32 * (5*n + 9) })
	if tw.Size(42) != 7008 {
		t.Errorf("Size(42) = %d, want 7008", tw.Size(42))
	}
}

func under(s shuffle.Statement) *transcript.Transcript {
	return transcript.New(shuffletest.At(0), tw.Labelled(s))
}

func number(n int64) group.Scalar {
	if n < 0 {
		return group.ScalarFromUint64(uint64(-n)).Neg()
	}
	return group.ScalarFromUint64(uint64(n))
}

// TestNoPermutationMatrix: the prover commits to a matrix that is none of a
// permutation, chosen such that all equations hold but those that one of the
// three parts of the argument adds. Each part is needed, and refuses.
func TestNoPermutationMatrix(t *testing.T) {
	k := handtest.Secret(t).Key()
	in := shuffletest.Masked(t, k, 2)
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
		factors := shuffletest.Opening(t, 0, 1).Factors
		s := shuffle.Statement{Key: k, In: in}
		for i, row := range f.cards {
			s.Out = append(s.Out, remasked(k, plus(times(row[0], in[0]), times(row[1], in[1])), factors[i]))
		}
		sigma := func(_, permuted []group.Scalar) group.Scalar { return group.Inner(permuted, factors) }
		proof := handtest.Must(tw.ProveMatrix(under(s), s, f.columns, sigma, rand.Reader))
		failing, err := tw.Failing(under(s), s, proof, rand.Reader)
		if err != nil || !slices.Equal(failing, []string{f.refused}) {
			t.Errorf("%s: the attack is built wrong: %v fail (%v), want %s alone", f.name, failing, err, f.refused)
		}
		if shuffletest.Check(argument, s, proof) == nil {
			t.Errorf("%s: accepted", f.name)
		}
	}
}

// TestMatrixOfPermutation: the forger's prover of the tests makes proofs that
// hold, if its matrix is one of a permutation.
func TestMatrixOfPermutation(t *testing.T) {
	k := handtest.Secret(t).Key()
	o := shuffletest.Opening(t, 1, 0)
	s := shuffletest.By(k, shuffletest.Masked(t, k, 2), o)
	one, zero := number(1), group.Scalar{}
	sigma := func(_, permuted []group.Scalar) group.Scalar { return group.Inner(permuted, o.Factors) }
	proof := handtest.Must(tw.ProveMatrix(under(s), s, tw.Matrix{{zero, one}, {one, zero}}, sigma, rand.Reader))
	testmust.Do(t, shuffletest.Check(argument, s, proof))
}

func plus(a, b masking.Card) masking.Card { return masking.Card{A: a.A.Add(b.A), B: a.B.Add(b.B)} }

func times(s group.Scalar, c masking.Card) masking.Card {
	return masking.Card{A: group.Mul(s, c.A), B: group.Mul(s, c.B)}
}

func remasked(k *masking.Key, c masking.Card, r group.Scalar) masking.Card {
	return plus(c, masking.Card{A: group.MulBase(r), B: group.Mul(r, k.Element())})
}

// TestOpensACard: who made the mask of a card can take it off by remasking.
func TestOpensACard(t *testing.T) {
	shuffletest.OpensACard(t, argument, tw.Labelled, tw.VerifyUnder, func(under func() *transcript.Transcript, s shuffle.Statement, o masking.Opening) []byte {
		return handtest.Must(tw.ProveUnder(under(), s, o, rand.Reader))
	})
}

// TestChallenges: a commitment that does not reach the challenges after it can be chosen last.
func TestChallenges(t *testing.T) {
	shuffletest.Challenges(t, argument, func(at transcript.Context, s shuffle.Statement, proof []byte) [][]group.Scalar {
		c := handtest.Must(tw.ChallengesOf(transcript.New(at, tw.Labelled(s)), proof, len(s.In)))
		return [][]group.Scalar{c.U, {c.C}}
	}, 3, 3*3+5)
}

func TestBinding(t *testing.T) {
	a, b := shuffletest.Binding(t)
	prooftest.Binding(t, tw.Labelled(a), tw.Labelled(b))
}
