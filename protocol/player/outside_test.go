package player_test

import (
	"context"
	"crypto/rand"
	mathrand "math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/table/tabletest/sitout"
	"github.com/pakli/pakli/protocol/wire"
)

// A player who sits a deal out and ends there, stops the others, or takes part: it posts
// its key and, when the rules ask for it, its move.
func TestSeatOutsideTheDeal(t *testing.T) {
	_, list := identities(t, 4)
	games := catalogue
	games.Game = func(string) (table.Game, bool) { return play.Of(sitout.Rules{}), true }
	r := newRoomOf(t, list, clear.Name, games)
	var group sync.WaitGroup
	for seat, id := range list {
		group.Go(func() {
			defer id.Close()
			choose := player.Bot(mathrand.New(mathrand.NewPCG(uint64(seat), 0)))
			p, err := player.Sit(context.Background(), id, r, r.id, games, choose, rand.Reader)
			if err == nil {
				err = p.Play(context.Background())
			}
			if err != nil {
				t.Errorf("seat %d: %v", seat, err)
			}
		})
	}
	group.Wait()
	var kinds []wire.Kind
	for _, entry := range r.entries[1:] {
		e := parse(t, entry)
		if e.Message.Seat == 0 {
			kinds = append(kinds, e.Message.Kind)
		}
	}
	if !slices.Equal(kinds, []wire.Kind{table.Key, table.Move}) {
		t.Errorf("the seat that sits out signed %v", kinds)
	}
	if _, over := r.state.Result(); !over {
		t.Error("the table is not over")
	}
}
