package hand_test

import (
	"cmp"
	"fmt"
	"os"
	"slices"
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

// listed is the second opinion: all classes written out from best to worst, each as the
// ranks of a hand, ascending, and whether it is of one suit.
func listed(wheel bool) (list []string) {
	var straights, others [][5]int
	for high := 12; high >= 4; high-- {
		straights = append(straights, [5]int{high - 4, high - 3, high - 2, high - 1, high})
	}
	if wheel {
		straights = append(straights, [5]int{0, 1, 2, 3, 12})
	}
	for a := 12; a >= 0; a-- {
		for b := a - 1; b >= 0; b-- {
			for c := b - 1; c >= 0; c-- {
				for d := c - 1; d >= 0; d-- {
					for e := d - 1; e >= 0; e-- {
						if h := [5]int{e, d, c, b, a}; !slices.Contains(straights, h) {
							others = append(others, h)
						}
					}
				}
			}
		}
	}
	write := func(flush bool, ranks ...int) {
		slices.Sort(ranks)
		list = append(list, fmt.Sprint(flush, ranks))
	}
	each := func(not []int, use func(r int)) {
		for r := 12; r >= 0; r-- {
			if !slices.Contains(not, r) {
				use(r)
			}
		}
	}
	all := func(flush bool, hands [][5]int) {
		for _, h := range hands {
			write(flush, h[:]...)
		}
	}
	all(true, straights)
	each(nil, func(a int) { each([]int{a}, func(b int) { write(false, a, a, a, a, b) }) })
	each(nil, func(a int) { each([]int{a}, func(b int) { write(false, a, a, a, b, b) }) })
	all(true, others)
	all(false, straights)
	each(nil, func(a int) {
		each([]int{a}, func(b int) {
			each([]int{a, b}, func(c int) {
				if c < b {
					write(false, a, a, a, b, c)
				}
			})
		})
	})
	each(nil, func(a int) {
		each([]int{a}, func(b int) {
			if b < a {
				each([]int{a, b}, func(c int) { write(false, a, a, b, b, c) })
			}
		})
	})
	each(nil, func(a int) {
		each([]int{a}, func(b int) {
			each([]int{a}, func(c int) {
				each([]int{a}, func(d int) {
					if d < c && c < b {
						write(false, a, a, b, c, d)
					}
				})
			})
		})
	})
	all(false, others)
	return list
}

// counts are how many hands there are of each kind, the best first.
var counts = map[bool][9]int{
	true:  {40, 624, 3_744, 5_108, 10_200, 54_912, 123_552, 1_098_240, 1_302_540},
	false: {36, 624, 3_744, 5_112, 9_180, 54_912, 123_552, 1_098_240, 1_303_560},
}

// AllHands is the variable of the environment that has every hand compared, and not one of
// some hundred:
//
//	PAKLI_ALL_HANDS=1 go test -run TestTwoOpinions ./protocol/games/fivecarddraw/hand
const AllHands = "PAKLI_ALL_HANDS"

// FD-R-44: a hand that two ways of ranking put into two classes; and, of all 2,598,960,
// kinds that are more or fewer than there are.
func TestTwoOpinions(t *testing.T) {
	for _, wheel := range []bool{true, false} {
		list := listed(wheel)
		class := map[string]int{}
		for i, h := range list {
			class[h] = i + 1
		}
		if len(list) != hand.Classes || len(class) != hand.Classes {
			t.Fatalf("wheel=%v: %d classes listed, %d different", wheel, len(list), len(class))
		}
		step := 101
		if os.Getenv(AllHands) != "" {
			step = 1
		}
		var kinds [9]int
		compared := 0
		eachHand(step, func(h [hand.Size]deck.Face) {
			var ranks []int
			flush := true
			for _, f := range h {
				ranks = append(ranks, int(f.Rank()))
				flush = flush && f.Suit() == h[0].Suit()
			}
			slices.Sort(ranks)
			got, want := hand.Class(h, wheel), class[fmt.Sprint(flush, ranks)]
			if got != want {
				t.Fatalf("wheel=%v: %v is of class %d, and %d in the list", wheel, h, got, want)
			}
			kinds[hand.StraightFlush-hand.KindOf(got, wheel)]++
			compared++
		})
		if step == 1 && (kinds != counts[wheel] || compared != 2_598_960) {
			t.Errorf("wheel=%v: %d hands, kinds %v, want %v", wheel, compared, kinds, counts[wheel])
		}
		t.Logf("wheel=%v: %d hands compared", wheel, compared)
	}
}

// eachHand calls use with every step-th hand.
func eachHand(step int, use func([hand.Size]deck.Face)) {
	n := 0
	for a := deck.Face(0); a < deck.Size; a++ {
		for b := a + 1; b < deck.Size; b++ {
			for c := b + 1; c < deck.Size; c++ {
				for d := c + 1; d < deck.Size; d++ {
					for e := d + 1; e < deck.Size; e++ {
						if n%step == 0 {
							use([hand.Size]deck.Face{c, a, e, b, d})
						}
						n++
					}
				}
			}
		}
	}
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
