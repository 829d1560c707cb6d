package verifiertest

// [ArrangeDeck] lays decks in a wanted order, for tests that need certain cards. The
// shuffle is proved like any other: who knows all secrets only draws the permutation
// that it wants, which no randomness brings about, since what a seat draws is hedged.

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// ArrangeDeck is the message of the last seat that shuffles, after which the faces lie in this
// order. Seats are those who shuffle the deal.
func ArrangeDeck(t *tabletest.Table, seats []table.Seat, order []card.Face) ([]byte, error) {
	lies, err := deckFaces(t, seats)
	if err != nil {
		return nil, err
	}
	from := make([]uint16, len(order))
	for i, f := range order {
		from[i] = uint16(slices.Index(lies, f))
	}
	last := seats[len(seats)-1]
	cards, p, err := permuteDeck(t, last, from)
	if err != nil {
		return nil, err
	}
	body := wire.CardsBody{}
	for _, c := range cards {
		body.Cards = append(body.Cards, c.Bytes())
	}
	return t.Sign(last, table.Shuffle, body, p)
}

// deckFaces are the faces of the deck as it lies.
func deckFaces(t *tabletest.Table, seats []table.Seat) ([]card.Face, error) {
	cards, _ := t.State.Deck()
	list := make([]card.Face, len(cards))
	for i, c := range cards {
		var tokens []proof.Token
		for _, seat := range seats {
			tokens = append(tokens, t.Hands[seat].Secret.Token(c))
		}
		f, ok := t.State.Face(t.Config.Suite.Encoding().Strip(c, tokens...))
		if !ok {
			return nil, fmt.Errorf("arrange: place %d of the deck has no face", i)
		}
		list[i] = f
	}
	return list, nil
}

// permuteDeck is the deck with the cards from these places, and the proof that it is the
// deck.
func permuteDeck(t *tabletest.Table, seat table.Seat, from []uint16) ([]proof.MaskedCard, []byte, error) {
	in, key := t.State.Deck()
	if _, isClear := t.Config.Suite.(clear.Suite); isClear {
		out, w, err := clear.Arrange(key, in, from, t.Random)
		if err != nil {
			return nil, nil, err
		}
		p, err := t.Prove(seat, table.Shuffle, 0, proof.Shuffle{Key: key, In: in, Out: out}, w)
		return out, p, err
	}
	factors, err := group.Ristretto255().RandomScalars(t.Random, len(from))
	if err != nil {
		return nil, nil, err
	}
	st := masking.ShuffleStatement{Key: key.(*masking.Key)}
	for _, c := range in {
		st.In = append(st.In, c.(masking.Card))
	}
	o := masking.Opening{Permutation: from, Factors: factors}
	st.Out = masking.Remask(st.Key, st.In, o)
	var out []proof.MaskedCard
	for _, c := range st.Out {
		out = append(out, c)
	}
	p, err := bayergroth.Prover{}.Prove(t.State.Context(seat, table.Shuffle).Slot(0), st, o, t.Random)
	return out, p, err
}
