package masking

import (
	"encoding/binary"
	"fmt"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/suite/group"
)

// CardSize returns the length of a card's encoding, in bytes.
func CardSize(g *group.Group) int { return 2 * g.ElementSize }

// Card is a masked card, or an open one if A = 0. It is immutable.
type Card struct{ A, B group.Element }

// ParseCard decodes a masked card from CardSize bytes, A before B. It refuses the identity in both
// places: with A = 0 the card would not be hidden, and honest seats never hit B = 0.
func ParseCard(g *group.Group, b []byte) (Card, error) {
	if size := CardSize(g); len(b) != size {
		return Card{}, fmt.Errorf("a masked card of %d bytes, must have %d", len(b), size)
	}
	p := g.NewParser(b)
	c := Card{p.Element(), p.Element()}
	if err := p.Close(); err != nil {
		return Card{}, fmt.Errorf("masked card: %w", err)
	}
	return c, nil
}

// ParseCards reads cards as Encode writes them. From n bytes it reads the first n/CardSize cards.
func ParseCards(g *group.Group, b []byte) ([]Card, error) {
	size := CardSize(g)
	list := make([]Card, len(b)/size)
	for i := range list {
		var err error
		if list[i], err = ParseCard(g, b[size*i:][:size]); err != nil {
			return nil, fmt.Errorf("card %d: %w", i+1, err)
		}
	}
	return list, nil
}

// Open returns the open card of element m.
func Open(m group.Element) Card { return Card{m.Group().Identity(), m} }

// IsOpen reports whether A = 0.
func (c Card) IsOpen() bool { return c.A.IsIdentity() }

// Bytes returns the CardSize canonical bytes.
func (c Card) Bytes() []byte {
	return c.B.AppendTo(c.A.AppendTo(make([]byte, 0, CardSize(c.A.Group()))))
}

// Equal reports whether both components are equal.
func (c Card) Equal(d Card) bool { return c.A.Equal(d.A) && c.B.Equal(d.B) }

// Encode returns the encodings of cards, one after another.
func Encode(cards ...Card) []byte {
	var b []byte
	for i, c := range cards {
		if i == 0 {
			b = make([]byte, 0, CardSize(c.A.Group())*len(cards))
		}
		b = c.B.AppendTo(c.A.AppendTo(b))
	}
	return b
}

// Mask masks m under k by the factor r: (r·G, m + r·K).
func Mask(k *Key, m group.Element, r group.Scalar) Card {
	return Card{k.Group().MulBase(r), m.Add(group.Mul(r, k.element))}
}

// Token is one seat's share S = x·A in uncovering a card.
type Token struct {
	S group.Element

	maker *Secret       // who computed S, if known
	of    group.Element // the A that S was computed from
}

// ParseToken decodes an element. It refuses the identity: A ≠ 0 and x ≠ 0.
func ParseToken(g *group.Group, b []byte) (Token, error) {
	s, err := g.ParseNonIdentity(b)
	if err != nil {
		return Token{}, fmt.Errorf("token: %w", err)
	}
	return Token{S: s}, nil
}

// Bytes returns the canonical bytes.
func (t Token) Bytes() []byte { return t.S.Bytes() }

// Strip strips tokens from c: (A, B − Σ S_i).
func Strip(c Card, tokens ...Token) Card {
	b := c.B
	for _, t := range tokens {
		b = b.Sub(t.S)
	}
	return Card{c.A, b}
}

// CheckHidden returns an error that begins with why if one of the cards is open: only a shuffle takes
// open cards.
func CheckHidden(why string, cards ...Card) error {
	for i, c := range cards {
		if c.IsOpen() {
			return fmt.Errorf("%s\nthe card is open: card %d", why, i)
		}
	}
	return nil
}

// Deck is an encoded deck, with one element per face.
type Deck struct {
	deck  card.Deck
	cards []Card
}

// NewDeck encodes d over g. It refuses a deck without faces, and one whose elements are not distinct or
// include the identity, which has never been seen.
func NewDeck(g *group.Group, d card.Deck) (*Deck, error) {
	elements := make([]group.Element, d.Len())
	id := d.ID()
	for f := range elements {
		index := binary.BigEndian.AppendUint16(nil, uint16(f))
		elements[f] = g.HashToElement("pakli/v1/card", id[:], index, []byte(d.FaceName(card.Face(f))))
	}
	return deckOf(d, elements)
}

func deckOf(d card.Deck, elements []group.Element) (*Deck, error) {
	if len(elements) == 0 {
		return nil, fmt.Errorf("deck %q has no faces", d.Name())
	}
	deck, faces := &Deck{deck: d}, make(map[string]int, len(elements))
	for f, m := range elements {
		other, repeated := faces[string(m.Bytes())]
		if repeated {
			return nil, fmt.Errorf("deck %s: faces %d and %d have one element", d.Name(), other, f)
		}
		if m.IsIdentity() {
			return nil, fmt.Errorf("deck %s: face %d is the identity", d.Name(), f)
		}
		faces[string(m.Bytes())] = f
		deck.cards = append(deck.cards, Open(m))
	}
	return deck, nil
}

// Group returns the group of the elements.
func (d *Deck) Group() *group.Group { return d.cards[0].B.Group() }

// PlainDeck returns the deck that is encoded.
func (d *Deck) PlainDeck() card.Deck { return d.deck }

// Cards returns the open cards, face f at place f.
func (d *Deck) Cards() []Card { return append([]Card(nil), d.cards...) }

// Element returns the element of face f of the deck.
func (d *Deck) Element(f card.Face) group.Element { return d.cards[f].B }

// Face returns the face of a card stripped of all tokens. The face of a card in a hand is secret, so it
// is compared with all.
func (d *Deck) Face(c Card) (card.Face, bool) {
	var face, found int
	for f, open := range d.cards {
		is := open.B.EqualMask(c.B)
		face |= f & -is
		found |= is
	}
	return card.Face(face), found == 1
}
