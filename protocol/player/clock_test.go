package player_test

import (
	"context"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/protocol/clock"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table/timing"
	"github.com/pakli/pakli/protocol/wire"
)

// late is a log in which a table begins at index 100, behind two marks that are an hour apart.
type late struct {
	*room
	from, to wire.Hash
}

func (l late) Index(entry wire.Hash) (uint64, error) {
	for i, e := range l.entries {
		if wire.HashEntry(e) == entry {
			return 100 + 10*uint64(i), nil
		}
	}
	return 0, clock.ErrNone
}

func (l late) Mark(_ context.Context, mark wire.Hash) (clock.Mark, error) {
	at := func(index uint64, time int64) clock.Mark {
		return clock.Mark{Index: index, Size: index, Time: func(string) (int64, bool) { return time, true }}
	}
	switch mark {
	case l.from:
		return at(50, 10_000), nil
	case l.to:
		return at(105, 13_600), nil
	}
	return clock.Mark{}, clock.ErrNone
}

func (l late) Clocks(context.Context, wire.Hash) ([]timing.Clock, error) { return nil, nil }

// A seat that is late, to a player, by time that passed before the table began: the log and
// all others have the claim for void, and the player waits for a table that is not stopped.
func TestTimeBeforeTheTable(t *testing.T) {
	_, list := identities(t, 2)
	r, _ := endingRoom(t, list, 1, func(g *wire.Genesis) {
		g.Clock = wire.Clock{Keepers: []string{markstest.Keeper(t, "anna.example", time.Now).String()}, Lines: []string{}, Quorum: 1, Tick: 5, Start: 300}
	})
	l := late{r, wire.Hash{1}, wire.Hash{2}}
	body := wire.TimeoutBody{Seat: 0, Silence: [][]byte{}, Spans: []wire.Span{{Since: r.id, From: l.from, To: l.to}}}
	claim := testmust.Have(player.Act(r.state, list[1].VerifierKey(), list[1].Signer(), wire.KindTimeout, body))(t)
	r.entries = append(r.entries, claim)
	p := sit(t, list[0], l, r, bot(1))
	if gone, stopped := p.State().Gone(); stopped {
		t.Errorf("seat %s is late by an hour before the table", gone.Letter())
	}
}
