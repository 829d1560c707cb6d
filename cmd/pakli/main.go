// Command pakli serves a log with card tables, plays at them, and shows a whole
// game at once. "pakli help" lists its commands.
//
// Flags may come before and after arguments. A table may be named by the first digits of its id. Exit
// codes: 0 done, 1 failed, 2 wrong usage; demo and score exit like pakli-verify.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/pakli/pakli/cmd/pakli/bench"
	"github.com/pakli/pakli/cmd/pakli/casefile"
	"github.com/pakli/pakli/cmd/pakli/cluster"
	"github.com/pakli/pakli/cmd/pakli/copies"
	"github.com/pakli/pakli/cmd/pakli/cosign"
	"github.com/pakli/pakli/cmd/pakli/demo"
	"github.com/pakli/pakli/cmd/pakli/event"
	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/cmd/pakli/play"
	"github.com/pakli/pakli/cmd/pakli/serve"
	"github.com/pakli/pakli/cmd/pakli/tables"
	"github.com/pakli/pakli/internal/command"
)

// serves is the reason why a server has no --json.
const serves = "it answers until it is told to stop, and says where on standard output"

func commands() []command.Command {
	return []command.Command{
		{Group: "Play", Name: "demo", Short: "play a whole game on this machine, from shuffle to verdict", Declare: demo.Demo,
			Examples: []string{"pakli demo", "pakli demo --deals 3 --lang de"}},
		{Name: "seat", Short: "make a player's key and its file", Arguments: "NAME", Declare: play.Seat,
			Examples: []string{"pakli seat anna"}},
		{Name: "play", Short: "play a seat of a table, as a person or a bot", NoJSON: "it is for somebody who plays", Declare: play.Play,
			Examples: []string{"pakli play --seat anna.seat --table 3fa9", "pakli play --seat bot.seat --table 3fa9 --bot"}},
		{Name: "table", Short: "create, offer, join, list and watch tables", Commands: tables.Commands()},
		{Name: "rules", Short: "list the rule sets of a game, or in what two of them differ", Arguments: "GAME [SET [SET]]", List: true, Declare: tables.Rules,
			Examples: []string{"pakli rules " + flags.GameNames()[0]}},
		{Name: "score", Short: "replay and score a game record, or find the rule that it breaks", Commands: tables.ScoreCommands()},
		{Group: "Organise", Name: "event", Short: "announce, run and follow competitions", Commands: event.Commands()},
		{Name: "serve", Short: "serve a log and its tables", NoJSON: serves, Declare: serve.Serve,
			Examples: []string{"pakli serve", "pakli serve --data /var/lib/pakli --listen :8080"}},
		{Name: "ready", Short: "ask the server of this machine whether it is ready, as a health check", NoJSON: "it says nothing when all is well; what is not is at /readyz, as JSON", Declare: serve.Ready,
			Examples: []string{"pakli ready --data /var/lib/pakli"}},
		{Name: "web", Short: "serve the pages from this machine, for a log elsewhere", NoJSON: serves, Declare: serve.Web,
			Examples: []string{"pakli web --server https://cards.example --log KEY"}},
		{Group: "Keep", Name: "bundle", Short: "keep a table in one file that can be verified offline", Arguments: "ID...", List: true, Declare: copies.Bundle,
			Examples: []string{"pakli bundle 3fa9", "pakli bundle --all -o bundles"}},
		{Name: "case", Short: "make a folder of evidence for a dispute: bundle, reports, key and how to check them", Arguments: "[ID]", Declare: casefile.Case,
			Examples: []string{"pakli case 3fa9", "pakli case --event k3m9p2xa --lang de"}},
		{Name: "mirror", Short: "copy a log to a directory, for pakli-verify", Arguments: "URL DIR", Declare: copies.Mirror,
			Examples: []string{"pakli mirror https://cards.example copy --log KEY", "pakli mirror https://cards.example copy --log KEY --every 10m"}},
		{Name: "cosign", Short: "cosign checkpoints of other people's logs", NoJSON: serves, Examples: []string{"pakli cosign --name cosign.example --log KEY"}, Declare: cosign.Cosign},
		{Group: "Operate", Name: "key", Short: "show and change the keys of a log", Arguments: "show|next|switch|retire|mldsa", List: true, Declare: serve.Key,
			Examples: []string{"pakli key --data /var/lib/pakli show"}},
		{Name: "logs", Short: "sign the list of an operator's logs", NoJSON: "a list of logs is a signed note", Examples: []string{"pakli logs --key operator.key --log 'KEY https://cards.example'"}, Declare: serve.Logs},
		{Name: "backup", Short: "take a backup of a log and verify it", Arguments: "DIR", Examples: []string{"pakli backup /backup/cards --server https://cards.example"}, Declare: copies.Backup},
		{Name: "restore", Short: "make a log of a backup again", Arguments: "BACKUP", Examples: []string{"pakli restore /backup/cards --data new --newest old"}, Declare: copies.Restore},
		{Name: "cluster", Short: "keep a log on a cluster of several machines", Commands: cluster.Commands()},
		{Group: "Build and measure", Name: "suites", Short: "list the suites and what a shuffle costs", Examples: []string{"pakli suites --cards 32 --suite ristretto255-bayergroth/v1"}, Declare: bench.Suites},
		{Name: "toolbox", Short: "play a script of card operations on a log, and verify it", Arguments: "FILE", Examples: []string{"pakli toolbox docs/toolbox/operations.txt"}, Declare: demo.Toolbox},
		{Name: "bench", Short: "measure proofs and the log", Commands: bench.Commands()},
		command.Completion("pakli", commands),
		command.Manual("pakli", "card tables that nobody has to trust", commands),
		command.Version(),
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := command.Dispatch(ctx, command.Env{Out: os.Stdout, Err: os.Stderr}, commands(), "pakli", os.Args[1:])
	stop()
	os.Exit(code)
}
