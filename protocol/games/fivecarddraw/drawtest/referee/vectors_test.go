package referee

import (
	"slices"
	"testing"

	"github.com/pakli/pakli/protocol/games/fivecarddraw/drawtest"
)

type handVector struct {
	drawtest.Vector
	X, Y    []string
	Than    string
	Classes [2]int
}

// A referee whose list of hands, by its place in it, is not that of the specification.
func TestHands(t *testing.T) {
	if len(ordinals[true]) != 7462 || len(ordinals[false]) != 7462 {
		t.Fatalf("%d and %d classes", len(ordinals[true]), len(ordinals[false]))
	}
	drawtest.Each(t, "hands", func(t *testing.T, v handVector) {
		if x, y := class(v.X, true), class(v.Y, true); x != v.Classes[0] || y != v.Classes[1] {
			t.Errorf("classes %d and %d, want %v", x, y, v.Classes)
		}
	})
}

type potVector struct {
	drawtest.Vector
	Paid, Live, Strength []int
	Dealer               int
	Pots                 []struct {
		Chips     int
		Claimants []int
	}
	Back, Receives []int
}

// A referee who lays chips into other pots, or shares them otherwise.
func TestPots(t *testing.T) {
	drawtest.Each(t, "pots", func(t *testing.T, v potVector) {
		live := make([]bool, len(v.Paid))
		for _, s := range v.Live {
			live[s] = true
		}
		back, paid := returned(v.Paid), slices.Clone(v.Paid)
		got := slices.Clone(back)
		for s, n := range back {
			paid[s] -= n
		}
		list := heaps(paid, live, 0)
		for i, h := range list {
			if i >= len(v.Pots) || h.chips != v.Pots[i].Chips || !slices.Equal(h.claimants, v.Pots[i].Claimants) {
				t.Fatalf("pots %v, want %v", list, v.Pots)
			}
			best := 0
			for _, s := range h.claimants {
				best = max(best, v.Strength[s])
			}
			winners := slices.DeleteFunc(slices.Clone(h.claimants), func(s int) bool { return v.Strength[s] != best })
			for s, n := range share(h.chips, winners, v.Dealer, len(paid)) {
				got[s] += n
			}
		}
		if !slices.Equal(back, v.Back) || !slices.Equal(got, v.Receives) {
			t.Errorf("back %v, receives %v; want %v, %v", back, got, v.Back, v.Receives)
		}
	})
}

type prizeVector struct {
	drawtest.Vector
	Stack     int
	Prizes    []int
	Standings []struct{ Deal, Chips int }
	Dealer    int
	Result    []int
}

// A referee who pays other prizes.
func TestPrizes(t *testing.T) {
	drawtest.Each(t, "prizes", func(t *testing.T, v prizeVector) {
		var out []leaving
		for _, s := range v.Standings {
			out = append(out, leaving{deal: s.Deal, chips: s.Chips, dealer: v.Dealer, end: s.Deal == 0})
		}
		if got := placed(out, v.Stack, v.Prizes); !slices.Equal(got, v.Result) {
			t.Errorf("%v, want %v", got, v.Result)
		}
	})
}

type totalVector struct {
	drawtest.Vector
	Limit                                                                string
	Unit, Height, Own, Stack, Middle, Step, Count, Call, Least, Greatest int
}

// A referee to whom another total is lawful.
func TestTotals(t *testing.T) {
	drawtest.Each(t, "totals", func(t *testing.T, v totalVector) {
		h := rulesOf(map[string]string{"limit": v.Limit, "bet": "2"})
		r := round{house: h, unit: v.Unit, stack: []int{v.Stack}, live: []bool{true}, in: []int{v.Own}, height: v.Height, step: v.Step, count: v.Count, middle: v.Middle, raises: []int{0}}
		if least, greatest := r.bounds(0); least != v.Least || greatest != v.Greatest || r.missing(0) != v.Call {
			t.Errorf("%d, %d … %d; want %d, %d … %d", r.missing(0), least, greatest, v.Call, v.Least, v.Greatest)
		}
	})
}
