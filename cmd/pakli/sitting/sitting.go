// Package sitting plays a seat of a table: it takes the seat, plays on after the server was away, and
// asks other sources when the server shows nothing new.
package sitting

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/client/tablelog"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/timing"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/report"
)

// IsFinal reports whether waiting must not, or cannot, overcome an error of a seat.
func IsFinal(err error) bool {
	return errors.Is(err, tlog.ErrForked) || errors.Is(err, tablelog.ErrUnvouched) || player.IsOwn(err)
}

// Pause is how long a player waits for an unreachable server, and between two looks at an event.
var Pause = time.Second

// PlayThrough plays on after the server was away for longer than the client waits, or has withheld
// something: a game outlives restarts of its server.
func PlayThrough(ctx context.Context, p *player.Seat, say func(string), play func(context.Context) error) error {
	playing, stop := context.WithCancel(ctx)
	defer stop()
	if needsRedraw(p.State()) {
		return p.LeaveTable(ctx, ErrRedrawn)
	}
	told := p.Acted
	p.Acted = func(before, after *table.State, a *wire.Act) {
		if told != nil {
			told(before, after, a)
		}
		if needsRedraw(after) {
			stop()
		}
	}
	for said := ""; ; {
		err := play(playing)
		if playing.Err() != nil && ctx.Err() == nil {
			return p.LeaveTable(ctx, ErrRedrawn)
		}
		if !client.IsPassing(err) && !p.CanResume(err) || ctx.Err() != nil || err != nil && IsFinal(err) {
			return err
		}
		if text := err.Error(); !client.IsPassing(err) && text != said {
			say(text + "; play goes on by itself when the server shows it")
			said = text
		}
		_ = command.Wait(ctx, Pause) // the end of ctx is reported by the next call
	}
}

// ErrRedrawn ends play at a table of the draw that a seat has left, by the clock or by itself. The
// draw is made again without that seat at another table.
var ErrRedrawn = errors.New("a seat has left the draw, which is made again at another table")

func needsRedraw(s *table.State) bool {
	return s.Genesis().Game == event.DrawGame && slices.ContainsFunc(s.EndingActs(), func(e table.EndingAct) bool {
		return e.Kind == wire.KindTimeout || e.Kind == wire.KindResign
	})
}

// timedSource is a source that also serves tables with a clock.
type timedSource interface {
	player.Source
	player.TimedSource
}

// NewSteadySource returns a source that reports when the server is away and when it is back.
func NewSteadySource(src timedSource, say func(string)) *steadySource {
	return &steadySource{timedSource: src, say: say}
}

// steadySource reports when the server is away and when it is back.
type steadySource struct {
	timedSource
	say  func(string)
	gone time.Time // since when there is no answer; zero if there is one
}

func (s *steadySource) Messages(ctx context.Context, id wire.Hash, n int, wait time.Duration) ([][]byte, error) {
	list, err := s.timedSource.Messages(ctx, id, n, wait)
	s.noteAnswer(ctx, err)
	return list, err
}

func (s *steadySource) Post(ctx context.Context, id wire.Hash, parcel []byte) error {
	err := s.timedSource.Post(ctx, id, parcel)
	s.noteAnswer(ctx, err)
	return err
}

func (s *steadySource) noteAnswer(ctx context.Context, err error) {
	switch missing := client.IsPassing(err); {
	case missing && s.gone.IsZero() && ctx.Err() == nil:
		s.gone = time.Now()
		if request, ok := errors.AsType[*url.Error](err); ok {
			err = request.Err // without the URL, which is long and known
		}
		s.say(fmt.Sprintf("the server does not answer (%v); play goes on by itself when it does", err))
	case !missing && !s.gone.IsZero():
		s.say(fmt.Sprintf("the server answers again, after %v", time.Since(s.gone).Round(time.Second)))
		s.gone = time.Time{}
	}
}

// TakeSeat takes a seat of a table.
func TakeSeat(ctx context.Context, id *player.Identity, src player.Source, tableID wire.Hash, choose player.Choose) (*player.Seat, error) {
	return player.Sit(ctx, id, src, tableID, flags.Catalogue(), choose, rand.Reader)
}

// AwaitedDuties returns who owes what.
func AwaitedDuties(s *table.State) (list []string) {
	for _, d := range s.Duties() {
		var names []string
		for _, seat := range d.Seats {
			names = append(names, s.SeatName(seat))
		}
		list = append(list, fmt.Sprintf("%s to %s", strings.Join(names, " or "), InWords(d.Kind)))
	}
	return list
}

// InWords returns a duty in words.
func InWords(k wire.Kind) string {
	switch k {
	case table.Key:
		return "come"
	case table.Show:
		return "show cards"
	case table.Disclose:
		return "disclose locks"
	case table.Beacon:
		return "reveal a value for a proof"
	case table.Answer:
		return "answer what was asked of its shuffle"
	}
	return plain.Text(string(k))
}

// ReplayTable returns a table as this program replays it, with all proofs.
func ReplayTable(ctx context.Context, c *client.Client, id wire.Hash) (*table.State, error) {
	english, _ := report.LanguageOf("en")
	t := report.NewTeller(flags.Catalogue(), english)
	for n := 0; ; {
		more, err := TellEntries(ctx, c, t, id, n, 0, func(*wire.Entry, report.Step) error { return nil })
		if err != nil || more == 0 {
			return t.State(), err
		}
		n += more
	}
}

// TellEntries makes a teller replay the entries of a table from the n-th on, as many as the server
// shows at once, and returns their number. If there are none, it waits for some.
func TellEntries(ctx context.Context, c *client.Client, t *report.Teller, id wire.Hash, n int, wait time.Duration, see func(*wire.Entry, report.Step) error) (int, error) {
	t.Marks = func(mark wire.Hash) (keeper.Mark, error) { return c.Mark(ctx, mark) }
	list, err := c.Messages(ctx, id, n, wait)
	for _, m := range list {
		parcel, err := c.CompleteEntry(ctx, []byte(m.Entry))
		if err != nil {
			return 0, err
		}
		e, err := wire.Parse(parcel)
		if err != nil {
			return 0, fmt.Errorf("entry %d: %w", m.Index, err)
		}
		step, err := t.TellNext(m.Index, e)
		if err == nil {
			err = see(e, step)
		}
		if err != nil {
			return 0, err
		}
	}
	if err == nil && t.State() == nil {
		err = fmt.Errorf("the log has no table %s", id)
	}
	return len(list), err
}

// TellActs reports acts to a player, the time that seats have left, and the command with which a late
// seat comes back.
func TellActs(e command.Env, p *player.Seat, lang, back string, then func(after *table.State)) *ClockTeller {
	l := scene.LanguageOrEnglish(lang)
	v := scene.Voice{Language: l}
	t := NewClockTeller(lang, p.State(), p.Hand().Seat, func(text string) { TellPlayer(e, text) })
	p.Timed = func(clocks []timing.Clock) { t.Take(p.State().Head(), clocks) }
	p.Watch = func(*table.State, *wire.Message) { t.Stop() }
	p.Acted = func(before, after *table.State, a *wire.Act) {
		t.Stop()
		_, name := scene.Actor(before, a)
		TellPlayer(e, plain.Text(plain.Isolate(name)+" "+v.ActText(before, after, a)))
		if seat, gone := after.GoneSeat(); gone && seat == p.Hand().Seat && a.Kind == wire.KindTimeout {
			TellPlayer(e, l.Say("clock.back", "command", back))
		}
		then(after)
	}
	return t
}

// Bot is the flag --bot, or --bot=NAME: the bot that plays, if any.
type Bot string

// bots are the bots of this program: one judges as its game does, and one does anything that the
// rules allow.
var bots = []string{"sensible", "random"}

func (b *Bot) String() string { return string(*b) }

// IsBoolFlag lets --bot stand alone.
func (b *Bot) IsBoolFlag() bool { return true }

func (b *Bot) Set(s string) error {
	switch {
	case s == "true":
		*b = Bot(bots[0])
	case s == "false":
		*b = ""
	case !slices.Contains(bots, s):
		return fmt.Errorf("%q is none of %v", s, bots)
	default:
		*b = Bot(s)
	}
	return nil
}

// TakesWord lets the name of a bot follow --bot as a separate word, as with other flags: play takes
// no arguments.
func (b *Bot) TakesWord() {}

// Moves returns the bot's choice of moves.
func (b Bot) Moves() player.Choose {
	r := NewRand()
	if b == "random" {
		return player.Random(r)
	}
	return player.Bot(r)
}

// NewRand returns random numbers for bots and hints.
func NewRand() *mathrand.Rand {
	return mathrand.New(mathrand.NewPCG(mathrand.Uint64(), mathrand.Uint64()))
}
