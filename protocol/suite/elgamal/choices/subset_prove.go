package choices

import (
	"crypto/subtle"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// prove proves s under t, which must have absorbed the place of the proof. It
// returns proof.ErrFalse if s does not hold. Requires: x is the secret of s.Key,
// opened[j] = B_j − x·A_j, and nonces are hedged by x and the place.
func (s subset) prove(t *transcript.Transcript, x group.Scalar, opened []group.Element, nonces *transcript.Stream) ([]byte, error) {
	if err := s.checkForm(); err != nil {
		return nil, err
	}
	pi, ok, err := s.faceOrder(opened, nonces)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, proof.ErrFalse
	}
	fillers, err := s.maskFillers(pi, nonces)
	if err != nil {
		return nil, err
	}
	return s.proveOrder(t, x, pi, fillers, nonces)
}

// proveOrder proves s for cards and fillers in an order pi, which need not be a permutation.
func (s subset) proveOrder(t *transcript.Transcript, x group.Scalar, pi []uint16, fillers []masking.Card, nonces *transcript.Stream) ([]byte, error) {
	v, err := s.Key.Group().RandomScalars(nonces, 1)
	if err != nil {
		return nil, err
	}
	t.Part(s)
	t.Append("fillers", masking.Encode(fillers...))
	var opened masking.Card
	var m relations.LinearProof
	cards := append(s.Cards[:len(s.Cards):len(s.Cards)], fillers...)
	argument, c, err := bayergroth.ProveSum(t, s.Key, cards, pi, nonces, func(_ []group.Scalar, sum masking.Card) {
		opened, m.T = sum, s.linear(sum, nil).Commit(v, nil)
		s.absorbOpening(t, sum, m)
	})
	if err != nil {
		return nil, err
	}
	m.C = c
	m.Answer(v, []group.Scalar{x})
	return slices.Concat(masking.Encode(fillers...), argument, opened.Bytes(), m.Bytes()), nil
}

// faceOrder returns the places in the set of the faces of cards and then of fillers; the fillers are in
// random order. It reports whether the cards have different faces of the set.
func (s subset) faceOrder(opened []group.Element, nonces *transcript.Stream) ([]uint16, bool, error) {
	n := len(s.Faces)
	random, err := masking.DrawPermutation(n, nonces)
	if err != nil {
		return nil, false, err
	}
	pi, class, found := make([]uint16, len(opened), n), make([]int, n), 0
	for i := range class {
		class[i] = 1 // a filler's
	}
	for j, m := range opened {
		for i, face := range s.Faces {
			hit := m.EqualMask(face) & class[i]
			found += hit
			class[i] -= hit
			pi[j] = uint16(subtle.ConstantTimeSelect(hit, i, int(pi[j])))
		}
	}
	return append(pi, byClass(random, class)[len(opened):]...), found == len(opened), nil
}

// maskFillers masks the faces at the places that pi has for fillers.
func (s subset) maskFillers(pi []uint16, nonces *transcript.Stream) ([]masking.Card, error) {
	places := pi[len(s.Cards):]
	factors, err := s.Key.Group().RandomScalars(nonces, len(places))
	if err != nil {
		return nil, err
	}
	fillers := make([]masking.Card, len(places))
	for f, i := range places {
		fillers[f] = masking.Mask(s.Key, group.ElementAt(s.Faces, int(i)), factors[f])
	}
	return fillers, nil
}
