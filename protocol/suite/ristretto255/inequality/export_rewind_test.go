package inequality

import "github.com/pakli/pakli/protocol/suite/ristretto255/group"

// Answer is a proof in its parts, by the letters of docs/spec.
type Answer struct {
	V, U       []*group.Element
	T0, T1, T2 *group.Element
	Z1, Z2     group.Scalar
}

func (a Answer) message() *message { return &message{a.V, a.U, a.T0, a.T1, a.T2, a.Z1, a.Z2} }

// Bytes returns the proof.
func (a Answer) Bytes() []byte { return a.message().bytes() }

// Equations adds all equations for given weights and c.
func (a Answer) Equations(b *group.Batch, s Statement, weights []group.Scalar, c group.Scalar) {
	s.add(b, a.message(), weights, c)
}

// Sums returns m* + B* and A*.
func (s Statement) Sums(weights []group.Scalar) (sum, sumA *group.Element) { return s.sums(weights) }

// ProveAt is the honest prover, who is given the challenges, and draws rho, v, w.
func ProveAt(weights []group.Scalar, c group.Scalar, s Statement, x group.Scalar, opened []*group.Element, rho, v, w group.Scalar) Answer {
	m := s.blind(rho, opened)
	s.commit(m, weights, v, w)
	m.answer(c, rho, rho.Mul(x), v, w)
	return answerOf(m)
}

func answerOf(m *message) Answer { return Answer{m.faces, m.cards, m.t0, m.t1, m.t2, m.z1, m.z2} }

// Read returns a proof in its parts.
func Read(proof []byte, s Statement) (Answer, error) {
	m, err := parse(proof, len(s.Cards), len(s.Excluded))
	if err != nil {
		return Answer{}, err
	}
	return answerOf(m), nil
}
