package skat

import "github.com/pakli/pakli/protocol/table"

// Sheet is the score of each finished deal, with the own games won and lost. The rest of a list's sums
// are the bonuses of its system (SK-R-63).
func (r Rules) Sheet(s State) table.Sheet {
	var sheet table.Sheet
	for _, past := range s.Past {
		line := table.Line{Deal: past.Number, Payments: past.Points}
		if past.Result != nil {
			line.Tallies = table.SeatTally(len(s.Seats), *past.Declarer, past.Result.Won)
		}
		sheet.Deals = append(sheet.Deals, line)
	}
	sheet.Rest = table.UnpaidRest(r.Result(s), sheet.Deals)
	return sheet
}
