// Package scene is how dare is shown and put into words.
package scene

import (
	"strconv"

	"github.com/pakli/pakli/protocol/games/dare"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

var allWords = scene.Words{
	Texts: map[string]map[string]string{
		"en": {"pip": "the {n}", "dared": "dared with {card}", "ducked": "ducked", "dare": "dare", "duck": "duck", "ask": "Do you dare, or duck?", "won": "Who dares wins."},
		"de": {"pip": "die {n}", "dared": "hat es mit {card} gewagt", "ducked": "hat gekniffen", "dare": "wagen", "duck": "kneifen", "ask": "Wagst du es, oder kneifst du?", "won": "Wer wagt, gewinnt."},
		"hu": {"pip": "{az:n}", "dared": "bevállalta, a lap: {card}", "ducked": "meghátrált", "dare": "vállalom", "duck": "nem merem", "ask": "Vállalod, vagy nem mered?", "won": "Aki mer, az nyer."},
	},
	Face: func(name string) (scene.Face, bool) {
		n, err := strconv.Atoi(name)
		return scene.Face{Words: scene.Say("pip", scene.Number("n", n)), Rank: name, Order: n}, err == nil
	},
	Players: 2,
}

// Presentation implements scene.Presentation.
type Presentation struct{}

// Words implements scene.Presentation.
func (Presentation) Words() scene.Words { return allWords }

type at = scene.GamePosition[dare.State]

func (Presentation) Scene(a at) scene.Scene {
	result, _ := a.Table.Result()
	s := scene.Scene{Chairs: a.Chairs(result), Waits: a.Waits(scene.Note{})}
	for seat := range table.Seat(2) {
		s.Zones = append(s.Zones, a.HandZone(seat, a.Table.Hand(seat)))
	}
	return s
}

func choices(a at) []scene.Choice[dare.Move] {
	moves := dare.Rules{}.Moves(a.State, a.View)
	return []scene.Choice[dare.Move]{
		{Part: scene.Part{Pick: "dare", Label: scene.Say("dare"), Group: "dare"}, Move: moves[0]},
		{Part: scene.Part{Pick: "duck", Label: scene.Say("duck"), Group: "dare"}, Move: moves[1]},
	}
}

func (Presentation) Ask(a at) scene.Ask { return scene.OfferChoices(scene.Say("ask"), choices(a)) }

func (Presentation) Answer(a at, picked []scene.Pick) scene.Answer[dare.Move] {
	return scene.TakeChoice(choices(a), picked)
}

func (Presentation) Tell(_, _ at, _ table.Seat, m *dare.Move) []scene.Tell {
	switch {
	case m == nil:
		return nil
	case m.Face == "":
		return []scene.Tell{{What: scene.Say("ducked")}}
	}
	return []scene.Tell{{What: scene.Say("dared", scene.Card("card", m.Face))}}
}

func (Presentation) Sheets(s dare.State) []scene.Sheet {
	if s.Stage != "over" {
		return nil
	}
	sheet := scene.Sheet{Deal: 1, Text: scene.Say("won")}
	for seat, n := range (dare.Rules{}).Result(s) {
		sheet.Payments = append(sheet.Payments, scene.Payment{Seat: table.Seat(seat), Game: n, Total: n})
	}
	return []scene.Sheet{sheet}
}

func (Presentation) Claim(c table.Condition) scene.Claim { return scene.AnyClaim(c) }

func (Presentation) Rule(string) scene.Note { return scene.Note{} }
