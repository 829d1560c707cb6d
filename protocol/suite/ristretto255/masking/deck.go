package masking

import (
	"encoding/binary"
	"fmt"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
)

// Deck is a deck in its encoding: one element per face.
type Deck struct {
	deck  card.Deck
	cards []Card
	faces map[string]card.Face // by encoding of the element
}

// NewDeck encodes d. It refuses a deck of no faces and one whose elements are
// not distinct and different from the identity, which has never been seen.
func NewDeck(d card.Deck) (*Deck, error) {
	elements := make([]*group.Element, d.Len())
	id := d.ID()
	for f := range elements {
		index := binary.BigEndian.AppendUint16(nil, uint16(f))
		elements[f] = group.HashToElement("pakli/v1/card", id[:], index, []byte(d.FaceName(card.Face(f))))
	}
	return deckOf(d, elements)
}

func deckOf(d card.Deck, elements []*group.Element) (*Deck, error) {
	if len(elements) == 0 {
		return nil, fmt.Errorf("deck %q has no faces", d.Name())
	}
	deck := &Deck{deck: d, faces: make(map[string]card.Face, len(elements))}
	for f, m := range elements {
		other, repeated := deck.faces[string(m.Bytes())]
		if repeated {
			return nil, fmt.Errorf("deck %s: faces %d and %d have one element", d.Name(), other, f)
		}
		if m.IsIdentity() {
			return nil, fmt.Errorf("deck %s: face %d is the identity", d.Name(), f)
		}
		deck.faces[string(m.Bytes())] = card.Face(f)
		deck.cards = append(deck.cards, Open(m))
	}
	return deck, nil
}

// Deck returns the deck that is encoded.
func (d *Deck) Deck() card.Deck { return d.deck }

// Cards returns the open cards, face f at place f.
func (d *Deck) Cards() []Card { return append([]Card(nil), d.cards...) }

// Element returns the element of face f of the deck.
func (d *Deck) Element(f card.Face) *group.Element { return d.cards[f].B }

// Face returns the face of a card from which all tokens were taken.
func (d *Deck) Face(c Card) (card.Face, bool) {
	f, ok := d.faces[string(c.B.Bytes())]
	return f, ok
}
