package skat_test

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// rarely are moves that end a deal, or make it a short one: drawn as often as others
// they would leave no deal to play.
var rarely = map[string]int{`{"concede"`: 60, `{"claim"`: 6}

// drawnMessage is an honest message of somebody who is due; moves are drawn by chance, so that
// most deals are played.
func drawnMessage(t *tabletest.Table, choice *rand.Rand) ([]byte, error) {
	d := t.State.Duties()[0]
	if d.Kind != table.Move {
		return t.Next()
	}
	pass := choice.IntN(3) == 0
	for {
		seat := d.Seats[choice.IntN(len(d.Seats))]
		moves := t.Moves(seat)
		if calls := len(moves) > 1 && strings.HasPrefix(string(moves[0]), `{"call"`); calls && pass {
			moves = moves[:1]
		} else if calls {
			moves = moves[1:]
		}
		if len(moves) == 0 {
			continue
		}
		if move := moves[choice.IntN(len(moves))]; choice.IntN(putBackOdds(move)) == 0 {
			return t.HonestMessage(seat, d, move)
		}
	}
}

// putBackOdds is how often a move that was drawn is put back.
func putBackOdds(move json.RawMessage) int {
	n := 1
	for start, often := range rarely {
		if strings.HasPrefix(string(move), start) {
			n = often
		}
	}
	if value, is := strings.CutPrefix(string(move), `{"call":"`); is && value[0] >= '0' && value[0] <= '9' {
		bid, _ := strconv.Atoi(strings.TrimSuffix(value, `"}`))
		n = 1 + bid/12 // high bids are seldom
	}
	return n
}

// vectorsFolder has the test vectors of the game.
const vectorsFolder = "../../../docs/spec/vectors/skat"
