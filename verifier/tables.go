package verifier

import (
	"encoding/json"
	"fmt"
	"sync/atomic"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Tables replays tables of a log side by side and makes a report of each. Of a finished table it
// keeps only the report. It belongs to one goroutine.
type Tables struct {
	replay *replay.Replay
	tables map[wire.Hash]*judgedTable
	over   atomic.Int64
	seen   func(Step)
	policy *tlog.Policy
	time   Degree
	held   []keeper.Message
	watch  func(wire.Hash, replay.Step)
}

// judgedTable is a table as far as it has been replayed.
type judgedTable struct {
	report *Report
	state  *table.State // nil if no further entry can count
	err    error        // why it cannot be checked
}

// NewTables returns an empty Tables for one of several workers.
func NewTables(o Options, blobs replay.Blobs, marks table.Marks, workers int) *Tables {
	t := &Tables{tables: map[wire.Hash]*judgedTable{}, policy: o.Policy, time: o.Time, held: o.Held, watch: o.Step}
	t.replay = replay.New(o.Catalogue, blobs, workers, t.takeStep)
	t.replay.Marks = marks
	return t
}

// Take processes the next entry of the log, of any table.
func (t *Tables) Take(e replay.Leaf) {
	if r := t.tables[e.Table]; r == nil || !r.hasEnded() {
		t.replay.TakeLeaf(e)
	}
}

// Settle checks all collected proofs.
func (t *Tables) Settle() { t.replay.SettleBatches() }

// IsReplayed reports whether the table is being replayed.
func (t *Tables) IsReplayed(id wire.Hash) bool { return t.tables[id] != nil }

// Err returns why a table that is being replayed cannot be checked, or nil.
func (t *Tables) Err(id wire.Hash) error { return t.tables[id].err }

// Drop forgets a table. Settle must have been called since the last Take.
func (t *Tables) Drop(id wire.Hash) {
	t.replay.Drop(id)
	delete(t.tables, id)
}

// OverTables lists, after Settle, the tables to which no entry can be added.
func (t *Tables) OverTables() (list []wire.Hash) {
	for id, r := range t.tables {
		if r.state == nil {
			list = append(list, id)
		}
	}
	return list
}

// CountOver counts them. Any goroutine may call it.
func (t *Tables) CountOver() int { return int(t.over.Load()) }

// hasEnded reports whether further entries make no difference.
func (r *judgedTable) hasEnded() bool { return r.err != nil || r.report.Verdict == Foul }

// takeStep records the result of an entry.
func (t *Tables) takeStep(id wire.Hash, s replay.Step) {
	r := t.tables[id]
	if r == nil {
		r = &judgedTable{report: NewReport(id, nil)}
		r.report.Marks, r.report.policy, r.report.held = t.replay.Marks, t.policy, t.held
		r.report.seen = t.seen
		t.tables[id] = r
	}
	if t.seen != nil && !r.hasEnded() {
		t.seen(Step{Entry: &s})
	}
	if t.watch != nil && !r.hasEnded() {
		t.watch(id, s)
	}
	switch {
	case r.hasEnded():
		return
	case s.IsVoid():
		r.report.CountStep(s)
		if r.state != nil {
			r.state = s.After
		}
		return
	case s.Err != nil && s.Before == nil:
		r.err = fmt.Errorf("table %s: %w", id, s.Err)
	case s.Err != nil:
		r.err = fmt.Errorf("entry %d: %w", s.Index, s.Err)
	case s.IsAttempt():
		r.report.addAttempt(s)
	case s.IsFoul():
		r.report.CountStep(s)
		r.report.endFoul(s, s.Fault)
	default:
		r.report.applyStep(s)
		r.err = r.report.checkDegree(t.time)
	}
	if r.state = s.After; r.err != nil || r.report.Verdict != "" {
		r.state = nil
		t.replay.CloseTable(id)
		t.over.Add(1)
	}
}

// ResultOf returns the result for a table, once all proofs were checked, in a log with this report.
func (t *Tables) ResultOf(id wire.Hash, log *Report) Table {
	if log.Verdict == LogBroken {
		return log.AsTable(id)
	}
	r, ok := t.tables[id]
	if !ok {
		return Table{NewReport(id, nil).ofTable(log), fmt.Errorf("the log has no table %s", id)}
	}
	if r.state != nil {
		r.report.endTable(r.state)
	}
	return Table{r.report.ofTable(log), r.err}
}

// Table is the result for one table. If Err says why it cannot be checked, the report has no verdict.
type Table struct {
	*Report
	Err error
}

// MarshalJSON writes the report, with the error as text.
func (t Table) MarshalJSON() ([]byte, error) {
	problem := ""
	if t.Err != nil {
		problem = t.Err.Error()
	}
	return json.Marshal(struct {
		*Report
		Error string `json:"error,omitempty"`
	}{t.Report, problem})
}

// AsLine returns the result in one line.
func (t Table) AsLine() string {
	if t.Err != nil {
		return fmt.Sprintf("%s  Cannot check: %v", t.Table, t.Err)
	}
	line := fmt.Sprintf("%s  %s", t.Table, t.Headline())
	for _, f := range t.Findings {
		line += fmt.Sprintf(" %s: %v", f.Check, f.Err)
	}
	for _, o := range t.Owing {
		line += " Waiting for " + t.owedText(o) + "."
	}
	return line
}
