package scene

import (
	"strconv"

	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

// Sheets implements scene.Presentation: the finished deals, and how they were scored.
func (Presentation) Sheets(s tarokk.State) []scene.Sheet {
	var list []scene.Sheet
	for _, past := range s.Past {
		list = append(list, dealSheet(s, past))
	}
	return list
}

func dealSheet(s tarokk.State, past tarokk.SettledDeal) scene.Sheet {
	sheet := scene.Sheet{Deal: past.Number, Text: dealNote(past)}
	if past.Sheet != nil {
		for _, l := range past.Sheet.Lines {
			sheet.Lines = append(sheet.Lines, sheetLine(l))
		}
		sheet.Lines = append(sheet.Lines, scene.Line{Rule: "R-SC-18", Text: scene.Say("line.sum"), Points: past.Sheet.V})
	}
	for i, total := range past.Payments {
		seat, game := table.Seat(i), total
		if past.Sheet != nil {
			game = past.Multiplier * sheetShare(seat, past, len(s.Members))
		}
		sheet.Payments = append(sheet.Payments, scene.Payment{Seat: seat, Game: game, Other: total - game, Total: total})
	}
	return sheet
}

// sheetShare is what the sheet brings a seat (R-PAY-1, R-PAY-2, R-PAY-5), before the multiplier of the
// rounds.
func sheetShare(seat table.Seat, past tarokk.SettledDeal, members int) int {
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

func dealNote(past tarokk.SettledDeal) scene.Note {
	text := outcomeNote(past)
	if past.Multiplier > 1 && past.Sheet != nil {
		return scene.Say("two.sentences", scene.NoteArg("a", text), scene.NoteArg("b", scene.Say("multiplied", scene.Number("n", past.Multiplier))))
	}
	return text
}

func outcomeNote(past tarokk.SettledDeal) scene.Note {
	switch past.How {
	case tarokk.Passed:
		return scene.Say("how.passed")
	case tarokk.Annulled:
		return scene.Say("how.annulled", scene.NoteArg("hand", scene.Say("hand."+past.Annulled)))
	case tarokk.TrialLost:
		return scene.Say("how.trial", scene.SeatArg("declarer", *past.Declarer))
	case tarokk.InvitBroken:
		return scene.Say("how.invit", scene.SeatArg("declarer", *past.Declarer))
	}
	with := scene.Say("alone")
	if past.Partner != nil {
		with = scene.Say("with", scene.SeatArg("partner", *past.Partner))
	}
	return scene.Say("how.played", scene.SeatArg("declarer", *past.Declarer), scene.NoteArg("level", levelNote(past.Level)), scene.NoteArg("with", with),
		scene.Number("points", past.Points))
}

func levelNote(n int) scene.Note { return scene.Say("level." + strconv.Itoa(n)) }

// sheetLine is an item of the sheet.
func sheetLine(l tarokk.SheetLine) scene.Line {
	made := scene.Say("line.failed")
	if l.Made {
		made = scene.Say("line.made")
	}
	id, args := "line.game", []scene.Arg{scene.NoteArg("made", made)}
	if l.Item != tarokk.TheGame {
		id = "line.silent"
		args = append(args, scene.NoteArg("figure", scene.Say("figure."+string(l.Item.Figure))), scene.NoteArg("side", sideNote(l.Item.Side)))
	}
	if l.Item != tarokk.TheGame && l.Announced {
		id = "line.announced"
	}
	text := scene.Say(id, args...)
	if l.Contra > 0 {
		text = scene.Say("with.besides", scene.NoteArg("a", text), scene.NoteArg("b", ladderStep(l.Contra)))
	}
	counts := sideNote(l.For)
	return scene.Line{Rule: l.Rule, Text: text, For: &counts, Points: l.Points}
}
