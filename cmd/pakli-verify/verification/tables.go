package verification

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/tableset"
)

// selection says which tables to verify.
type selection struct {
	all     bool
	ids     []wire.Hash
	begins  []string // first digits or codes of further ids
	workers int
	bundles bool // there are several bundles
}

func (t *selection) addFlags(f *command.Flags) {
	f.Func("table", "`id` of the table, or how it begins; may be repeated; a bundle of one table needs none", t.addTable)
	f.BoolVar(&t.all, "all", false, "verify all tables of the log")
	f.IntVar(&t.workers, "workers", 0, "with several tables: `number` of them that are replayed at once (default: one for each processor)")
}

func (t *selection) wantsMany() bool { return t.all || t.countNamed() > 1 || t.bundles }

// countNamed returns how many tables were named.
func (t *selection) countNamed() int { return len(t.ids) + len(t.begins) }

// soleTable returns the id of the only table; a bundle needs none.
func (t *selection) soleTable(isBundle bool) (wire.Hash, error) {
	switch {
	case t.all && t.countNamed() > 0:
		return wire.Hash{}, errors.New("--all and --table: want one of them")
	case t.workers < 0:
		return wire.Hash{}, fmt.Errorf("--workers %d: must be 0 or more", t.workers)
	case (t.all || t.countNamed() > 1 || t.bundles && t.countNamed() > 0) && isBundle:
		return wire.Hash{}, errors.New("a bundle has one table: say neither --all nor several --table")
	case t.wantsMany() || t.countNamed() == 0 && isBundle || len(t.begins) > 0:
		return wire.Hash{}, nil
	case t.countNamed() == 0:
		return wire.Hash{}, errors.New("--table or --all is missing")
	}
	return t.ids[0], nil
}

// runMany verifies many tables and returns the exit code.
func runMany(ctx context.Context, a arguments, out, errs io.Writer) int {
	o, err := verifyOptions(ctx, a)
	var result *tableset.Report
	var again func(wire.Hash) (tlog.EntryReader, error)
	if err == nil && a.many.bundles {
		result, again, err = verifyBundles(ctx, a, o)
	} else if err == nil {
		result, again, err = verifyMany(ctx, a, o)
	}
	if err != nil {
		return a.tellCannot(out, errs, err)
	}
	if a.partial {
		result.CountPartial()
	}
	if a.json {
		err = plain.JSON(out, result)
	} else {
		err = a.tellMany(ctx, out, errs, result, o.Catalogue, again)
	}
	if err != nil {
		complain(errs, "%v", err)
		return exitCannot
	}
	return result.ExitCode()
}

// verifyMany verifies tables of a log; again reopens the log.
func verifyMany(ctx context.Context, a arguments, o tableset.AgainstOptions) (t *tableset.Report, again func(wire.Hash) (tlog.EntryReader, error), err error) {
	source, err := openSource(ctx, a, a.sources[0])
	if err != nil {
		return nil, nil, err
	}
	if err := a.many.findTables(ctx, source); err != nil {
		return nil, nil, err
	}
	show, done := progress(a.notices)
	t, err = tableset.VerifyTables(ctx, source, tableset.Options{Options: o.Options, Tables: a.many.ids, Workers: a.many.workers, Progress: show})
	done()
	return t, func(wire.Hash) (tlog.EntryReader, error) { return source, nil }, err
}

// verifyBundles verifies the tables of bundles. It opens one bundle after another, and once more for
// a table's report, so that memory does not grow with their number.
func verifyBundles(ctx context.Context, a arguments, o tableset.AgainstOptions) (t *tableset.Report, again func(wire.Hash) (tlog.EntryReader, error), err error) {
	files := bundleFiles{names: map[wire.Hash][]string{}}
	t, err = tableset.VerifyExtractsOfLogs(ctx, a.sources, files.openExtract, o)
	if err != nil {
		return nil, nil, err
	}
	return t, func(id wire.Hash) (tlog.EntryReader, error) {
		at := slices.IndexFunc(t.Tables, func(t verifier.Table) bool { return t.Table == id })
		return files.openUnder(t.Tables[at].Checkpoint, id)
	}, nil
}

// bundleFiles has the names of bundles by table.
type bundleFiles struct {
	mu    sync.Mutex
	names map[wire.Hash][]string
}

func (f *bundleFiles) openExtract(name string) (tableset.Extract, wire.Hash, error) {
	b, err := openTable(name)
	if err != nil {
		return nil, wire.Hash{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Contains(f.names[b.Table], name) {
		f.names[b.Table] = append(f.names[b.Table], name)
	}
	return b, b.Table, nil
}

// openUnder opens the bundle from which a table was verified: of those with this checkpoint the first
// with the most entries.
func (f *bundleFiles) openUnder(c tlog.Checkpoint, id wire.Hash) (tlog.EntryReader, error) {
	var best bundle.Reader
	for _, name := range f.names[id] {
		b, err := openBundle(name)
		if err == nil && bytes.Equal(b.Bundle.Checkpoint.Note, c.Note) && (best.Bundle == nil || len(b.Bundle.Entries) > len(best.Bundle.Entries)) {
			best = b
		}
	}
	if best.Bundle == nil {
		return nil, fmt.Errorf("the bundle of table %s is not what it was", id)
	}
	return best, nil
}

// progress shows on a terminal how far the log was read, until done is called. If w is no terminal,
// show is nil.
func progress(w io.Writer) (show func(uint64, int), done func()) {
	const wipe = "\r\x1b[K"
	if !isTerminal(w) {
		return nil, func() {}
	}
	began := time.Now()
	show = func(entries uint64, tables int) {
		fmt.Fprintf(w, wipe+"%d entries, %d tables, %.0f s", entries, tables, time.Since(began).Seconds())
	}
	return show, func() { fmt.Fprint(w, wipe) }
}

// isTerminal reports whether w is a terminal and not a file or pipe. It takes the null device for
// one, which does no harm; a library that can tell does not belong to the verifier's trusted base.
func isTerminal(w io.Writer) bool {
	f, isFile := w.(*os.File)
	if !isFile {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
