// Package play has the commands that play a seat, as a person or a bot, at one table or all tables of
// an event, and that make seat files.
package play

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mattn/go-isatty"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/cmd/pakli/sitting"
	"github.com/pakli/pakli/cmd/pakli/terminal"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/client/tablelog"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// seatFlags are the flags that say who plays and how to speak to a person.
type seatFlags struct {
	here         bool // the seat may also play elsewhere
	bot          sitting.Bot
	typed, ascii bool
	lang         *flags.Language
}

// Play plays one seat until its table is over or its person leaves.
func Play(f *command.Flags) command.Body {
	s := flags.ServerOf(f)
	var how seatFlags
	look := sitting.LookoutOf(f)
	table := f.String("table", "", "`id` of the table, or how it begins")
	inEvent := f.String("event", "", "id or code of an `event`, instead of --table: register, help to draw the lots, and play each of your tables")
	seat := flags.SeatOf(f, "seat", "", "the seat `file`; with --bots the directory of theirs, which are made if they are missing")
	crowd := f.Int("bots", 0, "with --event: `number` of bots that enter it, each with a seat of its own")
	var does Habits
	does.AddFlags(f)
	f.Offer("bot", "sensible", "random")
	f.Var(&how.bot, "bot", "let a bot choose the moves: sensible, which is the default, or random")
	f.BoolVar(&how.typed, "stdin", false, "read a person's moves from standard input although it is no terminal")
	f.BoolVar(&how.ascii, "ascii", false, "show suits as letters, and letters without accents")
	f.BoolVar(&how.here, "here", false, "play on although the seat has also played on another device, or is a copy: the other device must be gone for good")
	how.lang = flags.LanguageOf(f)
	return func(ctx context.Context, e command.Env) error {
		if err := look.CompleteKeys(s); err != nil {
			return command.ExitWith(command.ExitUsage, err)
		}
		left, err := how.display(e, "") // for no game: the text when a person leaves
		if err != nil {
			return err
		}
		if (*table == "") == (*inEvent == "") {
			return command.WrongUsage("--table is missing: give the id of the table or its first digits, or give --event")
		}
		if *crowd > 0 || does.Leave != 0 || does.Late != 0 {
			return rehearse(ctx, e, s, *inEvent, seat.File, *crowd, does)
		}
		identity, err := seat.Open()
		if err != nil {
			return err
		}
		if how.bot == "" && !how.typed && !isatty.IsTerminal(os.Stdin.Fd()) {
			return errors.Join(command.WrongUsage("standard input is no terminal: give --bot, or --stdin to read a person's moves from it"), identity.Close())
		}
		look.Beside = seat.File
		if *inEvent != "" {
			err = playEvent(ctx, e, s, look, how, identity, *inEvent)
		} else {
			err = sitAndPlay(ctx, e, s, look, how, identity, *table)
		}
		if errors.Is(err, terminal.ErrQuit) || how.bot == "" && err != nil && ctx.Err() != nil {
			fmt.Fprint(e.Out, "\n", left.LeavingText(goOnLine(s, *table, *inEvent, seat.File)))
			err = nil
		}
		return errors.Join(err, identity.Close())
	}
}

// goOnLine returns the command with which a person who has left goes on.
func goOnLine(s *flags.Server, table, event, seat string) string {
	what, of := "--table", table
	if event != "" {
		what, of = "--event", event
	}
	return command.Line("pakli", "play", "--server", s.URL, what, of, "--seat", seat)
}

// backLine returns the command with which a seat comes back.
func backLine(s *flags.Server, table wire.Hash, seat string) string {
	return command.Line("pakli", "table", "back", table.Code()[:wire.MinCode], "--server", s.URL, "--seat", seat)
}

func playEvent(ctx context.Context, e command.Env, s *flags.Server, look *sitting.Lookout, how seatFlags, id *player.Identity, name string) error {
	told, stop := look.TellPresence(ctx, e, id, "")
	defer stop(wire.Hash{})
	var c *client.Client
	var hash wire.Hash
	err := sitting.UntilOpen(ctx, e, told, func() (err error) {
		c, hash, err = s.FindEvent(ctx, e, name)
		return err
	})
	if err != nil {
		return err
	}
	line := func(table wire.Hash) string { return goOnLine(s, table.Code()[:wire.MinCode], "", look.Beside) }
	p := &entrant{c: c, id: id, event: hash, every: sitting.Pause, line: line, tell: func(text string) { sitting.TellPlayer(e, text) }, sit: func(ctx context.Context, table wire.Hash) error {
		stop(table)
		return sitAndPlay(ctx, e, s, look, how, id, table.String())
	}}
	return p.attendEvent(ctx, command.Env{Out: io.Discard, Err: e.Err})
}

// sitAndPlay plays at one table. If keepers know that the seat sits there, it waits for a server that
// does not let it open the table.
func sitAndPlay(ctx context.Context, e command.Env, s *flags.Server, look *sitting.Lookout, how seatFlags, id *player.Identity, name string) error {
	told, stop := look.TellPresence(ctx, e, id, name)
	defer stop(wire.Hash{})
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	var p *player.Seat
	var src *tablelog.Source
	say := func(text string) { sitting.TellPlayer(e, text) }
	playing := ctx
	err := sitting.UntilOpen(ctx, e, told, func() (err error) {
		p, src, playing, err = sitAt(ctx, e, s, look, how, id, name)
		return err
	})
	if err == nil {
		ctx = playing
		err = sitting.PlayThrough(ctx, p, say, func(ctx context.Context) error {
			stop(wire.Hash{})
			if how.here {
				if err := src.PlayHere(ctx, p); err != nil {
					return err
				}
			}
			play := p.Play
			if how.bot != "" {
				play = func(ctx context.Context) error { return sitting.PlayAsBot(ctx, p) }
			}
			return sitting.PlayOnErrands(ctx, p, id, look.Beside, say, play)
		})
	}
	if p != nil && (err == nil || errors.Is(err, player.ErrFoul) || errors.Is(err, player.ErrReseated)) {
		_ = os.Remove(look.KeepAt + sitting.ProofSuffix) // the table needs nothing more from the seat
	}
	if errors.Is(err, player.ErrElsewhere) || errors.Is(err, player.ErrCopy) {
		return fmt.Errorf("%w. Stop it there; if the other device is gone for good, play on with --here", err)
	}
	if errors.Is(err, tablelog.ErrUnvouched) {
		return fmt.Errorf("%w with --policy", err)
	}
	if err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	display, err := how.display(e, p.State().Genesis().Game)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(e.Out, display.Result(p.State(), p.State().ID()))
	return err
}

// sitAt takes a seat at a table. The returned context ends when its person leaves.
func sitAt(ctx context.Context, e command.Env, s *flags.Server, look *sitting.Lookout, how seatFlags, id *player.Identity, name string) (*player.Seat, *tablelog.Source, context.Context, error) {
	c, src, tableID, err := look.OpenTable(ctx, e, s, id, name)
	if err != nil {
		return nil, nil, ctx, err
	}
	from := sitting.NewSteadySource(src, func(text string) { sitting.TellPlayer(e, text) })
	var p *player.Seat
	if how.bot != "" {
		if p, err = sitting.TakeSeat(ctx, id, from, tableID, how.bot.Moves()); err == nil {
			sitting.TellActs(e, p, how.lang.Tag(), backLine(s, tableID, look.Beside), func(*table.State) {})
		}
	} else {
		p, ctx, err = sitDown(ctx, e, how, id, from, tableID, backLine(s, tableID, look.Beside))
	}
	if err == nil {
		go tablelog.Attend(ctx, c, tableID, id.VerifierKey(), id.Signer(), func([]string) {})
		p.Passes = func(err error) bool { return !sitting.IsFinal(err) }
		look.WatchSeat(e, p, src)
	}
	return p, src, ctx, err
}

// display returns the display of a game for the terminal and flags.
func (how seatFlags) display(e command.Env, game string) (terminal.Display, error) {
	style := terminal.Environment(e.Out)
	style.ASCII = style.ASCII || how.ascii
	return terminal.For(game, how.lang.Tag(), style)
}

// sitDown seats a person. The returned context ends when the person leaves.
func sitDown(ctx context.Context, e command.Env, how seatFlags, id *player.Identity, src player.Source, tableID wire.Hash, back string) (*player.Seat, context.Context, error) {
	var person *terminal.Person
	choose := func(ctx context.Context, s *table.State, v table.View) (json.RawMessage, error) {
		return person.Choose(ctx, s, v)
	}
	p, err := sitting.TakeSeat(ctx, id, src, tableID, choose)
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
	clock := sitting.TellActs(e, p, how.lang.Tag(), back, func(after *table.State) { before = after })
	person, ctx = terminal.Sit(ctx, scene.SeatPosition(before, v), terminal.Options{
		In: os.Stdin, Out: e.Out, Display: display, Random: sitting.NewRand(), Clock: clock.Line,
		Ahead: !isatty.IsTerminal(os.Stdin.Fd()),
	})
	p.Watch = func(after *table.State, m *wire.Message) {
		clock.Stop()
		if v, err := p.View(); err == nil { // otherwise Play returns the error when it matters
			person.Watch(before, scene.SeatPosition(after, v), m)
		}
		before = after
	}
	return p, ctx, nil
}
