package sra3072_test

import (
	"crypto/rand"
	"fmt"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/sra255"
	"github.com/pakli/pakli/protocol/suite/sra3072"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/highcard"
	"github.com/pakli/pakli/protocol/wire"
)

// The suites whose locks are disclosed. They have one source: what can be false at a table is tried
// in package sra255, since a deal of the longer one takes a hundred times as long.
var (
	short = sra255.Discloser(sra255.NewDisclosed())
	long  = sra3072.Discloser(sra3072.NewDisclosed())
)

var game = play.Of(highcard.Rules{})

// Two deals, whose table is over when all that was deferred is checked.
func TestPlay(t *testing.T) {
	thorough.Only(t, "the other suite runs the same code, modulo a number of a twelfth the length")
	played := testmust.Have(tabletest.Play(game, tabletest.Config{Seats: 4, Deals: 2, Suite: long}, 1))(t)
	if _, over := played.State.Result(); !over || played.State.Foul() != nil {
		t.Errorf("over %v, foul %v", over, played.State.Foul())
	}
}

// Keys of the locks 1 and −1, and of 0, over the larger group: the classes of 2, of 1/2 and
// of 1.
func TestKeysThatLockNothing(t *testing.T) {
	e := long.Encoding()
	two := append(make([]byte, 383), 2)
	if _, err := e.ParseMasked(two); err != nil {
		t.Fatal("the attack is built wrong: 2 is no card")
	}
	x := testmust.Have(long.NewSecret(rand.Reader))(t)
	// The class of 1/2 = (p + 1)/2 is that of (p − 1)/2, the largest.
	half := largest(e)
	for name, b := range map[string][]byte{"1": two, "−1": half, "0": append(make([]byte, 383), 1)} {
		testmust.Fail(t, testmust.ErrorOf(e.ParseKey(b)), "the key of the lock", name, "is one")
	}
	testmust.Fail(t, testmust.ErrorOf(e.ParseMasked(append(make([]byte, 383), 1))), "the identity is a card")
	if k, err := e.ParseKey(x.Key().Bytes()); err != nil {
		t.Errorf("an honest key %v: %v", k, err)
	}
}

// largest finds by halving the largest bytes that are a card: all from 2 to it are.
func largest(e proof.Encoding) []byte {
	b := make([]byte, 384)
	for bit := range 8 * len(b) {
		b[bit/8] |= 0x80 >> (bit % 8)
		if _, err := e.ParseMasked(b); err != nil {
			b[bit/8] &^= 0x80 >> (bit % 8)
		}
	}
	return b
}

// A deck whose shuffle fits no entry, so that the table waits for ever; and one that fits, and
// is refused.
func TestLargeDecks(t *testing.T) {
	played := testmust.Have(tabletest.New(game, tabletest.Config{Seats: 4, Suite: short}, 1))(t)
	for _, c := range []struct {
		suite proof.Prover
		cards int
		opens bool
	}{{short, 256, true}, {long, 126, true}, {long, 127, false}} {
		names := make([]string, c.cards)
		for i := range names {
			names[i] = fmt.Sprint(i)
		}
		deck, err := c.suite.Encoding().Deck(testmust.Have(card.NewDeck("large", names))(t))
		if opens := err == nil; opens != c.opens {
			t.Errorf("%s: a deck of %d: %v", c.suite.Name(), c.cards, err)
		}
		if err != nil {
			continue
		}
		body := wire.CardsBody{}
		for _, c := range deck.Cards() {
			body.Cards = append(body.Cards, c.Bytes())
		}
		_, err = wire.Parse(testmust.Have(played.Sign(3, table.Shuffle, body))(t))
		testmust.Do(t, err, c.suite.Name(), "the shuffle of", c.cards, "cards")
	}
}
