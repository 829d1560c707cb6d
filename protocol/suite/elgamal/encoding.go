package elgamal

import (
	"fmt"
	"sync"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
)

// maxDecks bounds the remembered decks. Tables of one game share theirs; further decks are encoded each
// time.
const maxDecks = 64

// encoding is package masking behind the interfaces of package proof. It remembers encoded decks.
type encoding struct {
	group *group.Group
	mu    sync.Mutex
	decks map[[32]byte]deck
}

// NewEncoding returns the encoding of all suites of this package over g: ElGamal.
func NewEncoding(g *group.Group) proof.Encoding { return newEncoding(g) }

func newEncoding(g *group.Group) *encoding {
	return &encoding{group: g, decks: make(map[[32]byte]deck)}
}

func (e *encoding) ParseKey(b []byte) (proof.Key, error) {
	return masking.ParseKey(e.group, b)
}

func (e *encoding) ParseMasked(b []byte) (proof.MaskedCard, error) {
	return masking.ParseCard(e.group, b)
}

func (e *encoding) ParseToken(b []byte) (proof.Token, error) {
	return masking.ParseToken(e.group, b)
}

func (e *encoding) Joint(keys []proof.Key) (proof.Key, error) {
	o := ownValues{group: e.group}
	list := make([]*masking.Key, len(keys))
	for i, k := range keys {
		list[i] = o.asKey(k)
	}
	if o.err != nil {
		return nil, o.err
	}
	return masking.Joint(list)
}

func (e *encoding) Deck(d card.Deck) (proof.Deck, error) {
	id := d.ID()
	e.mu.Lock()
	defer e.mu.Unlock()
	if known, ok := e.decks[id]; ok {
		return known, nil
	}
	encoded, err := masking.NewDeck(e.group, d)
	if err != nil {
		return nil, err
	}
	if len(e.decks) < maxDecks {
		e.decks[id] = deck{encoded}
	}
	return deck{encoded}, nil
}

func (e *encoding) Strip(c proof.MaskedCard, tokens ...proof.Token) proof.MaskedCard {
	must := mustOwn(e.group)
	return masking.Strip(must.asCard(c), must.asTokens(tokens)...)
}

// maxCards is how many bytes of cards fit in an entry, and maxProof how many of a proof fit in a blob.
const maxCards, maxProof = 48_384, 1 << 20

// boundedEncoding is an encoding of decks that can be dealt: their cards fit in an entry, and the proof
// of a shuffle fits in a blob.
type boundedEncoding struct {
	*encoding
	size func(g *group.Group, cards int) int // of a proof
}

func (b boundedEncoding) Deck(d card.Deck) (proof.Deck, error) {
	n := d.Len()
	if size := n * masking.CardSize(b.group); size > maxCards {
		return nil, fmt.Errorf("a deck of %d cards has %d bytes, of which an entry takes %d: choose another suite", n, size, maxCards)
	}
	if size := b.size(b.group, n); size > maxProof {
		return nil, fmt.Errorf("the proof of a shuffle of %d cards has %d bytes, of which a message takes %d: choose another suite", n, size, maxProof)
	}
	return b.encoding.Deck(d)
}

// deck is a masking.Deck behind the interface of package proof.
type deck struct{ *masking.Deck }

func (d deck) Cards() []proof.MaskedCard { return maskedOf(d.Deck.Cards()) }

func (d deck) Face(c proof.MaskedCard) (card.Face, bool) {
	return d.Deck.Face(mustOwn(d.Group()).asCard(c))
}

func maskedOf(cards []masking.Card) []proof.MaskedCard {
	list := make([]proof.MaskedCard, len(cards))
	for i, c := range cards {
		list[i] = c
	}
	return list
}
