package scene

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
)

// Generic presents a game of which only the rules are known: zones from the kernel, and moves as they
// are written. It offers only moves that the rules list, since it does not know whether others can be
// proved.
func Generic(name string) Game { return Game{name: name, erasedPresentation: generic{}} }

type generic struct{}

func (generic) Scene(at Position) Scene {
	var s Scene
	for seat := range table.Seat(at.Table.Seats()) {
		s.Zones = append(s.Zones, at.HandZone(seat, at.Table.Hand(seat)))
	}
	open := Zone{ID: "open", Layout: Row, Label: Say("zone.open")}
	faces := at.Table.Faces()
	for _, c := range slices.Sorted(maps.Keys(faces)) {
		open.Cards = append(open.Cards, ShownCard{Place: c, Face: at.Table.FaceName(faces[c])})
	}
	result, _ := at.Table.Result()
	s.Zones, s.Chairs, s.Waits = append(s.Zones, open), at.Chairs(result), at.Waits(Note{})
	return s
}

func (generic) moveChoices(at Position) []Choice[json.RawMessage] {
	if !at.OwesMove() {
		return nil
	}
	moves, err := play.Moves(at.Table, at.View)
	if err != nil {
		return nil
	}
	var list []Choice[json.RawMessage]
	for i, m := range moves {
		part := Part{Pick: Pick("move:" + strconv.Itoa(i+1)), Label: Say("text", Text("text", string(m))), Group: "move"}
		list = append(list, Choice[json.RawMessage]{Part: part, Move: m})
	}
	return list
}

func (g generic) Ask(at Position) Ask { return OfferChoices(Say("ask.move"), g.moveChoices(at)) }

func (g generic) Answer(at Position, picked []Pick) Answer[json.RawMessage] {
	return TakeChoice(g.moveChoices(at), picked)
}

func (generic) Tell(_, _ Position, _ table.Seat, move json.RawMessage) []Tell {
	if move == nil {
		return nil
	}
	return []Tell{{What: Say("did.move", Text("move", string(move)))}}
}

func (generic) Sheets(*table.State) []Sheet { return nil }

func (generic) Sums(*table.State) []Sum { return nil }

func (generic) Reason(Position, json.RawMessage) Note { return Note{} }

func (generic) Claim(c table.Condition) Claim { return AnyClaim(c) }

func (generic) Rule(string) Note { return Note{} }
