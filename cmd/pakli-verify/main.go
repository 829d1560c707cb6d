// Command pakli-verify says what is true of a table: sound, unfinished, foul, or
// the log is broken.
//
//	pakli-verify --log VKEY --table ID URL
//	pakli-verify --log VKEY --table ID DIR
//
// It reads the public surface of a log, by URL or from a mirror's directory,
// and trusts the log's verifier key alone (package verifier). Exit codes: 0
// sound, 3 unfinished, 4 foul, 5 log broken, 1 cannot check, 2 wrong usage.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/mirror"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

const (
	exitCannot = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// arguments are the command line, understood.
type arguments struct {
	source   string
	key      string
	id       wire.Hash
	believed []string
	json     bool
}

func run(ctx context.Context, args []string, out, errs io.Writer) int {
	a, err := parse(args, errs)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintf(errs, "pakli-verify: %v\n", err)
		return exitUsage
	}
	report, err := verify(ctx, a)
	if err != nil {
		fmt.Fprintf(errs, "pakli-verify: cannot check: %v\n", err)
		return exitCannot
	}
	if err := write(out, report, a.json); err != nil {
		fmt.Fprintf(errs, "pakli-verify: %v\n", err)
		return exitCannot
	}
	return report.Verdict.ExitCode()
}

func parse(args []string, errs io.Writer) (a arguments, err error) {
	f := flag.NewFlagSet("pakli-verify", flag.ContinueOnError)
	f.SetOutput(errs)
	f.Usage = func() {
		fmt.Fprintf(errs, "usage: pakli-verify --log VKEY --table ID [flags] URL|DIR\n\nFlags:\n")
		f.PrintDefaults()
	}
	f.StringVar(&a.key, "log", "", "verifier key of the log: all that is trusted")
	id := f.String("table", "", "id of the table: 64 hex digits")
	f.BoolVar(&a.json, "json", false, "print the report as one JSON object")
	f.Func("checkpoint", "file with a checkpoint seen earlier, which the log must contain; may be repeated", func(s string) error {
		a.believed = append(a.believed, s)
		return nil
	})
	if err := f.Parse(args); err != nil {
		return a, err
	}
	if f.NArg() != 1 {
		return a, fmt.Errorf("%d arguments, want one: the URL of a log or the directory of a mirror", f.NArg())
	}
	if a.key == "" {
		return a, errors.New("--log is missing: without the log's verifier key nothing can be believed")
	}
	a.source = f.Arg(0)
	a.id, err = wire.ParseHash(*id)
	return a, err
}

func verify(ctx context.Context, a arguments) (*verifier.Report, error) {
	key, err := note.NewVerifier(a.key)
	if err != nil {
		return nil, fmt.Errorf("--log: %w", err)
	}
	source, err := open(a.source, key)
	if err != nil {
		return nil, err
	}
	o := verifier.Options{Table: a.id, Log: key, Catalogue: table.Catalogue{Game: games.Lookup, Suite: suite.Lookup}}
	for _, file := range a.believed {
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		c, err := tlog.OpenCheckpoint(b, key)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		o.Believed = append(o.Believed, c)
	}
	return verifier.Verify(ctx, source, o)
}

// open tells a URL from a directory.
func open(source string, key note.Verifier) (verifier.Source, error) {
	if strings.HasPrefix(source, "http://") || strings.HasPrefix(source, "https://") {
		return client.New(source, key, nil)
	}
	if info, err := os.Stat(source); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is neither a URL nor a directory", source)
	}
	return mirror.Dir(source), nil
}

func write(w io.Writer, r *verifier.Report, asJSON bool) error {
	if !asJSON {
		_, err := io.WriteString(w, r.String())
		return err
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(r)
}
