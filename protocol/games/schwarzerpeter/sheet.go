package schwarzerpeter

import "github.com/pakli/pakli/protocol/table"

// Sheet returns what the finished deals have paid.
func (Rules) Sheet(s State) table.Sheet {
	var sheet table.Sheet
	for i, last := range s.Last {
		sheet.Deals = append(sheet.Deals, table.Line{Deal: i + 1, Payments: s.DealPayments(last)})
	}
	return sheet
}
