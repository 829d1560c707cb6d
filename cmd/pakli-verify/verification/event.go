package verification

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/events"
	"github.com/pakli/pakli/verifier/events/results"
	"github.com/pakli/pakli/verifier/tableset"
)

type eventFlags struct {
	id      wire.Hash
	wanted  bool
	without event.LeftOutLayers
}

func (c *eventFlags) addFlags(f *command.Flags) {
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

// checkFlags returns an error if flags cannot be combined with an event, or need one.
func (c *eventFlags) checkFlags(a *arguments, f *command.Flags) error {
	switch {
	case !c.wanted && (f.IsGiven("without") || a.words.format == "csv"):
		return errors.New("--without and --format csv are for --event")
	case c.wanted && (a.many.all || a.many.countNamed() > 0):
		return errors.New("--event verifies all tables of the event: say neither --table nor --all")
	case c.wanted && (len(a.sources) != 1 || f.IsGiven("against") || isFile(a.sources[0])):
		return errors.New("--event needs a whole log, or all of its bundles: the URL of a server, the directory of a mirror, or that of pakli event bundle")
	case c.wanted && a.words.format == "csv" && a.words.file != "":
		return errors.New("-o: the directory of an event gets CSV files in any case: say --format html or sheet")
	case c.wanted && a.words.format == "sheet" && a.words.file == "":
		return errors.New("--format sheet is for tables: say with -o into which directory the sheets of the event go")
	}
	return nil
}

// runEvent verifies an event and returns the exit code.
func runEvent(ctx context.Context, a arguments, out, errs io.Writer) int {
	v, again, o, err := verifyEvent(ctx, a)
	if err == nil {
		r := results.Sum(v, a.words.language, a.event.without)
		r.Written = a.provenance(nil)
		if a.words.file == "" {
			err = a.words.putEvent(out, r, a.json)
		} else {
			err = a.eventReports(ctx, out, errs, v, r, again, o.Catalogue)
		}
	}
	if err != nil {
		return a.tellCannot(out, errs, err)
	}
	return v.ExitCode()
}

// verifyEvent verifies an event of a log or of bundles; again reopens the source of a table.
func verifyEvent(ctx context.Context, a arguments) (v *events.VerifiedEvent, again openAgain, o tableset.AgainstOptions, err error) {
	if o, err = verifyOptions(ctx, a); err != nil {
		return nil, nil, o, err
	}
	show, done := progress(a.notices)
	defer done()
	wanted := events.Options{Event: a.event.id, Without: a.event.without,
		Options: tableset.Options{Options: o.Options, Workers: a.many.workers, Progress: show}}
	if first := filepath.Join(a.sources[0], bundle.EventName); isFile(first) {
		v, again, err = verifyShown(ctx, a, first, wanted)
		return v, again, o, err
	}
	source, err := openSource(ctx, a, a.sources[0])
	if err != nil {
		return nil, nil, o, err
	}
	v, err = events.Verify(ctx, source, wanted)
	return v, func(wire.Hash) (tlog.EntryReader, error) { return source, nil }, o, err
}

// openAgain reopens the source from which a table was verified.
type openAgain func(wire.Hash) (tlog.EntryReader, error)

// verifyShown verifies an event from the bundles in a directory.
func verifyShown(ctx context.Context, a arguments, first string, o events.Options) (*events.VerifiedEvent, openAgain, error) {
	b, err := openBundle(first)
	if err != nil {
		return nil, nil, err
	}
	if b.Event != o.Event {
		return nil, nil, fmt.Errorf("%s is the bundle of event %s", first, b.Event)
	}
	files := bundleFiles{names: map[wire.Hash][]string{}}
	var names []string
	for _, id := range b.Tables {
		if name := filepath.Join(a.sources[0], id.String()+".pakli"); isFile(name) {
			names = append(names, name)
		}
	}
	v, err := events.VerifyShown(ctx, events.Extract{Extract: b, Tables: b.Tables}, names, files.openExtract, o)
	return v, func(id wire.Hash) (tlog.EntryReader, error) { return files.openUnder(b.Bundle.Checkpoint, id) }, err
}

// putEvent writes the results in the requested format; with sheets, they are a page.
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

// eventReports writes the results as the index of a directory, with a report or sheet of each table
// beside it.
func (a *arguments) eventReports(ctx context.Context, out, errs io.Writer, v *events.VerifiedEvent, r *results.Results, again openAgain, c table.Catalogue) error {
	d := a.folder(errs, c, again)
	if err := d.Event(ctx, v, r, func(to io.Writer) error { return a.words.putEvent(to, r, false) }); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, r.Headline)
	return err
}
