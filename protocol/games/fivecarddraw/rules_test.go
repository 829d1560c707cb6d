package fivecarddraw_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/drawtest"
	"github.com/pakli/pakli/protocol/table"
)

// asIs leaves the pack as it is.
func asIs([]card.Face) {}

// from is a table that has come to a deal with these chips and this dealer.
func from(t testing.TB, o options, mixes func([]card.Face), dealer table.Seat, chips ...int) *bare {
	t.Helper()
	b := begin(t, len(chips), 2, o, mixes)
	b.s = fivecarddraw.With(b.s, dealer, chips...)
	b.steps()
	return b
}

type roundVector struct {
	drawtest.Vector
	Options options
	Stacks  []int
	Speaks  []string
	Round   []int
	Middle  int
}

// FD-R-11, FD-R-20 to FD-R-26, FD-A-10, FD-A-13 to FD-A-15: a seat that is asked and should not be, or is not asked; chips
// that go another way, by any of the 13 vectors.
func TestRounds(t *testing.T) {
	drawtest.Each(t, "rounds", func(t *testing.T, v roundVector) {
		b := from(t, v.Options, asIs, 0, v.Stacks...)
		b.say(t, strings.Join(v.Speaks, " "))
		if b.s.Stage == fivecarddraw.Betting || !slices.Equal(b.s.Deal.Round.Chips, v.Round) || b.s.InMiddle() != v.Middle {
			t.Errorf("stage %s, round %v, middle %d; want %v, %d", b.s.Stage, b.s.Deal.Round.Chips, b.s.InMiddle(), v.Round, v.Middle)
		}
	})
}

type showVector struct {
	drawtest.Vector
	Order    []table.Seat
	Says     []string
	Receives []int
}

// FD-R-40 to FD-R-42: a seat that is asked though nothing is contested, or that loses a pot
// that all others gave up, by any of the 4 vectors.
func TestShowdowns(t *testing.T) {
	drawtest.Each(t, "showdowns", func(t *testing.T, v showVector) {
		b := from(t, options{"limit": "none", "ante": "0"}, asIs, (v.Order[0]+2)%3, 10, 90, 90)
		b.say(t, map[table.Seat]string{
			0: "0:10 1:40 2:c 0:d 1:d 2:d 1:k 2:k",
			1: "1:40 2:c 0:c 1:d 2:d 0:d 1:k 2:k",
		}[v.Order[0]])
		for i, word := range v.Says {
			b.say(t, fmt.Sprintf("%d:%c", v.Order[i], word[0]))
		}
		past := b.s.Past[len(b.s.Past)-1]
		for seat, paid := range []int{10, 40, 40} {
			if past.Paid[seat] != paid || past.Pays[seat]+paid != v.Receives[seat] {
				t.Errorf("seat %d paid %d and received %d, want %d", seat, past.Paid[seat], past.Pays[seat]+past.Paid[seat], v.Receives[seat])
			}
		}
	})
}

// A deal of two seats with the hands: 1 sits left of the dealer 0.
const (
	jacks   = "JC JS 3H 5D 8C"
	tens    = "10C 10S 4H 6D 9C"
	aces    = "AC AS 2H 7D QC"
	trips   = "2C 2S 2D KH 5S"
	nothing = "3C 5C 7H 9H JD"
)

// FD-R-04, FD-R-10, FD-R-12: cards that come to another seat, or shuffles in another order.
func TestDeal(t *testing.T) {
	b := &bare{mixes: asIs}
	s, pack, err := b.Setup(table.Config{Seats: 4, Deals: 9})
	if err != nil || pack.Len() != 52 || pack.Name() != "five-card-draw-52" {
		t.Fatalf("%s, %d cards: %v", pack.Name(), pack.Len(), err)
	}
	s = fivecarddraw.With(s, 2, 9, 0, 9, 9)
	if d := b.Duties(s)[0]; d.Kind != table.Shuffle || !slices.Equal(d.Seats, []table.Seat{2, 3, 0}) {
		t.Errorf("shuffles %v, want 2 3 0", d)
	}
	s = b.Settle(s, nil)
	for i, seat := range []table.Seat{3, 0, 2} {
		at := table.Card(i)
		if d := b.Duties(s)[i]; d.Kind != table.Show || d.To[0] != seat || !slices.Equal(d.Cards, []table.Card{at, at + 3, at + 6, at + 9, at + 12}) {
			t.Errorf("dealt %v, want to seat %d from place %d on", d, seat, at)
		}
	}
}

// FD-R-30, FD-R-33, FD-A-20: cards put away that are none of the hand, too many, twice or unsorted
// (cheat 9); and more than there are to draw.
func TestDiscardsRefused(t *testing.T) {
	b := begin(t, 2, 1, options{"exchange": "3"}, asIs)
	b.say(t, "1:k 0:k")
	for _, cards := range [][]table.Card{{1}, {0, 2, 4, 6}, {0, 0}, {2, 0}, {0, 52}, {10}} {
		b.refusesMove(t, "FD-R-30", 1, fivecarddraw.Move{Discard: &cards})
	}
	six := begin(t, 6, 1, options{"stack": "1"}, asIs) // all-in by the antes
	six.say(t, "1:d01234 2:d01234 3:d01234 4:d01234")
	if n := six.s.Exchangeable(); n != 2 {
		t.Errorf("FD-R-33: seat 5 may exchange %d, want 2", n)
	}
	six.refuses(t, "FD-R-33", "5:d012")
	six.say(t, "5:d01").refuses(t, "FD-R-33", "0:d0")
	six.say(t, "0:d")
	if six.s.Stage != fivecarddraw.Showing || six.s.Deal.Next != 52 {
		t.Errorf("stage %s, next place %d", six.s.Stage, six.s.Deal.Next)
	}
}

// FD-R-31, FD-R-32: new cards that come before the old ones are gone, to another seat, or
// from other places.
func TestExchange(t *testing.T) {
	together := begin(t, 3, 1, nil, asIs).say(t, "1:k 2:k 0:k 1:d04 2:d")
	if together.s.Stage != fivecarddraw.Exchanging || together.s.Deal.Next != 15 || len(together.s.Deal.Hands[1]) != 3 {
		t.Errorf("before all have put away: %+v", together.s.Deal)
	}
	together.say(t, "0:d1")
	if d := together.s.Deal; !slices.Equal(d.Hands[1], []table.Card{3, 6, 9, 15, 16}) || !slices.Equal(d.Hands[0], []table.Card{2, 8, 11, 14, 17}) || !slices.Equal(d.Away[1], []table.Card{0, 12}) {
		t.Errorf("hands %v, away %v", d.Hands, d.Away)
	}
	single := begin(t, 3, 1, options{"draw": "one-by-one"}, asIs).say(t, "1:k 2:k 0:k 1:d04")
	if d := single.s.Deal; single.s.Stage != fivecarddraw.Exchanging || !slices.Equal(d.Hands[1], []table.Card{3, 6, 9, 15, 16}) || d.Asked[0] != 2 {
		t.Errorf("one by one: %+v", d)
	}
}

// FD-R-35: places picked that are not free, not as many, twice or unsorted (cheat 20).
func TestPicks(t *testing.T) {
	b := begin(t, 2, 1, options{"pick": "opponent", "draw": "one-by-one"}, asIs)
	b.say(t, "0:p3,7,9,20,51") // for seat 1, which is left of the dealer
	for _, places := range []string{"1:p3,10,11,12,13", "1:p10,11,12,13", "1:p10,11,12,13,52", "1:p11,10,12,13,14", "1:p10,10,11,12,13"} {
		b.refuses(t, "FD-R-35", places)
	}
	b.say(t, "1:p0,1,2,4,5")
	if d := b.s.Deal; !slices.Equal(d.Hands[1], []table.Card{3, 7, 9, 20, 51}) || !slices.Equal(d.Hands[0], []table.Card{0, 1, 2, 4, 5}) {
		t.Fatalf("hands %v", d.Hands)
	}
	b.say(t, "1:k 0:k 1:d0").refuses(t, "FD-R-35", "0:p3") // put away, and not free
	b.say(t, "0:p6")
	if d := b.s.Deal; !slices.Equal(d.Hands[1], []table.Card{6, 7, 9, 20, 51}) || b.s.Stage != fivecarddraw.Exchanging {
		t.Errorf("hands %v, stage %s", d.Hands, b.s.Stage)
	}
}

// FD-R-60 to FD-R-62, FD-A-26: openers that show nothing, of other cards or with other faces than lie
// open (cheat 19).
func TestOpenersRefused(t *testing.T) {
	b := begin(t, 2, 2, options{"openers": "jacks"}, stacked(t, "", jacks, tens)).say(t, "1:2 0:c 1:d0 0:d 1:k 0:k 1:s 0:s")
	if b.s.Stage != fivecarddraw.Opening {
		t.Fatalf("stage %s", b.s.Stage)
	}
	for _, cards := range [][]fivecarddraw.Shown{
		{{Card: 2, Face: 23}}, {{Card: 2, Face: 23}, {Card: 4, Face: 28}}, // JS; JS 3H
		{{Card: 0, Face: 10}, {Card: 10, Face: 0}}, // JC, and a card drawn
		{{Card: 0, Face: 10}, {Card: 2, Face: 36}}, // JC, and JS as JH
		{{Card: 2, Face: 23}, {Card: 0, Face: 10}}, {{Card: 0, Face: 10}, {Card: 0, Face: 10}},
	} {
		b.refusesMove(t, "FD-R-61", 1, fivecarddraw.Move{Openers: &cards})
	}
	b.say(t, "1:o")
	if past := b.s.Past; b.s.Deal.Number != 2 || len(b.s.Last.Shown) != 2 || past[0].Pays[0] != 3 {
		t.Errorf("the tens win: %+v", past)
	}
}
