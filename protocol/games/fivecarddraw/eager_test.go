package fivecarddraw_test

import (
	"slices"

	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/table"
)

// eagerRules are the rules for players who never fold, bet, or put away fewer cards than they may: the
// stock runs out in every deal of six (FD-R-34).
type eagerRules struct{ fivecarddraw.Rules }

// Moves implements play.Rules.
func (r eagerRules) Moves(s fivecarddraw.State, v table.View) []fivecarddraw.Move {
	moves := r.Rules.Moves(s, v)
	switch {
	case len(moves) == 0:
	case s.Stage == fivecarddraw.Betting || s.Stage == fivecarddraw.BetAfter:
		return moves[1:2]
	case s.Stage == fivecarddraw.Exchanging:
		return slices.DeleteFunc(moves, func(m fivecarddraw.Move) bool { return len(*m.Discard) < s.Exchangeable() })
	}
	return moves
}

// vectorsFolder has the test vectors of the game.
const vectorsFolder = "../../../docs/spec/vectors/five-card-draw"
