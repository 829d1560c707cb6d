package bayergroth_test

import (
	"crypto/rand"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/bayergroth"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle/shuffletest"
	"github.com/pakli/pakli/protocol/transcript"
)

func TestConformance(t *testing.T) {
	shuffletest.Run(t, bayergroth.Prover{}, func(n int) int { return 32 * (3*n + 10) })
	if bayergroth.Size(42) != 4352 {
		t.Errorf("Size(42) = %d, want 4352", bayergroth.Size(42))
	}
}

func check(s shuffle.Statement, proof []byte) error {
	return shuffletest.Check(bayergroth.Prover{}, s, proof)
}

// TestPartAfterChallenge: the general attack on a weak transform. The forger
// proves an honest shuffle, and then changes a part of the statement that is
// not hashed, which leaves all challenges and responses as they are, so that
// the one equation it occurs in holds again:
//
//	(8)  c·Σ x^i·e_i + E = Enc(τ_f) + Σ f_i·e'_i
//
// If the cards after the shuffle are not hashed, all of them but one are the
// forger's choice: here the ace, four times out of five.
func TestPartAfterChallenge(t *testing.T) {
	x := handtest.Secret(t)
	k := x.Key()
	in, _, err := handtest.Secret(t).Shuffle(shuffletest.At(0), k, shuffletest.Open(5), rand.Reader)
	testmust.Do(t, err)
	o := shuffletest.Opening(t, 3, 1, 4, 0, 2)
	honest := shuffletest.By(k, in, o)
	ace := group.HashToElement("ace")
	aces := func() masking.Card { return handtest.Mask(t, k, ace)[0] }
	p, f := handtest.Must(bayergroth.ProveUnder(shuffletest.Weakly(), shuffletest.Weakly(), honest, o, rand.Reader)), honest
	f.Out = []masking.Card{{}, aces(), aces(), aces(), aces()}
	f.Out[0] = lastOut(p, f)
	for _, c := range f.Out[1:] {
		if !x.Unmask(c).Equal(ace) {
			t.Fatal("the attack is built wrong: no ace")
		}
	}
	shuffletest.AfterChallenge(t, bayergroth.Prover{}, bayergroth.VerifyUnder, f, p.Proof)
}

// sides returns c·Σ x^i·e_i + E and Enc(τ_f) + Σ f_i·e'_i over the cards that there are.
func sides(p bayergroth.Opened, s shuffle.Statement) (left, right masking.Card) {
	left = p.E
	right = masking.Card{A: group.MulBase(p.TauF), B: group.Mul(p.TauF, s.Key.Element())}
	xi := p.X
	for i := range s.In {
		left = plus(left, times(p.C.Mul(xi), s.In[i]))
		if s.Out[i].A != nil {
			right = plus(right, times(p.F[i], s.Out[i]))
		}
		xi = xi.Mul(p.X)
	}
	return left, right
}

func plus(a, b masking.Card) masking.Card { return masking.Card{A: a.A.Add(b.A), B: a.B.Add(b.B)} }

func times(s group.Scalar, c masking.Card) masking.Card {
	return masking.Card{A: group.Mul(s, c.A), B: group.Mul(s, c.B)}
}

func minus(c masking.Card) masking.Card { return times(group.ScalarFromUint64(1).Neg(), c) }

// lastOut returns the e'_1 that makes (8) hold.
func lastOut(p bayergroth.Opened, s shuffle.Statement) masking.Card {
	left, right := sides(p, s)
	return times(p.F[0].Invert(), plus(left, minus(right)))
}

// TestOpensACard: who made the mask of a card can take it off by remasking.
func TestOpensACard(t *testing.T) {
	shuffletest.OpensACard(t, bayergroth.Prover{}, bayergroth.Labelled, bayergroth.VerifyUnder, func(under func() *transcript.Transcript, s shuffle.Statement, o masking.Opening) []byte {
		return handtest.Must(bayergroth.ProveUnder(under(), under(), s, o, rand.Reader)).Proof
	})
}

// TestCommitmentsBound: a commitment that does not reach the challenges after
// it can be chosen last.
func TestCommitmentsBound(t *testing.T) {
	k := handtest.Secret(t).Key()
	o := shuffletest.Opening(t, 2, 0, 1)
	s := shuffletest.By(k, shuffletest.Open(3), o)
	proof := shuffletest.Prove(t, bayergroth.Prover{}, s, o)
	handtest.Reach(t, proof, func(proof []byte) [][]group.Scalar {
		c := handtest.Must(bayergroth.ChallengesOf(transcript.New(shuffletest.At(0), bayergroth.Labelled(s)), proof, 3))
		return [][]group.Scalar{{c.X}, {c.Y, c.Z}, {c.C}}
	}, 1, 2, 8)
}

// TestChallengesAreLong: a forger can try offline until a short one suits him.
func TestChallengesAreLong(t *testing.T) {
	s, o := shuffletest.Shuffled(t, 2)
	proof := shuffletest.Prove(t, bayergroth.Prover{}, s, o)
	shuffletest.AllBitsVary(t, func(slot uint16) map[string]group.Scalar {
		c := handtest.Must(bayergroth.ChallengesOf(transcript.New(shuffletest.At(slot), bayergroth.Labelled(s)), proof, 2))
		return map[string]group.Scalar{"x": c.X, "y": c.Y, "z": c.Z, "c": c.C}
	})
}

func TestBinding(t *testing.T) {
	a, b := shuffletest.Binding(t)
	prooftest.Binding(t, bayergroth.Labelled(a), bayergroth.Labelled(b))
}
