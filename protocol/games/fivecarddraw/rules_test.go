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
	nothing = "3C 5C 7H 9H JD"
)
