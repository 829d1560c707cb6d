package bayergroth

import (
	"io"

	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/shuffle"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// testGroup is the group of the tests.
var testGroup = group.Ristretto255()

// Doors for tests that forge under another transcript.
var VerifyUnder = verify

// Labelled gives a statement this argument's label.
func Labelled(s shuffle.Statement) transcript.Statement { return labelledStatement{s} }

// Challenges are all challenges of a proof under a transcript.
type Challenges struct{ X, Y, Z, C group.Scalar }

// ChallengesOf draws the challenges that a proof of n cards has under t.
func ChallengesOf(t *transcript.Transcript, proof []byte, n int) (Challenges, error) {
	m, err := parseMessage(testGroup, proof, n)
	if err != nil {
		return Challenges{}, err
	}
	x := challengeX(t, m)
	y, z := challengeYZ(t, m)
	return Challenges{x, y, z, challengeC(t, m)}, nil
}

// ProveUnder proves s under t.
func ProveUnder(t *transcript.Transcript, s shuffle.Statement, o masking.Opening, rand io.Reader) ([]byte, error) {
	k, err := drawNonces(testGroup, rand, len(s.In))
	if err != nil {
		return nil, err
	}
	return prove(t, s, o, k).proofBytes(), nil
}

// Answer is a proof in its parts, by the letters of docs/spec. E, F and
// TauF are those of (8).
type Answer struct {
	A, B, Cd, Cdelta, CDelta, C0 group.Element
	E                            masking.Card
	Product, Partial, F          []group.Scalar // ã, b̃_2 … b̃_{N−1}, f
	R, S, RF, TauF               group.Scalar
}

func (a Answer) message() *message {
	return &message{a.A, a.B, a.Cd, a.Cdelta, a.CDelta, a.C0, a.E, a.Product, a.Partial, a.F, a.R, a.S, a.RF, a.TauF}
}

// Bytes returns the proof.
func (a Answer) Bytes() []byte { return a.message().proofBytes() }

// Read returns a proof of n cards in its parts.
func Read(proof []byte, n int) (Answer, error) {
	m, err := parseMessage(testGroup, proof, n)
	if err != nil {
		return Answer{}, err
	}
	return Answer{m.A, m.B, m.Cd, m.Cdelta, m.CDelta, m.C0, m.E, m.a, m.b, m.f, m.r, m.s, m.rf, m.tauf}, nil
}

// ProveAt is the honest prover, who is given the challenges. Equal coins give
// equal nonces: it is how he is rewound.
func ProveAt(c Challenges, s shuffle.Statement, o masking.Opening, coins io.Reader) (Answer, error) {
	k, err := drawNonces(testGroup, coins, len(s.In))
	if err != nil {
		return Answer{}, err
	}
	p := newProver(testGroup, o.Permutation, k, func(_, a []group.Scalar, tau group.Scalar) masking.Card { return s.CombineCards(a, tau) })
	p.commitPermutation()
	p.commitPowers(c.X)
	p.commitProduct(c.Y, c.Z)
	p.commitCombination()
	p.answerChallenge(c.C, group.InnerProduct(o.Factors, p.b))
	return Read(p.m.proofBytes(), len(s.In))
}

// Equations adds all equations for given challenges.
func (a Answer) Equations(b *group.Batch, c Challenges, s shuffle.Statement) {
	m := a.message()
	powers := group.Powers(c.X, c.X, len(s.In))
	m.checkProduct(b, c.Y, c.Z, c.C, powers)
	m.checkPowers(b, c.C)
	m.checkCombination(b, s, c.C, powers, s.In)
}

// EquationsOfSum is Equations with a hidden sum.
func (a Answer) EquationsOfSum(b *group.Batch, c Challenges, s shuffle.Statement, sum masking.Card) {
	m := a.message()
	m.checkProduct(b, c.Y, c.Z, c.C, group.Powers(c.X, c.X, len(s.Out)))
	m.checkPowers(b, c.C)
	m.checkCombination(b, s, c.C, []group.Scalar{testGroup.ScalarFromUint64(1)}, []masking.Card{sum})
}

// Products returns b̃_1 … b̃_N.
func (a Answer) Products(c Challenges) []group.Scalar {
	return a.message().partialProducts(c.Y, c.Z, c.C, group.Powers(c.X, c.X, len(a.Product)))
}
