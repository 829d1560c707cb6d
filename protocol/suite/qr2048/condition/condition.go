// Code generated from ristretto255/condition/condition.go by go generate ./protocol/suite; DO NOT EDIT.

// Package condition is protocol/suite/ristretto255/condition over the classes of squares modulo the 2048-bit
// prime of RFC 3526 (package protocol/suite/qr2048/group) in place of ristretto255.
package condition

import (
	"errors"
	"fmt"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/suite/qr2048/group"
	"github.com/pakli/pakli/protocol/suite/qr2048/masking"
	"github.com/pakli/pakli/protocol/transcript"
)

// Statement is: of Cards, masked under Key alone, at least Min and at most Max
// have a face in Set.
type Statement struct {
	Key      *masking.Key
	Deck     *masking.Deck
	Cards    []masking.Card
	Set      card.Set
	Min, Max int
}

// Label names the relation.
func (Statement) Label() string { return "condition/v1" }

// AppendTo absorbs the statement.
func (s Statement) AppendTo(b *transcript.Binder) {
	deck := s.Deck.PlainDeck().ID()
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("deck", deck[:])
	b.Bytes("cards", masking.Encode(s.Cards...))
	for _, word := range s.Set {
		b.Uint64("set", word)
	}
	b.Uint64("min", uint64(int64(s.Min)))
	b.Uint64("max", uint64(int64(s.Max)))
}

// Plan returns how s is proved. Requires: s has its form.
func (s Statement) Plan() Plan {
	return Choose(len(s.Cards), s.Deck.PlainDeck().Len(), s.Set.Len(), s.Min, s.Max)
}

// faceElements returns the elements of the faces in the set, or of the rest of the deck.
func (s Statement) faceElements(inside bool) []*group.Element {
	set := s.Set
	if !inside {
		set = set.Complement(s.Deck.PlainDeck())
	}
	var elements []*group.Element
	for _, f := range set.Faces() {
		elements = append(elements, s.Deck.Element(f))
	}
	return elements
}

// checkForm refuses a statement that has no meaning or cannot hold.
func (s Statement) checkForm() error {
	deck, k := s.Deck.PlainDeck(), len(s.Cards)
	if s.Min > s.Max || s.Max < 0 || s.Min > k {
		return fmt.Errorf("a condition on between %d and %d of %d cards", s.Min, s.Max, k)
	}
	if k > deck.Len() {
		return fmt.Errorf("a condition on %d cards of a deck of %d", k, deck.Len())
	}
	if !s.Set.Within(deck) {
		return errors.New("the set has a face that is not of the deck")
	}
	if s.Min > 0 && s.Set.Len() == 0 || s.Max < k && s.Set.Len() == deck.Len() {
		return errors.New("a card must have a face of an empty set")
	}
	if err := masking.CheckHidden(s.Cards...); err != nil {
		return errors.Join(errors.New("a condition on a card that is not hidden"), err)
	}
	return s.checkDistinct()
}

func (s Statement) checkDistinct() error {
	first := make(map[string]int, len(s.Cards))
	for j, c := range s.Cards {
		encoding := string(c.Bytes())
		if i, ok := first[encoding]; ok {
			return fmt.Errorf("cards %d and %d are the same", i+1, j+1)
		}
		first[encoding] = j
	}
	return nil
}
