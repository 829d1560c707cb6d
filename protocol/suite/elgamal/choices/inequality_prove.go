package choices

import (
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// prove proves s under t, which must have absorbed the place of the proof. It returns proof.ErrFalse if
// s does not hold, or if two cards have one face. Requires: x is the secret of s.Key, opened[j] = B_j −
// x·A_j, and nonces are hedged by x.
func (s inequality) prove(t *transcript.Transcript, x group.Scalar, opened []group.Element, nonces *transcript.Stream) ([]byte, error) {
	if err := s.checkForm(); err != nil {
		return nil, err
	}
	v, err := s.Key.Group().RandomScalars(nonces, 3)
	if err != nil {
		return nil, err
	}
	rho := v[0]
	m := &inequalityProof{faces: scaleElements(rho, s.Excluded), cards: scaleElements(rho, opened)}
	if m.hasRepeats() {
		return nil, proof.ErrFalse
	}
	t.Part(s)
	s.answer(t, m, []group.Scalar{rho, rho.Mul(x)}, v[1:])
	return m.proofBytes(), nil
}

// answer proves the rows of V and U with the witness ρ and σ.
func (s inequality) answer(t *transcript.Transcript, m *inequalityProof, witness, v []group.Scalar) {
	rows := s.linear(m, m.drawWeights(t))
	m.T = rows.Commit(v, s.Key)
	rows.DrawChallenge(t, &m.LinearProof)
	m.Answer(v, witness)
}

func scaleElements(by group.Scalar, elements []group.Element) []group.Element {
	scaled := make([]group.Element, len(elements))
	for i, e := range elements {
		scaled[i] = group.Mul(by, e)
	}
	return scaled
}

// hasRepeats reports whether two elements among all V and U are equal.
func (m *inequalityProof) hasRepeats() bool {
	seen := make(map[string]bool)
	for _, e := range slices.Concat(m.faces, m.cards) {
		seen[string(e.Bytes())] = true
	}
	return len(seen) < len(m.faces)+len(m.cards)
}

func (m *inequalityProof) proofBytes() []byte {
	return slices.Concat(group.Encode(m.faces...), group.Encode(m.cards...), m.Bytes())
}
