package toolbox

import (
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
)

// Move is one operation. 93.3 lists the fields of each; lists that are left out are nil.
type Move struct {
	Op    string        `json:"op"`
	Pile  string        `json:"pile,omitempty"`
	To    string        `json:"to,omitempty"`   // a pile
	Seat  string        `json:"seat,omitempty"` // by letter
	Cards *[]table.Card `json:"cards,omitempty"`
	Faces *[]card.Face  `json:"faces,omitempty"`
	N     int           `json:"n,omitempty"`
	Min   int           `json:"min,omitempty"`
	Max   int           `json:"max,omitempty"`
	Value *Value        `json:"value,omitempty"` // a commitment, or a share
}

// withFields returns the move with only the fields that an operation has.
func (m Move) withFields(fields string) Move {
	n := Move{Op: m.Op}
	for _, f := range strings.Fields(fields) {
		switch f {
		case "pile":
			n.Pile = m.Pile
		case "to":
			n.To = m.To
		case "seat":
			n.Seat = m.Seat
		case "cards":
			n.Cards = m.Cards
		case "faces":
			n.Faces = m.Faces
		case "n":
			n.N = m.N
		case "value":
			n.Value = m.Value
		case "min-max":
			n.Min, n.Max = m.Min, m.Max
		}
	}
	return n
}
