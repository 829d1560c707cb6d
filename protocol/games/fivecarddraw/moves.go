package fivecarddraw

import (
	"math/rand/v2"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
)

var _ play.Rules[State, Move] = Rules{}

// Moves implements play.Rules.
func (Rules) Moves(s State, v table.View) []Move { return nil }

// Choose implements play.Rules.
func (r Rules) Choose(s State, v table.View, random *rand.Rand) (Move, bool) {
	return play.Any(r.Moves(s, v), random)
}
