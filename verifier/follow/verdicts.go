package follow

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// verdicts tells the verdicts on tables and writes a report for each.
type verdicts struct {
	src    Surface
	o      Options
	state  *state
	belief *belief
	doubts *doubts
	cache  *pageCache

	foul      bool
	unchecked bool // a table could not be checked or was given up
}

// tellOver tells a table that is over. It writes the evidence of a foul before and the report after,
// so that the verdict is told at least once.
func (v *verdicts) tellOver(ctx context.Context, t verifier.Table, at entrySpan) error {
	event := Event{Verdict: &t, Text: "table " + t.AsLine()}
	if t.Err == nil && t.Verdict == verifier.Foul {
		file, err := v.writeFoul(ctx, t, at)
		if err != nil {
			return err
		}
		v.foul = true
		event.Text += " Evidence: " + file
	}
	v.unchecked = v.unchecked || t.Err != nil
	v.doubts.settleDoubt(doubtOfTable(t.Table))
	v.o.Tell(event)
	return v.writeReport(t)
}

// writeReport writes the report of a told table. If it cannot be encoded, a shorter file is written,
// so that the table is not told again.
func (v *verdicts) writeReport(t verifier.Table) error {
	file, err := json.Marshal(t)
	if err != nil {
		v.o.Tell(Event{Text: fmt.Sprintf("the report of table %s cannot be written: %s", t.Table, printableText(err.Error()))})
		file = fmt.Appendf(nil, `{"table":%q,"error":%q}`, t.Table, "the report could not be written: "+printableText(err.Error()))
	}
	return v.state.writeFile(reportName(t.Table), append(file, '\n'))
}

// writeFoul writes a bundle of the table up to the foul. If the log does not show the entries any
// more, the verdict stands without one.
func (v *verdicts) writeFoul(ctx context.Context, t verifier.Table, at entrySpan) (string, error) {
	b, err := v.collectBundle(ctx, t.Table, at)
	if err != nil {
		return "none, " + printableText(err.Error()), nil
	}
	name := "foul-" + t.Table.String() + ".pakli"
	return filepath.Join(v.state.dir, name), v.state.writeFile(name, b.Marshal())
}

// collectBundle makes a bundle of a table's entries.
func (v *verdicts) collectBundle(ctx context.Context, id wire.Hash, at entrySpan) (*bundle.Bundle, error) {
	b := bundle.Bundle{Table: id, Checkpoint: v.belief.checkpoint}
	var indexes []uint64
	err := v.cache.eachEntry(ctx, at.runs, at.last+1, func(e replay.Leaf) error {
		var genesis []byte
		if len(b.Entries) > 0 {
			genesis = b.Entries[0].Bytes
		}
		if e.Index >= at.first && wire.Concerns(e.Bytes, id, genesis) {
			b.Entries = append(b.Entries, bundle.Entry{Index: e.Index, Bytes: e.Bytes})
			indexes = append(indexes, e.Index)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if b.Blobs, err = bundle.FetchBlobs(ctx, v.src, b.Entries); err != nil {
		return nil, err
	}
	if b.Hashes, err = bundle.Prove(ctx, v.belief.tree.tileTree(), indexes); err != nil {
		return nil, err
	}
	b.Keys.Log = v.o.Log
	if v.o.Policy != nil {
		for _, c := range v.o.Policy.Cosigners {
			b.Keys.Cosigners = append(b.Keys.Cosigners, c.Key)
		}
	}
	return bundle.New(b)
}

// giveUp tells that a table cannot be checked.
func (v *verdicts) giveUp(t verifier.Table) error {
	v.unchecked = true
	v.o.Tell(Event{Verdict: &t, Text: "table " + t.AsLine()})
	return v.writeReport(t)
}
