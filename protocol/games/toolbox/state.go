package toolbox

import "github.com/pakli/pakli/protocol/table"

// State is public. Piles and Hands are lists of places, the top card first. A card that was shown is in
// neither.
type State struct {
	Seats  int                     `json:"seats"`
	Faces  int                     `json:"faces"`
	Piles  map[string][]table.Card `json:"piles"`
	Hands  [][]table.Card          `json:"hands"`
	Places int                     `json:"places"`           // of the deal
	Steps  [][]table.Duty          `json:"steps,omitempty"`  // phases that the last move needs
	Throws int                     `json:"throws,omitempty"` // how many throws have begun
	Throw  *Throw                  `json:"throw,omitempty"`  // the last throw
	Over   bool                    `json:"over,omitempty"`
}
