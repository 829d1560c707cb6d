package deck_test

import (
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
)

// R-CARD-1, R-CARD-2, R-CARD-5: a card too many, or one worth a wrong number of
// points, moves the total.
func TestPack(t *testing.T) {
	total, bySuit := 0, map[deck.Suit]int{}
	for f := range card.Face(deck.Size) {
		total += deck.Points(f)
		bySuit[deck.SuitOf(f)]++
	}
	if total != deck.TotalPoints {
		t.Errorf("the pack has %d points, want %d", total, deck.TotalPoints)
	}
	for _, s := range append([]deck.Suit{deck.Tarokk}, deck.PlainSuits...) {
		if want := deck.Of(s).Len(); bySuit[s] != want {
			t.Errorf("%s: %d cards, want %d", s, bySuit[s], want)
		}
	}
	testmust.Have(card.NewDeck("tarokk", deck.Names("four")))(t)
}

// A card of five points is one that no exchange may hide.
func TestDiscardable(t *testing.T) {
	for _, f := range deck.Honours.Union(deck.Kings).Faces() {
		if deck.Points(f) != 5 || deck.Discardable.Has(f) {
			t.Errorf("%s: a card of five points cannot be discarded", deck.Name(f))
		}
	}
}

// R-CARD-2, R-CARD-7: every name is read back, numerals too, and nothing else is.
func TestNames(t *testing.T) {
	for _, low := range []string{"ace", "four"} {
		for i, name := range deck.Names(deck.RedLow(low)) {
			if f, err := deck.Parse(name); err != nil || int(f) != i {
				t.Errorf("%s is read as %d, %v", name, f, err)
			}
		}
	}
	if f, err := deck.Parse("XIX"); err != nil || f != deck.XIX || deck.Name(f) != "T19" || deck.Roman(f) != "XIX" {
		t.Errorf("XIX is read as %d, %v", f, err)
	}
	for _, name := range []string{"", "T0", "T23", "T01", "HT", "CA", "C4", "hk", "SKIZ "} {
		testmust.Fail(t, testmust.ErrorOf(deck.Parse(name)), name, "is read")
	}
}
