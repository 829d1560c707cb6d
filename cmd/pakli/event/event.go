// Package event has the commands of pakli event, which announce, enter, run and verify an event, and
// rule in it.
package event

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/client/organiser"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/internal/version"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/events"
	"github.com/pakli/pakli/verifier/events/results"
	"github.com/pakli/pakli/verifier/report"
	"github.com/pakli/pakli/verifier/tableset"
)

// Commands returns the commands of pakli event.
func Commands() []command.Command {
	list := []command.Command{
		{Name: "init", Short: "write a file that describes an event, to begin with", Arguments: "FILE", Examples: []string{"pakli event init cup.conf"}, Declare: initCommand},
		{Name: "create", Short: "announce an event that a file describes", Arguments: "FILE", Examples: []string{"pakli event create cup.conf"}, Declare: createCommand},
		{Name: "list", Short: "list the events of a server", List: true, Examples: []string{"pakli event list"}, Declare: listCommand},
		{Name: "results", Short: "verify an event and print its standings", Arguments: "EVENT", Examples: []string{"pakli event results WK8WZCVD", "pakli event results WK8WZCVD --format html"}, Declare: resultsCommand},
		{Name: "sheets", Short: "write results, seatings and score sheets, for print", Arguments: "EVENT", Examples: []string{"pakli event sheets WK8WZCVD -o sheets"}, Declare: sheetsCommand},
		{Name: "bundle", Short: "write an event and its tables to files that can be verified offline", Arguments: "EVENT", List: true, Examples: []string{"pakli event bundle WK8WZCVD -o cup"}, Declare: bundleCommand},
		{Name: "watch", Short: "print the standings whenever they change, or somebody has said or decided something", Arguments: "EVENT", NoJSON: "it prints again and again: event results --json is the last of it", Examples: []string{"pakli event watch WK8WZCVD --every 1m"}, Declare: watchCommand},
		{Name: "run", Short: "run an event from its roster to its final standings", Arguments: "EVENT", NoJSON: "it prints for as long as the event lasts: event results --json is what came of it", Examples: []string{"pakli event run WK8WZCVD --players 16"}, Declare: runCommand},
	}
	for _, c := range []struct{ name, short, typed string }{
		{"register", "ask for a place in an event", "--seat anna.seat"}, {"withdraw", "leave an event", "--seat anna.seat"},
		{"skip", "stay away for a round", "--round 2 --seat anna.seat"}, {"appeal", "ask the jury for another ruling", "--ruling 57 --reason TEXT --seat anna.seat"},
		{"call", "call an arbiter to a table", "--table 1/3 --reason TEXT --seat anna.seat"}, {"roster", "accept those who have registered", ""},
		{"plan", "publish a plan of seatings", ""}, {"draw", "draw the lots", ""}, {"seat", "seat the next round", ""}, {"start", "begin the tables of the round", ""},
		{"rule", "rule, as an arbiter or the jury", "--do penalty --player 2 --points 2:-7 --reason TEXT --seat arbiter.seat"},
		{"answer", "uphold or overturn a ruling, as the jury", "--ruling 57 --do uphold --reason TEXT --seat jury.seat"},
		{"arbiters", "say who rules from now on, and who the jury is", "--arbiter arbiter.seat.pub --jury none"}, {"groups", "say which players are kept apart from the next draw on, families and pairs", "--group 3,7 --group 4,12,15"}, {"remark", "tell everybody something", "--reason TEXT"},
		{"cancel", "say that the event is not held", "--reason TEXT"}, {"final", "publish the final standings", ""},
	} {
		list = append(list, command.Command{Name: c.name, Short: c.short, Arguments: "EVENT", List: true, Examples: []string{strings.TrimSpace("pakli event " + c.name + " WK8WZCVD " + c.typed)}, Declare: func(f *command.Flags) command.Body {
			return sayCommand(f, c.name)
		}})
	}
	return list
}

func createCommand(f *command.Flags) command.Body {
	s := flags.ServerOf(f)
	organiser := flags.SeatOf(f, "organiser", "organiser.seat", "the organiser's seat `file`; made if it does not exist")
	dry := flags.DryRun(f)
	return func(ctx context.Context, e command.Env) error {
		var signer note.Signer
		var key string
		if *dry {
			var err error
			if signer, key, err = organiser.OpenToTry(); err != nil {
				return err
			}
		} else {
			id, err := organiser.OpenOrCreate(e) // its public half may be an arbiter's key
			if err != nil {
				return err
			}
			defer id.Close()
			signer, key = id.Signer(), id.VerifierKey()
		}
		file, err := os.Open(f.Arg(0))
		if err != nil {
			return command.Misuse(err)
		}
		defer file.Close()
		terms, err := readEvent(file, time.Now().Format(time.DateOnly), map[string]string{organiser.File + ".pub": key})
		if err != nil {
			return command.Misuse(fmt.Errorf("%s:\n%w", f.Arg(0), err))
		}
		entry, err := Announce(terms, signer, key)
		if err != nil {
			return command.Misuse(fmt.Errorf("%s: %w", f.Arg(0), err))
		}
		if *dry {
			return e.Say(map[string]any{"dry_run": true, "terms": terms}, "%s\nnothing was posted\n", describeEvent(terms))
		}
		c, err := s.Dial(ctx, e)
		if err == nil {
			err = flags.CheckTimed(ctx, c, terms.Clock)
		}
		if err != nil {
			return err
		}
		if _, err := c.Announce(ctx, entry); err != nil {
			return err
		}
		hash := wire.HashEntry(entry)
		code, shown := hash.Code()[:wire.MinCode], plain.Address(s.URL)
		fmt.Fprintf(e.Err, "code %s\nplayers register with: %s --seat NAME.seat --name \"…\"\nhow it stands: %s/events/%s\n", code, command.Line("pakli", "event", "register", code, "--server", shown), strings.TrimRight(shown, "/"), code)
		return e.Say(map[string]string{"event": hash.String(), "code": code}, "%s\n", hash)
	}
}

//go:embed example.conf
var example string

// initCommand writes an event's file to start with.
func initCommand(f *command.Flags) command.Body {
	return func(_ context.Context, e command.Env) error {
		file, err := os.OpenFile(f.Arg(0), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return command.Misuse(err)
		}
		_, err = file.WriteString(example)
		if err = errors.Join(err, file.Close()); err != nil {
			return err
		}
		return e.Say(map[string]string{"file": f.Arg(0)}, "change what differs, look at it with %s, and announce it with %s\n",
			command.Line("pakli", "event", "create", f.Arg(0), "--dry-run"), command.Line("pakli", "event", "create", f.Arg(0)))
	}
}

func listCommand(f *command.Flags) command.Body {
	s := flags.ServerOf(f)
	return func(ctx context.Context, e command.Env) error {
		c, err := s.Dial(ctx, e)
		if err != nil {
			return err
		}
		return flags.EachEvent(ctx, c, func(v client.Event) {
			_ = e.Say(v, "%s  %s  %s  %s\n", v.ID, cmp.Or(v.From, "          "), v.Game, plain.Text(v.Name))
		})
	}
}

// tellRead shows on a terminal how much of a log was read.
func tellRead(e command.Env) func(entries uint64, tables int) {
	p := flags.NewProgress(e.Err)
	if !p.Terminal {
		return nil
	}
	return func(entries uint64, tables int) {
		fmt.Fprintf(e.Err, flags.Wipe+"verified %d entries of the log, tables of the event: %d", entries, tables)
	}
}

// VerifyEvent verifies an event.
func VerifyEvent(ctx context.Context, e command.Env, s *flags.Server, c *client.Client, id wire.Hash) (*events.VerifiedEvent, error) {
	defer flags.ClearBar(e)
	return refuseBroken(events.Verify(ctx, c, verifyOptions(e, s.Verifiers(), id)))
}

// verifyNamed verifies the event that a person names.
func verifyNamed(ctx context.Context, e command.Env, s *flags.Server, text string) (*client.Client, *events.VerifiedEvent, error) {
	c, id, err := s.FindEvent(ctx, e, text)
	if err != nil {
		return nil, nil, err
	}
	v, err := VerifyEvent(ctx, e, s, c, id)
	return c, v, err
}

func verifyOptions(e command.Env, log []note.Verifier, id wire.Hash) events.Options {
	return events.Options{Event: id, Options: tableset.Options{Options: verifier.Options{Log: log, Catalogue: flags.Catalogue()}, Progress: tellRead(e)}}
}

// refuseBroken returns an error if the event's log is broken.
func refuseBroken(v *events.VerifiedEvent, err error) (*events.VerifiedEvent, error) {
	if err == nil && v.Log.Verdict == verifier.LogBroken {
		english, _ := report.LanguageOf("en")
		err = errors.New(report.Headline(v.Log, english))
	}
	return v, err
}

// SumResults returns an event in words, with everything that counts.
func SumResults(v *events.VerifiedEvent, l report.Language) *results.Results {
	r := results.Sum(v, l, event.LeftOutLayers{})
	r.Written = report.Provenance{Version: version.Read().String(), Date: time.Now().Truncate(time.Second)}
	return r
}

func resultsCommand(f *command.Flags) command.Body {
	s := flags.ServerOf(f)
	lang := flags.LanguageOf(f)
	format := f.String("format", "text", "text, json, html or csv")
	return func(ctx context.Context, e command.Env) error {
		if !slices.Contains([]string{"text", "json", "html", "csv"}, *format) {
			return command.WrongUsage("--format %s: want text, json, html or csv", *format)
		}
		_, v, err := verifyNamed(ctx, e, s, f.Arg(0))
		if err != nil {
			return err
		}
		r := SumResults(v, lang.Reports())
		written := map[string]func(io.Writer) error{"text": r.Text, "json": r.JSON, "html": r.HTML, "csv": r.CSV}
		return command.ExitWith(v.ExitCode(), e.SayText(r, written[*format]))
	}
}

func watchCommand(f *command.Flags) command.Body {
	s := flags.ServerOf(f)
	lang := flags.LanguageOf(f)
	every := f.Duration("every", 10*time.Second, "how often to look")
	return func(ctx context.Context, e command.Env) error {
		c, id, err := s.FindEvent(ctx, e, f.Arg(0))
		if err != nil {
			return err
		}
		live := events.NewLive(ctx, c, verifyOptions(e, s.Verifiers(), id))
		for last := ""; ; {
			v, err := refuseBroken(live.Look(ctx))
			flags.ClearBar(e)
			if err != nil {
				return err
			}
			var b bytes.Buffer
			if err := SumResults(v, lang.Reports()).Text(&b); err != nil {
				return err
			}
			if now := fmt.Sprint(v.Digest, len(v.History.Notices), len(v.History.Decisions)); now != last {
				last = now
				fmt.Fprintln(e.Out, b.String())
			}
			if v.History.Final != nil || v.History.Canceled != nil {
				return command.ExitWith(v.ExitCode(), nil)
			}
			if err := command.Wait(ctx, *every); err != nil {
				return err
			}
		}
	}
}

// Speech is a notice or decision of somebody in an event.
type Speech struct {
	Name                       string
	Who, club, ticket, reason  string
	Draw                       bool
	Round, deal, player        int
	ruling, table, do, instead string
	points                     []bulletin.PlayerPoints
	arbiters, jury             []string
	groups                     [][]int
	cancel                     flags.ForGood
	dry                        bool
}

func (p *Speech) addFlags(f *command.Flags) {
	is := func(names ...string) bool { return slices.Contains(names, p.Name) }
	if is("register") {
		f.StringVar(&p.Who, "name", "", "what people call you, in any script (default: the name in your key)")
		f.StringVar(&p.club, "club", "", "your club")
		f.BoolVar(&p.Draw, "draw", false, "help to draw the lots for the seats, if you are asked")
		f.StringVar(&p.ticket, "ticket", "", "`text` that the organiser gave you, where the event admits only with a ticket")
	}
	if is("withdraw", "skip", "rule") {
		f.IntVar(&p.Round, "round", 0, "`number` of the round; with withdraw, the first that you do not play")
	}
	if is("appeal", "answer") {
		f.StringVar(&p.ruling, "ruling", "", "the ruling: the number of its entry, or its `hash` or the first 8 digits of that")
	}
	if is("call", "rule") {
		f.StringVar(&p.table, "table", "", "the table: `ROUND/NUMBER`, its id or its code")
	}
	if is("cancel") {
		p.cancel.AddFlags(f)
	}
	if is("appeal", "call", "rule", "answer", "remark") {
		f.StringVar(&p.reason, "reason", "", "what everybody reads: the reason, or the text of a remark")
	}
	if is("arbiters") {
		keys := func(list *[]string) func(string) error {
			return func(s string) error {
				if s == "none" && len(*list) == 0 {
					*list = []string{}
					return nil
				}
				key, err := flags.SeatKey(s)
				*list = append(*list, key)
				return err
			}
		}
		f.Func("arbiter", "`key`, or its .pub file, of an arbiter from now on; repeat for each, or say none", keys(&p.arbiters))
		f.Func("jury", "`key`, or its .pub file, of somebody who decides on appeals from now on; repeat for each, or say none", keys(&p.jury))
	}
	if is("groups") {
		f.Func("group", "`NUMBERS` of players who are kept apart, as 3,7; repeat for each group: they replace those before; none for no group", func(s string) (err error) {
			if s == "none" && len(p.groups) == 0 {
				p.groups = [][]int{}
				return nil
			}
			var group []int
			for _, word := range strings.Split(s, ",") {
				n, wrong := strconv.Atoi(word)
				err = errors.Join(err, wrong)
				group = append(group, n)
			}
			p.groups = append(p.groups, group)
			return err
		})
	}
	if is("rule", "answer") {
		f.StringVar(&p.do, "do", "", "what the ruling does: adjust, penalty, disqualify, replay, substitute, correct, stands; for answer: uphold or overturn")
	}
	if is("rule") {
		f.IntVar(&p.deal, "deal", 0, "`number` of the deal (default: the whole table)")
		f.IntVar(&p.player, "player", 0, "`number` of the player on the roster")
		f.StringVar(&p.instead, "instead", "", "with --do replay: id or code of the `table` that counts instead")
		f.Func("points", "points of a player, `NUMBER:POINTS`; repeat for each", func(s string) error {
			number, points, _ := strings.Cut(s, ":")
			n, err := strconv.Atoi(number)
			m, wrong := strconv.Atoi(points)
			if err != nil || wrong != nil {
				return errors.New("want NUMBER:POINTS, as 17:-20")
			}
			p.points = append(p.points, bulletin.PlayerPoints{Player: n, Points: m})
			return nil
		})
	}
}

// checkFlags refuses impossible flags.
func (p *Speech) checkFlags() error {
	switch {
	case p.Name == "arbiters" && (p.arbiters == nil || p.jury == nil):
		return command.WrongUsage("both lists are replaced: name every --arbiter and every --jury, or none")
	case p.Name == "groups" && p.groups == nil:
		return command.WrongUsage("--group is missing: name every group, or none")
	case p.Name == "remark":
		return flags.MustSay(p.reason)
	case p.Name == "cancel":
		return p.cancel.CheckReason()
	}
	return p.complete()
}

// wants are the flags that a notice or decision needs, by its name, and those of rulings by what they
// do (docs/spec/55-events.md, 55.4.1).
var wants = map[string][]string{
	"appeal": {"ruling"}, "call": {"table"}, "answer": {"ruling", "do"}, "rule": {"do"},
	bulletin.RuleAdjust: {"table", "points"}, bulletin.RulePenalty: {"player", "points"}, bulletin.RuleDisqualify: {"player", "round"},
	bulletin.RuleReplay: {"table", "instead"}, bulletin.RuleSubstitute: {"table", "player"}, bulletin.RuleCorrect: {"reason"}, bulletin.RuleStands: {"table"},
	bulletin.RuleUphold: {"ruling"}, bulletin.RuleOverturn: {"ruling"},
}

// complete reports a missing flag, or a ruling of an unknown kind.
func (p *Speech) complete() error {
	list := []string{bulletin.RuleAdjust, bulletin.RulePenalty, bulletin.RuleDisqualify, bulletin.RuleReplay, bulletin.RuleSubstitute, bulletin.RuleCorrect, bulletin.RuleStands}
	if p.Name == "answer" {
		list = []string{bulletin.RuleUphold, bulletin.RuleOverturn}
	}
	if p.do != "" && !slices.Contains(list, p.do) {
		return command.WrongUsage("--do %s: want one of %s", p.do, strings.Join(list, ", "))
	}
	given := map[string]bool{"ruling": p.ruling != "", "table": p.table != "", "do": p.do != "", "points": len(p.points) > 0,
		"player": p.player != 0, "round": p.Round != 0, "instead": p.instead != "", "reason": p.reason != ""}
	for _, name := range slices.Concat(wants[p.Name], wants[p.do]) {
		if !given[name] {
			return command.WrongUsage("--%s is missing", name)
		}
	}
	return nil
}

// sayCommand posts a notice or a decision.
func sayCommand(f *command.Flags, name string) command.Body {
	s := flags.ServerOf(f)
	isNotice := slices.Contains([]string{"register", "withdraw", "skip", "appeal", "call"}, name)
	usual, whose := "organiser.seat", "your seat `file`: the organiser's, an arbiter's or the jury's"
	if isNotice {
		usual, whose = "", "your seat `file`"
	}
	file := flags.SeatOf(f, "seat", usual, whose)
	p := Speech{Name: name, points: []bulletin.PlayerPoints{}}
	p.addFlags(f)
	dry := flags.DryRun(f)
	return func(ctx context.Context, e command.Env) error {
		p.dry = *dry
		if err := p.checkFlags(); err != nil {
			return err
		}
		id, err := file.OpenShared() // notices and decisions are in no journal
		if err != nil {
			return err
		}
		defer id.Close()
		c, hash, err := s.FindEvent(ctx, e, f.Arg(0))
		if err != nil {
			return err
		}
		d := NewDirection(e, s, c, hash, id, file.File)
		if d.dry = p.dry; d.dry {
			d.Try = d.tryDecision
		}
		if err := p.resolve(ctx, d); err != nil {
			return err
		}
		if isNotice {
			err := p.PostNotice(ctx, e, c, hash, id)
			if err == nil && name == "register" && !p.dry {
				fmt.Fprintf(e.Err, "%s waits for the organiser's answer; play with: %s\n", p.Who, command.Line("pakli", "play", "--event", hash.Code()[:wire.MinCode], "--server", plain.Address(s.URL), "--seat", file.File))
			}
			return err
		}
		return d.decide(ctx, p)
	}
}

// resolve completes a person's names of tables and rulings to whole ids. The verified log says which
// table is at a place, or which ruling is meant: anybody may begin a table that claims the same place
// of the event.
func (p *Speech) resolve(ctx context.Context, d *Direction) (err error) {
	verified := sync.OnceValues(func() (*events.VerifiedEvent, error) { return d.verifyEvent(ctx) })
	for _, text := range []*string{&p.table, &p.instead} {
		if round, number, placed := strings.Cut(*text, "/"); placed {
			*text, err = tableAt(verified, round, number)
		} else if *text != "" {
			var table wire.Hash
			table, err = flags.TableNamed(ctx, d.Client, *text)
			*text = table.String()
		}
		if err != nil {
			return err
		}
	}
	if p.ruling != "" {
		p.ruling, err = rulingNamed(verified, p.ruling)
	}
	if err == nil && p.deal != 0 && p.table != "" {
		err = checkDeal(verified, p.table, p.deal)
	}
	return err
}

// checkDeal refuses a deal that a table of the event does not have, or not yet.
func checkDeal(verified func() (*events.VerifiedEvent, error), table string, deal int) error {
	v, err := verified()
	if err != nil {
		return err
	}
	for _, t := range v.Sheets {
		if t.ID.String() != table || t.HasDeal(deal) {
			continue
		}
		var over []string
		for _, l := range t.Lines {
			if l.Deal > 0 {
				over = append(over, strconv.Itoa(l.Deal))
			}
		}
		return command.WrongUsage("--deal %d: the deals that are over at this table are: %s", deal, cmp.Or(strings.Join(over, ", "), "none"))
	}
	return nil
}

// tableAt returns the table that counts at a place.
func tableAt(verified func() (*events.VerifiedEvent, error), round, number string) (string, error) {
	r, err := strconv.Atoi(round)
	n, wrong := strconv.Atoi(number)
	if err != nil || wrong != nil || r < 1 {
		return "", command.WrongUsage("--table %s/%s: want the round and the number of the table in it, as 3/17", round, number)
	}
	v, err := verified()
	if err != nil {
		return "", err
	}
	for _, at := range v.Judgement.Tables {
		if at.Round == r && at.Number == n && at.Table != nil {
			return at.Table.ID.String(), nil
		}
	}
	return "", command.WrongUsage("--table %s/%s: the event has no such table", round, number)
}

// rulingNamed returns a ruling by its entry, or by the beginning of its hash.
func rulingNamed(verified func() (*events.VerifiedEvent, error), text string) (string, error) {
	if _, err := wire.ParseHash(text); err == nil {
		return text, nil
	}
	v, err := verified()
	if err != nil {
		return "", err
	}
	var found []string
	text = entrySpelling.Replace(text)
	for _, r := range v.History.Rulings {
		if len(text) >= wire.MinCode && strings.HasPrefix(r.Hash.String(), text) || strconv.FormatUint(r.Index, 10) == text {
			found = append(found, r.Hash.String())
		}
	}
	if len(found) != 1 {
		return "", command.WrongUsage("--ruling %s: no such ruling, or several; pakli event results lists them with the numbers of their entries", text)
	}
	return found[0], nil
}

// entrySpelling removes the separators that results put between the digits of an entry's number, in
// any language.
var entrySpelling = strings.NewReplacer(",", "", ".", "", " ", "", "\u00a0", "", "\u202f", "", "’", "")

// PostNotice posts a notice.
func (p *Speech) PostNotice(ctx context.Context, e command.Env, c *client.Client, id wire.Hash, by *player.Identity) error {
	var body any
	kind := bulletin.NoticeKind(p.Name)
	switch p.Name {
	case "register":
		name, _, _ := strings.Cut(by.VerifierKey(), "+")
		if p.Who = cmp.Or(p.Who, name); plain.CheckName(p.Who) != nil {
			return command.Misuse(fmt.Errorf("--name: %w", plain.CheckName(p.Who)))
		}
		body = bulletin.RegisterBody{Name: wire.Text(p.Who), Club: wire.Text(p.club), Draw: p.Draw, Ticket: p.ticket}
	case "withdraw", "skip":
		body = bulletin.RoundBody{Round: max(p.Round, 1)}
	default:
		on, err := wire.ParseHash(cmp.Or(p.ruling, p.table))
		if err != nil {
			return command.Misuse(err)
		}
		if body = (bulletin.AppealBody{Ruling: on, Reason: wire.Text(p.reason)}); p.Name == "call" {
			body = bulletin.CallBody{Table: on, Reason: wire.Text(p.reason)}
		}
	}
	now, err := c.Event(ctx, id)
	if err != nil {
		return err
	}
	if p.dry {
		raw, err := wire.EncodeBody(body)
		return errors.Join(err, sayTried(e, p.Name, raw))
	}
	o := organiser.Organiser{Client: c, ID: id, Key: by.VerifierKey(), Signer: by.Signer()}
	posted, err := o.Tell(ctx, now.Head, kind, body)
	if err != nil {
		return err
	}
	if posted.Namesake != nil {
		fmt.Fprintf(e.Err, "somebody of this name and club has registered with another key, at entry %d; if that is you, withdraw one of the two; if not, tell the organiser which key is yours: %s\n", *posted.Namesake, by.VerifierKey())
	}
	return sayPosted(e, p.Name, posted)
}

// sayPosted reports the place of a new entry in the log.
func sayPosted(e command.Env, kind string, at client.PostedEntry) error {
	return e.Say(map[string]any{"kind": kind, "entry": at.Index, "hash": at.Hash}, "%s at entry %d: %s\n", kind, at.Index, at.Hash)
}

// sayTried reports what would be signed.
func sayTried(e command.Env, kind string, body json.RawMessage) error {
	return e.Say(map[string]any{"dry_run": true, "kind": kind, "body": body}, "would sign %s: %s\nnothing was posted\n", kind, plain.Text(string(body)))
}

// Direction is an event in the hands of somebody who decides.
type Direction struct {
	*organiser.Organiser
	e      command.Env
	s      *flags.Server
	Closes time.Duration // after which a table that stands still is closed; 0: never
	live   *events.Live
	keepAt string // file of the verified event; "": none
	lockAt string // file that is locked during a step of the event's method

	seatFile string // as it was given
	dry      bool   // post nothing

	telling sync.Mutex // serializes reports of tables that are begun at the same time
}

// verifyEvent verifies the event: at first everything, later only new entries.
func (d *Direction) verifyEvent(ctx context.Context) (*events.VerifiedEvent, error) {
	if d.live == nil {
		d.live = events.NewLive(ctx, d.Client, verifyOptions(d.e, d.s.Verifiers(), d.ID))
		d.resume()
	}
	v, err := refuseBroken(d.live.Look(ctx))
	flags.ClearBar(d.e)
	if err != nil {
		return nil, err
	}
	if err := d.keepVerified(v); err != nil {
		fmt.Fprintf(d.e.Err, "the next command verifies the whole log again, since what was verified cannot be kept: %v\n", err)
	}
	return v, nil
}

// resume loads what an earlier command has verified with the same seat file. If that is of no use,
// everything is verified.
func (d *Direction) resume() {
	if file, err := os.ReadFile(d.keepAt); err == nil {
		if err := d.live.ResumeFrom(file); err != nil {
			fmt.Fprintf(d.e.Err, "%s: %v; verifying the whole log\n", d.keepAt, err)
		}
	}
}

// keepVerified writes what was verified if more tables are over than before.
func (d *Direction) keepVerified(v *events.VerifiedEvent) error {
	if d.keepAt == "" {
		return nil
	}
	file, err := d.live.KeepLook(v)
	if err != nil || file == nil {
		return err
	}
	return durable.Replace(d.keepAt, file, 0o600)
}

// NewDirection returns the Direction of an event, which keeps what was verified beside the seat file.
func NewDirection(e command.Env, s *flags.Server, c *client.Client, id wire.Hash, by *player.Identity, seat string) *Direction {
	d := &Direction{e: e, s: s, Organiser: &organiser.Organiser{Client: c, ID: id, Signer: by.Signer(), Key: by.VerifierKey()}}
	d.Posted = func(kind bulletin.DecisionKind, at client.PostedEntry) error { return sayPosted(e, string(kind), at) }
	d.Begun = d.sayTable
	if seat != "" {
		mine := seatfile.RealPath(seat) + "." + id.Code()[:wire.MinCode] // one file under two names is one organiser
		d.seatFile, d.keepAt, d.lockAt = seat, mine+".verified", mine+".lock"
	}
	return d
}

// postDecision posts a decision that follows the last one.
func (d *Direction) postDecision(ctx context.Context, head wire.Hash, kind bulletin.DecisionKind, body any) (wire.Hash, error) {
	hash, err := d.Decide(ctx, head, kind, body)
	return hash, d.addRemedy(err)
}

// tryDecision reports the effect of a decision: why it would be void, how it would depart from the
// method, and which totals and ranks would change.
func (d *Direction) tryDecision(ctx context.Context, kind bulletin.DecisionKind, entry []byte, body json.RawMessage) error {
	v, err := d.verifyEvent(ctx)
	if err != nil {
		return err
	}
	parsed, err := bulletin.Parse(entry)
	if err != nil {
		return err
	}
	before := v.Judgement
	after, err := v.Try(parsed)
	if err != nil {
		return fmt.Errorf("it would have no effect: %w", err)
	}
	for _, new := range after.Departures {
		if !slices.Contains(before.Departures, new) {
			fmt.Fprintf(d.e.Err, "it would depart from the event's method, and a server refuses that: %s (%s)\n", new.What, new.Check)
		}
	}
	for _, row := range after.Standings {
		i := slices.IndexFunc(before.Standings, func(old event.Standing) bool { return old.Number == row.Number })
		if i >= 0 && (before.Standings[i].Total != row.Total || before.Standings[i].Rank != row.Rank) {
			unit := 1
			if v.History.Terms.Score == bulletin.ScorePlaces {
				unit = event.Sixtieths
			}
			old := before.Standings[i]
			fmt.Fprintf(d.e.Err, "%d %s: rank %d with %g in place of rank %d with %g\n", row.Number, plain.Text(row.Name), row.Rank, float64(row.Total)/float64(unit), old.Rank, float64(old.Total)/float64(unit))
		}
	}
	if kind == bulletin.DecideDraw {
		body = json.RawMessage(`{}`) // the secret of the lots, which nobody may know before
	}
	return sayTried(d.e, string(kind), body)
}

// remedies are what to do first if a decision would depart from the event's method, by the kind of
// departure (docs/spec/55-events.md, 55.6.2).
var remedies = map[event.DepartureKind]string{
	event.Unanswered: "somebody who registered has no answer: pakli event roster", event.DrawNone: "there is no draw of the round yet: pakli event draw",
	event.SeatingEarly: "a table of the round before is not over: wait for it, or pakli table close", event.RoundMissing: "a round is not seated: pakli event seat",
	event.TableMissing: "a table was not begun: pakli event start", event.TableUnfinished: "a table is not over: wait for it, close it with pakli table close, or rule that it stands",
	event.TableFoul: "a table ended with a foul: an arbiter rules first, pakli event rule", event.AppealOpen: "an appeal is open: the jury answers first, pakli event answer",
	event.ProtestShort: "the time to appeal is not over: publish later",
}

// addRemedy adds to a server's refusal what to do.
func (d *Direction) addRemedy(err error) error {
	if remedy := remedies[organiser.DepartureRefused(err)]; remedy != "" {
		return fmt.Errorf("%w\n%s", err, d.hint(remedy))
	}
	return err
}

// hint returns a text with complete commands, including the event, the server and the seat file.
func (d *Direction) hint(text string) string {
	return namedCommand.ReplaceAllStringFunc(text, func(words string) string {
		parts, on := strings.Fields(words), d.ID.Code()[:wire.MinCode]
		if parts[1] == "table" {
			on = "ID"
		}
		return command.Line(append(parts, on, "--server", plain.Address(d.s.URL), "--seat", d.seatFile)...)
	})
}

var namedCommand = regexp.MustCompile(`pakli (event|table) [a-z]+`)

func (d *Direction) decide(ctx context.Context, p Speech) error {
	next := map[string]func(context.Context) error{"roster": d.acceptPlayers, "plan": d.publishPlans, "draw": d.drawOnly, "seat": d.seatRound, "start": d.startRound, "final": d.publishFinal}
	if step := next[p.Name]; step != nil {
		return d.underLock(func() error { return step(ctx) })
	}
	now, err := d.Client.Event(ctx, d.ID)
	if err != nil {
		return err
	}
	switch p.Name {
	case "arbiters": // whom the next tables name
		return d.underLock(func() error {
			_, err := d.postDecision(ctx, now.Head, bulletin.DecideArbiters, bulletin.ArbitersBody{Arbiters: p.arbiters, Jury: p.jury})
			return err
		})
	case "groups":
		_, err = d.postDecision(ctx, now.Head, bulletin.DecideGroups, bulletin.GroupsBody{Groups: p.groups})
		return err
	case "remark":
		_, err = d.postDecision(ctx, now.Head, bulletin.DecideRemark, bulletin.RemarkBody{Text: wire.Text(p.reason)})
		return err
	case "cancel":
		what := fmt.Sprintf("The event %q, %s, is not held, or not played on: players on its roster: %d, rounds seated: %d. After that no decision about it counts.", plain.Text(now.Name), d.ID.Code()[:wire.MinCode], now.Players, now.Rounds)
		if !d.dry {
			err = p.cancel.Confirm(ctx, d.e, what)
		}
		if err == nil {
			_, err = d.postDecision(ctx, now.Head, bulletin.DecideCancel, bulletin.RemarkBody{Text: wire.Text(p.cancel.Reason)})
		}
		return err
	}
	about := bulletin.RulingSubject{Table: p.table, Deal: p.deal, Player: p.player, Round: p.Round, Entry: p.ruling}
	_, err = d.postDecision(ctx, now.Head, bulletin.DecideRuling, bulletin.RulingBody{About: about, Do: p.do, Points: p.points, Instead: p.instead, Grounds: []wire.Hash{}, Reason: wire.Text(p.reason)})
	return err
}

// underLock runs a step of the event's method. Two programs of one organiser that take it at the same
// time would both begin the tables.
func (d *Direction) underLock(do func() error) error {
	lock := flock.New(d.lockAt)
	held, err := lock.TryLock()
	if err == nil && !held {
		err = errors.New("pakli event run, or one of its steps, is at work with this seat file: wait for it, or stop it first")
	}
	if err != nil {
		return err
	}
	return errors.Join(do(), lock.Close())
}

// drawOnly begins a table of the draw if one is needed.
func (d *Direction) drawOnly(ctx context.Context) error {
	id, err := d.beginDraw(ctx)
	if err == nil && id != (wire.Hash{}) && !d.dry {
		fmt.Fprintf(d.e.Err, "you have a seat at this table, with the drawers; take it now: %s\n", command.Line("pakli", "play", "--bot", "--table", id.Code()[:wire.MinCode], "--server", plain.Address(d.s.URL), "--seat", d.seatFile))
	}
	return err
}

// acceptPlayers accepts everybody who has registered, and reports them.
func (d *Direction) acceptPlayers(ctx context.Context) error {
	v, err := d.verifyEvent(ctx)
	if err != nil {
		return err
	}
	b := v.History.NextRoster(v.Log.Checkpoint.Size)
	if len(b.Accept)+len(b.Refuse) == 0 {
		fmt.Fprintln(d.e.Err, "nobody waits for an answer")
		return nil
	}
	if b.Upto < v.Log.Checkpoint.Size {
		defer fmt.Fprintln(d.e.Err, "more wait for an answer: an entry has no room for all of them; do it again")
	}
	d.tellAccepted(v.History, b.Accept)
	for _, r := range b.Refuse {
		name := v.History.NoticeByHash(r.Notice).Body.(*bulletin.RegisterBody).Name
		_ = d.e.Say(map[string]any{"kind": "refused", "name": name, "reason": r.Reason}, "refused: %s, %s\n", name, r.Reason)
	}
	_, err = d.postDecision(ctx, v.History.Head, bulletin.DecideRoster, b)
	return err
}

// tellAccepted reports who is accepted, and whose names look alike.
func (d *Direction) tellAccepted(h *event.History, list []bulletin.AcceptedNotice) {
	type player struct{ name, key string }
	var all []player
	for _, p := range h.Players {
		all = append(all, player{string(p.Name), p.Key})
	}
	for _, a := range list {
		n := h.NoticeByHash(a.Notice)
		all = append(all, player{string(n.Body.(*bulletin.RegisterBody).Name), n.By})
	}
	roster := plain.NewRoster(all, func(p player) string { return p.name })
	for i, p := range all[len(h.Players):] {
		_ = d.e.Say(map[string]any{"kind": "accepted", "number": list[i].Number, "name": p.name, "key": p.key}, "%d %s\n", list[i].Number, roster.Show(p.name, p.key))
		if roster.LooksAlike(p.name) {
			fmt.Fprintf(d.e.Err, "%d %s: another player's name looks like this one; all lists show both with the last characters of their keys; ask the two whether they are one person\n", list[i].Number, p.name)
		}
	}
}

// publishPlans publishes a plan for the rounds without one.
func (d *Direction) publishPlans(ctx context.Context) error {
	v, err := d.verifyEvent(ctx)
	if err != nil {
		return err
	}
	n, err := d.PublishPlans(ctx, v.History)
	if err == nil && n == 0 {
		fmt.Fprintln(d.e.Err, "no round waits for a plan")
	}
	return d.addRemedy(err)
}

// beginDraw opens the organiser's secret of the next round, or begins a table of its draw and returns
// the table's id.
func (d *Direction) beginDraw(ctx context.Context) (id wire.Hash, err error) {
	v, err := d.verifyEvent(ctx)
	if err != nil {
		return id, err
	}
	id, err = d.BeginDraw(ctx, stateOf(v))
	return id, d.addRemedy(err)
}

// stateOf returns the event's state for the organiser's next step.
func stateOf(v *events.VerifiedEvent) organiser.State {
	return organiser.State{Judgement: v.Judgement, History: v.History, Sheets: v.Sheets, Size: v.Log.Checkpoint.Size}
}

func (d *Direction) sayTable(g *wire.Genesis, id wire.Hash) error {
	d.telling.Lock()
	defer d.telling.Unlock()
	return d.e.Say(map[string]any{"kind": "table", "round": g.Round, "number": g.Number, "table": id}, "%d/%d %s\n", g.Round, g.Number, id)
}

func (d *Direction) seatRound(ctx context.Context) error {
	v, err := d.verifyEvent(ctx)
	if err != nil {
		return err
	}
	parts, err := d.SeatRound(ctx, stateOf(v))
	if err != nil {
		return d.addRemedy(err)
	}
	for _, part := range parts {
		for n, t := range part.Tables {
			var names []string
			for _, p := range t {
				names = append(names, fmt.Sprintf("%d %s", p, v.History.PlayerByNumber(p).Name))
			}
			_ = d.e.Say(map[string]any{"kind": "seats", "round": part.Round, "number": n + 1, "players": t}, "%d/%d  %s\n", part.Round, n+1, strings.Join(names, "  "))
		}
		for _, p := range part.Byes {
			_ = d.e.Say(map[string]any{"kind": "bye", "round": part.Round, "player": p}, "bye  %d %s\n", p, v.History.PlayerByNumber(p).Name)
		}
	}
	return nil
}

// startRound begins the missing tables of the last round.
func (d *Direction) startRound(ctx context.Context) error {
	v, err := d.verifyEvent(ctx)
	if err != nil {
		return err
	}
	if len(stateOf(v).UnbegunTables()) == 0 {
		fmt.Fprintf(d.e.Err, "no table waits to be begun; %s seats the next round\n", d.hint("pakli event seat"))
	}
	return d.StartRound(ctx, stateOf(v))
}

func (d *Direction) publishFinal(ctx context.Context) error {
	v, err := d.verifyEvent(ctx)
	if err != nil {
		return err
	}
	err = d.PublishFinal(ctx, stateOf(v))
	if err != nil && v.Protest > 0 {
		err = fmt.Errorf("%w\nby the keepers' clocks %v are left, and pakli event run waits for them", err, time.Duration(v.Protest)*time.Second)
	}
	return d.addRemedy(err)
}
