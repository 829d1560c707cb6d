package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/wire"
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
	case c.wanted && a.words.format == "sheet":
		return errors.New("--format sheet is for tables")
	}
	return nil
}

// runEvent verifies an event and returns the exit code.
func runEvent(ctx context.Context, a arguments, out, errs io.Writer) int {
	v, err := verifyEvent(ctx, a, errs)
	if err == nil {
		err = a.words.tellEvent(out, results.Sum(v, a.words.language, a.event.without), a.json)
	}
	if err != nil {
		a.words.cannot(errs, err)
		return exitCannot
	}
	return v.ExitCode()
}

func verifyEvent(ctx context.Context, a arguments, errs io.Writer) (*events.Verified, error) {
	o, err := options(ctx, a)
	if err != nil {
		return nil, err
	}
	source, err := open(ctx, a, a.sources[0])
	if err != nil {
		return nil, err
	}
	return events.Verify(ctx, source, events.Options{Event: a.event.id, Without: a.event.without,
		Options: tournament.Options{Options: o.Options, Workers: a.many.workers, Progress: progress(errs, time.Second)}})
}

// tellEvent writes the results in the format that was asked for.
func (w *wording) tellEvent(out io.Writer, r *results.Results, asJSON bool) error {
	put := map[string]func(io.Writer) error{"text": r.Text, "json": r.JSON, "html": r.HTML, "csv": r.CSV}[w.format]
	if asJSON {
		put = r.JSON
	}
	if w.file == "" {
		return put(out)
	}
	f, err := os.Create(w.file)
	if err != nil {
		return err
	}
	if err := errors.Join(put(f), f.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, r.Headline)
	return err
}
