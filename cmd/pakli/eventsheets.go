package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/events/results"
	"github.com/pakli/pakli/verifier/folder"
	"github.com/pakli/pakli/verifier/report"
	sheet "github.com/pakli/pakli/verifier/report/page"
)

// runEventSheets verifies an event, and writes what is printed of it: results, seatings, and a
// score sheet of each table.
func runEventSheets(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("event sheets", "EVENT")
	var s serverFlags
	s.addFlags(f)
	lang := f.String("lang", "en", "language: "+strings.Join(report.Languages(), ", "))
	out := f.String("o", "", "`directory` for them: index.html points to all")
	if err := parseFlags(f, args, 1); err != nil {
		return exitUsage, err
	}
	l, known := report.LanguageOf(*lang)
	if *out == "" || !known {
		return exitUsage, wrongUsage("want -o, a directory, and --lang as one of %s", strings.Join(report.Languages(), ", "))
	}
	c, id, err := s.findEvent(ctx, e, f.Arg(0))
	if err != nil {
		return exitFail, err
	}
	v, err := s.verifyEvent(ctx, e, c, id)
	if err != nil {
		return exitFail, err
	}
	r := results.Sum(v, l, event.LeftOutLayers{})
	d := folder.Folder{Dir: *out, Ending: ".html", Write: sheet.Sheet, Language: l, Catalogue: catalogue(),
		Again: func(wire.Hash) (tlog.EntryReader, error) { return c, nil },
		Say:   func(format string, args ...any) { fmt.Fprintf(e.err, format+"\n", args...) }}
	if err := d.Event(ctx, v, r, r.HTML); err != nil {
		return exitFail, err
	}
	fmt.Fprintln(e.out, r.Headline)
	return v.ExitCode(), nil
}
