package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/names"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/clock"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/scene/words"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/timing"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/report"
)

// endingFlags are the flags of a table that somebody may end, or leave: with any of them it is
// of the format table/v2.
type endingFlags struct {
	resign, agree bool
	forfeit       int
	arbiters      []string
	called        []string
	time          clockFlags
}

func (t *endingFlags) addFlags(f *flag.FlagSet) {
	t.time.addFlags(f)
	f.BoolVar(&t.agree, "agree", false, "let the seats end the table, or undo a deal, if all of them want it; so at every table with one of the next flags")
	f.BoolVar(&t.resign, "resign", false, "let a seat give up a deal, or leave the table")
	f.IntVar(&t.forfeit, "forfeit", 0, "what a seat that leaves a deal pays to each other, in points of the game; with 0 the deal is undone and nobody pays")
	f.Func("arbiter", "verifier `key`, or its .pub file, of somebody who may pause and close the table and let others sit down, as the organiser may; repeat for each", func(arg string) error {
		v, err := seatKey(arg)
		t.arbiters = append(t.arbiters, v)
		return err
	})
	f.Func("called", "what people call a seat, `name` in any script; repeat for each seat, in the order of --seat (default: the name in its key)", func(arg string) error {
		t.called = append(t.called, arg)
		return names.Check(arg)
	})
}

// addTo makes the genesis entry one of a table that somebody may end, if it is to be one.
func (t *endingFlags) addTo(g *wire.Genesis) error {
	if g.Fouls != wire.WarnFouls && !t.resign && !t.agree && t.forfeit == 0 && t.arbiters == nil && t.called == nil && !t.time.isGiven() {
		return nil
	}
	clock, err := t.time.tableClock()
	if err != nil {
		return err
	}
	if len(t.called) > 0 && len(t.called) != len(g.Seats) {
		return wrongUsage("%d seats need as many --called, one for each: there are %d", len(g.Seats), len(t.called))
	}
	g.Format, g.Names = wire.TableFormat2, make([]wire.Text, len(g.Seats))
	for i, name := range t.called {
		g.Names[i] = wire.Text(name)
	}
	g.Clock = clock
	g.Arbiters = append([]string{}, t.arbiters...)
	g.Ends = wire.Ends{Late: wire.LateUndo, Forfeit: t.forfeit, Resign: t.resign, Agree: true}
	if t.forfeit > 0 {
		g.Ends.Late = wire.LateForfeit
	}
	return nil
}

// actCommands are those of pakli table.
func actCommands() []command {
	var list []command
	for _, c := range []struct{ name, short string }{
		{"resign", "give up a deal, or leave a table"},
		{"agree", "agree to end a table, to undo a deal, or to a pause"},
		{"back", "come back to a table that you have left"},
		{"expose", "turn your cards up at a table that is stopped"},
		{"timeout", "claim that a seat is late by the table's clock"},
		{"pause", "pause a table, as its organiser or arbiter"},
		{"resume", "let a paused table go on"},
		{"close", "close a table, as its organiser or arbiter"},
		{"accept", "accept a seat that another player has left"},
		{"reseat", "let a player who has accepted take a seat"},
	} {
		list = append(list, command{c.name, c.short, func(ctx context.Context, e env, args []string) (int, error) {
			return runAct(ctx, e, c.name, args)
		}})
	}
	return list
}

// runAct does one of them.
func runAct(ctx context.Context, e env, name string, args []string) (int, error) {
	f := e.flags("table "+name, "ID")
	var s serverFlags
	var secret passphrase
	s.addFlags(f)
	secret.addFlags(f)
	look := newLookout(f)
	file := f.String("seat", "", "your seat `file`: the player's, the organiser's or the arbiter's")
	said := actFlags{name: name}
	said.addFlags(f)
	if err := parseFlags(f, args, 1); err != nil {
		return exitUsage, err
	}
	if err := errors.Join(look.completeKeys(&s), said.checkFlags()); err != nil {
		return exitUsage, err
	}
	id, err := openSeat("--seat", *file, secret)
	if err != nil {
		return exitFail, err
	}
	look.beside = *file
	return exitDone, errors.Join(said.postAct(ctx, e, s, look, id, f.Arg(0)), id.Close())
}

// actFlags is what an act says.
type actFlags struct {
	name              string
	deal              bool
	to, place, accept string
	close             forGood
	claim             func() (wire.TimeoutBody, error)
}

func (a *actFlags) addFlags(f *flag.FlagSet) {
	switch a.name {
	case "resign":
		f.BoolVar(&a.deal, "deal", false, "give up this deal alone, and play the next one (default: leave the table)")
	case "agree":
		f.StringVar(&a.to, "to", wire.AgreeEnd, "what you want, if all seats do: end, undo, pause, resume; or nothing, which takes back what you wanted")
	case "close":
		a.close.addFlags(f)
	case "accept", "reseat":
		f.StringVar(&a.place, "place", "", "`letter` of the seat, as B")
	case "timeout":
		f.StringVar(&a.place, "place", "", "`letter` of the seat that is late, as B (default: whichever is)")
	}
	if a.name == "reseat" {
		f.StringVar(&a.accept, "accept", "", "what pakli table accept has printed for the new player, `text`")
	}
}

// checkFlags finds what cannot be meant.
func (a *actFlags) checkFlags() error {
	if a.to == "nothing" {
		a.to = wire.AgreeNothing
	}
	if (a.name == "accept" || a.name == "reseat") && (len(a.place) != 1 || a.place[0] < 'A' || a.place[0] >= 'A'+wire.MaxSeats) {
		return wrongUsage("--place %q: name the seat by its letter, as B", a.place)
	}
	if a.kind() == wire.KindClose {
		return a.close.checkReason()
	}
	return nil
}

// kind is that of the act.
func (a *actFlags) kind() wire.Kind { return wire.Kind(a.name) }

// actBody is that of the act.
func (a *actFlags) actBody() (any, error) {
	switch a.kind() {
	case wire.KindResign:
		if a.deal {
			return wire.ResignBody{Scope: wire.ResignDeal}, nil
		}
		return wire.ResignBody{Scope: wire.ResignTable}, nil
	case wire.KindAgree:
		return wire.AgreeBody{To: a.to}, nil
	case wire.KindClose:
		return wire.CloseBody{Reason: wire.Text(a.close.reason)}, nil
	case wire.KindReseat:
		key, signature, _ := strings.Cut(a.accept, " ")
		accept, err := wire.ParseAccept(signature)
		if err != nil {
			return nil, wrongUsage("--accept: give the whole line that pakli table accept has printed, in quotation marks: %w", err)
		}
		return wire.ReseatBody{Seat: int(a.place[0] - 'A'), Key: key, Accept: accept}, nil
	}
	if a.kind() == wire.KindTimeout {
		return a.claim()
	}
	return wire.EmptyBody{}, nil
}

// postAct does it: a seat by its journal, anybody else on the head as it is.
func (a *actFlags) postAct(ctx context.Context, e env, s serverFlags, look *lookout, id *player.Identity, text string) error {
	c, src, tableID, err := look.openTable(ctx, e, s, id, text)
	if err != nil {
		return err
	}
	now, err := replayTable(ctx, c, tableID)
	if err != nil {
		return err
	}
	if a.name == "accept" {
		signature, err := wire.SignAccept(id.Signer(), tableID, now.Head(), int(a.place[0]-'A'))
		if err == nil {
			_, err = fmt.Fprintf(e.out, "%s %s\n", id.VerifierKey(), wire.Base64(signature))
		}
		return err
	}
	if !now.Genesis().HasActs() {
		return fmt.Errorf("table %s cannot be ended or left by anybody: it was created without one of --agree, --resign, --fouls warn", tableID)
	}
	if a.kind() == wire.KindClose {
		what := fmt.Sprintf("Table %s is closed: its finished deals count, and one that is open is undone.", tableID.Code()[:wire.MinCode])
		if err := a.close.confirm(ctx, e, what); err != nil {
			return err
		}
	}
	a.claim = func() (wire.TimeoutBody, error) {
		body, err := lateClaim(ctx, c, tableID, a.place)
		if err == nil {
			err = look.addSilence(ctx, e, src, now, &body)
		}
		return body, err
	}
	if holdsSeat(now, id.VerifierKey()) {
		return a.actSeated(ctx, id, src, tableID)
	}
	for {
		body, err := a.actBody()
		if err != nil {
			return err
		}
		entry, err := player.SignAct(now, id.VerifierKey(), id.Signer(), a.kind(), body)
		if err != nil {
			return err
		}
		_, err = c.Post(ctx, tableID, entry)
		if refused, ok := errors.AsType[*client.Problem](err); !ok || refused.Type != client.ProblemBase+client.StaleParent || a.kind() == wire.KindReseat {
			return err
		}
		if now, err = replayTable(ctx, c, tableID); err != nil {
			return err
		}
	}
}

func holdsSeat(s *table.State, key string) bool {
	for seat := range table.Seat(s.Seats()) {
		if s.HolderKey(seat) == key {
			return true
		}
	}
	return false
}

// actSeated does it as a seat of the table, which signs one thing on one head.
func (a *actFlags) actSeated(ctx context.Context, id *player.Identity, src player.Source, tableID wire.Hash) error {
	p, err := takeSeat(ctx, id, src, tableID, nil)
	if err != nil {
		return err
	}
	return a.actAt(ctx, p)
}

func (a *actFlags) actAt(ctx context.Context, p *player.Seat) error {
	return p.PostAct(ctx, a.kind(), func(now *table.State) ([]byte, error) {
		h := p.Hand()
		if a.kind() == wire.KindExpose {
			cards := now.Hand(h.Seat)
			if len(cards) == 0 {
				return nil, errors.New("there is no card in your hand")
			}
			return h.Expose(now, cards, rand.Reader)
		}
		body, err := a.actBody()
		if err != nil {
			return nil, err
		}
		return player.SignAct(now, now.HolderKey(h.Seat), h.Signer, a.kind(), body)
	})
}

// replayTable is a table as this program replays it, with all proofs.
func replayTable(ctx context.Context, c *client.Client, id wire.Hash) (*table.State, error) {
	english, _ := report.LanguageOf("en")
	t := report.NewTeller(catalogue(), english)
	t.Marks = func(mark wire.Hash) (clock.Mark, error) { return c.Mark(ctx, mark) }
	for n := 0; ; {
		list, err := c.Messages(ctx, id, n, 0)
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			break
		}
		for _, m := range list {
			n++
			parcel, err := c.CompleteEntry(ctx, []byte(m.Entry))
			if err != nil {
				return nil, err
			}
			e, err := wire.Parse(parcel)
			if err != nil {
				return nil, err
			}
			if _, err := t.TellNext(m.Index, e); err != nil {
				return nil, err
			}
		}
	}
	if t.State() == nil {
		return nil, fmt.Errorf("the log has no table %s", id)
	}
	return t.State(), nil
}

// tellActs has a player be told of acts, and of the own time at each move.
func tellActs(e env, p *player.Seat, lang string, then func(after *table.State)) {
	l, ok := words.LanguageFor(lang)
	if !ok {
		l, _ = words.LanguageFor("en")
	}
	v := words.Voice{Language: l}
	told := wire.Hash{}
	p.Timed = func(clocks []timing.Clock) {
		i := slices.IndexFunc(clocks, func(c timing.Clock) bool { return c.Seat == p.Hand().Seat })
		if head := p.State().Head(); i >= 0 && clocks[i].Limited && head != told {
			told = head
			e.tellPlayer(ownTime(l, clocks[i].Left))
		}
	}
	p.Acted = func(before, after *table.State, a *wire.Act) {
		_, name := words.Actor(before, a)
		e.tellPlayer(plain.Text(name + " " + v.ActText(before, after, a)))
		then(after)
	}
}

// ownTime says how much time a player has left.
func ownTime(l words.Language, left int64) string {
	if left < 0 {
		return l.Say("clock.over")
	}
	return l.Say("clock.left", "n", left)
}
