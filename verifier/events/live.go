package events

import (
	"bytes"
	"context"
	"fmt"

	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/event/played"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// Live is an event in a growing log, judged as by [Verify]. It reads each entry and checks each proof
// once, however often Look is called. It belongs to one goroutine.
type Live struct {
	source tlog.EntryReader
	o      Options
	tree   tlog.Tree // of all entries that were read
	times  *marks.Marks
	tables *verifier.Tables
	sheets tableSheets
	begun  []wire.Hash   // tables that name the event
	event  VerifiedEvent // without its judgement
	broken *verifier.Report
	kept   map[wire.Hash]*event.Table // verified by an earlier program, by their ids
	over   int                        // number of kept tables
	forked *tlog.BeginningError       // contradiction with what the log had shown before
}

// NewLive returns an event before any entry was read. Blobs are read under ctx.
func NewLive(ctx context.Context, src tlog.EntryReader, o Options) *Live {
	l := &Live{source: src, o: o, times: marks.New(o.Log...), sheets: tableSheets{tables: map[wire.Hash]*played.Table{}}, kept: map[wire.Hash]*event.Table{}}
	watched := o.Options.Options
	watched.Step = l.sheets.takeStep
	l.tables = verifier.NewTables(watched, verifier.BlobsOf(ctx, src), l.times.Mark, 1)
	return l
}

// Look returns the event as it is now, without reports of tables. After an error of the network, the
// next look continues where this one stopped.
func (l *Live) Look(ctx context.Context) (*VerifiedEvent, error) {
	if l.broken != nil {
		return &VerifiedEvent{Log: l.broken}, nil
	}
	log, err := verifier.BelieveLog(ctx, l.source, l.o.Options.Options, l.readNew, l.times, l.takeLeaf)
	if err != nil {
		return nil, err
	}
	if log.Verdict == verifier.LogBroken {
		l.broken = log
		return &VerifiedEvent{Log: log}, nil
	}
	l.tables.Settle()
	if l.event.History == nil {
		return nil, fmt.Errorf("the log has no event %s", l.o.Event)
	}
	v := &VerifiedEvent{History: l.event.History, Log: log}
	v.judgeEvent(l.sheetsNow(), l.times, l.o.Without)
	return v, nil
}

// readNew is the verifier.LogReading of the new entries. Their tree extends the tree of the last
// look, whose root was the log's.
func (l *Live) readNew(ctx context.Context, c tlog.Checkpoint, r *verifier.Report, see func(replay.Leaf)) (table.Check, error) {
	had := l.tree.Size()
	for _, old := range l.o.Believed {
		had = max(had, old.Size)
	}
	if c.Size < had {
		return verifier.CheckHistory, fmt.Errorf("it shows %d entries and had shown %d: an old copy, or a log that hides something", c.Size, had)
	}
	for entry, err := range l.source.Entries(ctx, l.tree.Size(), c.Size) {
		if err != nil {
			return verifier.CheckTree, err
		}
		hash := tlog.LeafHash(entry)
		see(replay.NewLeaf(l.tree.Size(), wire.Hash(hash), entry))
		l.tree.Append(hash)
		l.compareBelieved(c)
		if l.o.Progress != nil && l.tree.Size()%tlog.TileWidth == 0 {
			l.o.Progress(l.tree.Size(), len(l.begun))
		}
	}
	if l.tree.Size() != c.Size {
		return verifier.CheckTree, fmt.Errorf("the source ended after %d of %d entries", l.tree.Size(), c.Size)
	}
	if root := l.tree.Root(); c.Root != root {
		return verifier.CheckTree, fmt.Errorf("%w: the %d entries shown have root %s, and it signed %s", tlog.ErrBroken, c.Size, root, c.Root)
	}
	r.PassCheck(verifier.CheckTree)
	if l.forked != nil {
		return verifier.CheckHistory, l.forked
	}
	return "", nil
}

// compareBelieved compares the tree, as far as it was read under c, with earlier checkpoints of the
// same size.
func (l *Live) compareBelieved(c tlog.Checkpoint) {
	for _, old := range l.o.Believed {
		if root := l.tree.Root; old.Size == l.tree.Size() && old.Root != root() {
			l.forked = &tlog.BeginningError{A: old, B: c, Root: root()}
		}
	}
}

// takeLeaf processes an entry of the log.
func (l *Live) takeLeaf(e replay.Leaf) {
	l.event.takeEntry(l.o.Event, e)
	if t := l.kept[e.Table]; t != nil && t.Terms != nil {
		return
	}
	if !l.sheets.hasTable(e.Table) {
		g, err := wire.ParseGenesis(e.Bytes)
		if err != nil || g.Table.Event != l.o.Event.String() {
			return
		}
		l.begun = append(l.begun, e.Table)
		if t := l.kept[e.Table]; t != nil {
			t.Terms = g.Table
			return
		}
	}
	e.Bytes = bytes.Clone(e.Bytes) // otherwise the whole page of entries would stay in memory
	l.tables.Take(e)
}

// sheetsNow returns the tables that name the event, in the order in which they began.
func (l *Live) sheetsNow() (list []*event.Table) {
	for _, id := range l.begun {
		if t := l.kept[id]; t != nil {
			now := *t
			list = append(list, &now)
		} else {
			list = append(list, l.sheets.allSheets([]wire.Hash{id}, l.tables.Err)...)
		}
	}
	return list
}
