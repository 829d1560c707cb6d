package player_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	mathrand "math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
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
		answer(t, paths[0], r, catalogue)
		if len(r.state.Owed(1)) > 0 && r.state.Owed(1)[0].Kind != table.Move {
			take(t, r, say(r.state))
		}
		if len(r.state.Owed(1)) == 0 && len(r.state.Owed(0)) == 0 {
			t.Fatal("the table is over")
		}
	}
	id, err := seatfile.Open(paths[0], "")
	if err != nil {
		t.Fatal(err)
	}
	defer id.Close()
	p, err := player.Sit(context.Background(), id, paged{r}, r.id, catalogue, nil, nil)
	if err != nil {
		t.Fatalf("after %d entries: %v", len(r.entries), err)
	}
	if !bytes.Equal(p.State().CardKey(0).Bytes(), r.state.CardKey(0).Bytes()) {
		t.Error("sat down at another table")
	}
}

var errAway = errors.New("the server is away")

// leaving is a room that finds, when it was read, that it had left something out, and is
// away when it is to be read anew.
type leaving struct {
	untilIdle
	calls int
}

func (l *leaving) Messages(ctx context.Context, id wire.Hash, n int, wait time.Duration) ([][]byte, error) {
	l.calls++
	switch l.calls {
	case 2:
		return nil, player.ErrLeftOut
	case 3:
		return nil, errAway
	}
	return l.untilIdle.Messages(ctx, id, n, wait)
}

// A server that is away for a moment, just when the table is to be read anew: its seat
// must not say that the log has forked, and must play on when the server is back.
func TestReadAnewLater(t *testing.T) {
	paths, list := identities(t, 2)
	r := newRoom(t, list)
	say := opponent(t, r, list[1])
	list[0].Close()
	answer(t, paths[0], r, catalogue) // its key
	take(t, r, say(r.state))
	for len(r.state.Owed(1)) == 0 {
		answer(t, paths[0], r, catalogue)
	}
	take(t, r, say(r.state))
	id, err := seatfile.Open(paths[0], "")
	if err != nil {
		t.Fatal(err)
	}
	defer id.Close()
	src := &leaving{untilIdle: untilIdle{r}}
	p, err := player.Sit(context.Background(), id, src, r.id, catalogue, player.Bot(mathrand.New(mathrand.NewPCG(1, 1))), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	before := len(r.sent)
	if err := p.Play(context.Background()); !errors.Is(err, errAway) || strings.Contains(err.Error(), "forked") {
		t.Errorf("while the server is away: %v", err)
	}
	if err := p.Play(context.Background()); !errors.Is(err, errIdle) || len(r.sent) == before {
		t.Errorf("when it is back: %v, and %d messages", err, len(r.sent)-before)
	}
}
