// Command pakli serves a log with card tables, plays at them, and shows a whole
// game at once.
//
//	pakli demo                      play a game from shuffle to verdict
//	pakli serve                     serve a log and its tables
//	pakli web                       serve the pages from this machine, for a log elsewhere
//	pakli seat NAME                 make a player's key
//	pakli table create|list|watch   tables
//	pakli table offer               offer a table that others join, here or in browsers
//	pakli table join CODE|LINK      join such a table
//	pakli table record ID           finished deals as text, of games that have a record
//	pakli table resign|agree|back|expose ID    leave a table, end it together, come back
//	pakli table close|pause|resume|reseat ID   rule at a table, as its organiser or arbiter
//	pakli table timeout ID          claim that a seat is late by the table's clock
//	pakli table accept ID           accept a seat that another player has left
//	pakli table forget ID           erase a seat's card secret of a table that is over
//	pakli event create FILE         announce a competition; register, run, rule, results …
//	pakli play                      play a seat, as a person or --bot
//	pakli rules GAME [SET [SET]]    list rule sets, and in what they differ
//	pakli score GAME FILE           score such a text, or find the broken rule
//	pakli toolbox FILE              play a script of card operations, and verify it
//	pakli suites                    list what tables can be played with
//	pakli key next|switch|retire    change the key of a log
//	pakli cluster create|join|status           keep a log on a cluster
//	pakli cluster import|leave|promise|close   move it there and back, mend it, end it
//	pakli logs                      sign the list of an operator's logs
//	pakli cosign                    cosign checkpoints of other people's logs
//	pakli mirror URL DIR            copy a log, for pakli-verify
//	pakli bundle ID...|--all        keep each table in one file, for pakli-verify
//	pakli backup DIR                take a backup of a log, from a server that runs or its directory
//	pakli restore BACKUP            make a log of a backup again
//	pakli bench proofs              measure every proof of every suite
//	pakli bench log                 measure appending to a log
//	pakli completion bash|zsh|fish  print what completes commands and flags in a shell
//
// Every command has -h. Flags may come before and after arguments. A table may be
// named by the first digits of its id. Exit codes: 0 done, 1 failed, 2 wrong usage;
// demo and score exit as pakli-verify does.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
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
		{"web", "serve the pages from this machine, for a log elsewhere", runWeb},
		{"seat", "make a player's seat file", runSeat},
		{"table", "create, list and watch tables", runTable},
		{"event", "announce, run and follow competitions", runEvent},
		{"play", "play a seat of a table", runPlay},
		{"score", "replay and score a game record", runScore},
		{"rules", "list rule sets of a game, or in what two differ", runRules},
		{"toolbox", "play a script of card operations on a log, and verify it", runToolbox},
		{"suites", "list the suites and what a shuffle costs", runSuites},
		{"key", "show and change the keys of a log", runKey},
		{"logs", "sign the list of an operator's logs", runLogs},
		{"cluster", "keep a log on a cluster of several machines", runCluster},
		{"cosign", "cosign checkpoints of other people's logs", runCosign},
		{"mirror", "copy a log's checkpoint and entries to a directory", runMirror},
		{"backup", "take a backup of a log and verify it", runBackup},
		{"restore", "make a log of a backup again", runRestore},
		{"bundle", "keep a table in one file that can be verified offline", runBundle},
		{"bench", "measure proofs and the log", runBench},
		{"completion", "print what completes commands and flags in a shell", runCompletion},
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
	if t, ok := e.out.(*tour); ok {
		return t.visit(ctx, list, name)
	}
	if len(args) == 0 {
		return usage(e.err, list, name, exitUsage)
	}
	if slices.Contains([]string{"help", "-h", "--help"}, args[0]) {
		if len(args) == 1 {
			return usage(e.out, list, name, exitDone)
		}
		args = append(slices.Clone(args[1:]), "-h") // help play: play -h
	}
	at := slices.IndexFunc(list, func(c command) bool { return c.name == args[0] })
	if at < 0 {
		fmt.Fprintf(e.err, "%s: there is no command %q (%s help lists them)\n", name, args[0], name)
		return exitUsage
	}
	name += " " + args[0]
	code, err := list[at].run(ctx, e, args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitDone
	case errors.As(err, new(usageError)):
		fmt.Fprintf(e.err, "%s: %s\n(%s -h explains its flags)\n", name, plain.Lines(err.Error()), name)
		return exitUsage
	case err != nil:
		fmt.Fprintf(e.err, "%s: %s\n", name, plain.Lines(err.Error()))
		return max(code, exitFail)
	}
	return code
}

func usage(w io.Writer, list []command, name string, code int) int {
	fmt.Fprintf(w, "usage: %s COMMAND [flags]\n\n", name)
	for _, c := range list {
		fmt.Fprintf(w, "  %-10s %s\n", c.name, c.short)
	}
	fmt.Fprintf(w, "\n%s COMMAND -h explains a command and its flags.\n", name)
	return code
}
