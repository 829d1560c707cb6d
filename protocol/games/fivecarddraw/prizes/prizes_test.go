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

// FD-R-55, FD-A-21: a prize that another seat has earned, by any of the 8 vectors; and by the other
// way of reckoning, in which each seat counts who is before it and who is equal.
func TestVectors(t *testing.T) {
	drawtest.Each(t, "prizes", func(t *testing.T, v vector) {
		if got := prizes.Pay(v.Stack, v.Prizes, v.standings()); !slices.Equal(got, v.Result) {
			t.Errorf("%v, want %v", got, v.Result)
		}
		for seat := range v.Standings {
			if got := v.counted(seat); got != v.Result[seat] {
				t.Errorf("seat %d counts %d, want %d", seat, got, v.Result[seat])
			}
		}
	})
}

// counted is the result of a seat by counting.
func (v vector) counted(seat int) int {
	n, me := len(v.Standings), v.Standings[seat]
	before, equal, odd := 0, 0, 0
	for i := range n {
		other := (v.Dealer + 1 + i) % n
		switch o := v.Standings[other]; {
		case o == me:
			equal++
			if i < (seat-v.Dealer-1+n)%n {
				odd++ // is given an odd chip before this seat
			}
		case (o.Deal == 0) != (me.Deal == 0):
			if o.Deal == 0 {
				before++
			}
		case o.Deal > me.Deal || o.Deal == me.Deal && o.Chips > me.Chips:
			before++
		}
	}
	sum, pool := 0, v.Stack*n
	for p := before; p < before+equal && p < len(v.Prizes); p++ {
		sum += pool * v.Prizes[p] / 100
	}
	if before == 0 {
		sum += pool
		for _, percent := range v.Prizes {
			sum -= pool * percent / 100
		}
	}
	return (sum+equal-1-odd)/equal - v.Stack
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
