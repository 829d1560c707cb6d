package ristretto255

import (
	"sync"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
)

// maxDecks bounds the decks that are remembered. Tables of one game share
// theirs; a server of many games does without for the rest.
const maxDecks = 64

// encoding is package masking behind the seam, and remembers encoded decks.
type encoding struct {
	mu    sync.Mutex
	decks map[[32]byte]deck
}

// NewEncoding returns the encoding of all suites of this package: ElGamal.
func NewEncoding() proof.Encoding { return newEncoding() }

func newEncoding() *encoding { return &encoding{decks: make(map[[32]byte]deck)} }

func (*encoding) ParseKey(b []byte) (proof.Key, error) {
	k, err := masking.ParseKey(b)
	if err != nil {
		return nil, err
	}
	return k, nil
}

func (*encoding) ParseMasked(b []byte) (proof.Masked, error) {
	c, err := masking.ParseCard(b)
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (*encoding) ParseToken(b []byte) (proof.Token, error) {
	t, err := masking.ParseToken(b)
	if err != nil {
		return nil, err
	}
	return t, nil
}

func (*encoding) Joint(keys []proof.Key) (proof.Key, error) {
	var o own
	list := make([]*masking.Key, len(keys))
	for i, k := range keys {
		list[i] = o.key(k)
	}
	if o.err != nil {
		return nil, o.err
	}
	joint, err := masking.Joint(list)
	if err != nil {
		return nil, err
	}
	return joint, nil
}

func (e *encoding) Deck(d card.Deck) (proof.Deck, error) {
	id := d.ID()
	e.mu.Lock()
	defer e.mu.Unlock()
	if known, ok := e.decks[id]; ok {
		return known, nil
	}
	encoded, err := masking.NewDeck(d)
	if err != nil {
		return nil, err
	}
	if len(e.decks) < maxDecks {
		e.decks[id] = deck{encoded}
	}
	return deck{encoded}, nil
}

func (*encoding) Strip(c proof.Masked, tokens ...proof.Token) proof.Masked {
	return masking.Strip(must.card(c), must.tokens(tokens)...)
}

// deck is a masking.Deck behind the seam.
type deck struct{ *masking.Deck }

func (d deck) Cards() []proof.Masked { return maskedOf(d.Deck.Cards()) }

func (d deck) Face(c proof.Masked) (card.Face, bool) { return d.Deck.Face(must.card(c)) }

func maskedOf(cards []masking.Card) []proof.Masked {
	list := make([]proof.Masked, len(cards))
	for i, c := range cards {
		list[i] = c
	}
	return list
}
