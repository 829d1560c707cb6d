package events_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"reflect"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/events"
)

// growing shows the first entries of a hall's log, as many as there are by now.
type growing struct {
	*hall
	size  uint64
	read  uint64 // entries shown
	fails uint64 // before this index, once; 0: nowhere
	lies  bool   // alters what it shows
}

func (g *growing) Checkpoint(context.Context) (tlog.Checkpoint, error) {
	return (&hall{entries: g.entries[:g.size], log: g.log}).Checkpoint(context.Background())
}

func (g *growing) Entries(ctx context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for i, e := range g.entries[start:end] {
			if at := start + uint64(i); g.fails != 0 && at >= g.fails {
				g.fails = 0
				yield(nil, errors.New("the network is away"))
				return
			}
			if e = bytes.Clone(e); g.lies {
				e[len(e)-1] ^= 1
			}
			if g.read++; !yield(e, nil) {
				return
			}
		}
	}
}

// An organiser's program that looks at a log in play and comes to another judgement than who
// reads it afterwards; that reads the log again at every look; that takes a broken connection,
// an older copy or an altered entry for the event.
func TestLive(t *testing.T) {
	h := cup(t)
	h.final()
	g := &growing{hall: h, size: 3}
	live := events.NewLive(t.Context(), g, h.options())
	for g.size < h.size() {
		g.size = min(g.size+37, h.size())
		if g.size > 100 && g.read < 100 {
			g.fails = g.read + 5
		}
		v, err := live.Look(t.Context())
		if err != nil {
			v, err = live.Look(t.Context()) // once more, after the connection broke
		}
		testmust.Do(t, err)
		read := g.read
		want := testmust.Have(events.Verify(t.Context(), g, h.options()))(t)
		g.read = read
		if v.Verdict != want.Verdict || v.Digest != want.Digest || !reflect.DeepEqual(v.Draws, want.Draws) || !reflect.DeepEqual(v.Departures, want.Departures) || len(v.Sheets) != len(want.Sheets) {
			t.Fatalf("of %d entries %s %v, and afterwards %s %v", g.size, v.Verdict, v.Departures, want.Verdict, want.Departures)
		}
		for i, s := range v.Sheets {
			if !reflect.DeepEqual(s, want.Sheets[i]) {
				t.Fatalf("of %d entries a table came to %+v, and afterwards to %+v", g.size, s, want.Sheets[i])
			}
		}
	}
	if v, err := live.Look(t.Context()); err != nil || v.Verdict != event.Confirmed || g.read != h.size() {
		t.Errorf("%v, %v: %d entries were read of %d", v, err, g.read, h.size())
	}
	g.size -= 5
	testmust.Fail(t, testmust.ErrorOf(live.Look(t.Context())), "an older copy of the log is taken")
	h.entries = append(h.entries, []byte("more"))
	g.size, g.lies = h.size(), true
	for range 2 {
		if v, err := live.Look(t.Context()); err != nil || v.Log.Verdict != verifier.LogBroken || v.ExitCode() != 5 {
			t.Errorf("of a log that shows other entries than it signed: %+v, %v", v, err)
		}
	}
}
