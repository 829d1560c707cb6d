// Command pakli serves a log with card tables, plays at them, and shows a whole
// game at once.
//
//	pakli demo                      play a game from shuffle to verdict
//	pakli serve                     serve a log and its tables
//	pakli seat NAME                 make a player's key
//	pakli table create|list|watch   tables
//	pakli table record ID           finished deals as text, of games that have a record
//	pakli table forget ID           erase a seat's card secret of a table that is over
//	pakli play                      play a seat, as a person or --bot
//	pakli rules GAME [SET [SET]]    list rule sets, and in what they differ
//	pakli score GAME FILE           score such a text, or find the broken rule
//	pakli suites                    list what tables can be played with
//	pakli key next|switch|retire    change the key of a log
//	pakli cosign                    cosign checkpoints of other people's logs
//	pakli mirror URL DIR            copy a log, for pakli-verify
//	pakli bundle ID...|--all        keep each table in one file, for pakli-verify
//	pakli backup DIR                take a backup of a log, from a server that runs or its directory
//	pakli restore BACKUP            make a log of a backup again
//	pakli bench proofs              measure every proof of every suite
//	pakli bench log                 measure appending to a log
//
// Every subcommand has -h. Exit codes: 0 done, 1 failed, 2 wrong usage; demo
// and score exit as pakli-verify does.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/pakli/pakli/internal/plain"
)

// A command runs with its arguments and returns its exit code.
type command struct {
	name, short string
	run         func(ctx context.Context, e env, args []string) (int, error)
}

// env is what a command sees of its process.
type env struct {
	out, err io.Writer
}

// Exit codes; verdicts have their own.
const (
	exitDone  = 0
	exitFail  = 1
	exitUsage = 2
)

func commands() []command {
	return []command{
		{"demo", "play a whole game and verify it", runDemo},
		{"serve", "serve a log and its tables", runServe},
		{"seat", "make a player's seat file", runSeat},
		{"table", "create, list and watch tables", runTable},
		{"play", "play a seat of a table", runPlay},
		{"score", "replay and score a game record", runScore},
		{"rules", "list rule sets of a game, or in what two differ", runRules},
		{"suites", "list the suites and what a shuffle costs", runSuites},
		{"key", "show and change the keys of a log", runKey},
		{"cosign", "cosign checkpoints of other people's logs", runCosign},
		{"mirror", "copy a log's checkpoint and entries to a directory", runMirror},
		{"backup", "take a backup of a log and verify it", runBackup},
		{"restore", "make a log of a backup again", runRestore},
		{"bundle", "keep a table in one file that can be verified offline", runBundle},
		{"bench", "measure proofs and the log", runBench},
		{explainCommand, "", runExplain}, // see explain.go; not for people
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := dispatch(ctx, env{os.Stdout, os.Stderr}, commands(), "pakli", os.Args[1:])
	stop()
	os.Exit(code)
}

// dispatch runs the command that args name.
func dispatch(ctx context.Context, e env, list []command, name string, args []string) int {
	for _, c := range list {
		if len(args) == 0 || args[0] != c.name {
			continue
		}
		code, err := c.run(ctx, e, args[1:])
		switch {
		case errors.Is(err, flag.ErrHelp):
			return exitDone
		case errors.As(err, new(usageError)):
			fmt.Fprintf(e.err, "%s %s: %s\n", name, c.name, plain.Lines(err.Error()))
			return exitUsage
		case err != nil:
			fmt.Fprintf(e.err, "%s %s: %s\n", name, c.name, plain.Lines(err.Error()))
			return max(code, exitFail)
		}
		return code
	}
	return usage(e, list, name, args)
}

func usage(e env, list []command, name string, args []string) int {
	w, code := e.err, exitUsage
	if len(args) > 0 && (args[0] == "help" || args[0] == "-h" || args[0] == "--help") {
		w, code = e.out, exitDone
	} else if len(args) > 0 {
		fmt.Fprintf(w, "%s: unknown command %q\n\n", name, args[0])
	}
	fmt.Fprintf(w, "usage: %s COMMAND [flags]\n\n", name)
	for _, c := range list {
		if c.short != "" {
			fmt.Fprintf(w, "  %-8s %s\n", c.name, c.short)
		}
	}
	fmt.Fprintf(w, "\n%s COMMAND -h explains the flags of a command.\n", name)
	return code
}

// usageError is the user's mistake on the command line.
type usageError struct{ error }

func wrongUsage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// flags returns a flag set that reports its own errors through e.
func (e env) flags(name, arguments string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(e.err)
	f.Usage = func() {
		fmt.Fprintf(e.err, "usage: pakli %s [flags] %s\n\nFlags:\n", name, arguments)
		f.PrintDefaults()
	}
	return f
}

// parse reads flags and wants exactly n arguments after them.
func parse(f *flag.FlagSet, args []string, n int) error {
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return usageError{err}
	}
	if f.NArg() != n {
		return wrongUsage("%d arguments, want %d", f.NArg(), n)
	}
	return nil
}
