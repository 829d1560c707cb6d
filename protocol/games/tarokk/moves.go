package tarokk

import (
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/table"
)

// Moves implements play.Rules: every call, annulment, discard and card that a
// player can make good, and of turns of the announcements those with one figure
// or contra, or a contra and a figure after it.
func (r Rules) Moves(s State, v table.View) []Move {
	phase, _ := s.phase()
	if phase == nil {
		return nil
	}
	return slices.DeleteFunc(phase.moves(s.Deal.player(v.Seat), v), func(m Move) bool { return r.Check(s, v, m) != nil })
}

var yesNo = []bool{true, false}

// each makes a move of every value, those in more last.
func each[T any](values []T, set func(*Move, T), more ...T) []Move {
	var list []Move
	for _, v := range slices.Concat(values, more) {
		var m Move
		set(&m, v)
		list = append(list, m)
	}
	return list
}

// names are the names of cards as v sees them.
func (s State) names(v table.View, cards []table.Card) []string {
	all, list := deck.Names(s.Rules.RedLow), make([]string, len(cards))
	for i, c := range cards {
		list[i] = all[v.Faces[c]]
	}
	return list
}

// seen are the faces of some cards among those that a player sees.
func seen(faces map[table.Card]card.Face, cards []table.Card) card.Set {
	var set card.Set
	for _, c := range cards {
		set = set.With(faces[c])
	}
	return set
}
