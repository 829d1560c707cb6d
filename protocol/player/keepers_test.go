package player_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/protocol/clock"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/timing"
	"github.com/pakli/pakli/protocol/wire"
)

// withholding is a log that takes no message, and answers in its own way.
type withholding struct {
	late
	answer error
}

func (w withholding) Post(context.Context, wire.Hash, []byte) error { return w.answer }

// holders are keepers that hold everything.
type holders struct {
	mu   sync.Mutex
	held [][]byte
	told func() // with each
}

func (h *holders) Hold(_ context.Context, parcel, _ []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held = append(h.held, parcel)
	h.told()
}

func (h *holders) Silence(context.Context, keeper.Place) [][]byte { return nil }

// withheld is a seat at a table with a clock, whose log withholds its messages.
func withheld(t *testing.T, answer error) (*player.Seat, *holders, *room) {
	t.Helper()
	_, list := identities(t, 2)
	r, _ := endingRoom(t, list, 1, func(g *wire.Genesis) {
		g.Clock = wire.Clock{Keepers: []string{markstest.Keeper(t, "anna.example", time.Now).String()}, Lines: []string{}, Quorum: 1, Tick: 5, Start: 300}
	})
	src := withholding{late{r, wire.Hash{1}, wire.Hash{2}}, answer}
	p := sit(t, list[0], src, r, bot(1))
	h := &holders{told: func() {}}
	p.Keepers = h
	return p, h, r
}

// A log that refuses a message, or does not answer: keepers have it before Play returns, and the
// message is the one that the seat has signed for this head.
func TestKeepersHoldWhatIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := errors.New("no answer")
		p, h, r := withheld(t, away)
		if err := p.Play(t.Context()); !errors.Is(err, away) {
			t.Fatal(err)
		}
		if len(h.held) != 1 {
			t.Fatalf("keepers hold %d messages", len(h.held))
		}
		m, err := keeper.NewMessage(h.held[0])
		if err != nil || m.Table != r.id || m.Parent != p.State().Head() || m.Seat != 0 {
			t.Errorf("held %+v: %v", m, err)
		}
		e, _ := wire.Parse(h.held[0])
		testmust.Have(p.State().Apply(e, table.Facts{}))(t, "what is held does not count")
	})
}

// A log that always answers that the table has moved on, and shows nothing newer: that is no receipt.
func TestKeepersHoldWhatIsCalledStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		p, h, _ := withheld(t, player.ErrStale)
		h.told = stop
		if err := p.Play(ctx); !errors.Is(err, context.Canceled) || len(h.held) == 0 {
			t.Errorf("keepers hold %d messages: %v", len(h.held), err)
		}
	})
}

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
