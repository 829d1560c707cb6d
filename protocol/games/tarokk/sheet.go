package tarokk

import "github.com/pakli/pakli/protocol/table"

// Sheet is what the finished deals have paid, with the deals won and lost as declarer. The rest of the
// scores is what goes through the pool at the end (PAK-5): an end now would share it.
func (Rules) Sheet(s State) table.Sheet {
	var sheet table.Sheet
	for _, past := range s.Past {
		line := table.Line{Deal: past.Number, Payments: past.Payments}
		if d := past.Declarer; d != nil && past.Payments[*d] != 0 {
			line.Tallies = table.SeatTally(len(s.Scores), *d, past.Payments[*d] > 0)
		}
		sheet.Deals = append(sheet.Deals, line)
	}
	if s.Stage != Over {
		s = ending{s}.closeSession()
	}
	sheet.Rest = table.UnpaidRest(s.Scores, sheet.Deals)
	return sheet
}
