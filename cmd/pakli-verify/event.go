package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/against"
	"github.com/pakli/pakli/verifier/events"
	"github.com/pakli/pakli/verifier/events/results"
	"github.com/pakli/pakli/verifier/tournament"
)

// competition says which event to verify.
type competition struct {
	id      wire.Hash
	wanted  bool
	without event.Without
}

func (c *competition) flags(f *flag.FlagSet) {
	f.Func("event", "id of an event: verify it, with all of its tables", func(s string) (err error) {
		c.wanted = true
		c.id, err = wire.ParseHash(s)
		return err
	})
	f.Func("without", "of an event: leave out of the standings what is ruled, clock or agreed; several with commas between", func(s string) error {
		for _, layer := range strings.Split(s, ",") {
			switch layer {
			case "ruled":
				c.without.Ruled = true
			case "clock":
				c.without.Clock = true
			case "agreed":
				c.without.Agreed = true
			default:
				return errors.New("want ruled, clock or agreed")
			}
		}
		return nil
	})
}

// check finds what does not go together with an event.
func (c *competition) check(a *arguments, given map[string]bool) error {
	switch {
	case !c.wanted && (given["without"] || a.words.format == "csv"):
		return errors.New("--without and --format csv are for --event")
	case c.wanted && (a.many.all || a.many.named() > 0):
		return errors.New("--event verifies all tables of the event: say neither --table nor --all")
	case c.wanted && (given["against"] || isFile(a.sources[0])):
		return errors.New("--event needs a whole log: the URL of a server, or the directory of a mirror")
	case c.wanted && a.words.format == "sheet" && a.words.file == "":
		return errors.New("--format sheet is for tables: say with -o into which directory the sheets of the event go")
	}
	return nil
}

// runEvent verifies an event and returns the exit code.
func runEvent(ctx context.Context, a arguments, out, errs io.Writer) int {
	v, source, o, err := verifyEvent(ctx, a, errs)
	if err == nil {
		r := results.Sum(v, a.words.language, a.event.without)
		if a.words.file == "" {
			err = a.words.putEvent(out, r, a.json)
		} else {
			err = a.words.eventReports(ctx, out, errs, v, r, source, o.Catalogue)
		}
	}
	if err != nil {
		a.words.cannot(errs, err)
		return exitCannot
	}
	return v.ExitCode()
}

func verifyEvent(ctx context.Context, a arguments, errs io.Writer) (v *events.Verified, source tlog.EntryReader, o against.Options, err error) {
	if o, err = options(ctx, a); err != nil {
		return nil, nil, o, err
	}
	if source, err = open(ctx, a, a.sources[0]); err != nil {
		return nil, nil, o, err
	}
	v, err = events.Verify(ctx, source, events.Options{Event: a.event.id, Without: a.event.without,
		Options: tournament.Options{Options: o.Options, Workers: a.many.workers, Progress: progress(errs, time.Second)}})
	return v, source, o, err
}

// putEvent writes the results in the format that was asked for; those of sheets are a page.
func (w *wording) putEvent(to io.Writer, r *results.Results, asJSON bool) error {
	switch {
	case asJSON || w.format == "json":
		return r.JSON(to)
	case w.format == "csv":
		return r.CSV(to)
	case w.format == "text":
		return r.Text(to)
	}
	return r.HTML(to)
}

// eventReports writes the results as the index of a directory, and a report or a sheet of
// each table beside it.
func (w *wording) eventReports(ctx context.Context, out, errs io.Writer, v *events.Verified, r *results.Results, source tlog.EntryReader, c table.Catalogue) error {
	if err := os.MkdirAll(w.file, 0o777); err != nil {
		return err
	}
	if w.format != "csv" {
		d := directory{wording: w, tables: map[wire.Hash]verifier.Table{}, told: map[wire.Hash]string{}, catalogue: c, errs: errs}
		again := func(wire.Hash) (tlog.EntryReader, error) { return source, nil }
		if err := d.reports(ctx, &tournament.Tournament{Log: v.Log, Tables: v.Tables}, again); err != nil {
			return err
		}
		r.Link(d.told)
	}
	var b bytes.Buffer
	if err := w.putEvent(&b, r, false); err != nil {
		return err
	}
	if err := durable.Replace(filepath.Join(w.file, "index"+cmp.Or(endings[w.format], ".csv")), b.Bytes(), 0o666); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, r.Headline)
	return err
}
