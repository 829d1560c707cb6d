package events

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/event/played"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/tableset"
)

// ShownExtent is the part of an event that bundles show. They cannot show whether the log has more of
// it (docs/spec/85-bundle.md, 85.11).
type ShownExtent struct {
	Entries int    // of the event
	Last    uint64 // index of the last entry
	Tables  int
	Size    uint64 // of the log
}

// Extract shows the entries of an event and lists its tables.
type Extract struct {
	tableset.Extract
	Tables []wire.Hash
}

// VerifyShown verifies an event from extracts of a log under one checkpoint: one of the event and one
// of each of its tables. It comes to the result of [Verify] for the log, provided that nothing of the
// event was left out. Where an omission could put blame on somebody, it returns an error.
func VerifyShown(ctx context.Context, x Extract, names []string, open tableset.ExtractOpener, o Options) (*VerifiedEvent, error) {
	v, times := new(VerifiedEvent), marks.New(o.Log...)
	chain := chainReader{of: v, event: o.Event}
	log, err := verifier.BelieveLog(ctx, x.Extract, o.Options.Options, readExtract(x, o.Believed), times, chain.takeEntry)
	if v.Log = log; err != nil || log.Verdict == verifier.LogBroken {
		return v, err
	}
	if v.History == nil {
		return nil, fmt.Errorf("the bundle has no event %s", o.Event)
	}
	if chain.err != nil {
		return nil, chain.err
	}
	sheets := tableSheets{tables: map[wire.Hash]*played.Table{}}
	o.Options.Options.Step = sheets.takeStep
	t, err := tableset.VerifyExtracts(ctx, names, open, tableset.AgainstOptions{Options: o.Options.Options})
	if err != nil {
		return nil, err
	}
	if t.Log.Verdict == verifier.LogBroken {
		v.Log = t.Log
		return v, nil
	}
	for _, unread := range t.Unread {
		return nil, unread.Err
	}
	v.Shared = t.Shared
	if v.Tables, err = x.completeTables(log.Checkpoint, t.Tables); err != nil {
		return nil, err
	}
	chain.shown.Tables, chain.shown.Size = len(v.Tables), log.Checkpoint.Size
	v.Shown = &chain.shown
	v.judgeEvent(sheets.sheetsOf(v.Tables), times, o.Without)
	return v, v.refuseAccusing()
}

// readExtract passes L2 and L3 for entries that are proved in the tree of the extract's checkpoint.
func readExtract(x Extract, believed []tlog.Checkpoint) verifier.LogReading {
	return func(_ context.Context, c tlog.Checkpoint, r *verifier.Report, see func(replay.Leaf)) (table.Check, error) {
		if err := verifier.CheckForks(append([]tlog.Checkpoint{c}, believed...), nil); err != nil {
			return verifier.CheckHistory, err
		}
		entries, err := x.Extract.Extract(c)
		if err != nil {
			return verifier.CheckTree, err
		}
		r.PassCheck(verifier.CheckTree)
		for _, old := range believed {
			if old.Size != c.Size && old.Size > 0 {
				return verifier.CheckHistory, fmt.Errorf("a bundle of size %d cannot show that the log contains the checkpoint of size %d", c.Size, old.Size)
			}
		}
		for index, entry := range entries {
			see(replay.NewLeaf(index, wire.HashEntry(entry), entry))
		}
		return "", nil
	}
}

// chainReader reads the entries of an event and notes where one seems to be left out.
type chainReader struct {
	of    *VerifiedEvent
	event wire.Hash
	shown ShownExtent
	err   error
}

func (c *chainReader) takeEntry(l replay.Leaf) {
	h := c.of.History
	var gap error
	if e, err := bulletin.Parse(l.Bytes); err == nil && h != nil && e.Decision != nil {
		gap = missingBefore(h, e, l.Index)
	}
	if c.err == nil {
		c.err = gap
	}
	c.shown.Entries, c.shown.Last = c.shown.Entries+1, l.Index
	c.of.takeEntry(c.event, l)
}

// missingBefore returns an error if somebody's valid decision rests on an entry that is not shown. An
// honest log has no decision that was void when it came, except those that came too late.
func missingBefore(h *event.History, e *bulletin.Entry, index uint64) error {
	d := e.Decision
	if h.Final != nil || h.Canceled != nil || !h.MayDecide(d.By) || d.Parent != h.Head && h.KnowsDecision(d.Parent) {
		return nil
	}
	if _, err := h.CheckEntry(e, index); err != nil && e.VerifySelf() == nil {
		return fmt.Errorf("entry %d, a decision, rests on what is not shown (%w): something was left out of the bundle, or the log has what it should not have taken; compare with the log", index, err)
	}
	return nil
}

// completeTables returns the tables after checking that they are exactly those that the event's
// bundle lists, under the same checkpoint.
func (x Extract) completeTables(c tlog.Checkpoint, tables []verifier.Table) ([]verifier.Table, error) {
	for _, id := range x.Tables {
		if !slices.ContainsFunc(tables, func(t verifier.Table) bool { return t.Table == id }) {
			return nil, fmt.Errorf("the bundle of table %s is missing: the event has this table", id)
		}
	}
	for _, t := range tables {
		switch own := t.Checkpoint; {
		case !slices.Contains(x.Tables, t.Table):
			return nil, fmt.Errorf("table %s is none that the event's bundle lists", t.Table)
		case t.Err != nil && own.Size == 0:
			return nil, fmt.Errorf("table %s: %w", t.Table, t.Err)
		case own.Size != c.Size || own.Root != c.Root || own.Origin != c.Origin:
			return nil, fmt.Errorf("the bundle of table %s is under another checkpoint than that of the event: make them together", t.Table)
		}
	}
	return tables, nil
}

// refuseAccusing refuses the verdict that the organiser published standings that do not follow: a
// table or a notice that is not shown could explain them.
func (v *VerifiedEvent) refuseAccusing() error {
	if v.Verdict == event.Misreported {
		return errors.New("the standings that the organiser published do not follow from what is shown: he published something else, or something was left out of the bundle; verify the event from the log")
	}
	return nil
}
