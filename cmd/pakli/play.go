package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-isatty"

	"github.com/pakli/pakli/cmd/pakli/reading"
	"github.com/pakli/pakli/cmd/pakli/terminal"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// bot is --bot, or --bot=NAME: which of the bots plays, if any.
type bot string

// bots are the players of this program: one that judges as its game does, and
// one that does whatever the rules allow.
var bots = []string{"sensible", "random"}

func (b *bot) String() string { return string(*b) }

// IsBoolFlag lets --bot stand alone.
func (b *bot) IsBoolFlag() bool { return true }

func (b *bot) Set(s string) error {
	switch {
	case s == "true":
		*b = bot(bots[0])
	case s == "false":
		*b = ""
	case !slices.Contains(bots, s):
		return fmt.Errorf("%q is none of %v", s, bots)
	default:
		*b = bot(s)
	}
	return nil
}

// withBot lets the name of a bot follow --bot as a word of its own, as the
// values of other flags may: play takes no arguments that it could be.
func withBot(args []string) []string {
	args = slices.Clone(args)
	for i := 0; i+1 < len(args); i++ {
		if (args[i] == "--bot" || args[i] == "-bot") && !strings.HasPrefix(args[i+1], "-") {
			args = slices.Replace(args, i, i+2, "--bot="+args[i+1])
		}
	}
	return args
}

// botMoves returns the moves of a bot.
func (b bot) botMoves() player.Choose {
	r := newRand()
	if b == "random" {
		return player.Random(r)
	}
	return player.Bot(r)
}

func newRand() *mathrand.Rand {
	return mathrand.New(mathrand.NewPCG(mathrand.Uint64(), mathrand.Uint64()))
}

// seatFlags is the flags that say who plays, and how a person is spoken to.
type seatFlags struct {
	here         bool // although the seat also plays elsewhere
	bot          bot
	typed, ascii bool
	lang         string
}

// runPlay plays one seat until its table is over, or its person leaves.
func runPlay(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("play", "")
	var s serverFlags
	var secret passphrase
	var how seatFlags
	s.addFlags(f)
	secret.addFlags(f)
	look := newLookout(f)
	table := f.String("table", "", "`id` of the table, or how it begins")
	inEvent := f.String("event", "", "id or code of an `event`: register, sit at draws and play each of your tables; instead of --table")
	seat := f.String("seat", "", "the seat `file`; with --bots the directory that has theirs, or will have")
	crowd := f.Int("bots", 0, "with --event: let so many bots enter it, each with a seat of its own")
	var does habits
	does.addFlags(f)
	f.Var(&how.bot, "bot", "let a bot choose the moves: sensible, random; without a name the sensible one")
	f.BoolVar(&how.typed, "stdin", false, "read a person's moves from standard input although it is no terminal")
	f.BoolVar(&how.ascii, "ascii", false, "show suits as letters, and letters without accents")
	f.BoolVar(&how.here, "here", false, "play on although the seat has also played on another device, or is a copy: the other device must be gone for good")
	f.StringVar(&how.lang, "lang", "", "`language`: en, de, hu (default: as LC_ALL or LANG says)")
	if err := parseFlags(f, withBot(args), 0); err != nil {
		return exitUsage, err
	}
	if err := look.completeKeys(&s); err != nil {
		return exitUsage, err
	}
	left, err := how.display(e, "") // of no game: what it says when a person leaves
	if err != nil {
		return exitUsage, wrongUsage("--lang: %w", err)
	}
	if (*table == "") == (*inEvent == "") {
		return exitUsage, wrongUsage("--table is missing: the id of the table, or how it begins; or --event")
	}
	if *crowd > 0 || does.hasAny() {
		return rehearse(ctx, e, s, *inEvent, *seat, *crowd, does)
	}
	identity, err := openSeat("--seat", *seat, secret)
	if err != nil {
		return exitFail, err
	}
	if how.bot == "" && !how.typed && !isatty.IsTerminal(os.Stdin.Fd()) {
		return exitUsage, errors.Join(wrongUsage("standard input is no terminal: give --bot, or --stdin to read a person's moves from it"), identity.Close())
	}
	look.beside = *seat
	if *inEvent != "" {
		err = playEvent(ctx, e, s, look, how, identity, *inEvent)
	} else {
		err = sitAndPlay(ctx, e, s, look, how, identity, *table)
	}
	if errors.Is(err, terminal.ErrQuit) || how.bot == "" && err != nil && ctx.Err() != nil {
		fmt.Fprint(e.out, "\n", left.LeavingText(fmt.Sprintf("pakli play --server %s --table %s --seat %s", s.url, *table, *seat)))
		err = nil
	}
	return exitDone, errors.Join(err, identity.Close())
}

// playEvent plays all tables of an event at which the seat is.
func playEvent(ctx context.Context, e env, s serverFlags, look *lookout, how seatFlags, id *player.Identity, name string) error {
	told, stop := look.tellPresence(ctx, e, id, "")
	defer stop(wire.Hash{})
	var c *client.Client
	var hash wire.Hash
	err := untilOpen(ctx, e, told, func() (err error) {
		c, hash, err = s.findEvent(ctx, e, name)
		return err
	})
	if err != nil {
		return err
	}
	p := &entrant{c: c, id: id, event: hash, every: time.Second, sit: func(ctx context.Context, table wire.Hash) error {
		stop(table)
		return sitAndPlay(ctx, e, s, look, how, id, table.String())
	}}
	return p.attendEvent(ctx, env{io.Discard, e.err})
}

// sitAndPlay plays at one table. Where keepers know that the seat sits there, it waits for a server that does not let it open the table.
func sitAndPlay(ctx context.Context, e env, s serverFlags, look *lookout, how seatFlags, id *player.Identity, name string) error {
	told, stop := look.tellPresence(ctx, e, id, name)
	defer stop(wire.Hash{})
	var p *player.Seat
	var src *reading.Source
	playing := ctx
	err := untilOpen(ctx, e, told, func() (err error) {
		p, src, playing, err = sitAt(ctx, e, s, look, how, id, name)
		return err
	})
	if err == nil {
		ctx = playing
		err = playThrough(ctx, p, e.tellPlayer, func(ctx context.Context) error {
			stop(wire.Hash{})
			if how.here {
				if err := src.PlayHere(ctx, p); err != nil {
					return err
				}
			}
			return p.Play(ctx)
		})
	}
	if p != nil && (err == nil || errors.Is(err, player.ErrFoul) || errors.Is(err, player.ErrReseated)) {
		_ = os.Remove(look.keepAt + proofSuffix) // nothing is asked of the seat any more
	}
	if errors.Is(err, player.ErrElsewhere) || errors.Is(err, player.ErrCopy) {
		return fmt.Errorf("%w. Stop it there; if the other device is gone for good, play on with --here", err)
	}
	if errors.Is(err, reading.ErrUnvouched) {
		return fmt.Errorf("%w with --policy", err)
	}
	if err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	display, err := how.display(e, p.State().Genesis().Game)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(e.out, display.Result(p.State(), p.State().ID()))
	return err
}

// isFinal reports whether a seat must not wait with an error, or waiting does not help.
func isFinal(err error) bool {
	return errors.Is(err, tlog.ErrForked) || errors.Is(err, reading.ErrUnvouched) || player.IsOwn(err)
}

// sitAt takes a seat of a table. The context ends when its person leaves.
func sitAt(ctx context.Context, e env, s serverFlags, look *lookout, how seatFlags, id *player.Identity, name string) (*player.Seat, *reading.Source, context.Context, error) {
	_, src, tableID, err := look.openTable(ctx, e, s, id, name)
	if err != nil {
		return nil, nil, ctx, err
	}
	from := &steadySource{timedSource: src, say: e.tellPlayer}
	var p *player.Seat
	if how.bot != "" {
		if p, err = takeSeat(ctx, id, from, tableID, how.bot.botMoves()); err == nil {
			tellActs(e, p, how.lang, func(*table.State) {})
		}
	} else {
		p, ctx, err = sitDown(ctx, e, how, id, from, tableID)
	}
	if err == nil {
		p.Passes = func(err error) bool { return !isFinal(err) }
		look.watchSeat(e, p, src)
	}
	return p, src, ctx, err
}

// openTable returns the log as a player of a table reads it.
func (l *lookout) openTable(ctx context.Context, e env, s serverFlags, id *player.Identity, table string) (*client.Client, *reading.Source, wire.Hash, error) {
	c, tableID, err := s.findTable(ctx, e, table)
	if err != nil {
		return nil, nil, wire.Hash{}, err
	}
	l.keepAt = l.beside + "." + tableID.String()
	believed, err := id.BelievedCheckpoint(tableID)
	if err != nil {
		return nil, nil, wire.Hash{}, err
	}
	if believed != nil {
		if err := c.BelieveCheckpoint(ctx, believed); errors.Is(err, tlog.ErrUnsigned) {
			return nil, nil, wire.Hash{}, fmt.Errorf("what this seat has seen before has another signature: give the former key of the log too, in a second --log: %w", err)
		} else if err != nil {
			return nil, nil, wire.Hash{}, err
		}
	}
	src, err := l.newSource(e, s, c, tableID)
	return c, src, tableID, err
}

// display shows a game as the terminal and its flags allow.
func (how seatFlags) display(e env, game string) (terminal.Display, error) {
	style, lang := terminal.Environment(e.out)
	style.ASCII = style.ASCII || how.ascii
	return terminal.For(game, cmp.Or(how.lang, lang), style)
}

// sitDown seats a person. The context ends when the person leaves.
func sitDown(ctx context.Context, e env, how seatFlags, id *player.Identity, src player.Source, tableID wire.Hash) (*player.Seat, context.Context, error) {
	var person *terminal.Person
	choose := func(ctx context.Context, s *table.State, v table.View) (json.RawMessage, error) {
		return person.Choose(ctx, s, v)
	}
	p, err := takeSeat(ctx, id, src, tableID, choose)
	if err != nil {
		return nil, ctx, err
	}
	v, err := p.View()
	if err != nil {
		return nil, ctx, err
	}
	before := p.State()
	display, err := how.display(e, before.Genesis().Game)
	if err != nil {
		return nil, ctx, err
	}
	person, ctx = terminal.Sit(ctx, scene.SeatPosition(before, v), terminal.Options{
		In: os.Stdin, Out: e.out, Display: display, Random: newRand(),
		Ahead: !isatty.IsTerminal(os.Stdin.Fd()),
	})
	p.Watch = func(after *table.State, m *wire.Message) {
		if v, err := p.View(); err == nil { // and if not, Play says so when it matters
			person.Watch(before, scene.SeatPosition(after, v), m)
		}
		before = after
	}
	tellActs(e, p, how.lang, func(after *table.State) { before = after })
	return p, ctx, nil
}

// pause is how long a player waits for a server that is away.
const pause = time.Second

// playThrough plays on when the server was away for longer than the client
// waits, or withholds something: a game outlives its server's restarts.
func playThrough(ctx context.Context, p *player.Seat, say func(string), play func(context.Context) error) error {
	playing, stop := context.WithCancel(ctx)
	defer stop()
	if needsRedraw(p.State()) {
		return p.LeaveTable(ctx, errRedrawn)
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
			return p.LeaveTable(ctx, errRedrawn)
		}
		if !client.IsPassing(err) && !p.CanResume(err) || ctx.Err() != nil || err != nil && isFinal(err) {
			return err
		}
		if text := err.Error(); !client.IsPassing(err) && text != said {
			say(text + "; play goes on by itself when the server shows it")
			said = text
		}
		_ = pauseFor(ctx, pause) // if it ends, what is asked next says so
	}
}

// errRedrawn ends play at a table of the draw that a seat has left, by the clock or by itself: the draw
// is made again without it, at another table.
var errRedrawn = errors.New("a seat has left the draw, which is made again at another table")

func needsRedraw(s *table.State) bool {
	return s.Genesis().Game == event.DrawGame && slices.ContainsFunc(s.EndingActs(), func(e table.EndingAct) bool {
		return e.Kind == wire.KindTimeout || e.Kind == wire.KindResign
	})
}

// timedSource is a source for tables with a clock too.
type timedSource interface {
	player.Source
	player.TimedSource
}

// steadySource is a source that tells when the server is away, and when it is back.
type steadySource struct {
	timedSource
	say  func(string)
	gone time.Time // since when there is no answer; zero: there is
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
			err = request.Err // the URL is long, and known
		}
		s.say(fmt.Sprintf("the server does not answer (%v); play goes on by itself when it does", err))
	case !missing && !s.gone.IsZero():
		s.say(fmt.Sprintf("the server answers again, after %v", time.Since(s.gone).Round(time.Second)))
		s.gone = time.Time{}
	}
}

// takeSeat takes a seat of a table.
func takeSeat(ctx context.Context, id *player.Identity, src player.Source, tableID wire.Hash, choose player.Choose) (*player.Seat, error) {
	return player.Sit(ctx, id, src, tableID, catalogue(), choose, rand.Reader)
}

func scores(s *table.State, result []int) string {
	text := ""
	for seat, n := range result {
		if seat > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s %+d", s.SeatName(table.Seat(seat)), n)
	}
	return text
}
