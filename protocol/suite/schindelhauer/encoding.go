package schindelhauer

import (
	"errors"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/matrix"
)

// encoding is the encoding of keys and decks. Cards and tokens are read by that of a deal.
type encoding struct{ size int }

func (e encoding) ParseKey(b []byte) (proof.Key, error) {
	m, err := matrix.ParseModulus(b, e.size)
	if err != nil {
		return nil, err
	}
	return matrix.NewKey(m), nil
}

var errUnseated = errors.New("cards and tokens are read with the keys of their deal, of which there are none")

func (encoding) ParseMasked([]byte) (proof.MaskedCard, error) { return nil, errUnseated }

func (encoding) ParseToken([]byte) (proof.Token, error) { return nil, errUnseated }

// Joint returns the keys in ascending order.
func (encoding) Joint(keys []proof.Key) (proof.Key, error) {
	return jointOf(keys)
}

func jointOf(keys []proof.Key) (*matrix.Key, error) {
	var o ownValues
	list := make([]*matrix.Key, len(keys))
	for i, k := range keys {
		list[i] = o.asKey(k)
	}
	if o.err != nil {
		return nil, o.err
	}
	return matrix.Joint(list)
}

// CheckKeyPair refuses two keys of a table that have a factor in common.
func (encoding) CheckKeyPair(a, b proof.Key) error {
	var o ownValues
	x, y := o.asKey(a), o.asKey(b)
	if o.err != nil {
		return o.err
	}
	return matrix.CheckCoprime(x, y)
}

// SharedFactorGroups implements proof.FactoringSuite.
func (s *suite) SharedFactorGroups(keys []proof.Key) [][]int {
	moduli := make([]*matrix.Modulus, len(keys))
	for i, k := range keys {
		moduli[i] = k.(*matrix.Key).Moduli()[0]
	}
	return matrix.SharedFactorGroups(moduli)
}

func (encoding) Deck(d card.Deck) (proof.Deck, error) {
	return deck{d, matrix.ColumnsFor(d.Len())}, nil
}

// Strip strips tokens from a card, each made for the card that the token before it left.
func (encoding) Strip(c proof.MaskedCard, tokens ...proof.Token) proof.MaskedCard {
	left := c.(matrix.Card)
	for _, t := range tokens {
		left = left.Strip(t.(matrix.Token))
	}
	return left
}

// DealEncoding returns the encoding of a deal's values, for its seats' keys and a deck.
func (e encoding) DealEncoding(keys []proof.Key, d proof.Deck) (proof.Encoding, error) {
	joint, err := jointOf(keys)
	if err != nil {
		return nil, err
	}
	own, ok := d.(deck)
	if !ok {
		return nil, errors.New("the deck is none of this suite")
	}
	return dealEncoding{e, joint, own.width}, nil
}

// dealEncoding reads cards under the keys of a deal, or one of them, and their tokens.
type dealEncoding struct {
	encoding
	joint *matrix.Key
	width int
}

func (e dealEncoding) ParseMasked(b []byte) (proof.MaskedCard, error) {
	return matrix.ParseCard(b, e.joint, e.width)
}

func (e dealEncoding) ParseToken(b []byte) (proof.Token, error) {
	return matrix.ParseToken(b, e.joint, e.width)
}

// deck is a deck whose faces are numbers of a width.
type deck struct {
	pack  card.Deck
	width int
}

func (d deck) Cards() []proof.MaskedCard {
	list := make([]proof.MaskedCard, d.pack.Len())
	for f := range list {
		list[f] = matrix.Open(card.Face(f), d.width)
	}
	return list
}

func (d deck) Face(c proof.MaskedCard) (card.Face, bool) {
	f, open := c.(matrix.Card).Face()
	return f, open && int(f) < d.pack.Len()
}
