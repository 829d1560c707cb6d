package report

import (
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

// voiceOf returns the voice of a game whose seats have these names.
func (l Language) voiceOf(game string, names func(table.Seat) string) scene.Voice {
	return l.VoiceOf(games.Scene(game), names)
}

// sheetsInWords returns the finished deals in words, with their tricks.
func sheetsInWords(v scene.Voice, s *table.State, tricks map[int][]Trick) []Sheet {
	var list []Sheet
	for i, sheet := range v.Game.Sheets(s) {
		said := Sheet{Deal: sheet.Deal, Text: v.Text(sheet.Text), Tricks: tricks[i]}
		for _, l := range sheet.Lines {
			said.Lines = append(said.Lines, sheetLine(v, l))
		}
		for _, p := range sheet.Payments {
			said.Payments = append(said.Payments, Payment{v.Seat(p.Seat), p.Game, p.Other, p.Total})
		}
		list = append(list, said)
	}
	return list
}

func sheetLine(v scene.Voice, l scene.Line) Line {
	said := Line{Rule: l.Rule, Text: v.Text(l.Text), Points: l.Points}
	if l.For != nil {
		said.For = v.Text(*l.For)
	}
	return said
}
