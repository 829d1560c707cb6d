package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/report"
	"github.com/pakli/pakli/verifier/tournament"
)

// room is how many bytes of entries are held at once to report on their tables.
const room = 64 << 20

// endings of the files of each format.
var endings = map[string]string{"text": ".txt", "json": ".json", "html": ".html", "sheet": ".html"}

// tellMany writes the report on many tables: to out, or as a directory's index with
// the report of each table beside it. again shows once more what a table was verified
// from: whole reports are made one after another, when the verdicts are known.
func (w *wording) tellMany(ctx context.Context, out, errs io.Writer, t *tournament.Tournament, c table.Catalogue, again func(wire.Hash) (tlog.EntryReader, error)) error {
	if w.file == "" {
		return w.put(out, report.Sum(t, w.language, nil))
	}
	if err := os.MkdirAll(w.file, 0o777); err != nil {
		return err
	}
	d := directory{wording: w, tables: map[wire.Hash]verifier.Table{}, told: map[wire.Hash]string{}, catalogue: c, errs: errs}
	if err := d.reports(ctx, t, again); err != nil {
		return err
	}
	sum := report.Sum(t, w.language, func(t verifier.Table) string { return d.told[t.Table] })
	if err := w.replace(filepath.Join(w.file, "index"+endings[w.format]), sum); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, sum.Headline)
	return err
}

// directory is reports that are written beside each other.
type directory struct {
	*wording
	tables    map[wire.Hash]verifier.Table // that have a verdict
	catalogue table.Catalogue
	errs      io.Writer

	mu   sync.Mutex
	told map[wire.Hash]string // file of each table
}

// reports writes the report of each table that has a verdict. Of a broken log there
// is nothing to tell of the games.
func (d *directory) reports(ctx context.Context, t *tournament.Tournament, again func(wire.Hash) (tlog.EntryReader, error)) error {
	var left []wire.Hash
	for _, table := range t.Tables {
		if table.Err == nil && table.Verdict != verifier.LogBroken {
			left = append(left, table.Table)
			d.tables[table.Table] = table
		}
	}
	for len(left) > 0 {
		src, err := again(left[0])
		if err != nil {
			return err
		}
		recorded, err := report.Reread(ctx, src, d.tables[left[0]].Checkpoint, left, room)
		if err != nil {
			return err
		}
		if err := d.build(recorded); err != nil {
			return err
		}
		left = left[len(recorded):]
		fmt.Fprintf(d.errs, "%d of %d reports\n", len(d.tables)-len(left), len(d.tables))
	}
	return nil
}

// build writes reports side by side.
func (d *directory) build(recorded []*report.Recording) error {
	failed := make([]error, len(recorded))
	turns := make(chan struct{}, runtime.GOMAXPROCS(0))
	var workers sync.WaitGroup
	for i, rec := range recorded {
		turns <- struct{}{}
		workers.Go(func() {
			failed[i] = d.one(rec)
			<-turns
		})
	}
	workers.Wait()
	return errors.Join(failed...)
}

// one writes the report of one table. A verdict that cannot be told in words stands
// all the same, in the index.
func (d *directory) one(rec *report.Recording) error {
	t := d.tables[rec.Table()]
	doc, err := report.Build(t.Report, rec, d.catalogue, d.language)
	if err != nil {
		complain(d.errs, "table %s: %v", t.Table, err)
		return nil
	}
	name := t.Table.String() + endings[d.format]
	d.mu.Lock()
	d.told[t.Table] = name
	d.mu.Unlock()
	return d.replace(filepath.Join(d.wording.file, name), doc)
}
