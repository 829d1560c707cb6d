package deck_test

import (
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/deck"
)

// FD-R-01: a pack in another order, which opens every card as another; and ranks or suits
// that are not those of the name.
func TestPack(t *testing.T) {
	names := deck.Names()
	if _, err := card.NewDeck(deck.Name, names); err != nil || len(names) != deck.Size {
		t.Fatalf("%d faces: %v", len(names), err)
	}
	if names[0] != "AC" || names[1] != "2C" || names[9] != "10C" || names[13] != "AS" || names[26] != "AH" || names[51] != "KD" {
		t.Errorf("the order is %v", names)
	}
	for i, name := range names {
		f, err := deck.Parse(name)
		rank := slices.Index([]string{"2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"}, name[:len(name)-1])
		if suit := name[len(name)-1]; err != nil || int(f) != i || int(f.Rank()) != rank || "CSHD"[f.Suit()] != suit {
			t.Errorf("%s: face %d, rank %d, suit %d, %v", name, f, f.Rank(), f.Suit(), err)
		}
		text, err := f.MarshalText()
		var back deck.Face
		if err != nil || back.UnmarshalText(text) != nil || back != f {
			t.Errorf("%s is written %s (%v) and read %v", name, text, err, back)
		}
	}
}

// A card that is none of the pack, taken for one.
func TestNoCard(t *testing.T) {
	for _, name := range []string{"", "1C", "11C", "ac", "AX", "AC ", "C"} {
		testmust.Fail(t, testmust.ErrorOf(deck.Parse(name)), name, "is read")
	}
	if text, err := deck.Face(deck.Size).MarshalText(); err == nil || deck.Face(deck.Size).String() != "?" {
		t.Errorf("face 52 is written %s", text)
	}
}
