package fivecarddraw

import (
	"cmp"
	"slices"

	"github.com/pakli/pakli/protocol/table"
)

// Standing is how a seat left a table.
type Standing struct {
	Deal   int        // the deal in which it went out; 0: it has chips at the end
	Chips  int        // chips at the end, or when that deal began
	Dealer table.Seat // dealer of that deal, or of the last one
}

// PayPlaces returns the result of every seat of a table that pays by places: its prize less the stack
// that it brought. The chips are the pool, of which each place has a share (FD-R-55); percents are for
// the places from the first on and add up to 100.
func PayPlaces(stack int, percents []int, standings []Standing) []int {
	results := make([]int, len(standings))
	prizes := ofPlaces(stack*len(standings), len(standings), percents)
	for _, equal := range rankedGroups(standings) {
		sum := 0
		for _, prize := range prizes[:len(equal)] {
			sum += prize
		}
		prizes = prizes[len(equal):]
		for i, share := range PotShares(sum, len(equal)) {
			results[equal[i]] = share - stack
		}
	}
	return results
}

// ofPlaces returns the prizes of all places; the first place gets the remainder.
func ofPlaces(pool, places int, percents []int) []int {
	prizes := make([]int, places)
	rest := pool
	for p, percent := range percents {
		prizes[p] = pool * percent / 100
		rest -= prizes[p]
	}
	prizes[0] += rest
	return prizes
}

// rankedGroups returns the seats from the first place on; equal seats are together, from the left of
// their dealer.
func rankedGroups(standings []Standing) (groups [][]int) {
	order := make([]int, len(standings))
	for i := range order {
		order[i] = i
	}
	left := func(seat int) int { // distance from the left of the dealer
		n := len(standings)
		return (seat - int(standings[seat].Dealer) - 1 + n) % n
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := standings[i], standings[j]
		return cmp.Or(compareExits(b, a), b.Chips-a.Chips, left(i)-left(j))
	})
	for i, seat := range order {
		a, b := standings[seat], standings[order[max(i-1, 0)]]
		if i > 0 && a.Deal == b.Deal && a.Chips == b.Chips {
			groups[len(groups)-1] = append(groups[len(groups)-1], seat)
			continue
		}
		groups = append(groups, []int{seat})
	}
	return groups
}

// compareExits compares when two seats went out; a seat with chips counts as last.
func compareExits(a, b Standing) int {
	switch {
	case a.Deal == b.Deal:
		return 0
	case a.Deal == 0 || b.Deal != 0 && a.Deal > b.Deal:
		return 1
	}
	return -1
}
