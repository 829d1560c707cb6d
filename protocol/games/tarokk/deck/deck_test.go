package deck_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/trick"
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
	if _, err := card.NewDeck("tarokk", deck.Names("four")); err != nil {
		t.Error(err)
	}
}

// R-CARD-8: the sizes of the named sets, and what is in the small ones.
func TestSets(t *testing.T) {
	for _, c := range []struct {
		name string
		set  card.Set
		size int
		some string
	}{
		{"DECK", deck.All, 42, "SK"}, {"TAROKK", deck.Tarokks, 22, "T22"}, {"SUITS", deck.Plain, 20, "HA"},
		{"HONOUR", deck.Honours, 3, "T1"}, {"BIG", deck.BigHonours, 2, "T21"}, {"KINGS", deck.Kings, 4, "DK"},
		{"TDISC", deck.TarokkDiscards, 19, "T20"}, {"PLAINDISC", deck.PlainDiscards, 16, "CQ"},
		{"DISCARDABLE", deck.Discardable, 35, "T2"}, {"SUIT(clubs)", deck.Of(deck.Clubs), 5, "CT"},
	} {
		f, err := deck.Parse(c.some)
		if err != nil || c.set.Len() != c.size || !c.set.Has(f) {
			t.Errorf("%s: %d cards, want %d and %s among them (%v)", c.name, c.set.Len(), c.size, c.some, err)
		}
	}
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
		if f, err := deck.Parse(name); err == nil {
			t.Errorf("%q is read as %s", name, deck.Name(f))
		}
	}
}

// R-PLAY-5 and the vectors TRK-01 to TRK-04.
func TestTricks(t *testing.T) {
	for id, c := range map[string]struct {
		cards  []string
		winner int
	}{
		"TRK-01": {[]string{"HQ", "HA", "HK", "HJ"}, 2},
		"TRK-02": {[]string{"HQ", "T2", "HK", "T1"}, 1},
		"TRK-03": {[]string{"T21", "T20", "T22", "T1"}, 2},
		"TRK-04": {[]string{"CT", "SK", "DK", "HK"}, 0},
	} {
		var cards []card.Face
		for _, name := range c.cards {
			f, err := deck.Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			cards = append(cards, f)
		}
		if got := trick.Winner(deck.Tricks{}, cards); got != c.winner {
			t.Errorf("%s: card %d wins, want %d", id, got, c.winner)
		}
	}
}
