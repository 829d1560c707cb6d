package event

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/pakli/pakli/cmd/pakli/copies"
	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/events"
	"github.com/pakli/pakli/verifier/events/results"
	"github.com/pakli/pakli/verifier/report"
	sheet "github.com/pakli/pakli/verifier/report/page"
)

// sheetsCommand verifies an event and writes its printouts: results, seatings, and a score sheet of
// each table.
func sheetsCommand(f *command.Flags) command.Body {
	s := flags.ServerOf(f)
	lang := flags.LanguageOf(f)
	out := f.String("o", "", "`directory` for them: index.html points to all")
	f.Required = []string{"o"}
	return func(ctx context.Context, e command.Env) error {
		l := lang.Reports()
		c, v, err := verifyNamed(ctx, e, s, f.Arg(0))
		if err != nil {
			return err
		}
		r := SumResults(v, l)
		d := SheetsOf(*out, e, l, func(wire.Hash) (tlog.EntryReader, error) { return c, nil })
		d.Written = r.Written
		if err := d.Event(ctx, v, r, r.HTML); err != nil {
			return err
		}
		return command.ExitWith(v.ExitCode(), e.Say(map[string]string{"headline": r.Headline, "directory": *out}, "%s\n", r.Headline))
	}
}

// SheetsOf returns a directory of score sheets; again reopens the source of a table.
func SheetsOf(dir string, e command.Env, l report.Language, again func(wire.Hash) (tlog.EntryReader, error)) *results.Folder {
	return &results.Folder{Dir: dir, Ending: ".html", Write: sheet.WriteSheet, Language: l, Catalogue: flags.Catalogue(), Again: again,
		Say: func(format string, args ...any) { fmt.Fprintf(e.Err, format+"\n", args...) }}
}

// bundleCommand writes an event and each of its tables to files that pakli-verify --event reads
// offline.
func bundleCommand(f *command.Flags) command.Body {
	o := copies.Bundles{Server: flags.ServerOf(f), Several: true}
	f.StringVar(&o.Out, "o", "", "`directory` for event.pakli, and ID.pakli of each table")
	f.StringVar(&o.From, "from", "", "`directory` of a mirror to read instead of a server; EVENT must be the whole id then")
	policyFile := f.String("policy", "", "`file` with the log and the cosigners that are wanted; read the log as these have seen it")
	return func(ctx context.Context, e command.Env) error {
		if o.Out == "" {
			return command.WrongUsage("-o is missing: the bundles of an event need a directory")
		}
		var err error
		if o.Policy, err = flags.ReadPolicy(*policyFile); err != nil {
			return err
		}
		_, err = WriteBundles(ctx, e, &o, f.Arg(0))
		return err
	}
}

// WriteBundles writes the event that text names, and its tables, into the directory of o.
func WriteBundles(ctx context.Context, e command.Env, o *copies.Bundles, text string) (id wire.Hash, err error) {
	if id, err = eventID(ctx, e, o, text); err != nil {
		return id, err
	}
	keys, err := o.BelievedKeys(ctx, e)
	if err != nil {
		return id, err
	}
	src, err := o.OpenSource(keys)
	if err != nil {
		return id, err
	}
	c, err := src.Checkpoint(ctx)
	if err != nil {
		return id, err
	}
	b, err := bundle.CollectEvent(ctx, src, c, id, keys, func(ctx context.Context) (map[wire.Hash]uint64, error) {
		return events.TableEnds(ctx, src, verifyOptions(e, keys.Verifiers(), id))
	})
	if err != nil {
		return id, err
	}
	if err := o.Collect(ctx, e, src, c, b.Tables, keys); err != nil {
		return id, err
	}
	name := filepath.Join(o.Out, bundle.EventName)
	if err := durable.Replace(name, b.Marshal(), 0o644); err != nil { // last: it completes the directory
		return id, err
	}
	return id, copies.SayBundle(e, "event", id, len(b.Entries), c, name)
}

// eventID returns the event that a person names.
func eventID(ctx context.Context, e command.Env, o *copies.Bundles, text string) (wire.Hash, error) {
	if id, err := wire.ParseHash(text); err == nil || o.From != "" {
		return id, err
	}
	_, id, err := o.FindEvent(ctx, e, text)
	return id, err
}
