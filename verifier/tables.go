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

// Tables are tables of a log that are replayed side by side, each with its report. A
// table that is over keeps that and nothing else. They are for one goroutine.
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

// judgedTable is a table with what is known of it so far.
type judgedTable struct {
	report *Report
	state  *table.State // nil if nothing can count any more
	err    error        // it cannot be checked
}

// NewTables returns no tables, for one of so many workers.
func NewTables(o Options, blobs replay.Blobs, marks table.Marks, workers int) *Tables {
	t := &Tables{tables: map[wire.Hash]*judgedTable{}, policy: o.Policy, time: o.Time, held: o.Held, watch: o.Step}
	t.replay = replay.New(o.Catalogue, blobs, workers, t.takeStep)
	t.replay.Marks = marks
	return t
}

// Take takes the next entry of the log, of whatever table.
func (t *Tables) Take(e replay.Leaf) {
	if r := t.tables[e.Table]; r == nil || !r.hasEnded() {
		t.replay.TakeLeaf(e)
	}
}

// Settle checks all proofs that were collected.
func (t *Tables) Settle() { t.replay.SettleBatches() }

// IsReplayed reports whether the table is being replayed.
func (t *Tables) IsReplayed(id wire.Hash) bool { return t.tables[id] != nil }

// Err says why a table that is being replayed cannot be checked, nil if it can, so far.
func (t *Tables) Err(id wire.Hash) error { return t.tables[id].err }

// Drop forgets a table. Requires: Settle since the last Take.
func (t *Tables) Drop(id wire.Hash) {
	t.replay.Drop(id)
	delete(t.tables, id)
}

// OverTables lists the tables of which no more is to come, after Settle.
func (t *Tables) OverTables() (list []wire.Hash) {
	for id, r := range t.tables {
		if r.state == nil {
			list = append(list, id)
		}
	}
	return list
}

// CountOver counts them. Other goroutines may ask.
func (t *Tables) CountOver() int { return int(t.over.Load()) }

// hasEnded reports whether what follows does not matter.
func (r *judgedTable) hasEnded() bool { return r.err != nil || r.report.Verdict == Foul }

// takeStep takes in what became of an entry.
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

// ResultOf is what is true of a table, once all proofs were checked, in a log of
// which that is true.
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

// Table is what is true of one table. Err says why it cannot be checked; then the
// report has no verdict.
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

// AsLine is the table in one line.
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
