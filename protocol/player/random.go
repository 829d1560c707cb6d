package player

import (
	"context"
	"encoding/json"
	"math/rand/v2"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
)

// Random is a Choose that makes any of the moves that the rules offer, each as
// likely: a bot without judgement, which comes into states where no other would.
func Random(r *rand.Rand) Choose {
	return func(_ context.Context, s *table.State, v table.View) (json.RawMessage, error) {
		moves, err := play.Moves(s, v)
		if err != nil || len(moves) == 0 {
			return nil, err
		}
		return moves[r.IntN(len(moves))], nil
	}
}
