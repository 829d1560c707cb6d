package tableset

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// ExtractOpener opens an extract by its name and returns it with the id of its table.
type ExtractOpener func(name string) (Extract, wire.Hash, error)

// VerifyExtracts checks the tables of extracts of one log. Of several extracts of one table it checks
// the one of the largest tree with the most entries against the others. It calls open more than once
// for each, from several goroutines. The result names the extracts that cannot be opened.
//
// What the log signed for one extract must not contradict what it signed for another. Extracts cannot
// show that checkpoints of different sizes belong to one history (docs/spec/85-bundle.md, 85.9): L3
// is passed then only if each was compared with a whole log that is as large. So o.Against may have
// whole logs only.
func VerifyExtracts(ctx context.Context, names []string, open ExtractOpener, o AgainstOptions) (*Report, error) {
	keys := new(CardKeys)
	o.Step = keys.WatchSteps(o.Step)
	t, err := verifyTables(ctx, names, open, o)
	if err == nil {
		t.ShareKeys(keys)
	}
	return t, err
}

// verifyTables is VerifyExtracts without the comparison of card keys.
func verifyTables(ctx context.Context, names []string, open ExtractOpener, o AgainstOptions) (*Report, error) {
	for _, other := range o.Against {
		if _, ok := other.(Extract); ok {
			return nil, errors.New("bundles of several tables cannot be compared with a bundle of one: give it among them")
		}
	}
	x := &extracts{open: open, options: o, roots: map[uint64]tlog.Checkpoint{}, of: map[wire.Hash][]heldExtract{}}
	t := &Report{Log: verifier.NewReport(wire.Hash{}, o.Policy)}
	for _, name := range names {
		if err := x.addExtract(ctx, name); err != nil {
			t.Unread = append(t.Unread, Unread{Name: name, Err: err})
		}
	}
	t.Unread = append(t.Unread, x.dropUnsigned()...)
	if x.broken != nil {
		t.Log.Checkpoint = x.largest
		t.Log.PassCheck(verifier.CheckSignature)
		t.Log.BreakLog(verifier.CheckHistory, x.broken)
	} else {
		t.Tables = x.verifyAll(ctx)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	x.concludeLog(t)
	t.Standings = Standings(t.Tables)
	return t, nil
}

// extracts are compared with each other before their tables are verified one by one.
type extracts struct {
	open    ExtractOpener
	options AgainstOptions

	roots   map[uint64]tlog.Checkpoint // by size, signed by the log
	history tlog.History               // with all entries that are shown
	largest tlog.Checkpoint
	tables  []wire.Hash
	of      map[wire.Hash][]heldExtract
	broken  error // a contradiction between two extracts
}

// heldExtract is an extract by its name, with the number of its entries and the size of its
// checkpoint.
type heldExtract struct {
	name    string
	size    uint64
	entries int
	err     error // the checkpoint is not signed by the log; then size is 0
}

// addExtract compares an extract with those before it.
func (x *extracts) addExtract(ctx context.Context, name string) error {
	src, id, err := x.open(name)
	if err != nil {
		return err
	}
	c, err := src.Checkpoint(ctx)
	if err != nil {
		return err
	}
	c.Note = bytes.Clone(c.Note) // otherwise the extract's whole file would stay in memory
	unsigned := c.Verify(x.options.Log...)
	if unsigned == nil && x.largest.Size > 0 && c.Origin != x.largest.Origin {
		return fmt.Errorf("%s: table %s is of the log %q, others are of %q", name, id, c.Origin, x.largest.Origin)
	}
	if x.of[id] == nil {
		x.tables = append(x.tables, id)
	}
	if unsigned != nil {
		x.of[id] = append(x.of[id], heldExtract{name: name, err: unsigned})
		return nil // an unsigned extract proves nothing
	}
	if c.Size > x.largest.Size {
		x.largest = c
	}
	n, err := x.compareShown(src, c)
	x.of[id] = append(x.of[id], heldExtract{name: name, size: c.Size, entries: n})
	return err
}

// dropUnsigned drops the extracts that the log did not sign if it signed another one of the same
// table, and returns why. Anybody can make such a file, and it must not prevent the table from being
// checked.
func (x *extracts) dropUnsigned() (list []Unread) {
	for _, id := range x.tables {
		unsigned := func(h heldExtract) bool { return h.err != nil }
		if !slices.ContainsFunc(x.of[id], func(h heldExtract) bool { return !unsigned(h) }) {
			continue
		}
		for _, h := range x.of[id] {
			if unsigned(h) {
				list = append(list, Unread{Name: h.name, Err: fmt.Errorf("%s, of table %s: %w", h.name, id, h.err)})
			}
		}
		x.of[id] = slices.DeleteFunc(x.of[id], unsigned)
	}
	return list
}

// compareShown records contradictions with an earlier extract: another root for its size, or another
// entry at an index. Each rests on two signatures of the log. It returns the number of entries.
func (x *extracts) compareShown(src Extract, c tlog.Checkpoint) (n int, err error) {
	if old, ok := x.roots[c.Size]; ok {
		x.broken = cmp.Or(x.broken, verifier.CheckFork(old, c, x.options.Policy))
	}
	x.roots[c.Size] = c
	entries, err := src.Extract(c)
	if err != nil {
		return 0, err
	}
	for index, entry := range entries {
		n++
		x.broken = cmp.Or(x.broken, x.history.HasEntry(index, tlog.LeafHash(entry), c.Size))
	}
	return n, nil
}

// verifyAll verifies the tables concurrently.
func (x *extracts) verifyAll(ctx context.Context) []verifier.Table {
	list := make([]verifier.Table, len(x.tables))
	turns := make(chan struct{}, runtime.GOMAXPROCS(0))
	var workers sync.WaitGroup
	for i, id := range x.tables {
		turns <- struct{}{}
		workers.Go(func() {
			list[i] = x.verifyTable(ctx, id)
			<-turns
		})
	}
	workers.Wait()
	return list
}

func (x *extracts) verifyTable(ctx context.Context, id wire.Hash) verifier.Table {
	o := x.options
	o.Table, o.Against = id, slices.Clone(o.Against)
	var first tlog.EntryReader
	slices.SortStableFunc(x.of[id], func(a, b heldExtract) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(b.entries, a.entries))
	})
	for _, h := range x.of[id] {
		e, _, err := x.open(h.name)
		switch {
		case err != nil:
			return verifier.Table{Report: verifier.NewReport(id, o.Policy), Err: err}
		case first == nil:
			first = e
		default:
			o.Against = append(o.Against, e)
		}
	}
	r, err := VerifyAgainst(ctx, first, o)
	r.Checkpoint.Note = bytes.Clone(r.Checkpoint.Note)
	return verifier.Table{Report: r, Err: err}
}

// concludeLog sets the result for the log. If the log is broken, every table has that verdict.
func (x *extracts) concludeLog(t *Report) {
	for _, table := range t.Tables {
		if table.Err == nil && table.Verdict == verifier.LogBroken {
			t.Log = table.AsTable(wire.Hash{}).Report
		}
	}
	if t.Log.Verdict == verifier.LogBroken {
		t.Tables = nil
		for _, id := range x.tables {
			t.Tables = append(t.Tables, t.Log.AsTable(id))
		}
		return
	}
	if t.Log.Checkpoint = x.largest; x.largest.Size == 0 {
		return // the log signed none of them
	}
	t.Log.PassCheck(verifier.CheckSignature)
	t.Log.PassCheck(verifier.CheckTree)
	if x.areBelieved(t.Tables) && (len(x.roots) == 1 || x.areCompared(t.Tables)) {
		t.Log.PassCheck(verifier.CheckHistory)
	}
	_ = t.Log.CheckCosigners(x.largest, x.options.Policy) // an error has been reported for each table
}

// areBelieved reports whether L3 holds of each table by itself: of the checkpoints of its extracts,
// those believed earlier, and those compared with it.
func (x *extracts) areBelieved(tables []verifier.Table) bool {
	return !slices.ContainsFunc(tables, func(t verifier.Table) bool {
		return x.of[t.Table][0].size > 0 && !slices.Contains(t.LogChecks(), verifier.Check{ID: verifier.CheckHistory, Outcome: verifier.Passed})
	})
}

// areCompared reports whether a whole log contains all of the checkpoints.
func (x *extracts) areCompared(tables []verifier.Table) bool {
	return !slices.ContainsFunc(tables, func(t verifier.Table) bool {
		return t.Err != nil || t.Coverage == nil || !t.Coverage.WasCompared(t.Coverage.Size)
	})
}
