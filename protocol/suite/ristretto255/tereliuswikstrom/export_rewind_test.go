package tereliuswikstrom

import (
	"io"

	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
)

// Answer is a proof in its parts, by the letters of docs/spec.
type Answer struct {
	C, Chain, That []*group.Element
	T1, T2, T3     *group.Element
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
func (a Answer) Bytes() []byte { return a.message().bytes() }

// Equations adds all equations for given challenges.
func (a Answer) Equations(b *group.Batch, c Challenges, s shuffle.Statement) {
	a.message().check(b, s, c.U, c.C)
}

// Read returns a proof of n cards in its parts.
func Read(proof []byte, n int) (Answer, error) {
	m, err := parse(proof, n)
	if err != nil {
		return Answer{}, err
	}
	return Answer{m.C, m.Chain, m.That, m.T1, m.T2, m.T3, m.T4, m.s1, m.s2, m.s3, m.s4, m.shat, m.sprime}, nil
}

// ProveAt is the honest prover, who is given the challenges. Equal coins give
// equal nonces: it is how he is rewound.
func ProveAt(c Challenges, s shuffle.Statement, o masking.Opening, coins io.Reader) (Answer, error) {
	k, err := drawNonces(coins, len(s.In))
	if err != nil {
		return Answer{}, err
	}
	p := prover{s: s, o: o, k: k}
	p.m.C = commitPermutation(o.Permutation, k.r)
	p.commit(c.U)
	p.answer(c.C)
	return Read(p.m.bytes(), len(s.In))
}
