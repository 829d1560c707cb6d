package hand_test

import (
	"cmp"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/deck"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/drawtest"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/hand"
)

type vector struct {
	drawtest.Vector
	X, Y    [hand.Size]deck.Face
	Than    string
	Classes [2]int
}

// FD-R-44, FD-A-07: a hand that beats one that it should not, or by its suit, by any of the 46 vectors.
func TestVectors(t *testing.T) {
	drawtest.Each(t, "hands", func(t *testing.T, v vector) {
		x, y := hand.Class(v.X, true), hand.Class(v.Y, true)
		if got := [2]int{x, y}; got != v.Classes {
			t.Errorf("classes %v, want %v", got, v.Classes)
		}
		if than := map[int]string{-1: ">", 0: "=", 1: "<"}[cmp.Compare(x, y)]; than != v.Than {
			t.Errorf("%v %s %v, want %s", v.X, than, v.Y, v.Than)
		}
	})
}

// FD-A-08: a wheel that is a straight where it is none, or the other way round.
func TestWheel(t *testing.T) {
	wheel, steel := faces(t, "5S", "4D", "3H", "2C", "AS"), faces(t, "5C", "4C", "3C", "2C", "AC")
	high, flush := faces(t, "6S", "4D", "3H", "2C", "AS"), faces(t, "AS", "QS", "8S", "5S", "2S")
	for _, c := range []struct {
		faces [hand.Size]deck.Face
		wheel bool
		kind  hand.Kind
	}{{wheel, true, hand.Straight}, {wheel, false, hand.HighCard}, {steel, true, hand.StraightFlush}, {steel, false, hand.Flush}} {
		if got := hand.KindOf(hand.Class(c.faces, c.wheel), c.wheel); got != c.kind {
			t.Errorf("%v, wheel=%v: kind %d, want %d", c.faces, c.wheel, got, c.kind)
		}
	}
	if a, b := hand.Class(wheel, false), hand.Class(high, false); a != b+1 {
		t.Errorf("without wheel A-5-4-3-2 is %d and A-6-4-3-2 %d", a, b)
	}
	if a, b := hand.Class(steel, false), hand.Class(flush, false); a <= b {
		t.Errorf("without wheel the flush of a wheel is %d and one of A-Q-8-5-2 %d", a, b)
	}
}

func faces(t *testing.T, names ...string) (list [hand.Size]deck.Face) {
	t.Helper()
	for i, name := range names {
		f := testmust.Have(deck.Parse(name))(t)
		list[i] = f
	}
	return list
}

// FD-R-61: cards that open and show nothing, or show it and do not open.
func TestOpens(t *testing.T) {
	for _, c := range []struct {
		cards []string
		opens bool
	}{
		{nil, false}, {[]string{"JS"}, false}, {[]string{"JS", "JC"}, true}, {[]string{"10S", "10C"}, false}, {[]string{"AS", "KS"}, false},
		{[]string{"AS", "AD"}, true}, {[]string{"2S", "2C", "2D"}, true}, {[]string{"JS", "2C", "JD"}, true}, {[]string{"10S", "10C", "9D"}, false},
		{[]string{"2S", "2C", "3S", "3C"}, true}, {[]string{"2S", "2C", "2D", "2H"}, true}, {[]string{"AS", "KS", "QS", "JS"}, false},
		{[]string{"AS", "2D", "3C", "4S", "5S"}, true}, {[]string{"2S", "4S", "6S", "8S", "10S"}, true}, {[]string{"AS", "KS", "QS", "JS", "9C"}, false},
		{[]string{"10S", "10C", "KS", "QS", "JS"}, false}, {[]string{"3S", "3C", "3H", "2S", "2C"}, true},
	} {
		var cards []deck.Face
		for _, name := range c.cards {
			f := testmust.Have(deck.Parse(name))(t)
			cards = append(cards, f)
		}
		if got := hand.Opens(cards, true); got != c.opens {
			t.Errorf("%v opens: %v", c.cards, got)
		}
	}
	wheel := faces(t, "AS", "2D", "3C", "4S", "5S")
	if hand.Opens(wheel[:], false) {
		t.Error("a wheel opens where it is no straight")
	}
}
