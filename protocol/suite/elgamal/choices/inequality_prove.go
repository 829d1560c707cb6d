package choices

import (
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// ProveInequality proves s under t, which must have absorbed the place of the proof. It
// returns proof.ErrFalse if s does not hold, or if two cards have one face.
// Requires: x is the secret of s.Key, opened[j] = B_j − x·A_j, and nonces are
// hedged by x.
func ProveInequality(t *transcript.Transcript, s InequalityStatement, x group.Scalar, opened []group.Element, nonces *transcript.Stream) ([]byte, error) {
	if err := s.checkForm(); err != nil {
		return nil, err
	}
	v, err := s.Key.Group().RandomScalars(nonces, 3)
	if err != nil {
		return nil, err
	}
	m := s.blindElements(v[0], opened)
	if m.hasRepeats() {
		return nil, proof.ErrFalse
	}
	t.Part(s)
	s.prove(t, m, v[0], v[0].Mul(x), v[1], v[2])
	return m.proofBytes(), nil
}

// blindElements returns V and U.
func (s InequalityStatement) blindElements(rho group.Scalar, opened []group.Element) *inequalityProof {
	m := new(inequalityProof)
	for _, e := range s.Excluded {
		m.faces = append(m.faces, group.Mul(rho, e))
	}
	for _, e := range opened {
		m.cards = append(m.cards, group.Mul(rho, e))
	}
	return m
}

// hasRepeats reports whether two elements among all V and U are equal.
func (m *inequalityProof) hasRepeats() bool {
	seen := make(map[string]bool)
	for _, e := range slices.Concat(m.faces, m.cards) {
		seen[string(e.Bytes())] = true
	}
	return len(seen) < len(m.faces)+len(m.cards)
}

// prove makes commitments by v and w, and the responses.
func (s InequalityStatement) prove(t *transcript.Transcript, m *inequalityProof, rho, sigma, v, w group.Scalar) {
	s.commitWeighted(m, drawInequalityWeights(t, m), v, w)
	m.answerChallenge(drawInequalityChallenge(t, m), rho, sigma, v, w)
}

func (s InequalityStatement) commitWeighted(m *inequalityProof, weights []group.Scalar, v, w group.Scalar) {
	g := s.Key.Group()
	sum, sumA := s.weightedSums(weights)
	m.t0 = s.Key.Table().Mul(v).Sub(g.MulBase(w))
	m.t1 = group.Mul(v, s.Excluded[0])
	m.t2 = g.MultiMul([]group.Scalar{v, w.Neg()}, []group.Element{sum, sumA})
}

// weightedSums returns m* + B* and A*, in variable time: all of it is public.
func (s InequalityStatement) weightedSums(weights []group.Scalar) (sum, sumA group.Element) {
	g := s.Key.Group()
	n := len(s.Excluded) - 1
	var as []group.Element
	terms := append([]group.Element(nil), s.Excluded[1:]...)
	for _, c := range s.Cards {
		as, terms = append(as, c.A), append(terms, c.B)
	}
	return g.VartimeMultiMul(weights, terms), g.VartimeMultiMul(weights[n:], as)
}

func (m *inequalityProof) answerChallenge(c, rho, sigma, v, w group.Scalar) {
	m.z1, m.z2 = v.Add(c.Mul(rho)), w.Add(c.Mul(sigma))
}

func (m *inequalityProof) proofBytes() []byte {
	b := append(group.Encode(m.faces...), group.Encode(m.cards...)...)
	return m.z2.AppendTo(m.z1.AppendTo(append(b, group.Encode(m.t0, m.t1, m.t2)...)))
}
