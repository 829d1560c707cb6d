package verification

import (
	"context"
	"fmt"
	"io"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/events/results"
	"github.com/pakli/pakli/verifier/report"
	"github.com/pakli/pakli/verifier/tableset"
)

// endings are the file name endings of the formats.
var endings = map[string]string{"text": ".txt", "json": ".json", "html": ".html", "sheet": ".html"}

// folder returns the requested directory of reports.
func (a *arguments) folder(errs io.Writer, c table.Catalogue, again func(wire.Hash) (tlog.EntryReader, error)) *results.Folder {
	w := a.words
	return &results.Folder{Dir: w.file, Ending: endings[w.format], Language: w.language, Written: a.provenance(nil), Catalogue: c, Again: again,
		Write: func(to io.Writer, d *report.Document) error { return w.writeDocument(to, d) },
		Say:   func(format string, args ...any) { complain(errs, format, args...) }}
}

// tellMany writes the report on many tables to out, or as a directory's index with the report of each
// table beside it. again reopens the source of a table.
func (a *arguments) tellMany(ctx context.Context, out, errs io.Writer, t *tableset.Report, c table.Catalogue, again func(wire.Hash) (tlog.EntryReader, error)) error {
	w := a.words
	if w.file == "" {
		sum := report.Sum(t, w.language, nil)
		sum.Written = a.provenance(nil)
		return w.writeDocument(out, sum)
	}
	d := a.folder(errs, c, again)
	files, err := d.Tables(ctx, t.Tables)
	if err != nil {
		return err
	}
	sum := report.Sum(t, w.language, func(t verifier.Table) string { return files[t.Table] })
	sum.Written = d.Written
	if err := d.PutFile("index"+d.Ending, func(to io.Writer) error { return w.writeDocument(to, sum) }); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, sum.Headline)
	return err
}
