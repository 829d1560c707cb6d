package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/toolbox"
	"github.com/pakli/pakli/verifier"
)

// runToolbox plays a script of card operations on a log of its own, and verifies it from
// outside.
func runToolbox(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("toolbox", "FILE")
	name := f.String("suite", suite.Default, "card encoding with its proofs: see pakli suites")
	dir := f.String("data", "", "directory for the log (default: a new temporary one); it stays")
	if err := parseFlags(f, args, 1); err != nil {
		return exitUsage, err
	}
	script, err := os.ReadFile(f.Arg(0))
	if err != nil {
		return exitFail, err
	}
	config, err := toolbox.ReadHead(string(script))
	if err != nil {
		return exitUsage, usageError{err}
	}
	var ok bool
	if config.Suite, ok = suite.Lookup(*name); !ok {
		return exitUsage, wrongUsage("--suite: there is no suite %s", *name)
	}
	report, err := runToolboxScript(ctx, e, config, string(script), *dir)
	if err != nil {
		return exitFail, fmt.Errorf("%s: %w", f.Arg(0), err)
	}
	return report.Verdict.ExitCode(), nil
}

// runToolboxScript runs a script with a server on loopback, to which every entry goes as it is
// made.
func runToolboxScript(ctx context.Context, e env, config toolbox.Config, script, dir string) (_ *verifier.Report, err error) {
	if dir, err = demoDirectory(dir); err != nil {
		return nil, err
	}
	srv, err := startServer(ctx, serverOptions{data: filepath.Join(dir, "log"), listen: "127.0.0.1:0", origin: "toolbox.pakli", pages: "off"}, e)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, srv.stop()) }()
	c, err := client.New(srv.url, srv.key.Verifier, nil)
	if err != nil {
		return nil, err
	}
	t, err := toolbox.Open(config, rand.Reader)
	if err != nil {
		return nil, usageError{err}
	}
	first := true
	t.Post = func(entry []byte) error {
		if first {
			first = false
			_, err := c.CreateTable(ctx, entry)
			return err
		}
		_, err := c.Post(ctx, t.State().ID(), entry)
		return err
	}
	t.Watch = func(entry toolbox.Entry) { fmt.Fprintln(e.out, toldEntry(entry)) }
	if err := toolbox.Run(strings.NewReader(script), t.Seats()); err != nil {
		return nil, err
	}
	report, err := verifier.Verify(ctx, c, verifier.Options{Table: t.State().ID(), Log: []note.Verifier{srv.key.Verifier}, Catalogue: catalogue()})
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(e.out, "\n%s\nverdict   %s\ntable     %s\nentries   %d\nbytes     %d on the log\ndata      %s\n",
		report.Headline(), report.Verdict, t.State().ID(), len(t.Entries()), report.Bytes, dir)
	return report, err
}

// toldEntry is a line about an entry: whose, what, how long, and the times of making and
// verifying it.
func toldEntry(entry toolbox.Entry) string {
	what := "  " + string(entry.Kind) // a step that a move needs
	if entry.Kind == table.Move {
		what = entry.Move.Op
		for _, more := range []string{entry.Move.Pile, entry.Move.To, entry.Move.Seat} {
			what = strings.TrimSpace(what + " " + more)
		}
		if entry.Throw != "" {
			what += ": " + entry.Throw
		}
	}
	return fmt.Sprintf("%s  %-28s %7d B  made in %6.1f ms  verified in %6.1f ms", entry.Seat.Letter(), what, entry.Bytes,
		entry.Make.Seconds()*1000, entry.Check.Seconds()*1000)
}
