// Code generated from ristretto255/subset/subset.go by go generate ./protocol/suite; DO NOT EDIT.

// Package subset is protocol/suite/ristretto255/subset over the classes of squares modulo the 3072-bit
// prime of RFC 3526 (package protocol/suite/qr3072/group) in place of ristretto255.
package subset

import (
	"fmt"

	"github.com/pakli/pakli/protocol/suite/qr3072/bayergroth"
	"github.com/pakli/pakli/protocol/suite/qr3072/group"
	"github.com/pakli/pakli/protocol/suite/qr3072/masking"
	"github.com/pakli/pakli/protocol/transcript"
)

// Statement is: Cards, masked under Key alone, have different faces whose elements
// are all in Faces.
type Statement struct {
	Key   *masking.Key
	Cards []masking.Card
	Faces []*group.Element
}

// Label names the relation.
func (Statement) Label() string { return "condition/subset/v1" }

// AppendTo absorbs the statement.
func (s Statement) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("cards", masking.Encode(s.Cards...))
	b.Bytes("faces", group.Encode(s.Faces...))
}

// Size returns the length of a proof for so many cards in a set of so many faces,
// in bytes.
func Size(cards, faces int) int {
	return masking.CardSize*(faces-cards) + bayergroth.Size(faces) + opening
}

// opening is the length of what follows the shuffle argument.
const opening = masking.CardSize + 2*group.ElementSize + group.ScalarSize

func (s Statement) checkForm() error {
	if k, n := len(s.Cards), len(s.Faces); k < 1 || n < max(k, 2) {
		return fmt.Errorf("%d cards in a set of %d faces", k, n)
	}
	return nil
}

func absorbSum(t *transcript.Transcript, sum masking.Card, t1, t2 *group.Element) {
	t.Append("sum", sum.Bytes())
	t.Append("T1", t1.Bytes())
	t.Append("T2", t2.Bytes())
}

// Verify checks the form of a proof of s and adds its equations to b.
func Verify(t *transcript.Transcript, s Statement, bytes []byte, b *group.Batch) error {
	if err := s.checkForm(); err != nil {
		return err
	}
	t.Part(s)
	return verify(t, s, bytes, b)
}

func verify(t *transcript.Transcript, s Statement, bytes []byte, b *group.Batch) error {
	k, n := len(s.Cards), len(s.Faces)
	if want := Size(k, n); len(bytes) != want {
		return fmt.Errorf("the proof has %d bytes, must have %d", len(bytes), want)
	}
	first, argument := masking.CardSize*(n-k), len(bytes)-opening
	fillers, err := masking.ParseCards(bytes[:first])
	if err != nil {
		return fmt.Errorf("the fillers: %w", err)
	}
	p := group.NewParser(bytes[argument:])
	sum, t1, t2, z := masking.Card{A: p.Element(), B: p.Element()}, p.Element(), p.Element(), p.Scalar()
	if err := p.Close(); err != nil {
		return err
	}
	t.Append("fillers", bytes[:first])
	all := append(s.Cards[:k:k], fillers...)
	powers, c, err := bayergroth.VerifySum(t, s.Key, all, sum, bytes[first:argument], b, func() { absorbSum(t, sum, t1, t2) })
	if err != nil {
		return err
	}
	s.addOpening(b, powers, c, sum, t1, t2, z)
	return nil
}

// addOpening adds the equations of the opening of E*.
func (s Statement) addOpening(b *group.Batch, powers []group.Scalar, c group.Scalar, sum masking.Card, t1, t2 *group.Element, z group.Scalar) {
	b.Add( // z·G − T1 − c·X = 0
		group.Term{S: z, P: group.Generator()},
		group.Minus(t1),
		group.Term{S: c.Neg(), P: s.Key.Element()},
	)
	terms := []group.Term{ // z·E_A − T2 − c·E_B + Σ c·χ^i·S_i = 0
		{S: z, P: sum.A},
		group.Minus(t2),
		{S: c.Neg(), P: sum.B},
	}
	for i, face := range s.Faces {
		terms = append(terms, group.Term{S: c.Mul(powers[i]), P: face})
	}
	b.Add(terms...)
}
