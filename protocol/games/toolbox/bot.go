package toolbox

import (
	"math/rand/v2"

	"github.com/pakli/pakli/protocol/table"
)

// Choose returns any of the moves, and false while a number is thrown.
func (r Rules) Choose(s State, v table.View, random *rand.Rand) (Move, bool) {
	moves := r.Moves(s, v)
	if len(moves) == 0 {
		return Move{}, false
	}
	return moves[random.IntN(len(moves))], true
}
