package drawtest

import (
	"slices"

	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/table"
)

// Eager are the rules, with players of whom none folds, bets or puts away fewer cards than
// it may: the stock runs out in every deal of six (FD-R-34).
type Eager struct{ fivecarddraw.Rules }

// Moves implements play.Rules.
func (r Eager) Moves(s fivecarddraw.State, v table.View) []fivecarddraw.Move {
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
