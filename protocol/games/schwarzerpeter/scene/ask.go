package scene

import (
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/games/schwarzerpeter"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

var rules schwarzerpeter.Rules

// Scene implements scene.Presentation.
func (Presentation) Scene(a gamePosition) scene.Scene {
	s := scene.Scene{
		Facts: []scene.Note{scene.Say("deal.of", scene.Number("n", a.State.Deal), scene.Number("of", a.State.Deals))},
		Waits: a.Waits(scene.TaskOf(tasks, a.State.Stage)), Chairs: a.Chairs(a.State.Scores),
	}
	for i, hand := range a.State.Hands {
		seat := table.Seat(i)
		laid := scene.Zone{ID: "laid:" + strconv.Itoa(i), Layout: scene.Row, Seat: &seat, Label: scene.Say("zone.laid", scene.SeatArg("seat", seat))}
		for _, pair := range a.State.Laid[seat] {
			laid.Cards = append(laid.Cards, scene.ShownCard{Place: pair[0].Card, Face: pair[0].Face}, scene.ShownCard{Place: pair[1].Card, Face: pair[1].Face})
		}
		s.Zones = append(s.Zones, a.HandZone(seat, hand), laid)
	}
	return s
}

var tasks = map[schwarzerpeter.Stage]string{schwarzerpeter.Laying: "lay", schwarzerpeter.Drawing: "draw"}

// Ask implements scene.Presentation. A seat that has only one choice is not asked.
func (Presentation) Ask(a gamePosition) scene.Ask {
	list := moveChoices(a)
	prompt := scene.Say("ask.lay")
	if len(list) > 0 && list[0].Move.Draw != nil {
		prompt = scene.Say("ask.draw", scene.SeatArg("from", list[0].Move.Draw.From))
	}
	ask := scene.OfferChoices(prompt, list)
	ask.Alone = len(list) == 1
	return ask
}

// Answer implements scene.Presentation.
func (Presentation) Answer(a gamePosition, picked []scene.Pick) scene.Answer[schwarzerpeter.Move] {
	return scene.TakeChoice(moveChoices(a), picked)
}

func moveChoices(a gamePosition) []scene.Choice[schwarzerpeter.Move] {
	var list []scene.Choice[schwarzerpeter.Move]
	for _, m := range rules.Moves(a.State, a.View) {
		list = append(list, scene.Choice[schwarzerpeter.Move]{Part: movePart(a.State, m), Move: m})
	}
	return list
}

func movePart(s schwarzerpeter.State, m schwarzerpeter.Move) scene.Part {
	switch {
	case m.Draw != nil:
		n := m.Draw.Position + 1
		return scene.Part{Pick: scene.Pick("draw:" + strconv.Itoa(n)), Label: scene.Say("pick.draw", scene.Number("n", n)),
			Place: &s.Hands[m.Draw.From][m.Draw.Position], Group: "draw"}
	case len(*m.Lay) == 0:
		return scene.Part{Pick: "lay:none", Label: scene.Say("pick.keep"), Group: "lay"}
	}
	var names []string
	for _, p := range *m.Lay {
		names = append(names, p[0].Face+"-"+p[1].Face)
	}
	return scene.Part{Pick: scene.Pick("lay:" + strings.Join(names, "+")), Label: scene.Say("pick.lay", scene.NoteArg("pairs", pairsNote(*m.Lay))), Group: "lay"}
}

// Reason implements scene.Advising.
func (Presentation) Reason(_ gamePosition, m schwarzerpeter.Move) scene.Note {
	if m.Draw != nil {
		return scene.Say("reason.draw")
	}
	return scene.Say("reason.lay")
}
