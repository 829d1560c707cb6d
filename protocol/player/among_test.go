package player_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	mathrand "math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
)

// A player who may concede and thinks about it keeps the seat from hearing that others have
// played: then everybody waits for ever. What he says when his question has ended is played.
func TestThinkingPlayerHearsTheOthers(t *testing.T) {
	_, list := identities(t, 3)
	c := table.Catalogue{Game: func(string) (table.Game, bool) { return play.Of(skat.Rules{}), true }, Suite: catalogue.Suite}
	r := newRoomOf(t, list, clear.Name, c)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	var group sync.WaitGroup
	for seat, id := range list {
		random := mathrand.New(mathrand.NewPCG(uint64(seat), 1))
		choose := func(ctx context.Context, s *table.State, v table.View) (json.RawMessage, error) {
			state, _ := table.Public[skat.State](s)
			if state.Stage == skat.Playing && state.Deal.Seats[state.Deal.OnTurn()] != v.Seat {
				<-ctx.Done()
				return json.RawMessage(`{"concede":true}`), nil
			}
			moves, err := play.Moves(s, v)
			if state.Stage == skat.Bidding {
				return moves[min(1, len(moves)-1)], err // who passes first comes last
			}
			move, _ := play.Any(moves[:max(1, len(moves)-4)], random)
			return move, err
		}
		p, err := player.Sit(ctx, id, r, r.id, c, choose, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		group.Go(func() {
			if err := p.Play(ctx); err != nil {
				t.Errorf("seat %d: %v", seat, err)
			}
		})
	}
	group.Wait()
	for _, past := range func() []skat.Settled { s, _ := table.Public[skat.State](r.state); return s.Past }() {
		if past.How != skat.Played {
			t.Errorf("the deal was %s", past.How)
		}
	}
}
