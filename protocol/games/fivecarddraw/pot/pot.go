// Package pot divides the chips of a deal: what nobody called goes back, the rest lies in
// layers that seats have claims to, and a pot is shared by the best of its claimants, odd
// chips from the left of the dealer (FD-R-50 to FD-R-52).
package pot

import "github.com/pakli/pakli/protocol/table"

// Pot is chips, and who has a claim to them, ascending.
type Pot struct {
	Chips     int          `json:"chips"`
	Claimants []table.Seat `json:"claimants"`
}
