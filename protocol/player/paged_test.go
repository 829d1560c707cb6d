package player_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// paged is a room that shows a few entries at a time, as a server does.
type paged struct{ *room }

func (p paged) Messages(ctx context.Context, id wire.Hash, n int, wait time.Duration) ([][]byte, error) {
	list, err := p.room.Messages(ctx, id, n, wait)
	return list[:min(3, len(list))], err
}

// The entry on which a seat signed last is not on the first page of a long table: its
// seat must not take that for a fork, and must play on.
func TestRestartInALongTable(t *testing.T) {
	paths, list := identities(t, 2)
	r := newRoom(t, list)
	say := opponent(t, r, list[1])
	list[0].Close()
	for len(r.state.Owed(1)) == 0 || r.state.Owed(1)[0].Kind != table.Move {
		answer(t, paths[0], r)
		if len(r.state.Owed(1)) > 0 && r.state.Owed(1)[0].Kind != table.Move {
			take(t, r, say(r.state))
		}
		if len(r.state.Owed(1)) == 0 && len(r.state.Owed(0)) == 0 {
			t.Fatal("the table is over")
		}
	}
	id := openSeat(t, paths[0])
	defer id.Close()
	p, err := player.Sit(context.Background(), id, paged{r}, r.id, catalogue, nil, nil)
	testmust.Do(t, err, "after", len(r.entries), "entries")
	if !bytes.Equal(p.State().CardKey(0).Bytes(), r.state.CardKey(0).Bytes()) {
		t.Error("sat down at another table")
	}
}

var errAway = errors.New("the server is away")
