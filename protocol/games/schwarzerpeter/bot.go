package schwarzerpeter

import (
	"math/rand/v2"

	"github.com/pakli/pakli/protocol/table"
)

// Choose implements play.Rules: it lays down all pairs that may be laid down, and draws anywhere.
func (r Rules) Choose(s State, v table.View, random *rand.Rand) (Move, bool) {
	moves := r.Moves(s, v)
	if s.Stage == Drawing {
		return moves[random.IntN(len(moves))], true
	}
	return moves[0], true
}
