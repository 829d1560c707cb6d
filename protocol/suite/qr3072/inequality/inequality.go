// Code generated from ristretto255/inequality/inequality.go by go generate ./protocol/suite; DO NOT EDIT.

// Package inequality is protocol/suite/ristretto255/inequality over the classes of squares modulo the 3072-bit
// prime of RFC 3526 (package protocol/suite/qr3072/group) in place of ristretto255.
package inequality

import (
	"fmt"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/qr3072/group"
	"github.com/pakli/pakli/protocol/suite/qr3072/masking"
	"github.com/pakli/pakli/protocol/transcript"
)

// Statement is: none of Cards, masked under Key alone, has a face whose element is
// in Excluded.
type Statement struct {
	Key      *masking.Key
	Cards    []masking.Card
	Excluded []*group.Element
}

// Label names the relation.
func (Statement) Label() string { return "condition/inequality/v1" }

// AppendTo absorbs the statement.
func (s Statement) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("cards", masking.Encode(s.Cards...))
	b.Bytes("excluded", group.Encode(s.Excluded...))
}

// Size returns the length of a proof for so many cards and excluded faces, in
// bytes.
func Size(cards, excluded int) int {
	return group.ElementSize*(cards+excluded+3) + group.ScalarSize*2
}

func (s Statement) checkForm() error {
	if len(s.Cards) == 0 || len(s.Excluded) == 0 {
		return fmt.Errorf("an inequality of %d cards and %d faces", len(s.Cards), len(s.Excluded))
	}
	return nil
}

// message is a proof.
type message struct {
	faces, cards []*group.Element // V and U
	t0, t1, t2   *group.Element
	z1, z2       group.Scalar
}

func parseMessage(bytes []byte, cards, excluded int) (*message, error) {
	p := group.NewSizedParser(bytes, Size(cards, excluded))
	m := &message{
		faces: p.Elements(excluded), cards: p.Elements(cards),
		t0: p.Element(), t1: p.Element(), t2: p.Element(),
		z1: p.Scalar(), z2: p.Scalar(),
	}
	return m, p.Close()
}

// weightsOf draws α and returns its powers: for V_2 … V_n, then U_1 … U_k.
func weightsOf(t *transcript.Transcript, m *message) []group.Scalar {
	t.Append("V", group.Encode(m.faces...))
	t.Append("U", group.Encode(m.cards...))
	alpha := group.ScalarFromUniform(t.Challenge("alpha"))
	return group.Powers(group.ScalarFromUint64(1), alpha, len(m.faces)-1+len(m.cards))
}

func drawChallenge(t *transcript.Transcript, m *message) group.Scalar {
	t.Append("T0", m.t0.Bytes())
	t.Append("T1", m.t1.Bytes())
	t.Append("T2", m.t2.Bytes())
	return group.ScalarFromUniform(t.Challenge("c"))
}

// Verify checks the form of a proof of s, and that no card is blinded to the same
// as an excluded face, and adds the proof's equations to b.
func Verify(t *transcript.Transcript, s Statement, bytes []byte, b *group.Batch) error {
	if err := s.checkForm(); err != nil {
		return err
	}
	t.Part(s)
	return verify(t, s, bytes, b)
}

func verify(t *transcript.Transcript, s Statement, bytes []byte, b *group.Batch) error {
	m, err := parseMessage(bytes, len(s.Cards), len(s.Excluded))
	if err != nil {
		return err
	}
	if err := m.checkDisjoint(); err != nil {
		return err
	}
	s.verifyEquations(t, m, b)
	return nil
}

func (s Statement) verifyEquations(t *transcript.Transcript, m *message, b *group.Batch) {
	weights := weightsOf(t, m)
	s.addEquations(b, m, weights, drawChallenge(t, m))
}

func (s Statement) addEquations(b *group.Batch, m *message, weights []group.Scalar, c group.Scalar) {
	b.Add( // z1·X − z2·G − T0 = 0
		group.Term{S: m.z1, P: s.Key.Element()},
		group.Term{S: m.z2.Neg(), P: group.Generator()},
		group.Minus(m.t0),
	)
	b.Add( // z1·m_1 − T1 − c·V_1 = 0
		group.Term{S: m.z1, P: s.Excluded[0]},
		group.Minus(m.t1),
		group.Term{S: c.Neg(), P: m.faces[0]},
	)
	b.Add(s.weightedTerms(m, weights, c)...)
}

func (m *message) checkDisjoint() error {
	faces := make(map[string]bool, len(m.faces))
	for _, v := range m.faces {
		faces[string(v.Bytes())] = true
	}
	for j, u := range m.cards {
		if faces[string(u.Bytes())] {
			return fmt.Errorf("card %d of the hand has an excluded face: %w", j+1, proof.ErrWrong)
		}
	}
	return nil
}

// weightedTerms returns z1·(m* + B*) − z2·A* − T2 − c·(V* + U*).
func (s Statement) weightedTerms(m *message, weights []group.Scalar, c group.Scalar) []group.Term {
	terms := append(make([]group.Term, 0, 1+2*len(s.Excluded)+3*len(s.Cards)), group.Minus(m.t2))
	n := len(s.Excluded) - 1
	for i, alpha := range weights[:n] {
		terms = append(terms,
			group.Term{S: m.z1.Mul(alpha), P: s.Excluded[i+1]},
			group.Term{S: c.Mul(alpha).Neg(), P: m.faces[i+1]})
	}
	for j, alpha := range weights[n:] {
		terms = append(terms,
			group.Term{S: m.z1.Mul(alpha), P: s.Cards[j].B},
			group.Term{S: m.z2.Mul(alpha).Neg(), P: s.Cards[j].A},
			group.Term{S: c.Mul(alpha).Neg(), P: m.cards[j]})
	}
	return terms
}
