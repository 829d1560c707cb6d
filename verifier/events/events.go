// Package events verifies an event: its entries, and all tables that name it, in one pass
// over the log (docs/spec/55-events.md).
//
// What is true of each table is as package tournament says it; what the event made of them
// is computed again by package event. Nobody is believed but the log's keys.
package events

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/tournament"
)

// Options says which event to verify, and how.
type Options struct {
	tournament.Options // but for Tables, Wanted, Entry and Step
	Event              wire.Hash
	Without            event.Without
}

// Verified is what is true of an event.
type Verified struct {
	*event.Judgement
	History *event.History
	Log     *verifier.Report
	Tables  []verifier.Table // all that name the event, in the order in which they began
	Sheets  []*event.Table   // what each of them came to
}

// ExitCode is the verdict as the exit code of a command.
func (v *Verified) ExitCode() int {
	if v.Log.Verdict == verifier.LogBroken {
		return v.Log.Verdict.ExitCode()
	}
	return v.Verdict.ExitCode()
}

// Verify verifies an event. Of a broken log there is no judgement. An error says that the
// log cannot be checked, or that it has no such event.
func Verify(ctx context.Context, src tlog.EntryReader, o Options) (*Verified, error) {
	v := new(Verified)
	sheets := sheets{tables: map[wire.Hash]*sheet{}}
	name := o.Event.String()
	o.Options.Tables, o.Options.Step = nil, sheets.step
	o.Options.Wanted = func(g *wire.Genesis) bool { return g.Event == name }
	o.Options.Entry = func(l replay.Leaf) { v.entry(o.Event, l) }
	t, err := tournament.Verify(ctx, src, o.Options)
	if err != nil {
		return nil, err
	}
	if v.Log, v.Tables = t.Log, t.Tables; t.Log.Verdict == verifier.LogBroken {
		return v, nil
	}
	for _, c := range t.Log.LogChecks() {
		if c.Outcome != verifier.Passed {
			return nil, fmt.Errorf("%s: not passed", c.ID)
		}
	}
	if v.History == nil {
		return nil, fmt.Errorf("the log has no event %s", o.Event)
	}
	v.Sheets = sheets.all(t.Tables)
	v.Judgement = event.Judge(v.History, v.Sheets, t.Log.Checkpoint.Size, event.Options{Without: o.Without})
	return v, nil
}

// entry takes the event's own entries.
func (v *Verified) entry(id wire.Hash, l replay.Leaf) {
	if l.Hash == id && v.History == nil {
		if e, err := wire.ParseEvent(l.Bytes); err == nil {
			v.History, _ = event.Open(e, l.Index)
		}
		return
	}
	if named, ok := wire.EventNamed(l.Bytes); !ok || named != id || v.History == nil {
		return
	}
	if e, err := wire.ParseEntry(l.Bytes); err == nil {
		_ = v.History.Take(e, l.Index) // what is void, the history lists
	}
}

// sheets are the tables of an event as they are replayed, by several goroutines.
type sheets struct {
	mu     sync.Mutex
	tables map[wire.Hash]*sheet
}

// sheet is a table, of which no more is kept than its event needs.
type sheet struct {
	event.Table
	state   *table.State // until it is over
	holders []holders
	deals   []uint64 // indexes of the entries that finished deals
	ended   []uint64 // and of the acts that ended one
}

// holders are who holds the seats from a finished deal on.
type holders struct {
	deals int
	keys  []string
}

func (s *sheets) step(id wire.Hash, step replay.Step) {
	s.mu.Lock()
	t := s.tables[id]
	if t == nil {
		t = &sheet{Table: event.Table{ID: id, Index: step.Index, Terms: step.Entry.Table}}
		s.tables[id] = t
	}
	s.mu.Unlock()
	t.take(step)
}

func (t *sheet) take(s replay.Step) {
	switch {
	case s.Void():
	case s.Err != nil:
		t.State, t.state = event.Unknown, nil
	case s.Foul():
		t.Last = s.Index
		t.end(s.Before, event.Foul)
	default:
		t.Last, t.state = s.Index, s.After
		t.note(s)
		if a := s.Entry.Act; a != nil && a.Kind == wire.KindReseat {
			t.reseat(s.After)
		}
		if _, over := s.After.Result(); over {
			t.end(s.After, overBy(s.After))
		}
	}
}

func overBy(s *table.State) event.State {
	if s.Adjudicated() {
		return event.Adjudicated
	}
	return event.Sound
}

// note notes where in the log deals were finished and ended.
func (t *sheet) note(s replay.Step) {
	for range s.After.Sheet().Deals[len(t.deals):] {
		t.deals = append(t.deals, s.Index)
	}
	for range s.After.Ended()[len(t.ended):] {
		t.ended = append(t.ended, s.Index)
	}
}

// reseat notes who holds the seats from now on.
func (t *sheet) reseat(s *table.State) {
	now := holders{deals: len(s.Sheet().Deals)}
	for seat := range table.Seat(s.Seats()) {
		now.keys = append(now.keys, s.Holder(seat))
	}
	t.holders = append(t.holders, now)
}

// end keeps the lines of a table, and lets the rest go.
func (t *sheet) end(s *table.State, as event.State) {
	t.State, t.state = as, nil
	sheet := s.Sheet()
	for i, l := range sheet.Deals {
		t.Lines = append(t.Lines, event.Line{Deal: l.Deal, Payments: l.Payments, Tallies: l.Tallies, Keys: t.held(i), Layer: event.Proved, Index: t.deals[i]})
	}
	closing := event.Proved
	for i, e := range s.Ended() {
		layer := event.Agreed // a resignation: who resigned signed it
		switch e.Kind {
		case wire.KindTimeout:
			layer = event.ByClock
			t.late(t.Terms.Seats[*e.Seat], t.ended[i])
		case wire.KindClose:
			t.Closed, closing = true, event.Ruled
		case wire.KindAgree:
			closing = event.Agreed
		}
		if e.Points != nil {
			t.Lines = append(t.Lines, event.Line{Payments: e.Points, Layer: layer, Index: t.ended[i]})
		}
	}
	if sheet.Rest != nil && (as == event.Sound || as == event.Adjudicated) {
		t.Lines = append(t.Lines, event.Line{Payments: sheet.Rest, Layer: closing, Index: t.Last})
	}
	if t.Terms.Game == event.DrawGame && as == event.Sound {
		t.Faces = shown(s)
	}
}

// late notes when a seat was late first.
func (t *sheet) late(key string, index uint64) {
	if _, before := t.Late[key]; before {
		return
	}
	if t.Late == nil {
		t.Late = map[string]uint64{}
	}
	t.Late[key] = index
}

// held are the keys of the seats in a deal, nil if nobody was reseated before it.
func (t *sheet) held(deal int) (keys []string) {
	for _, h := range t.holders {
		if h.deals <= deal {
			keys = h.keys
		}
	}
	return keys
}

// shown are the faces that make the seed, nil if not all of them are open.
func shown(s *table.State) (list []uint16) {
	faces := s.Faces()
	for c := range table.Card(event.Faces) {
		var f card.Face
		var open bool
		if f, open = faces[c]; !open {
			return nil
		}
		list = append(list, uint16(f))
	}
	return list
}

// all are the tables, those too that are not over.
func (s *sheets) all(tables []verifier.Table) (list []*event.Table) {
	for _, v := range tables {
		t := s.tables[v.Table]
		if t == nil {
			continue
		}
		if t.state != nil {
			t.end(t.state, event.Unfinished)
		}
		if v.Err != nil {
			t.State = event.Unknown
		}
		list = append(list, &t.Table)
	}
	return slices.Clip(list)
}
