package player_test

import (
	mathrand "math/rand/v2"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// A random player makes every move that is offered, sooner or later, and none
// else: or a kind of move is never tried. Who has none to make waits.
func TestRandomMakesEveryMove(t *testing.T) {
	game := testmust.Have(tabletest.New(play.Of(tarokk.Rules{}), tabletest.Config{Seats: 4}, 1))(t)
	choose := player.Random(mathrand.New(mathrand.NewPCG(1, 1)))
	if move, err := choose(t.Context(), game.State, play.View(game.State, 0, nil, nil)); move != nil || err != nil {
		t.Errorf("with nothing to choose: %s, %v", move, err)
	}
	d, err := game.PlayUntil(table.Move)
	for err == nil && len(game.Moves(d.Seats[0])) < 2 {
		if err = game.Play(1); err == nil {
			d, err = game.PlayUntil(table.Move)
		}
	}
	testmust.Do(t, err)
	seat, left := d.Seats[0], map[string]bool{}
	for _, m := range game.Moves(seat) {
		left[string(m)] = true
	}
	offered := len(left)
	for range 50 * offered {
		move, err := choose(t.Context(), game.State, game.View(seat))
		if _, known := left[string(move)]; err != nil || !known {
			t.Fatalf("%s was not offered: %v", move, err)
		}
		left[string(move)] = false
	}
	for move, missed := range left {
		if missed {
			t.Errorf("of %d moves, %s was never made", offered, move)
		}
	}
}
