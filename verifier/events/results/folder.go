package results

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/report"
	"github.com/pakli/pakli/verifier/report/page"
)

// room is how many bytes of entries are held at once while reports are made.
const room = 64 << 20

// Folder is a directory of reports. Set its exported fields before use.
type Folder struct {
	Dir       string
	Ending    string // of the files, ".html"
	Write     func(io.Writer, *report.Document) error
	Language  report.Language
	Written   report.Provenance
	Catalogue table.Catalogue
	// Again opens the source from which a table was verified once more.
	Again func(wire.Hash) (tlog.EntryReader, error)
	// Say reports progress and verdicts that cannot be put into words.
	Say func(format string, args ...any)

	placed   func(wire.Hash) *report.Place // in the event; nil if there is none
	named    func(wire.Hash) string        // beginning of a table's file names; nil: its id
	tables   map[wire.Hash]verifier.Table  // that have a verdict
	mu       sync.Mutex
	told     map[wire.Hash]string
	disputes map[wire.Hash]string
}

// Tables writes the report of each table that has a verdict and returns the file names. It makes them
// one after another, so that memory does not grow with their number.
func (f *Folder) Tables(ctx context.Context, tables []verifier.Table) (files map[wire.Hash]string, err error) {
	if err := os.MkdirAll(f.Dir, 0o777); err != nil {
		return nil, err
	}
	f.tables, f.told, f.disputes = map[wire.Hash]verifier.Table{}, map[wire.Hash]string{}, map[wire.Hash]string{}
	var left []wire.Hash
	for _, t := range tables { // a broken log says nothing about the games
		if t.Err == nil && t.Verdict != verifier.LogBroken {
			left = append(left, t.Table)
			f.tables[t.Table] = t
		}
	}
	for len(left) > 0 {
		n, err := f.writeSome(ctx, left)
		if err != nil {
			return nil, err
		}
		left = left[n:]
		f.Say("%d of %d reports", len(f.tables)-len(left), len(f.tables))
	}
	return f.told, nil
}

// writeSome writes the reports of the first tables, as many as fit in room, and returns their number.
func (f *Folder) writeSome(ctx context.Context, left []wire.Hash) (int, error) {
	src, err := f.Again(left[0])
	if err != nil {
		return 0, err
	}
	recorded, err := report.RereadTables(ctx, src, f.tables[left[0]].Checkpoint, left, room)
	if err != nil {
		return 0, err
	}
	failed := make([]error, len(recorded))
	turns := make(chan struct{}, runtime.GOMAXPROCS(0))
	var workers sync.WaitGroup
	for i, rec := range recorded {
		turns <- struct{}{}
		workers.Go(func() {
			failed[i] = f.writeOne(rec)
			<-turns
		})
	}
	workers.Wait()
	return len(recorded), errors.Join(failed...)
}

// writeOne writes the report of one table. If the verdict cannot be put into words, it stands in the
// index all the same.
func (f *Folder) writeOne(rec *report.Recording) error {
	t := f.tables[rec.Table()]
	doc, err := report.BuildDocument(t.Report, rec, f.Catalogue, f.Language)
	if err != nil {
		f.Say("table %s: %v", t.Table, err)
		return nil
	}
	doc.Written = f.Written
	if f.placed != nil {
		doc.Place = f.placed(t.Table)
	}
	stem := t.Table.String()
	if f.named != nil {
		stem = f.named(t.Table)
	}
	name := stem + f.Ending
	f.noteFile(f.told, t.Table, name)
	if err := f.PutFile(name, func(w io.Writer) error { return f.Write(w, doc) }); err != nil || doc.Place == nil || !doc.IsDisputed() {
		return err
	}
	name = stem + "-dispute.html"
	f.noteFile(f.disputes, t.Table, name)
	return f.PutFile(name, func(w io.Writer) error { return page.WriteDispute(w, doc) })
}

func (f *Folder) noteFile(list map[wire.Hash]string, id wire.Hash, name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	list[id] = name
}

// PutFile writes a file of the directory. If the name is a link, PutFile replaces the link and not
// the file that it points to.
func (f *Folder) PutFile(name string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return durable.Replace(filepath.Join(f.Dir, name), b.Bytes(), 0o666)
}
