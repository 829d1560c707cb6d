package fivecarddraw

import (
	"slices"

	"github.com/pakli/pakli/protocol/table"
)

// Pot is chips and the seats that claim them, ascending. Of the chips of a deal, what nobody called
// goes back, and the rest lies in layers that seats claim. The best of its claimants share a pot, odd
// chips from the left of the dealer (FD-R-50 to FD-R-52).
type Pot struct {
	Chips     int          `json:"chips"`
	Claimants []table.Seat `json:"claimants"`
}

// UncalledChips returns what goes back, by seat: if one seat put in more than any other, the difference
// to the second (FD-R-50).
func UncalledChips(paid []int) []int {
	back, sorted := make([]int, len(paid)), slices.Sorted(slices.Values(paid))
	if n := len(sorted); n > 1 && sorted[n-1] > sorted[n-2] {
		back[slices.Index(paid, sorted[n-1])] = sorted[n-1] - sorted[n-2]
	}
	return back
}

// PotLayers returns the pots made of what was paid, by seat, and of chips left from earlier deals,
// which belong to the first layer (FD-R-51, FD-R-62). If nothing was paid, all live seats claim what is
// left, even nothing.
func PotLayers(paid []int, live []bool, left int) (pots []Pot) {
	last := 0
	for _, amount := range slices.Compact(slices.Sorted(slices.Values(paid))) {
		layer := Pot{Chips: left, Claimants: []table.Seat{}}
		left = 0
		for seat, n := range paid {
			layer.Chips += max(min(n, amount)-last, 0)
			if live[seat] && n >= amount {
				layer.Claimants = append(layer.Claimants, table.Seat(seat))
			}
		}
		last = amount
		pots = addLayer(pots, layer)
	}
	return pots
}

// addLayer adds a layer to others, merged with the one below if that has the same claimants or the
// layer has none.
func addLayer(pots []Pot, layer Pot) []Pot {
	if top := len(pots) - 1; top >= 0 && (len(layer.Claimants) == 0 || slices.Equal(pots[top].Claimants, layer.Claimants)) {
		pots[top].Chips += layer.Chips
		return pots
	}
	return append(pots, layer)
}

// Winners returns the claimants with the best class, in an order of seats, which is from the left of
// the dealer. Classes are by seat, 0 for a seat that showed no hand. A single claimant needs none
// (FD-R-42, FD-R-52).
func (p Pot) Winners(order []table.Seat, classes []int) (best []table.Seat) {
	if len(p.Claimants) < 2 {
		return p.Claimants
	}
	for _, seat := range order {
		class := classes[seat]
		if class == 0 || !slices.Contains(p.Claimants, seat) {
			continue
		}
		if len(best) > 0 && class < classes[best[0]] {
			best = nil
		}
		if len(best) == 0 || class == classes[best[0]] {
			best = append(best, seat)
		}
	}
	return best
}

// WithoutClaim returns the pot after a seat has given up its claim.
func (p Pot) WithoutClaim(seat table.Seat) Pot {
	p.Claimants = slices.DeleteFunc(slices.Clone(p.Claimants), func(c table.Seat) bool { return c == seat })
	return p
}

// PotShares divides chips among n: equal shares, and the remainder one by one to the first (FD-R-52).
func PotShares(chips, n int) []int {
	shares := make([]int, n)
	for i := range shares {
		shares[i] = chips / n
		if i < chips%n {
			shares[i]++
		}
	}
	return shares
}
