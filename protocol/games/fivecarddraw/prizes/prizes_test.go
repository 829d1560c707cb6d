package prizes_test

import (
	"slices"
	"testing"

	"github.com/pakli/pakli/protocol/games/fivecarddraw/drawtest"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/prizes"
	"github.com/pakli/pakli/protocol/table"
)

type vector struct {
	drawtest.Vector
	Stack, Dealer int
	Prizes        []int
	Standings     []struct{ Deal, Chips int }
	Result        []int
}

func (v vector) standings() (list []prizes.Standing) {
	for _, s := range v.Standings {
		list = append(list, prizes.Standing{Deal: s.Deal, Chips: s.Chips, Dealer: table.Seat(v.Dealer)})
	}
	return list
}

// FD-R-55, FD-A-21: a prize that another seat has earned, by any of the 8 vectors.
func TestVectors(t *testing.T) {
	drawtest.Each(t, "prizes", func(t *testing.T, v vector) {
		if got := prizes.Pay(v.Stack, v.Prizes, v.standings()); !slices.Equal(got, v.Result) {
			t.Errorf("%v, want %v", got, v.Result)
		}
	})
}

// Seats that went out in another deal, whose odd chip goes to the left of the dealer of
// the last deal and not of theirs.
func TestDealerOfTheDeal(t *testing.T) {
	out := func(dealer table.Seat) prizes.Standing { return prizes.Standing{Deal: 3, Chips: 5, Dealer: dealer} }
	for dealer, want := range [][]int{{-8, -7, 15}, {-7, -8, 15}, {-7, -8, 15}} {
		standings := []prizes.Standing{out(table.Seat(dealer)), out(table.Seat(dealer)), {Chips: 33, Dealer: 0}}
		if got := prizes.Pay(11, []int{77, 23}, standings); !slices.Equal(got, want) {
			t.Errorf("dealer %d: %v, want %v", dealer, got, want)
		}
	}
}
