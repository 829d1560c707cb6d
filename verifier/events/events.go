// Package events verifies an event: its entries and all tables that name it, in one pass over the log
// (docs/spec/55-events.md).
//
// Package tableset verifies each table; package event computes again what the event made of them.
// Only the log's keys are trusted.
package events

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/event/played"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/tableset"
)

// Options say which event to verify, and how.
type Options struct {
	tableset.Options // except Tables, Wanted, Entry and Step
	Event            wire.Hash
	Without          event.LeftOutLayers
}

// VerifiedEvent is the result of verifying an event.
type VerifiedEvent struct {
	*event.Judgement
	History *event.History
	Log     *verifier.Report
	Tables  []verifier.Table // all that name the event, in the order in which they began
	Sheets  []*event.Table   // the result of each of them
	Marks   *marks.Marks     // of the log, as far as it was shown
	Shown   *ShownExtent     // what a bundle showed; nil for a whole log

	Shared []tableset.SharedKeys // card keys of its tables with a common factor

	Reopened        []ReopenedTable  // time-outs that keepers have reopened
	WithoutReopened []event.Standing // the standings without payments for Reopened; nil if there are none

	options event.Options
}

// Try returns the judgement with one more entry at the end of the log, which the history keeps from
// then on. The error says why the entry would be void.
func (v *VerifiedEvent) Try(e *bulletin.Entry) (*event.Judgement, error) {
	end := v.Log.Checkpoint.Size
	if err := v.History.TakeEntry(e, end); err != nil {
		return nil, err
	}
	return event.Judge(v.History, v.Sheets, end+1, v.options), nil
}

// ExitCode returns the exit code of a command with this verdict.
func (v *VerifiedEvent) ExitCode() int {
	if v.Log.Verdict == verifier.LogBroken {
		return v.Log.Verdict.ExitCode()
	}
	return v.Verdict.ExitCode()
}

// Verify verifies an event. It returns no judgement if the log is broken. An error says that the log
// cannot be checked or does not have the event.
func Verify(ctx context.Context, src tlog.EntryReader, o Options) (*VerifiedEvent, error) {
	v := new(VerifiedEvent)
	sheets := tableSheets{tables: map[wire.Hash]*played.Table{}}
	name := o.Event.String()
	o.Options.Tables, o.Options.Options.Step = nil, sheets.takeStep
	o.Options.Wanted = func(g *wire.Genesis) bool { return g.Event == name }
	o.Options.Entry = func(l replay.Leaf) { v.takeEntry(o.Event, l) }
	t, err := tableset.VerifyTables(ctx, src, o.Options)
	if err != nil {
		return nil, err
	}
	if v.Log, v.Tables, v.Shared = t.Log, t.Tables, t.Shared; t.Log.Verdict == verifier.LogBroken {
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
	v.judgeEvent(sheets.sheetsOf(t.Tables), t.Marks, o.Without)
	return v, nil
}

// TableEnds returns the index of the last entry that counts of each of an event's tables, except
// those that cannot be checked.
func TableEnds(ctx context.Context, src tlog.EntryReader, o Options) (map[wire.Hash]uint64, error) {
	v, err := Verify(ctx, src, o)
	if err != nil {
		return nil, err
	}
	ends := map[wire.Hash]uint64{}
	for _, t := range v.Sheets {
		if t.State != event.Unknown {
			ends[t.ID] = t.Last
		}
	}
	return ends, nil
}

// judgeEvent computes the result of the event.
func (v *VerifiedEvent) judgeEvent(sheets []*event.Table, marks *marks.Marks, without event.LeftOutLayers) {
	clock := v.History.Terms.Clock
	elapsed := func(from, to uint64) int64 {
		_, _, seconds := bundle.TimesBetween(marks, from, to, clock.Keepers, clock.Quorum)
		return seconds
	}
	v.Sheets, v.Marks = sheets, marks
	o := event.Options{Without: without, Elapsed: elapsed}
	v.options = o
	v.Judgement = event.Judge(v.History, sheets, v.Log.Checkpoint.Size, o)
	v.findReopened(o)
}

// sheetsOf returns the tables of these reports.
func (s *tableSheets) sheetsOf(tables []verifier.Table) []*event.Table {
	ids, problems := make([]wire.Hash, len(tables)), map[wire.Hash]error{}
	for i, t := range tables {
		ids[i], problems[t.Table] = t.Table, t.Err
	}
	return s.allSheets(ids, func(id wire.Hash) error { return problems[id] })
}

// takeEntry adds an entry to the history if it belongs to the event.
func (v *VerifiedEvent) takeEntry(id wire.Hash, l replay.Leaf) {
	if l.Hash == id && v.History == nil {
		if e, err := bulletin.ParseEvent(l.Bytes); err == nil {
			v.History, _ = event.Open(e, l.Index)
		}
		return
	}
	if named, ok := bulletin.EventNamed(l.Bytes); !ok || named != id || v.History == nil {
		return
	}
	if e, err := bulletin.Parse(l.Bytes); err == nil {
		_ = v.History.TakeEntry(e, l.Index) // the history lists void entries
	}
}

// tableSheets are the tables of an event while several goroutines replay them.
type tableSheets struct {
	mu     sync.Mutex
	tables map[wire.Hash]*played.Table
}

func (s *tableSheets) takeStep(id wire.Hash, step replay.Step) {
	s.mu.Lock()
	t := s.tables[id]
	if t == nil {
		t = played.New(id, step)
		s.tables[id] = t
	}
	s.mu.Unlock()
	t.TakeStep(step)
}

// allSheets returns the tables, also those still in play. A table with a problem cannot be checked.
func (s *tableSheets) allSheets(ids []wire.Hash, problem func(wire.Hash) error) (list []*event.Table) {
	for _, id := range ids {
		known := s.tables[id]
		if known == nil {
			continue
		}
		sheet := known.Sheet()
		if problem(id) != nil {
			sheet.State = event.Unknown
		}
		list = append(list, sheet)
	}
	return slices.Clip(list)
}

func (s *tableSheets) hasTable(id wire.Hash) bool { return s.tables[id] != nil }
