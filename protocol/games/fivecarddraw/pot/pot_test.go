package pot_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/pakli/pakli/protocol/games/fivecarddraw/drawtest"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/pot"
	"github.com/pakli/pakli/protocol/table"
)

type vector struct {
	drawtest.Vector
	Paid, Strength, Back, Receives []int
	Live                           []int
	Dealer                         int
	Pots                           []pot.Pot
}

// FD-R-50 to FD-R-52, FD-A-09: chips that come to another seat, or stay behind, by any of the 21
// vectors.
func TestVectors(t *testing.T) {
	drawtest.Each(t, "pots", func(t *testing.T, v vector) {
		live, classes := make([]bool, len(v.Paid)), make([]int, len(v.Paid))
		for _, seat := range v.Live {
			live[seat], classes[seat] = true, 10-v.Strength[seat]
		}
		back, pots, received := divide(v.Paid, live, classes, v.Dealer)
		if !reflect.DeepEqual(pots, v.Pots) || !slices.Equal(back, v.Back) || !slices.Equal(received, v.Receives) {
			t.Errorf("pots %v, back %v, receives %v; want %v, %v, %v", pots, back, received, v.Pots, v.Back, v.Receives)
		}
	})
}

func clockwise(n, dealer int) (order []table.Seat) {
	for i := range n {
		order = append(order, table.Seat((dealer+1+i)%n))
	}
	return order
}

func divide(paid []int, live []bool, classes []int, dealer int) (back []int, pots []pot.Pot, received []int) {
	back = pot.Uncalled(paid)
	received, paid = slices.Clone(back), slices.Clone(paid)
	for seat := range paid {
		paid[seat] -= back[seat]
	}
	pots = pot.Layers(paid, live, 0)
	for _, p := range pots {
		winners := p.Winners(clockwise(len(paid), dealer), classes)
		for i, share := range pot.Shares(p.Chips, len(winners)) {
			received[winners[i]] += share
		}
	}
	return back, pots, received
}

// FD-R-62, 92.7: chips from deals before that nobody claims, or that all may claim though
// the first layer is not theirs; and a deal in which nobody paid and that has no pot.
func TestLeft(t *testing.T) {
	three := []bool{true, true, true}
	for _, c := range []struct {
		paid []int
		live []bool
		left int
		want []pot.Pot
	}{
		{[]int{5, 9, 9}, three, 7, []pot.Pot{{Chips: 22, Claimants: []table.Seat{0, 1, 2}}, {Chips: 8, Claimants: []table.Seat{1, 2}}}},
		{[]int{0, 0, 0}, three, 7, []pot.Pot{{Chips: 7, Claimants: []table.Seat{0, 1, 2}}}},
		{[]int{0, 0, 0}, []bool{true, false, true}, 0, []pot.Pot{{Chips: 0, Claimants: []table.Seat{0, 2}}}},
		{[]int{0, 4, 4}, []bool{false, true, true}, 3, []pot.Pot{{Chips: 11, Claimants: []table.Seat{1, 2}}}},
	} {
		if got := pot.Layers(c.paid, c.live, c.left); !reflect.DeepEqual(got, c.want) {
			t.Errorf("paid %v, left %d: %v, want %v", c.paid, c.left, got, c.want)
		}
	}
}
