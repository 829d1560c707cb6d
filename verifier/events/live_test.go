package events_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"reflect"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/events"
)

// growing shows the entries that a hall's log has so far.
type growing struct {
	*hall
	size  uint64
	read  uint64 // entries shown
	fails uint64 // one read fails before this index; 0: none
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

// An organiser's program that follows a log in play must come to the same judgement as a later
// reader. It must not read the whole log at every look, and must not take a broken connection, an
// older copy or an altered entry for the event.
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
			v, err = live.Look(t.Context()) // again, after the connection broke
		}
		testmust.Do(t, err)
		read := g.read
		want := testmust.Have(events.Verify(t.Context(), g, h.options()))(t)
		g.read = read
		if v.Verdict != want.Verdict || v.Digest != want.Digest || !reflect.DeepEqual(v.Draws, want.Draws) || !reflect.DeepEqual(v.Departures, want.Departures) || len(v.Sheets) != len(want.Sheets) {
			t.Fatalf("of %d entries %s %v, and afterwards %s %v", g.size, v.Verdict, v.Departures, want.Verdict, want.Departures)
		}
		for i, s := range v.Sheets {
			testmust.Requiref(t, reflect.DeepEqual(s, want.Sheets[i]), "of %d entries a table came to %+v, and afterwards to %+v", g.size, s, want.Sheets[i])
		}
	}
	v, err := live.Look(t.Context())
	testmust.Holdf(t, err == nil && v.Verdict == event.Confirmed && g.read == h.size(), "%v, %v: %d entries were read of %d", v, err, g.read, h.size())
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

// An organiser's command must not verify again what the previous command verified, and must not take
// from it what the log does not have: another history, an older copy, another event.
func TestKept(t *testing.T) {
	h := cup(t)
	h.final()
	g := &growing{hall: h, size: 3}
	var file []byte
	kept := 0
	for g.size < h.size() {
		g.size = min(g.size+97, h.size())
		live := events.NewLive(t.Context(), g, h.options())
		if file != nil {
			testmust.Do(t, live.ResumeFrom(file))
		}
		v := testmust.Have(live.Look(t.Context()))(t)
		want := testmust.Have(events.Verify(t.Context(), g, h.options()))(t)
		if v.Verdict != want.Verdict || v.Digest != want.Digest || !reflect.DeepEqual(v.Draws, want.Draws) || !reflect.DeepEqual(v.Departures, want.Departures) || !reflect.DeepEqual(v.Sheets, want.Sheets) {
			t.Fatalf("of %d entries %s %v, and without what was kept %s %v", g.size, v.Verdict, v.Departures, want.Verdict, want.Departures)
		}
		now := testmust.Have(live.KeepLook(v))(t)
		if now != nil {
			file, kept = now, kept+1
		}
		again, err := live.KeepLook(v)
		testmust.Holdf(t, again == nil && err == nil, "the same is kept twice: %v", err)
	}
	testmust.Requiref(t, kept >= 2, "tables were over, and something was kept, %d times", kept)
	blind := h.options()
	blind.Catalogue = table.Catalogue{Game: func(string) (table.Game, bool) { return nil, false }, Suite: blind.Catalogue.Suite}
	live := events.NewLive(t.Context(), g, blind)
	testmust.Do(t, live.ResumeFrom(file))
	v, err := live.Look(t.Context())
	testmust.Holdf(t, err == nil && v.Verdict == event.Confirmed, "a table was replayed again: %v, %v", v, err)
	g.size -= 5
	live = events.NewLive(t.Context(), g, h.options())
	testmust.Do(t, live.ResumeFrom(file))
	testmust.Fail(t, testmust.ErrorOf(live.Look(t.Context())), "an older copy of the log is taken")
	h.entries[h.size()-2], h.entries[h.size()-1] = h.entries[h.size()-1], h.entries[h.size()-2]
	g.size = h.size()
	live = events.NewLive(t.Context(), g, h.options())
	testmust.Do(t, live.ResumeFrom(file))
	v, err = live.Look(t.Context())
	testmust.Holdf(t, err == nil && v.Log.Verdict == verifier.LogBroken, "of a log that shows another history than it did: %+v, %v", v, err)
	other := h.options()
	other.Event[0] ^= 1
	stranger := h.options()
	stranger.Log = stranger.Log[:0]
	for name, o := range map[string]events.Options{"another event": other, "another log": stranger} {
		testmust.Fail(t, events.NewLive(t.Context(), g, o).ResumeFrom(file), "what was kept of", name, "is taken")
	}
	for n := range file {
		damaged := bytes.Clone(file)
		damaged[n] ^= 1 << (n % 8)
		testmust.Fail(t, events.NewLive(t.Context(), g, h.options()).ResumeFrom(damaged), "it is taken with another byte at", n)
	}
	for n := range len(file) / 16 {
		testmust.Fail(t, events.NewLive(t.Context(), g, h.options()).ResumeFrom(file[:n*16]), "of", len(file), "bytes the first", n*16, "are taken")
	}
}

// A keeper reopens a time-out that the standings count. The report tells both until somebody decides,
// at the table or by a ruling.
func TestReopenedStandings(t *testing.T) {
	v := cup(t).verify()
	before := inJSON(v.Standings)
	at := v.Judgement.Tables[0].Table
	seat, index := table.Seat(0), at.Last
	for i := range v.Tables {
		if v.Tables[i].Table == at.ID {
			v.Tables[i].Endings = []verifier.Ending{{Index: index, EndingAct: table.EndingAct{Kind: wire.KindTimeout, Seat: &seat}, Reopened: &verifier.ReopenedClaim{Keeper: "anna", Since: time.Unix(1_900_000_000, 0)}}}
		}
	}
	points := make([]int, len(at.Terms.Seats))
	points[0], points[1] = -500, 500
	at.Lines = append(at.Lines, event.Line{Payments: points, Layer: event.ByClock, Index: index})
	v.Reopen()
	if len(v.Reopened) != 1 || v.Reopened[0].Number != v.Judgement.Tables[0].Number || inJSON(v.WithoutReopened) != before || inJSON(v.Standings) == before {
		t.Errorf("reopened %+v\nwith    %v\nwithout %v\nbefore  %s", v.Reopened, v.Standings, v.WithoutReopened, before)
	}
	v.History.Rulings = append(v.History.Rulings, &event.Ruling{RulingBody: &bulletin.RulingBody{About: bulletin.RulingSubject{Table: at.ID.String()}, Do: "stands"}, Decision: new(event.Decision)})
	v.Reopen()
	testmust.Holdf(t, v.Reopened == nil && v.WithoutReopened == nil, "ruled, and open: %+v", v.Reopened)
	v.History.Rulings = nil
	for i := range v.Tables {
		for _, e := range v.Tables[i].Endings {
			e.Reopened.Decided = &index
		}
	}
	v.Reopen()
	testmust.Holdf(t, v.Reopened == nil, "decided at the table, and open: %+v", v.Reopened)
}

func inJSON(list []event.Standing) string {
	b, _ := json.Marshal(list)
	return string(b)
}
