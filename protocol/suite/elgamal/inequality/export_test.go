package inequality

import (
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// testGroup is the group of the tests.
var testGroup = group.Ristretto255()

// Claim is a prover who says what he likes: blinded faces and cards, and the
// scalars for which he proves to have blinded them.
type Claim struct {
	V, U       []group.Element
	Rho, Sigma group.Scalar
}

// Prove makes the proof under t, which need not have absorbed s.
func (c Claim) Prove(t *transcript.Transcript, s Statement, v, w group.Scalar) []byte {
	m := &message{faces: c.V, cards: c.U}
	s.prove(t, m, c.Rho, c.Sigma, v, w)
	return m.proofBytes()
}

// EquationsHold checks the equations of a proof and nothing of its form: the
// identity passes, and equal elements.
func EquationsHold(t *transcript.Transcript, s Statement, bytes []byte, check func(*group.Batch) error) error {
	m, err := read(bytes, s)
	if err != nil {
		return err
	}
	var b group.Batch
	s.verifyEquations(t, m, &b)
	return check(&b)
}

// EquationsHoldUnpinned is EquationsHold by a verifier who weighs V_1 with the
// others, so that nothing fixes ρ before α is drawn.
func EquationsHoldUnpinned(t *transcript.Transcript, s Statement, bytes []byte, check func(*group.Batch) error) error {
	m, err := read(bytes, s)
	if err != nil {
		return err
	}
	weights := weightsOf(t, m)
	first, c := FirstWeight(weights), drawChallenge(t, m)
	var b group.Batch
	b.Add(group.Term{S: m.z1, P: s.Key.Element()}, group.Term{S: m.z2.Neg(), P: testGroup.Generator()}, group.Minus(m.t0))
	b.Add(append(s.weightedTerms(m, weights, c),
		group.Term{S: m.z1.Mul(first), P: s.Excluded[0]},
		group.Term{S: first.Neg(), P: m.t1},
		group.Term{S: c.Mul(first).Neg(), P: m.faces[0]})...)
	return check(&b)
}

// FirstWeight is a weight for V_1 that follows all others.
func FirstWeight(weights []group.Scalar) group.Scalar {
	first := testGroup.ScalarFromUint64(3)
	for _, w := range weights {
		first = first.Mul(w).Add(w)
	}
	return first
}

// Weights draws α's powers for blinded faces and cards.
func Weights(t *transcript.Transcript, v, u []group.Element) []group.Scalar {
	return weightsOf(t, &message{faces: v, cards: u})
}

// read is parse, and takes the identity.
func read(bytes []byte, s Statement) (*message, error) {
	var elements []group.Element
	n := len(s.Excluded) + len(s.Cards) + 3
	for i := range n {
		e, err := testGroup.ParseElement(bytes[32*i:][:32])
		if err != nil {
			return nil, err
		}
		elements = append(elements, e)
	}
	z1, err := testGroup.ParseScalar(bytes[32*n:][:32])
	if err != nil {
		return nil, err
	}
	z2, err := testGroup.ParseScalar(bytes[32*n+32:])
	e := len(s.Excluded)
	return &message{elements[:e], elements[e : n-3], elements[n-3], elements[n-2], elements[n-1], z1, z2}, err
}

// Draw draws α's powers and c of a proof under t.
func Draw(t *transcript.Transcript, s Statement, bytes []byte) (weights []group.Scalar, c, z1, z2 group.Scalar, t2 group.Element, err error) {
	m, err := read(bytes, s)
	if err != nil {
		return nil, c, z1, z2, nil, err
	}
	weights = weightsOf(t, m)
	return weights, drawChallenge(t, m), m.z1, m.z2, m.t2, nil
}

// Answer is a proof in its parts, by the letters of docs/spec.
type Answer struct {
	V, U       []group.Element
	T0, T1, T2 group.Element
	Z1, Z2     group.Scalar
}

func (a Answer) message() *message { return &message{a.V, a.U, a.T0, a.T1, a.T2, a.Z1, a.Z2} }

// Bytes returns the proof.
func (a Answer) Bytes() []byte { return a.message().proofBytes() }

// Equations adds all equations for given weights and c.
func (a Answer) Equations(b *group.Batch, s Statement, weights []group.Scalar, c group.Scalar) {
	s.addEquations(b, a.message(), weights, c)
}

// Sums returns m* + B* and A*.
func (s Statement) Sums(weights []group.Scalar) (sum, sumA group.Element) {
	return s.weightedSums(weights)
}

// ProveAt is the honest prover, who is given the challenges, and draws rho, v, w.
func ProveAt(weights []group.Scalar, c group.Scalar, s Statement, x group.Scalar, opened []group.Element, rho, v, w group.Scalar) Answer {
	m := s.blindElements(rho, opened)
	s.commitWeighted(m, weights, v, w)
	m.answerChallenge(c, rho, rho.Mul(x), v, w)
	return answerOf(m)
}

func answerOf(m *message) Answer { return Answer{m.faces, m.cards, m.t0, m.t1, m.t2, m.z1, m.z2} }

// Read returns a proof in its parts.
func Read(proof []byte, s Statement) (Answer, error) {
	m, err := parseMessage(testGroup, proof, len(s.Cards), len(s.Excluded))
	if err != nil {
		return Answer{}, err
	}
	return answerOf(m), nil
}
