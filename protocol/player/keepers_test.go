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
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
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
