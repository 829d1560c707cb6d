package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/sync/errgroup"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/internal/names"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/events"
	"github.com/pakli/pakli/verifier/events/results"
	"github.com/pakli/pakli/verifier/report"
	"github.com/pakli/pakli/verifier/tournament"
)

func runEvent(ctx context.Context, e env, args []string) (int, error) {
	list := []command{
		{"create", "announce an event that a file describes", runEventCreate},
		{"list", "list the events of a server", runEventList},
		{"results", "verify an event and print its standings", runEventResults},
		{"sheets", "write results, seatings and score sheets, for print", runEventSheets},
		{"bundle", "write an event and its tables to files that verify offline", runEventBundle},
		{"watch", "print the standings whenever they change", runEventWatch},
		{"run", "run an event from its roster to its final standings", runEventRun},
	}
	for _, c := range []struct{ name, short string }{
		{"register", "ask for a place in an event"}, {"withdraw", "leave an event"}, {"skip", "stay away for a round"},
		{"appeal", "ask the jury for another ruling"}, {"call", "call an arbiter to a table"},
		{"roster", "accept who has registered"}, {"plan", "publish a plan of seatings"}, {"draw", "draw the lots"},
		{"seat", "seat the next round"}, {"start", "begin the tables of the round"}, {"rule", "rule, as an arbiter or the jury"},
		{"answer", "uphold or overturn a ruling, as the jury"}, {"arbiters", "say who rules from now on, and who the jury is"},
		{"remark", "tell everybody something"}, {"cancel", "say that the event is not held"}, {"final", "publish the final standings"},
	} {
		list = append(list, command{c.name, c.short, func(ctx context.Context, e env, args []string) (int, error) {
			return runEventSay(ctx, e, c.name, args)
		}})
	}
	return dispatch(ctx, e, list, "pakli event", args), nil
}

func runEventCreate(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("event create", "FILE")
	var s serverFlags
	var secret passphrase
	s.addFlags(f)
	secret.addFlags(f)
	organiser := f.String("organiser", "organiser.seat", "the organiser's seat `file`; made if it does not exist")
	if err := parseFlags(f, args, 1); err != nil {
		return exitUsage, err
	}
	file, err := os.Open(f.Arg(0))
	if err != nil {
		return exitUsage, usageError{err}
	}
	defer file.Close()
	terms, err := readEvent(file)
	if err != nil {
		return exitUsage, usageError{fmt.Errorf("%s: %w", f.Arg(0), err)}
	}
	id, err := openOrCreate(*organiser, secret)
	if err != nil {
		return exitFail, err
	}
	defer id.Close()
	entry, err := announce(terms, id.Signer(), id.VerifierKey())
	if err != nil {
		return exitUsage, usageError{err}
	}
	c, err := s.dialServer(ctx, e)
	if err != nil {
		return exitFail, err
	}
	if _, err := c.Announce(ctx, entry); err != nil {
		return exitFail, err
	}
	hash := wire.HashEntry(entry)
	fmt.Fprintln(e.out, hash)
	code := hash.Code()[:wire.MinCode]
	fmt.Fprintf(e.err, "code %s\nplayers register with: pakli event register %s --server %s --seat NAME.seat --name \"…\"\nhow it stands: %s/events/%s\n", code, code, s.url, strings.TrimRight(s.url, "/"), code)
	return exitDone, nil
}

func runEventList(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("event list", "")
	var s serverFlags
	s.addFlags(f)
	if err := parseFlags(f, args, 0); err != nil {
		return exitUsage, err
	}
	c, err := s.dialServer(ctx, e)
	if err != nil {
		return exitFail, err
	}
	return exitDone, eachEvent(ctx, c, func(v client.EventSummary) {
		fmt.Fprintf(e.out, "%s  %s  %s  %s\n", v.ID, cmp.Or(v.From, "          "), v.Game, v.Name)
	})
}

func eachEvent(ctx context.Context, c *client.Client, see func(client.EventSummary)) error {
	for after := (*uint64)(nil); ; {
		list, err := c.Events(ctx, after, 256)
		if err != nil {
			return err
		}
		for _, v := range list.Events {
			see(v)
		}
		if after = list.Next; after == nil {
			return nil
		}
	}
}

// findEvent returns a client, and the event that a person names by its id, the first digits of
// it, or its code.
func (s *serverFlags) findEvent(ctx context.Context, e env, text string) (*client.Client, wire.Hash, error) {
	c, err := s.dialServer(ctx, e)
	if err != nil {
		return nil, wire.Hash{}, err
	}
	id, err := eventNamed(ctx, c, text)
	return c, id, err
}

// eventNamed is the one event of the log that has such a name: two of one code are none.
func eventNamed(ctx context.Context, c *client.Client, text string) (wire.Hash, error) {
	if id, err := wire.ParseHash(text); err == nil {
		return id, nil
	}
	code, coded := wire.ReadCode(text, wire.MinCode)
	begins := func(id wire.Hash) bool {
		return text != "" && strings.HasPrefix(id.String(), text) || coded == nil && id.HasCode(code)
	}
	var found []wire.Hash
	err := eachEvent(ctx, c, func(v client.EventSummary) {
		if begins(v.ID) {
			found = append(found, v.ID)
		}
	})
	switch {
	case err != nil:
		return wire.Hash{}, err
	case len(found) == 0:
		return wire.Hash{}, wrongUsage("this server has no event %q: pakli event list shows those that it has", text)
	case len(found) > 1:
		return wire.Hash{}, wrongUsage("%d events of this server begin with %q: give more of the id", len(found), text)
	}
	return found[0], onlyOne(ctx, c, found[0], begins, func(entry []byte) bool { _, err := wire.ParseEvent(entry); return err == nil })
}

// tellRead tells on a terminal how much of a log was read.
func (e env) tellRead() func(entries uint64, tables int) {
	p := newProgress(e.err)
	if !p.terminal {
		return nil
	}
	return func(entries uint64, tables int) {
		fmt.Fprintf(e.err, wipe+"verified %d entries of the log, tables of the event: %d", entries, tables)
	}
}

// verifyEvent verifies an event as anybody may.
func (s *serverFlags) verifyEvent(ctx context.Context, e env, c *client.Client, id wire.Hash) (*events.VerifiedEvent, error) {
	defer e.clearBar()
	return refuseBroken(events.Verify(ctx, c, s.options(e, id)))
}

func (s *serverFlags) options(e env, id wire.Hash) events.Options {
	return events.Options{Event: id, Options: tournament.Options{Options: verifier.Options{Log: s.verifiers(), Catalogue: catalogue()}, Progress: e.tellRead()}}
}

// refuseBroken is an event of a log that is not broken.
func refuseBroken(v *events.VerifiedEvent, err error) (*events.VerifiedEvent, error) {
	if err == nil && v.Log.Verdict == verifier.LogBroken {
		err = errors.New(report.Headline(v.Log, inLanguage("en")))
	}
	return v, err
}

func inLanguage(tag string) report.Language {
	l, _ := report.LanguageOf(tag)
	return l
}

func runEventResults(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("event results", "EVENT")
	var s serverFlags
	s.addFlags(f)
	lang := f.String("lang", "en", "language: "+strings.Join(report.Languages(), ", "))
	format := f.String("format", "text", "text, json, html or csv")
	if err := parseFlags(f, args, 1); err != nil {
		return exitUsage, err
	}
	if !slices.Contains([]string{"text", "json", "html", "csv"}, *format) {
		return exitUsage, wrongUsage("--format %s: want text, json, html or csv", *format)
	}
	c, id, err := s.findEvent(ctx, e, f.Arg(0))
	if err != nil {
		return exitFail, err
	}
	v, err := s.verifyEvent(ctx, e, c, id)
	if err != nil {
		return exitFail, err
	}
	r := results.Sum(v, inLanguage(*lang), event.LeftOutLayers{})
	switch *format {
	case "json":
		err = r.JSON(e.out)
	case "html":
		err = r.HTML(e.out)
	case "csv":
		err = r.CSV(e.out)
	default:
		err = r.Text(e.out)
	}
	return v.ExitCode(), err
}

func runEventWatch(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("event watch", "EVENT")
	var s serverFlags
	s.addFlags(f)
	lang := f.String("lang", "en", "language: "+strings.Join(report.Languages(), ", "))
	every := f.Duration("every", 10*time.Second, "how often to look")
	if err := parseFlags(f, args, 1); err != nil {
		return exitUsage, err
	}
	c, id, err := s.findEvent(ctx, e, f.Arg(0))
	if err != nil {
		return exitFail, err
	}
	live := events.NewLive(ctx, c, s.options(e, id))
	for last := ""; ; {
		v, err := refuseBroken(live.Look(ctx))
		e.clearBar()
		if err != nil {
			return exitFail, err
		}
		var b bytes.Buffer
		if err := results.Sum(v, inLanguage(*lang), event.LeftOutLayers{}).Text(&b); err != nil {
			return exitFail, err
		}
		if v.Digest != last {
			last = v.Digest
			fmt.Fprintln(e.out, b.String())
		}
		if v.History.Final != nil || v.History.Canceled != nil {
			return v.ExitCode(), nil
		}
		select {
		case <-time.After(*every):
		case <-ctx.Done():
			return exitFail, ctx.Err()
		}
	}
}

// speech is what somebody tells an event, or decides.
type speech struct {
	name                       string
	who, club, ticket, reason  string
	draw                       bool
	round, deal, player        int
	ruling, table, do, instead string
	points                     []wire.PlayerPoints
	arbiters, jury             []string
	cancel                     forGood
}

func (p *speech) addFlags(f *flag.FlagSet) {
	is := func(names ...string) bool { return slices.Contains(names, p.name) }
	if is("register") {
		f.StringVar(&p.who, "name", "", "what people call you, in any script (default: the name in your key)")
		f.StringVar(&p.club, "club", "", "your club")
		f.BoolVar(&p.draw, "draw", false, "sit at the table where seats are drawn, if you are asked")
		f.StringVar(&p.ticket, "ticket", "", "what the door of the event gave you")
	}
	if is("withdraw", "skip", "rule") {
		f.IntVar(&p.round, "round", 0, "the round; you withdraw from this one on")
	}
	if is("appeal", "answer") {
		f.StringVar(&p.ruling, "ruling", "", "the ruling: its `hash`, 8 digits of it or more, or the number of its entry")
	}
	if is("call", "rule") {
		f.StringVar(&p.table, "table", "", "the table: ROUND/NUMBER, its id or code")
	}
	if is("cancel") {
		p.cancel.addFlags(f)
	}
	if is("appeal", "call", "rule", "answer", "remark") {
		f.StringVar(&p.reason, "reason", "", "why, for everybody to read; of a remark, what it says")
	}
	if is("arbiters") {
		keys := func(list *[]string) func(string) error {
			return func(s string) error {
				if s == "none" && len(*list) == 0 {
					*list = []string{}
					return nil
				}
				key, err := seatKey(s)
				*list = append(*list, key)
				return err
			}
		}
		f.Func("arbiter", "who may rule from now on: `key` or .pub file; repeat for each, or none", keys(&p.arbiters))
		f.Func("jury", "who decides on appeals from now on: `key` or .pub file; repeat for each, or none", keys(&p.jury))
	}
	if is("rule", "answer") {
		f.StringVar(&p.do, "do", "", "what the ruling does: adjust, penalty, disqualify, replay, substitute, correct, stands; of an answer uphold or overturn")
	}
	if is("rule") {
		f.IntVar(&p.deal, "deal", 0, "number of the deal; 0: the whole table")
		f.IntVar(&p.player, "player", 0, "number of the player")
		f.StringVar(&p.instead, "instead", "", "the table that counts, of a replay: its id or code")
		f.Func("points", "points of a player, `NUMBER:POINTS`; repeat for each", func(s string) error {
			number, points, _ := strings.Cut(s, ":")
			n, err := strconv.Atoi(number)
			m, wrong := strconv.Atoi(points)
			if err != nil || wrong != nil {
				return errors.New("want the player's number, :, and points: 17:-20")
			}
			p.points = append(p.points, wire.PlayerPoints{Player: n, Points: m})
			return nil
		})
	}
}

// checkFlags finds what cannot be meant.
func (p *speech) checkFlags() error {
	switch {
	case p.name == "arbiters" && (p.arbiters == nil || p.jury == nil):
		return wrongUsage("both lists are replaced: name every --arbiter, and all of the --jury, or none")
	case p.name == "remark":
		return mustSay(p.reason)
	case p.name == "cancel":
		return p.cancel.checkReason()
	}
	return p.complete()
}

// wants are the flags without which a notice or a decision says nothing, by its name, and those of
// rulings by what they do (docs/spec/55-events.md, 55.4.1).
var wants = map[string][]string{
	"appeal": {"ruling"}, "call": {"table"}, "answer": {"ruling", "do"}, "rule": {"do"},
	wire.RuleAdjust: {"table", "points"}, wire.RulePenalty: {"player", "points"}, wire.RuleDisqualify: {"player", "round"},
	wire.RuleReplay: {"table", "instead"}, wire.RuleSubstitute: {"table", "player"}, wire.RuleCorrect: {"reason"}, wire.RuleStands: {"table"},
	wire.RuleUphold: {"ruling"}, wire.RuleOverturn: {"ruling"},
}

// complete finds which flag is missing, or that a ruling does nothing that there is.
func (p *speech) complete() error {
	list := []string{wire.RuleAdjust, wire.RulePenalty, wire.RuleDisqualify, wire.RuleReplay, wire.RuleSubstitute, wire.RuleCorrect, wire.RuleStands}
	if p.name == "answer" {
		list = []string{wire.RuleUphold, wire.RuleOverturn}
	}
	if p.do != "" && !slices.Contains(list, p.do) {
		return wrongUsage("--do %s: want one of %s", p.do, strings.Join(list, ", "))
	}
	given := map[string]bool{"ruling": p.ruling != "", "table": p.table != "", "do": p.do != "", "points": len(p.points) > 0,
		"player": p.player != 0, "round": p.round != 0, "instead": p.instead != "", "reason": p.reason != ""}
	for _, name := range slices.Concat(wants[p.name], wants[p.do]) {
		if !given[name] {
			return wrongUsage("--%s is missing", name)
		}
	}
	return nil
}

// runEventSay posts a notice, or a decision.
func runEventSay(ctx context.Context, e env, name string, args []string) (int, error) {
	f := e.flags("event "+name, "EVENT")
	var s serverFlags
	var secret passphrase
	s.addFlags(f)
	secret.addFlags(f)
	file := f.String("seat", "", "your seat `file`; of decisions the organiser's, an arbiter's or the jury's (default organiser.seat)")
	p := speech{name: name, points: []wire.PlayerPoints{}}
	p.addFlags(f)
	if err := parseFlags(f, args, 1); err != nil {
		return exitUsage, err
	}
	if err := p.checkFlags(); err != nil {
		return exitUsage, err
	}
	notices := []string{"register", "withdraw", "skip", "appeal", "call"}
	if *file == "" && !slices.Contains(notices, name) {
		*file = "organiser.seat"
	}
	id, err := openSeat("--seat", *file, secret)
	if err != nil {
		return exitFail, err
	}
	defer id.Close()
	c, hash, err := s.findEvent(ctx, e, f.Arg(0))
	if err != nil {
		return exitFail, err
	}
	d := newDirection(e, &s, c, hash, id, *file)
	if err := p.resolve(ctx, d); err != nil {
		return exitFail, err
	}
	if slices.Contains(notices, name) {
		err := p.postNotice(ctx, e, c, hash, id)
		if err == nil && name == "register" {
			fmt.Fprintf(e.err, "%s waits for the organiser's answer; play with: pakli play --event %s --seat %s\n", p.who, hash.Code()[:wire.MinCode], *file)
		}
		return exitDone, err
	}
	return exitDone, d.decide(ctx, p)
}

// resolve puts whole ids in place of what a person types for a table or a ruling. Of a place, or of
// a ruling's entry, the log says what is meant: anybody may begin a table that names the same place
// of the event.
func (p *speech) resolve(ctx context.Context, d *direction) (err error) {
	verified := sync.OnceValues(func() (*events.VerifiedEvent, error) { return d.verifyEvent(ctx) })
	for _, text := range []*string{&p.table, &p.instead} {
		if round, number, placed := strings.Cut(*text, "/"); placed {
			*text, err = tableAt(verified, round, number)
		} else if *text != "" {
			var table wire.Hash
			table, err = tableNamed(ctx, d.c, *text)
			*text = table.String()
		}
		if err != nil {
			return err
		}
	}
	if p.ruling != "" {
		p.ruling, err = rulingNamed(verified, p.ruling)
	}
	return err
}

// tableAt is the table that counts at a place.
func tableAt(verified func() (*events.VerifiedEvent, error), round, number string) (string, error) {
	r, err := strconv.Atoi(round)
	n, wrong := strconv.Atoi(number)
	if err != nil || wrong != nil || r < 1 {
		return "", wrongUsage("--table %s/%s: want the round and the number of the table in it, as 3/17", round, number)
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
	return "", wrongUsage("--table %s/%s: the event has no such table", round, number)
}

// rulingNamed is a ruling of an event by its entry, or how its hash begins.
func rulingNamed(verified func() (*events.VerifiedEvent, error), text string) (string, error) {
	if _, err := wire.ParseHash(text); err == nil {
		return text, nil
	}
	v, err := verified()
	if err != nil {
		return "", err
	}
	var found []string
	for _, r := range v.History.Rulings {
		if len(text) >= wire.MinCode && strings.HasPrefix(r.Hash.String(), text) || strconv.FormatUint(r.Index, 10) == text {
			found = append(found, r.Hash.String())
		}
	}
	if len(found) != 1 {
		return "", wrongUsage("--ruling %s: %d rulings of the event are called so; the results list them with their entries", text, len(found))
	}
	return found[0], nil
}

// postNotice posts a notice.
func (p *speech) postNotice(ctx context.Context, e env, c *client.Client, id wire.Hash, by *player.Identity) error {
	var body any
	kind := wire.NoticeKind(p.name)
	switch p.name {
	case "register":
		name, _, _ := strings.Cut(by.VerifierKey(), "+")
		if p.who = cmp.Or(p.who, name); names.Check(p.who) != nil {
			return usageError{fmt.Errorf("--name: %w", names.Check(p.who))}
		}
		body = wire.RegisterBody{Name: wire.Text(p.who), Club: wire.Text(p.club), Draw: p.draw, Ticket: p.ticket}
	case "withdraw", "skip":
		body = wire.RoundBody{Round: max(p.round, 1)}
	default:
		on, err := wire.ParseHash(cmp.Or(p.ruling, p.table))
		if err != nil {
			return usageError{err}
		}
		if body = (wire.AppealBody{Ruling: on, Reason: wire.Text(p.reason)}); p.name == "call" {
			body = wire.CallBody{Table: on, Reason: wire.Text(p.reason)}
		}
	}
	now, err := c.Event(ctx, id)
	if err != nil {
		return err
	}
	raw, err := wire.EncodeBody(body)
	if err != nil {
		return usageError{err}
	}
	entry, err := wire.Sign(&wire.Notice{Format: wire.NoticeFormat, Event: id, Seen: now.Head, By: by.VerifierKey(), Kind: kind, Body: raw}, by.Signer())
	if err != nil {
		return usageError{err}
	}
	posted, err := c.PostEvent(ctx, id, entry)
	if err == nil {
		fmt.Fprintf(e.out, "%s at entry %d: %s\n", p.name, posted.Index, posted.Hash)
	}
	return err
}

// direction is an event in the hands of somebody who decides.
type direction struct {
	e      env
	s      *serverFlags
	c      *client.Client
	id     wire.Hash
	signer note.Signer
	key    string
	closes time.Duration // a table that stands still for so long; 0: never
	live   *events.Live
	keepAt string // file of what was verified; empty: none
	lockAt string // file that is locked while the event's method goes on

	seatFile string // as it was named

	telling sync.Mutex // of tables that are begun at the same time
}

// verifyEvent verifies the event, once as much as there is and then what has come since.
func (d *direction) verifyEvent(ctx context.Context) (*events.VerifiedEvent, error) {
	if d.live == nil {
		d.live = events.NewLive(ctx, d.c, d.s.options(d.e, d.id))
		d.resume()
	}
	v, err := refuseBroken(d.live.Look(ctx))
	d.e.clearBar()
	if err != nil {
		return nil, err
	}
	if err := d.keepVerified(v); err != nil {
		fmt.Fprintf(d.e.err, "the next command verifies the whole log again, since what was verified cannot be kept: %v\n", err)
	}
	return v, nil
}

// resume goes on from what a command before has verified with the same seat file. If there is
// nothing of use, all is verified.
func (d *direction) resume() {
	if file, err := os.ReadFile(d.keepAt); err == nil {
		if err := d.live.ResumeFrom(file); err != nil {
			fmt.Fprintf(d.e.err, "%s: %v; verifying the whole log\n", d.keepAt, err)
		}
	}
}

// keepVerified keeps what was verified, if more tables are over than before.
func (d *direction) keepVerified(v *events.VerifiedEvent) error {
	if d.keepAt == "" {
		return nil
	}
	file, err := d.live.KeepLook(v)
	if err != nil || file == nil {
		return err
	}
	return durable.Replace(d.keepAt, file, 0o600)
}

// newDirection is an event in the hands of somebody, who keeps beside the seat file what was verified.
func newDirection(e env, s *serverFlags, c *client.Client, id wire.Hash, by *player.Identity, seat string) *direction {
	d := &direction{e: e, s: s, c: c, id: id, signer: by.Signer(), key: by.VerifierKey()}
	if seat != "" {
		mine := seatfile.RealPath(seat) + "." + id.Code()[:wire.MinCode] // one file under two names is one organiser
		d.seatFile, d.keepAt, d.lockAt = seat, mine+".verified", mine+".lock"
	}
	return d
}

// postDecision posts a decision that follows the last one.
func (d *direction) postDecision(ctx context.Context, head wire.Hash, kind wire.DecisionKind, body any) (wire.Hash, error) {
	raw, err := wire.EncodeBody(body)
	if err != nil {
		return head, err
	}
	entry, err := wire.Sign(&wire.Decision{Format: wire.DecisionFormat, Event: d.id, Parent: head, By: d.key, Kind: kind, Body: raw}, d.signer)
	if err != nil {
		return head, usageError{err}
	}
	posted, err := d.c.PostEvent(ctx, d.id, entry)
	if err == nil {
		fmt.Fprintf(d.e.out, "%s at entry %d: %s\n", kind, posted.Index, posted.Hash)
	}
	return posted.Hash, addRemedy(err)
}

// remedies are what to do first where a decision would depart from the event's method, by what
// departs (docs/spec/55-events.md, 55.6.2).
var remedies = map[event.DepartureKind]string{
	event.Unanswered: "somebody who registered has no answer: pakli event roster", event.DrawNone: "there is no draw of the round yet: pakli event draw",
	event.SeatingEarly: "a table of the round before is not over: wait for it, or pakli table close", event.RoundMissing: "a round is not seated: pakli event seat",
	event.TableMissing: "a table was not begun: pakli event start", event.TableUnfinished: "a table is not over: wait for it, close it with pakli table close, or rule that it stands",
	event.TableFoul: "a table ended with a foul: an arbiter rules first, pakli event rule", event.AppealOpen: "an appeal is open: the jury answers first, pakli event answer",
	event.ProtestShort: "the time to appeal is not over: publish later",
}

// addRemedy adds to a server's refusal what to do.
func addRemedy(err error) error {
	problem, is := errors.AsType[*client.Problem](err)
	if !is || problem.Type != client.ProblemBase+client.RefusedDecision {
		return err
	}
	for what, remedy := range remedies {
		if strings.Contains(problem.Detail, ": "+string(what)+" (") {
			return fmt.Errorf("%w\n%s", err, remedy)
		}
	}
	return err
}

func (d *direction) decide(ctx context.Context, p speech) error {
	next := map[string]func(context.Context) error{"roster": d.acceptPlayers, "plan": d.publishPlans, "draw": d.drawOnly, "seat": d.seatRound, "start": d.startRound, "final": d.publishFinal}
	if step := next[p.name]; step != nil {
		return d.underLock(func() error { return step(ctx) })
	}
	now, err := d.c.Event(ctx, d.id)
	if err != nil {
		return err
	}
	switch p.name {
	case "arbiters": // whom the next tables name
		return d.underLock(func() error {
			_, err := d.postDecision(ctx, now.Head, wire.DecideArbiters, wire.ArbitersBody{Arbiters: p.arbiters, Jury: p.jury})
			return err
		})
	case "remark":
		_, err = d.postDecision(ctx, now.Head, wire.DecideRemark, wire.RemarkBody{Text: wire.Text(p.reason)})
		return err
	case "cancel":
		what := fmt.Sprintf("The event %q, %s, is not held, or not played on: players on its roster: %d, rounds seated: %d. Nothing of it can be decided any more.", plain.Text(now.Name), d.id.Code()[:wire.MinCode], now.Players, now.Rounds)
		if err = p.cancel.confirm(ctx, d.e, what); err == nil {
			_, err = d.postDecision(ctx, now.Head, wire.DecideCancel, wire.RemarkBody{Text: wire.Text(p.cancel.reason)})
		}
		return err
	}
	about := wire.RulingSubject{Table: p.table, Deal: p.deal, Player: p.player, Round: p.round, Entry: p.ruling}
	_, err = d.postDecision(ctx, now.Head, wire.DecideRuling, wire.RulingBody{About: about, Do: p.do, Points: p.points, Instead: p.instead, Grounds: []wire.Hash{}, Reason: wire.Text(p.reason)})
	return err
}

// underLock does what the event's method does next: two programs of one organiser that do it at the same time
// would both begin the tables.
func (d *direction) underLock(do func() error) error {
	lock := flock.New(d.lockAt)
	held, err := lock.TryLock()
	if err == nil && !held {
		err = errors.New("pakli event run, or one of its steps, is at work with this seat file: let it, or stop it first")
	}
	if err != nil {
		return err
	}
	return errors.Join(do(), lock.Close())
}

// drawOnly begins a table of the draw, if there has to be one.
func (d *direction) drawOnly(ctx context.Context) error {
	id, err := d.beginDraw(ctx)
	if err == nil && id != (wire.Hash{}) {
		fmt.Fprintf(d.e.err, "you have a seat at this table, with the drawers; take it now: pakli play --bot --table %s --seat YOURS.seat\n", id.Code()[:wire.MinCode])
	}
	return err
}

// acceptPlayers accepts whoever has registered, and says who they are.
func (d *direction) acceptPlayers(ctx context.Context) error {
	v, err := d.verifyEvent(ctx)
	if err != nil {
		return err
	}
	b := v.History.NextRoster(v.Log.Checkpoint.Size)
	if len(b.Accept)+len(b.Refuse) == 0 {
		fmt.Fprintln(d.e.err, "nobody waits for an answer")
		return nil
	}
	if b.Upto < v.Log.Checkpoint.Size {
		defer fmt.Fprintln(d.e.err, "more wait for an answer: an entry has no room for all of them; do it again")
	}
	d.tellAccepted(v.History, b.Accept)
	for _, r := range b.Refuse {
		fmt.Fprintf(d.e.out, "refused: %s, %s\n", v.History.NoticeByHash(r.Notice).Body.(*wire.RegisterBody).Name, r.Reason)
	}
	_, err = d.postDecision(ctx, v.History.Head, wire.DecideRoster, b)
	return err
}

// tellAccepted says who is accepted, and whose names look like another's.
func (d *direction) tellAccepted(h *event.History, list []wire.AcceptedNotice) {
	type player struct{ name, key string }
	var all []player
	for _, p := range h.Players {
		all = append(all, player{string(p.Name), p.Key})
	}
	for _, a := range list {
		n := h.NoticeByHash(a.Notice)
		all = append(all, player{string(n.Body.(*wire.RegisterBody).Name), n.By})
	}
	roster := names.NewRoster(all, func(p player) string { return p.name })
	for i, p := range all[len(h.Players):] {
		fmt.Fprintf(d.e.out, "%d %s\n", list[i].Number, roster.Show(p.name, p.key))
		if roster.LooksAlike(p.name) {
			fmt.Fprintf(d.e.err, "%d %s: another player's name looks like this one; all lists show both with the end of their keys, and you can ask who they are\n", list[i].Number, p.name)
		}
	}
}

// publishPlans publishes one for the rounds that have none.
func (d *direction) publishPlans(ctx context.Context) error {
	v, err := d.verifyEvent(ctx)
	if err != nil {
		return err
	}
	head, terms := v.History.Head, v.History.Terms
	rounds := v.History.UnplannedRounds()
	if len(rounds) == 0 {
		fmt.Fprintln(d.e.err, "no round waits for a plan")
	}
	plan := event.Plan(len(v.History.Players), terms.Sizes, terms.Rounds)
	for _, round := range rounds {
		if head, err = d.postDecision(ctx, head, wire.DecidePlan, wire.PlanBody{Round: round, Part: 1, Parts: 1, Tables: plan[round-1]}); err != nil {
			return err
		}
	}
	return nil
}

// beginDraw opens the organiser's secret of the next round, or begins a table of its draw, whose id it returns.
// From then on nobody comes into the round or leaves it, so all tables before are over.
func (d *direction) beginDraw(ctx context.Context) (id wire.Hash, err error) {
	v, err := d.verifyEvent(ctx)
	if err != nil {
		return id, err
	}
	h := v.History
	next := h.CountSeated() + 1
	_, drawn := v.Draws[next]
	switch {
	case d.hasUnbegunTable(v) || len(d.tablesInPlay(v)) > 0:
		return id, fmt.Errorf("a table of round %d is not over: wait for it, or pakli table close", h.CountSeated())
	case next > h.Terms.Rounds || drawn:
		return id, fmt.Errorf("no round waits for a draw: %d of %d are seated", h.CountSeated(), h.Terms.Rounds)
	case h.Terms.Draw == wire.DrawCommit:
		secret, err := drawSecret(h.Terms, d.signer)
		if err == nil {
			_, err = d.postDecision(ctx, h.Head, wire.DecideDraw, wire.DrawBody{Secret: event.HashSecret(secret, h.Terms.Rounds-next)})
		}
		return id, err
	}
	g, err := h.DrawTable(v.Sheets, v.Log.Checkpoint.Size)
	if err != nil {
		return id, err
	}
	return d.beginTable(ctx, g)
}

// beginTable begins a table. Its nonce follows from its place: a program that was killed, or had no
// answer, begins the same table again.
func (d *direction) beginTable(ctx context.Context, g *wire.Genesis) (wire.Hash, error) {
	nonce, err := secretOf(d.signer, fmt.Appendf(nil, "pakli-place/v1\n%s %d %d\n", g.Event, g.Round, g.Number))
	if err != nil {
		return wire.Hash{}, err
	}
	g.Nonce = nonce[:wire.NonceBytes]
	entry, err := wire.Sign(g, d.signer)
	if err != nil {
		return wire.Hash{}, err
	}
	if _, err = d.c.CreateTable(ctx, entry); err != nil {
		return wire.Hash{}, err
	}
	d.telling.Lock()
	defer d.telling.Unlock()
	fmt.Fprintf(d.e.out, "%d/%d %s\n", g.Round, g.Number, wire.HashEntry(entry))
	return wire.HashEntry(entry), nil
}

// seatRound seats the next round.
func (d *direction) seatRound(ctx context.Context) error {
	v, err := d.verifyEvent(ctx)
	if err != nil {
		return err
	}
	parts, err := event.NextRound(v.History, v.Sheets)
	if err != nil {
		return err
	}
	head := v.History.Head
	for _, part := range parts {
		if head, err = d.postDecision(ctx, head, wire.DecideRound, part); err != nil {
			return err
		}
		for n, t := range part.Tables {
			fmt.Fprintf(d.e.out, "%d/%d", part.Round, n+1)
			for _, p := range t {
				fmt.Fprintf(d.e.out, "  %d %s", p, v.History.PlayerByNumber(p).Name)
			}
			fmt.Fprintln(d.e.out)
		}
		for _, p := range part.Byes {
			fmt.Fprintf(d.e.out, "bye  %d %s\n", p, v.History.PlayerByNumber(p).Name)
		}
	}
	return nil
}

// startRound begins those tables of the last round that there are not.
func (d *direction) startRound(ctx context.Context) error {
	v, err := d.verifyEvent(ctx)
	if err != nil {
		return err
	}
	if !d.hasUnbegunTable(v) {
		fmt.Fprintln(d.e.err, "no table waits to be begun; pakli event seat seats the next round")
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(begunAtOnce)
	for _, s := range v.Judgement.Tables {
		if s.Round == len(v.History.Rounds) && s.Table == nil {
			group.Go(func() error {
				_, err := d.beginTable(ctx, v.History.TableGenesis(s.Round, s.Number))
				return err
			})
		}
	}
	return group.Wait()
}

// begunAtOnce is how many tables are begun at the same time: each waits for its receipt, and
// players wait for the last.
const begunAtOnce = 16

func (d *direction) publishFinal(ctx context.Context) error {
	v, err := d.verifyEvent(ctx)
	if err == nil {
		_, err = d.postDecision(ctx, v.History.Head, wire.DecideFinal, event.NextFinal(v.History, v.Sheets, v.Log.Checkpoint.Size))
	}
	return err
}
