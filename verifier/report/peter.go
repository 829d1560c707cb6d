package report

import (
	"encoding/json"
	"strings"

	"github.com/pakli/pakli/protocol/games/schwarzerpeter"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// peterWords are the words of Schwarzer Peter, in both of its packs.
type peterWords struct{ anyGame }

var peterSuits = map[byte]string{'C': "clubs", 'S': "spades", 'H': "hearts", 'D': "diamonds"}

// Card implements game: "7 of hearts"; of the article's pack the type.
func (peterWords) Card(l Language, face string) string {
	if face == "0" {
		return l.say("peter")
	}
	if face == "" || peterSuits[face[len(face)-1]] == "" {
		return face
	}
	rank, suit := face[:len(face)-1], peterSuits[face[len(face)-1]]
	if strings.Contains("JQKA", rank) {
		rank = l.say("french." + rank)
	}
	return l.say("card", "rank", rank, "suit", l.say("suit."+suit))
}

// Move implements game.
func (w peterWords) Move(l Language, before, _ *table.State, _ table.Seat, raw json.RawMessage) string {
	var m schwarzerpeter.Move
	if wire.DecodeMove(raw, &m) != nil {
		return l.say("did.unknown")
	}
	switch {
	case m.Draw != nil && int(m.Draw.From) < before.Seats():
		return l.say("did.draw", "n", m.Draw.Position+1, "from", before.SeatName(m.Draw.From))
	case m.Lay != nil && len(*m.Lay) == 0:
		return l.say("did.lay.0")
	case m.Lay != nil:
		var pairs []string
		for _, p := range *m.Lay {
			pairs = append(pairs, w.Card(l, p[0].Face)+" + "+w.Card(l, p[1].Face))
		}
		return l.say("did.lay", "pairs", strings.Join(pairs, ", "))
	}
	return l.say("did.unknown")
}

// Rule implements game.
func (peterWords) Rule(l Language, rule string) string {
	if len(rule) < 5 || !l.knows("rule."+rule[:4]) {
		return ""
	}
	return l.say("rule." + rule[:4])
}

// Sheets implements game: who was left with the odd card.
func (peterWords) Sheets(l Language, s *table.State) []Sheet {
	var state schwarzerpeter.State
	raw, err := s.Public()
	if err == nil {
		err = json.Unmarshal(raw, &state)
	}
	if err != nil {
		panic("report: the state of Schwarzer Peter cannot be read back: " + err.Error()) // a fault of this program
	}
	point := 1
	if state.Options.LastHolder == "wins" {
		point = -1
	}
	var list []Sheet
	for i, last := range state.Last {
		sheet := Sheet{Deal: i + 1, Text: l.say("how.peter", "name", s.SeatName(last))}
		for seat := range table.Seat(s.Seats()) {
			n := point
			if seat == last {
				n -= point * s.Seats()
			}
			sheet.Payments = append(sheet.Payments, Payment{Name: s.SeatName(seat), Game: n, Total: n})
		}
		list = append(list, sheet)
	}
	return list
}
