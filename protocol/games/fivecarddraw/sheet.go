package fivecarddraw

import (
	"slices"

	"github.com/pakli/pakli/protocol/table"
)

// Sheet returns what the finished deals have paid. If the table ends now, every chip of an open deal
// goes back, and the rest is a share of what lies in the middle from earlier deals (FD-R-53), and what
// the payout by places makes of the chips (FD-R-55).
func (r Rules) Sheet(s State) table.Sheet {
	var sheet table.Sheet
	for _, past := range s.Past {
		sheet.Deals = append(sheet.Deals, table.Line{Deal: past.Number, Payments: past.Pays})
	}
	if s.Stage != Over {
		s.Chips, s.Left = slices.Clone(s.Deal.Began), s.leftBefore()
		s = s.divide()
	}
	sheet.Rest = table.UnpaidRest(r.Result(s), sheet.Deals)
	return sheet
}

// leftBefore returns what lay in the middle when the deal began.
func (s State) leftBefore() int {
	if len(s.Past) == 0 {
		return 0
	}
	return s.Past[len(s.Past)-1].Left
}
