package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/cmd/pakli/serve"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/toolbox"
	"github.com/pakli/pakli/verifier"
)

// Toolbox plays a script of card operations on a log of its own and verifies the log from outside.
func Toolbox(f *command.Flags) command.Body {
	name := f.String("suite", suite.Default, "card encoding with its proofs: see pakli suites")
	dir := f.String("data", "", "`directory` for the log, which is kept (default: a new temporary one)")
	return func(ctx context.Context, e command.Env) error {
		script, err := os.ReadFile(f.Arg(0))
		if err != nil {
			return err
		}
		config, err := toolbox.ReadHead(string(script))
		if err != nil {
			return command.Misuse(err)
		}
		var ok bool
		if config.Suite, ok = suite.Lookup(*name); !ok {
			return command.WrongUsage("--suite: there is no suite %s", *name)
		}
		report, err := runToolboxScript(ctx, e, config, string(script), *dir)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Arg(0), err)
		}
		return command.ExitWith(report.Verdict.ExitCode(), nil)
	}
}

// runToolboxScript runs a script with a server on loopback and posts every entry as it is made.
func runToolboxScript(ctx context.Context, e command.Env, config toolbox.Config, script, dir string) (_ *verifier.Report, err error) {
	if dir, err = demoDirectory(dir); err != nil {
		return nil, err
	}
	srv, err := serve.Start(ctx, serve.Options{Data: filepath.Join(dir, "log"), Listen: "127.0.0.1:0", Origin: "toolbox.pakli", Pages: "off"})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, srv.Stop()) }()
	c, err := client.New(srv.URL, srv.Key.Verifier, nil)
	if err != nil {
		return nil, err
	}
	t, err := toolbox.Open(config, rand.Reader)
	if err != nil {
		return nil, command.Misuse(err)
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
	t.Watch = func(entry toolbox.Entry) { fmt.Fprintln(e.Out, toldEntry(entry)) }
	if err := toolbox.Run(strings.NewReader(script), t.Seats()); err != nil {
		return nil, err
	}
	report, err := verifier.Verify(ctx, c, verifier.Options{Table: t.State().ID(), Log: []note.Verifier{srv.Key.Verifier}, Catalogue: flags.Catalogue()})
	if err != nil {
		return nil, err
	}
	return report, e.Say(map[string]any{"verdict": report.Verdict, "table": t.State().ID(), "entries": len(t.Entries()), "log_bytes": report.Bytes, "data": dir},
		"\n%s\nverdict   %s\ntable     %s\nentries   %d\nbytes     %d on the log\ndata      %s\n",
		report.Headline(), report.Verdict, t.State().ID(), len(t.Entries()), report.Bytes, dir)
}

// toldEntry returns a line about an entry: its seat, kind and length, and the times to make and
// verify it.
func toldEntry(entry toolbox.Entry) string {
	what := "  " + string(entry.Kind) // a step of the protocol before a move
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
