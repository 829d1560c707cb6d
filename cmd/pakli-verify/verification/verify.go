// Package verification has the commands of pakli-verify: they verify a table, many tables or an event
// from the log alone, follow a growing log, and check files of evidence. Exit codes are verdicts.
package verification

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/tableset"
)

const (
	exitCannot = 1
	exitKeeper = 9 // evidence convicts a keeper, and no log or seat
)

// Main runs pakli-verify as a process and does not return.
func Main() {
	setCollector(os.LookupEnv)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := Run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Run runs one command line and returns its exit code.
func Run(ctx context.Context, args []string, out, errs io.Writer) int {
	return command.Dispatch(ctx, command.Env{Out: out, Err: errs}, Commands(), "pakli-verify", args)
}

// Commands returns the commands of pakli-verify; the first has no name.
func Commands() []command.Command {
	return []command.Command{
		{Short: "say what is true of a table, of many, or of an event", Arguments: "URL|DIR|BUNDLE...", Declare: verifyCommand, Examples: []string{
			"pakli-verify --log KEY game.pakli",
			"pakli-verify --log KEY --table 3fa9 https://cards.example",
			"pakli-verify --log KEY --all --format html -o reports https://cards.example"}},
		{Name: "follow", Short: "verify a log and its tables as they grow, and keep evidence", Arguments: "URL", NoJSON: "it tells for as long as it follows; what it found wrong is a file of evidence", Declare: followCommand,
			Examples: []string{"pakli-verify follow https://cards.example --log KEY --state followed"}},
		{Name: "evidence", Short: "say what a file of evidence proves", Arguments: "FILE", Examples: []string{"pakli-verify evidence followed/evidence --log KEY"}, Declare: evidenceCommand},
		command.Completion("pakli-verify", Commands),
		command.Manual("pakli-verify", "say what is true of a card table, from its log alone", Commands),
		command.Version(),
	}
}

// arguments holds the parsed command line.
type arguments struct {
	sources []string // one source, or several bundles
	trust
	id       wire.Hash
	many     selection
	event    eventFlags
	believed []string
	against  []string
	time     verifier.Degree
	held     []string
	json     bool
	partial  bool
	words    *wording
	notices  io.Writer // for notices, which are no errors
}

func verifyCommand(f *command.Flags) command.Body {
	a := &arguments{words: inLocale()}
	a.addFlags(f)
	return func(ctx context.Context, e command.Env) error {
		a.sources, a.notices = f.Args(), e.Err
		if err := cmp.Or(a.checkFlags(f), a.trust.completeKeys()); err != nil {
			return command.Misuse(err)
		}
		return command.ExitWith(a.runTold(ctx, e.Out, e.Loud()), nil)
	}
}

// runTold verifies, writes the requested report, and returns the exit code.
func (a *arguments) runTold(ctx context.Context, out, errs io.Writer) int {
	if a.event.wanted {
		return runEvent(ctx, *a, out, errs)
	}
	if a.many.wantsMany() {
		return runMany(ctx, *a, out, errs)
	}
	report, err := verifyTable(ctx, *a)
	if err != nil {
		return a.tellCannot(out, errs, err)
	}
	if a.partial {
		report.CountPartial()
	}
	if a.json {
		err = plain.JSON(out, report)
	} else {
		err = a.words.tellReport(out, errs, report)
	}
	if err != nil {
		complain(errs, "%v", err)
		return exitCannot
	}
	return report.Verdict.ExitCode()
}

// complain writes a line that is no verdict. Strangers may have chosen parts of it: servers, their
// certificates, the sender of a bundle.
func complain(w io.Writer, format string, args ...any) {
	fmt.Fprintf(w, "pakli-verify: %s\n", plain.Lines(fmt.Sprintf(format, args...)))
}

func (a *arguments) addFlags(f *command.Flags) {
	a.trust.addFlags(f)
	f.Func("against", "`source`, a URL, directory or bundle of the same log, to compare with: it shows entries that were left out, and a log with two histories; may be repeated", func(s string) error {
		a.against = append(a.against, s)
		return nil
	})
	a.many.addFlags(f)
	a.event.addFlags(f)
	f.BoolVar(&a.json, "json", false, "print the verdict as one JSON object; --format json prints the whole report")
	f.BoolVar(&a.partial, "partial", false, "count the finished deals of a table that is not over, or that ended with a foul: each of them is proved")
	a.words.addFlags(f)
	f.Func("time", "`evidence` that a time-out must rest on: attested is a quorum of keepers that --policy names as cosigners; silent is attested, and that these have said that they hold no message of the seat. A table with less cannot be checked", func(s string) (err error) {
		a.time, err = verifier.ParseDegree(s)
		return err
	})
	f.Offer("time", string(verifier.Attested), string(verifier.Silent))
	f.Func("held", "`file` with a message that keepers held, as pakli play keeps it: it undoes the time-out of its seat if a keeper of --policy, named there with its key for lines, had it in time; may be repeated", func(s string) error {
		a.held = append(a.held, s)
		return nil
	})
	f.Func("checkpoint", "`file` with a checkpoint seen earlier, of which the log must be a continuation; may be repeated", func(s string) error {
		a.believed = append(a.believed, s)
		return nil
	})
}

// checkFlags returns an error if flags do not fit together. It refuses a flag without effect, so that
// nobody relies on it.
func (a *arguments) checkFlags(f *command.Flags) (err error) {
	bundles := slices.IndexFunc(a.sources, func(s string) bool { return !isFile(s) }) < 0
	if a.many.bundles = len(a.sources) > 1; a.many.bundles && !bundles || len(a.sources) == 0 {
		return fmt.Errorf("%d arguments; want the URL of a log, the directory of a mirror, or one or more bundles", len(a.sources))
	}
	for _, words := range []string{"format", "lang", "o"} {
		if a.json && f.IsGiven(words) {
			return fmt.Errorf("--%s changes nothing of --json: say --format json", words)
		}
	}
	if err := a.event.checkFlags(a, f); err != nil || a.event.wanted {
		return err
	}
	if f.IsGiven("workers") && (!a.many.wantsMany() || a.many.bundles) {
		return errors.New("--workers changes nothing here: it is for several tables of a log")
	}
	if a.many.wantsMany() && !a.many.bundles && f.IsGiven("against") {
		return errors.New("--against: several tables of a log cannot be compared with other sources: compare one, or bundles")
	}
	if f.IsGiven("held") && !f.IsGiven("policy") {
		return errors.New("--held: without --policy no keeper is known")
	}
	if f.IsGiven("time") && !f.IsGiven("policy") {
		return errors.New("--time: without --policy no keeper is known")
	}
	a.id, err = a.many.soleTable(bundles)
	if _, missing := os.Stat(a.sources[0]); err != nil && missing != nil && !strings.Contains(a.sources[0], "://") {
		return fmt.Errorf("there is no file or directory %s, and it is no URL", a.sources[0])
	}
	return err
}

func verifyTable(ctx context.Context, a arguments) (*verifier.Report, error) {
	source, err := openSource(ctx, a, a.sources[0])
	if err != nil {
		return nil, err
	}
	showKeys(source, a)
	id, err := tableOf(source, a.id)
	if err != nil {
		return nil, err
	}
	if id, err = a.many.chooseTable(ctx, source, id); err != nil {
		return nil, err
	}
	o, err := verifyOptions(ctx, a)
	if err != nil {
		return nil, err
	}
	o.Table = id
	return a.verifyAndTell(ctx, source, o)
}

func verifyOptions(ctx context.Context, a arguments) (o tableset.AgainstOptions, err error) {
	o.Options = verifier.Options{Log: a.verifiers(), Policy: a.policy, Catalogue: catalogue(), Time: a.time}
	for _, file := range a.believed {
		b, err := os.ReadFile(file)
		if err != nil {
			return o, err
		}
		c, err := tlog.OpenCheckpoint(b, a.verifiers()...)
		if err != nil {
			return o, fmt.Errorf("%s: %w", file, err)
		}
		o.Believed = append(o.Believed, c)
	}
	for _, file := range a.held {
		m, err := readHeld(file, a.policy)
		if err != nil {
			return o, fmt.Errorf("%s: %w", file, err)
		}
		o.Held = append(o.Held, m)
	}
	for _, other := range a.against {
		src, err := openSource(ctx, a, other)
		if err != nil {
			return o, err
		}
		o.Against = append(o.Against, src)
	}
	return o, nil
}

// readHeld reads a file with a message that keepers held, and refuses it if it can change nothing.
func readHeld(file string, p *tlog.Policy) (m keeper.Message, err error) {
	b, err := durable.ReadFile(file, exchange.MaxFile)
	if err != nil {
		return m, err
	}
	if m, err = exchange.Parse(b); err != nil {
		return m, err
	}
	return m, verifier.CheckHeld(m, p)
}
