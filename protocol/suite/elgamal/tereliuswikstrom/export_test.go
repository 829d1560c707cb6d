package tereliuswikstrom

import (
	"io"

	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/shuffle"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// testGroup is the group of the tests.
var testGroup = group.Ristretto255()

// Doors for tests that forge.
var VerifyUnder = verify

// Labelled gives a statement this argument's label.
func Labelled(s shuffle.Statement) transcript.Statement { return labelledStatement{s} }

// Challenges are all challenges of a proof under a transcript.
type Challenges struct {
	U []group.Scalar
	C group.Scalar
}

// ChallengesOf draws the challenges that a proof of n cards has under t.
func ChallengesOf(t *transcript.Transcript, proof []byte, n int) (Challenges, error) {
	m, err := parseMessage(testGroup, proof, n)
	if err != nil {
		return Challenges{}, err
	}
	u := challengesU(t, m)
	return Challenges{u, challengeC(t, m)}, nil
}

// ProveUnder proves s under t.
func ProveUnder(t *transcript.Transcript, s shuffle.Statement, o masking.Opening, rand io.Reader) ([]byte, error) {
	k, err := drawNonces(testGroup, rand, len(s.In))
	if err != nil {
		return nil, err
	}
	return prove(t, s, o, k).proofBytes(), nil
}

// Matrix is a forger's matrix and the openings that he may choose for it:
// column j of the matrix is the vector that C_j commits to.
type Matrix [][]group.Scalar

// ProveMatrix runs the honest algorithm on a matrix that need be none of a
// permutation, with u' = M·u. Weights and factors of (7) are the forger's: σ
// is what he takes for Σ u'_i·ρ_i.
func ProveMatrix(t *transcript.Transcript, s shuffle.Statement, matrix Matrix, sigma func(u, permuted []group.Scalar) group.Scalar, rand io.Reader) ([]byte, error) {
	n, m := len(s.In), new(message)
	k, err := drawNonces(testGroup, rand, n)
	if err != nil {
		return nil, err
	}
	g := shuffle.Generators(testGroup)[1 : n+1]
	for j, column := range matrix {
		m.C = append(m.C, testGroup.MulBase(k.r[j]).Add(testGroup.MultiMul(column, g)))
	}
	u := challengesU(t, m)
	permuted := make([]group.Scalar, n)
	for j, column := range matrix {
		permuted = group.ScaleAndAdd(u[j], column, permuted)
	}
	rn := m.setChain(testGroup, permuted, k)
	m.T1, m.T2 = testGroup.MulBase(k.w1), testGroup.MulBase(k.w2)
	m.T3 = testGroup.MulBase(k.w3).Add(testGroup.MultiMul(k.wprime, g))
	m.T4 = s.CombineCards(k.wprime, k.w4.Neg())
	c := challengeC(t, m)
	m.s1 = k.w1
	for _, r := range k.r {
		m.s1 = m.s1.Add(c.Mul(r))
	}
	m.s2, m.s3 = k.w2.Add(c.Mul(rn)), k.w3.Add(c.Mul(group.InnerProduct(u, k.r)))
	m.s4 = k.w4.Add(c.Mul(sigma(u, permuted)))
	m.shat, m.sprime = group.ScaleAndAdd(c, k.rhat, k.what), group.ScaleAndAdd(c, permuted, k.wprime)
	return m.proofBytes(), nil
}

// Failing returns the numbers of the equations, in the order in which they are
// added, that do not hold.
func Failing(t *transcript.Transcript, s shuffle.Statement, proof []byte, rand io.Reader) ([]string, error) {
	m, err := parseMessage(testGroup, proof, len(s.In))
	if err != nil {
		return nil, err
	}
	u := challengesU(t, m)
	c := challengeC(t, m)
	var failing []string
	for name, add := range map[string]func(*group.Batch){
		"matrix": func(b *group.Batch) { m.checkMatrix(b, u, c) },
		"chain":  func(b *group.Batch) { m.checkChain(b, u, c) },
		"cards":  func(b *group.Batch) { m.checkCombination(b, s, u, c) },
	} {
		var b group.Batch
		add(&b)
		if b.Check(rand) != nil {
			failing = append(failing, name)
		}
	}
	return failing, nil
}

// Answer is a proof in its parts, by the letters of docs/spec.
type Answer struct {
	C, Chain, That []group.Element
	T1, T2, T3     group.Element
	T4             masking.Card
	S1, S2, S3, S4 group.Scalar
	Shat, Sprime   []group.Scalar
}

func (a Answer) message() *message {
	return &message{
		C: a.C, Chain: a.Chain, T1: a.T1, T2: a.T2, T3: a.T3, T4: a.T4, That: a.That,
		s1: a.S1, s2: a.S2, s3: a.S3, s4: a.S4, shat: a.Shat, sprime: a.Sprime,
	}
}

// Bytes returns the proof.
func (a Answer) Bytes() []byte { return a.message().proofBytes() }

// Equations adds all equations for given challenges.
func (a Answer) Equations(b *group.Batch, c Challenges, s shuffle.Statement) {
	a.message().addEquations(b, s, c.U, c.C)
}

// Read returns a proof of n cards in its parts.
func Read(proof []byte, n int) (Answer, error) {
	m, err := parseMessage(testGroup, proof, n)
	if err != nil {
		return Answer{}, err
	}
	return Answer{m.C, m.Chain, m.That, m.T1, m.T2, m.T3, m.T4, m.s1, m.s2, m.s3, m.s4, m.shat, m.sprime}, nil
}

// ProveAt is the honest prover, who is given the challenges. Equal coins give
// equal nonces: it is how he is rewound.
func ProveAt(c Challenges, s shuffle.Statement, o masking.Opening, coins io.Reader) (Answer, error) {
	k, err := drawNonces(testGroup, coins, len(s.In))
	if err != nil {
		return Answer{}, err
	}
	p := prover{s: s, o: o, k: k}
	p.m.C = commitPermutation(testGroup, o.Permutation, k.r)
	p.commitChain(c.U)
	p.answerChallenge(c.C)
	return Read(p.m.proofBytes(), len(s.In))
}
