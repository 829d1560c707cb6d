package report

import (
	"strconv"

	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
	"github.com/pakli/pakli/protocol/table"
)

// Sheets implements game: the deals that are over, and how they were scored.
func (w tarokkWords) Sheets(l Language, s *table.State) []Sheet {
	var list []Sheet
	state := tarokkState(s)
	for _, past := range state.Past {
		sheet := Sheet{Deal: past.Number, Text: w.ended(l, s, past)}
		if past.Sheet != nil {
			for _, line := range past.Sheet.Lines {
				sheet.Lines = append(sheet.Lines, w.line(l, line))
			}
			sheet.Lines = append(sheet.Lines, Line{Rule: "R-SC-18", Text: l.say("line.sum"), Points: past.Sheet.V})
		}
		for seat, total := range past.Payments {
			game := total
			if past.Sheet != nil {
				game = past.Multiplier * share(table.Seat(seat), past, len(state.Members))
			}
			sheet.Payments = append(sheet.Payments, Payment{s.SeatName(table.Seat(seat)), game, total - game, total})
		}
		list = append(list, sheet)
	}
	return list
}

// share is what the sheet brings a seat (R-PAY-1, R-PAY-2, R-PAY-5), before the
// rounds multiply it.
func share(seat table.Seat, past tarokk.Settled, members int) int {
	v := past.Sheet.V
	switch {
	case seat == *past.Declarer && past.Partner == nil:
		return 3 * v
	case seat == *past.Declarer, past.Partner != nil && seat == *past.Partner:
		return v
	case members == 5 && seat == past.Dealer:
		return 0
	}
	return -v
}

// hows are the texts for how a deal ended.
var hows = map[string]string{
	"played": "how.played", "trial lost": "how.trial", "invit broken": "how.invit", "passed": "how.passed", "annulled": "how.annulled",
}

// ended says how a deal ended.
func (w tarokkWords) ended(l Language, s *table.State, past tarokk.Settled) string {
	values := []any{"points", past.Points, "level", l.say("level." + strconv.Itoa(past.Level)), "declarer", "", "with", "", "hand", ""}
	if past.Declarer != nil {
		values[5] = s.SeatName(*past.Declarer)
	}
	if values[7] = l.say("alone"); past.Partner != nil {
		values[7] = l.say("with", "partner", s.SeatName(*past.Partner))
	}
	if past.Annulled != "" {
		values[9] = l.say("hand." + past.Annulled)
	}
	text := l.say(hows[past.How], values...)
	if past.Multiplier > 1 && past.Sheet != nil {
		text += " " + l.say("multiplied", "n", past.Multiplier)
	}
	return text
}

// line is an item of the sheet.
func (w tarokkWords) line(l Language, line score.Line) Line {
	key := "line.silent"
	switch {
	case line.Item == score.TheGame:
		key = "line.game"
	case line.Announced:
		key = "line.announced"
	}
	made := "line.failed"
	if line.Made {
		made = "line.made"
	}
	text := l.say(key, "figure", l.say("figure."+string(line.Item.Figure)), "side", l.say("side."+line.Item.Side.String()), "made", l.say(made))
	if line.Contra > 0 {
		text += ", " + l.say("contra."+strconv.Itoa(line.Contra))
	}
	return Line{Rule: line.Rule, Text: text, For: l.say("side." + line.For.String()), Points: line.Points}
}
