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
	"os"
	"os/signal"
	"syscall"

	"github.com/pakli/pakli/cmd/pakli/bench"
	"github.com/pakli/pakli/cmd/pakli/cluster"
	"github.com/pakli/pakli/cmd/pakli/command"
	"github.com/pakli/pakli/cmd/pakli/copies"
	"github.com/pakli/pakli/cmd/pakli/cosign"
	"github.com/pakli/pakli/cmd/pakli/demo"
	"github.com/pakli/pakli/cmd/pakli/event"
	"github.com/pakli/pakli/cmd/pakli/play"
	"github.com/pakli/pakli/cmd/pakli/rules"
	"github.com/pakli/pakli/cmd/pakli/serve"
	"github.com/pakli/pakli/cmd/pakli/tables"
)

func commands() []command.Command {
	return []command.Command{
		{Name: "demo", Short: "play a whole game and verify it", Declare: demo.Demo},
		{Name: "serve", Short: "serve a log and its tables", Declare: serve.Serve},
		{Name: "web", Short: "serve the pages from this machine, for a log elsewhere", Declare: serve.Web},
		{Name: "seat", Short: "make a player's seat file", Arguments: "NAME", Declare: play.Seat},
		{Name: "table", Short: "create, list and watch tables", Commands: tables.Commands()},
		{Name: "event", Short: "announce, run and follow competitions", Commands: event.Commands()},
		{Name: "play", Short: "play a seat of a table", Declare: play.Play},
		{Name: "score", Short: "replay and score a game record", Commands: rules.ScoreCommands()},
		{Name: "rules", Short: "list rule sets of a game, or in what two differ", Arguments: "GAME [SET [SET]]", Declare: rules.Rules},
		{Name: "toolbox", Short: "play a script of card operations on a log, and verify it", Arguments: "FILE", Declare: demo.Toolbox},
		{Name: "suites", Short: "list the suites and what a shuffle costs", Declare: bench.Suites},
		{Name: "key", Short: "show and change the keys of a log", Arguments: "show|next|switch|retire|mldsa", Declare: serve.Key},
		{Name: "logs", Short: "sign the list of an operator's logs", Declare: serve.Logs},
		{Name: "cluster", Short: "keep a log on a cluster of several machines", Commands: cluster.Commands()},
		{Name: "cosign", Short: "cosign checkpoints of other people's logs", Declare: cosign.Cosign},
		{Name: "mirror", Short: "copy a log's checkpoint and entries to a directory", Arguments: "URL DIR", Declare: copies.Mirror},
		{Name: "backup", Short: "take a backup of a log and verify it", Arguments: "DIR", Declare: copies.Backup},
		{Name: "restore", Short: "make a log of a backup again", Arguments: "BACKUP", Declare: copies.Restore},
		{Name: "bundle", Short: "keep a table in one file that can be verified offline", Arguments: "ID...", Declare: copies.Bundle},
		{Name: "bench", Short: "measure proofs and the log", Commands: bench.Commands()},
		command.Completion(commands),
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := command.Dispatch(ctx, command.Env{Out: os.Stdout, Err: os.Stderr}, commands(), "pakli", os.Args[1:])
	stop()
	os.Exit(code)
}
