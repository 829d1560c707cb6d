// Package scene is how Schwarzer Peter is shown and put into words, for both of its packs
// (protocol/scene).
package scene

import (
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/games/schwarzerpeter"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

// Presentation implements scene.Presentation.
type Presentation struct{}

// Words implements scene.Presentation.
func (Presentation) Words() scene.Words { return allWords }

var allWords = scene.Words{
	Texts:   texts.ByTag(),
	Face:    parseFace,
	Players: 3,
	Terms:   scene.Terms{Forfeit: 1},
}

type gamePosition = scene.GamePosition[schwarzerpeter.State]

var (
	suits = map[string]string{"C": "clubs", "S": "spades", "H": "hearts", "D": "diamonds"}
	ranks = []string{"2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"}
)

// parseFace returns a card of a pack by its name, like "7H". In the article's pack only the Schwarzer
// Peter has a name; the other cards are called by their types.
func parseFace(name string) (scene.Face, bool) {
	if name == "0" {
		return scene.Face{Words: scene.Say("peter"), Rank: name}, true
	}
	if name == "" {
		return scene.Face{}, false
	}
	rank, suit := name[:len(name)-1], name[len(name)-1:]
	i := slices.Index(ranks, rank)
	if i < 0 || suits[suit] == "" {
		return scene.Face{}, false
	}
	called := scene.Text("rank", rank)
	if strings.Contains("JQKA", rank) {
		called = scene.NoteArg("rank", scene.Say("rank."+rank))
	}
	return scene.Face{
		Words: scene.Say("card", called, scene.NoteArg("suit", scene.Say("suit."+suits[suit]))),
		Suit:  suit, Rank: rank, Order: i*len(suits) + strings.Index("CSHD", suit), Typed: []string{suit + rank, rank + suit},
	}, true
}

// Tell implements scene.Presentation.
func (Presentation) Tell(before, after gamePosition, by table.Seat, m *schwarzerpeter.Move) []scene.Tell {
	var list []scene.Tell
	tell := func(id string, args ...scene.Arg) {
		list = append(list, scene.Tell{What: scene.Say(id, args...)})
	}
	if m != nil {
		list = append(list, scene.Tell{What: moveNote(before, *m), Idle: m.Lay != nil && len(*m.Lay) == 0})
	}
	if after.Table == nil {
		return list
	}
	old, s := before.State, after.State
	if old.Stage == schwarzerpeter.Dealing && s.Stage != schwarzerpeter.Dealing {
		tell("dealt", scene.Number("n", s.Deal), scene.SeatArg("first", s.First))
	}
	if len(s.Last) > len(old.Last) {
		tell("how.peter", scene.SeatArg("name", s.Last[len(s.Last)-1]))
	}
	return list
}

func moveNote(before gamePosition, m schwarzerpeter.Move) scene.Note {
	switch {
	case m.Draw != nil && int(m.Draw.From) < before.Table.Seats():
		return scene.Say("did.draw", scene.Number("n", m.Draw.Position+1), scene.SeatArg("from", m.Draw.From))
	case m.Lay != nil && len(*m.Lay) == 0:
		return scene.Say("did.lay.0")
	case m.Lay != nil:
		return scene.Say("did.lay", scene.NoteArg("pairs", pairsNote(*m.Lay)))
	}
	return scene.Say("did.unknown")
}

// pairsNote returns a note of at least one pair: "7 of hearts + 7 of diamonds, …".
func pairsNote(list []schwarzerpeter.Pair) scene.Note {
	var pairs []scene.Note
	for _, p := range list {
		pairs = append(pairs, scene.Say("pair", scene.Card("a", p[0].Face), scene.Card("b", p[1].Face)))
	}
	return scene.JoinNotes("with.besides", pairs)
}

// Sheets implements scene.Presentation: who was left with the odd card.
func (Presentation) Sheets(s schwarzerpeter.State) []scene.Sheet {
	var list []scene.Sheet
	for i, last := range s.Last {
		sheet := scene.Sheet{Deal: i + 1, Text: scene.Say("how.peter", scene.SeatArg("name", last))}
		for seat, n := range s.DealPayments(last) {
			sheet.Payments = append(sheet.Payments, scene.Payment{Seat: table.Seat(seat), Game: n, Total: n})
		}
		list = append(list, sheet)
	}
	return list
}

// Claim implements scene.Presentation. The game makes none.
func (Presentation) Claim(c table.Condition) scene.Claim { return scene.AnyClaim(c) }

// Rule implements scene.Presentation.
func (Presentation) Rule(id string) scene.Note {
	for _, chapter := range []string{"SP-S", "SP-C"} {
		if strings.HasPrefix(id, chapter) && id != chapter {
			return scene.Say("rule." + chapter)
		}
	}
	return scene.Note{}
}
