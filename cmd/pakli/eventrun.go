package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pakli/pakli/cmd/pakli/reading"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/events"
)

// runEventRun runs an event. It goes on where the log says that it is, also after a crash.
func runEventRun(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("event run", "EVENT")
	var s server
	var secret passphrase
	s.register(f)
	secret.register(f)
	file := f.String("seat", "organiser.seat", "the organiser's seat `file`")
	players := f.Int("players", 0, "begin when so many have registered")
	if err := parse(f, args, 1); err != nil {
		return exitUsage, err
	}
	if *players < wire.MinSeats {
		return exitUsage, wrongUsage("--players is missing: with how many registrations the event begins, %d at least", wire.MinSeats)
	}
	id, err := openSeat("--seat", *file, secret)
	if err != nil {
		return exitFail, err
	}
	defer id.Close()
	c, hash, err := s.event(ctx, e, f.Arg(0))
	if err != nil {
		return exitFail, err
	}
	d := &direction{e: e, s: &s, c: c, id: hash, signer: id.Signer(), key: id.VerifierKey()}
	return exitDone, d.run(ctx, id, *players, time.Second)
}

// run does what is next until the standings are published.
func (d *direction) run(ctx context.Context, organiser *player.Identity, players int, every time.Duration) error {
	for {
		v, err := d.look(ctx)
		if err != nil {
			return err
		}
		h := v.History
		switch waiting := d.waiting(v); {
		case h.Final != nil || h.Canceled != nil:
			return nil
		case len(h.Rounds) == 0 && len(h.Players)+h.Unanswered(^uint64(0)) < players:
			fmt.Fprintf(d.e.err, "%d of %d have registered\n", len(h.Players)+h.Unanswered(^uint64(0)), players)
			err = d.enough(ctx, players, every)
		case h.Unanswered(v.Log.Checkpoint.Size) > 0:
			err = d.roster(ctx)
		case len(h.Rounds) == 0 && slices.Contains(h.Terms.Seating, wire.SeatByPlan) && !h.Planned():
			err = d.plan(ctx)
		case v.Seed == "":
			err = d.drawn(ctx, organiser)
		case d.unbegun(v):
			_, err = d.start(ctx)
		case len(waiting) > 0:
			err = d.over(ctx, waiting, every)
		case len(h.Rounds) < h.Terms.Rounds:
			err = d.seat(ctx)
		default:
			err = d.final(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// enough waits until so many have registered.
func (d *direction) enough(ctx context.Context, players int, every time.Duration) error {
	for {
		now, err := d.c.Event(ctx, d.id)
		if err != nil || now.Players+now.Unanswered >= players {
			return err
		}
		if err := pauseFor(ctx, every); err != nil {
			return err
		}
	}
}

func pauseFor(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// drawn draws the lots. At a table of the draw the organiser's seat shuffles too.
func (d *direction) drawn(ctx context.Context, organiser *player.Identity) error {
	id, err := d.draw(ctx)
	if err != nil || id == (wire.Hash{}) {
		return err
	}
	p, err := sit(ctx, organiser, reading.New(id, reading.Options{Server: d.c}), id, bot("sensible").choose())
	if err != nil {
		return err
	}
	return playThrough(ctx, p)
}

// unbegun reports whether a table of the last round was not begun.
func (d *direction) unbegun(v *events.Verified) bool {
	return slices.ContainsFunc(v.Judgement.Tables, func(s event.Seated) bool {
		return s.Round == len(v.History.Rounds) && s.Table == nil
	})
}

// waiting are the tables that are in play.
func (d *direction) waiting(v *events.Verified) (list []event.Seated) {
	for _, s := range v.Judgement.Tables {
		if s.Table != nil && !s.Table.State.Over() {
			list = append(list, s)
		}
	}
	return list
}

// over waits until tables are over, and says of those that stand still what can be done.
func (d *direction) over(ctx context.Context, tables []event.Seated, every time.Duration) error {
	told := map[wire.Hash]bool{}
	for len(tables) > 0 {
		t, err := d.c.Table(ctx, tables[0].Table.ID)
		if err != nil {
			return err
		}
		if t.Over || t.Foul != nil {
			tables = tables[1:]
			continue
		}
		if id := tables[0].Table.ID; !told[id] {
			told[id] = true
			fmt.Fprintf(d.e.err, "waiting for table %d/%d, %s; to end it: pakli table close %s\n", tables[0].Round, tables[0].Number, id.Code()[:wire.MinCode], id)
		}
		if err := pauseFor(ctx, every); err != nil {
			return err
		}
	}
	return nil
}

// entrant is a player of an event: it registers, sits at the draw and joins each of its tables.
type entrant struct {
	c     *client.Client
	id    *player.Identity
	event wire.Hash
	name  string
	every time.Duration
	sit   func(ctx context.Context, table wire.Hash) error
}

// run plays until the event is over.
func (p *entrant) run(ctx context.Context, e env) error {
	entries, err := p.c.EventEntries(ctx, p.event, 0, 0)
	if err != nil {
		return err
	}
	if len(entries.Entries) == 0 || wire.HashEntry([]byte(entries.Entries[0].Entry)) != p.event {
		return errors.New("the server shows another event than it was asked for")
	}
	announced, err := wire.ParseEvent([]byte(entries.Entries[0].Entry))
	if err != nil {
		return err
	}
	if err := p.register(ctx, e); err != nil {
		return err
	}
	played := map[wire.Hash]bool{}
	for {
		id, err := p.next(ctx, announced.Event.Organiser, played)
		if err != nil {
			return err
		}
		if id == nil {
			now, err := p.c.Event(ctx, p.event)
			if err != nil || now.Over {
				return err
			}
			if err := pauseFor(ctx, p.every); err != nil {
				return err
			}
			continue
		}
		played[*id] = true
		if err := p.sit(ctx, *id); err != nil {
			return err
		}
	}
}

// register asks for a place, unless that was done.
func (p *entrant) register(ctx context.Context, e env) error {
	say := speech{name: "register", who: p.name, draw: true}
	err := say.tell(ctx, e, p.c, p.event, p.id)
	if problem, refused := errors.AsType[*client.Problem](err); refused && problem.Type == client.ProblemBase+client.RefusedNotice {
		return nil // it is on the roster
	}
	return err
}

// next is a table of the event at which the player has a seat; nil: there is none now.
func (p *entrant) next(ctx context.Context, organiser string, played map[wire.Hash]bool) (*wire.Hash, error) {
	for t, err := range tables(ctx, p.c, client.TableFilter{Player: p.id.VerifierKey()}) {
		if err != nil {
			return nil, err
		}
		if played[t.ID] || t.Standing == nil || t.State == client.TableOver || t.State == client.TableFoul {
			continue
		}
		first, err := p.c.Messages(ctx, t.ID, 0, 0)
		if err != nil || len(first) == 0 {
			return nil, err
		}
		g, err := wire.ParseGenesis([]byte(first[0].Entry))
		if err != nil || g.Hash != t.ID || g.Table.Event != p.event.String() || g.Table.Organiser != organiser {
			played[t.ID] = true // it is none of the event
			continue
		}
		return &t.ID, nil
	}
	return nil, nil
}

// botsAt lets bots enter an event, each with a client and a seat of its own.
func botsAt(ctx context.Context, e env, s *server, eventID wire.Hash, ids []*player.Identity, names []string, every time.Duration) error {
	group, ctx := errgroup.WithContext(ctx)
	for i, id := range ids {
		group.Go(func() error {
			c, err := s.connect()
			if err != nil {
				return err
			}
			p := &entrant{c: c, id: id, event: eventID, name: names[i], every: every, sit: func(ctx context.Context, table wire.Hash) error {
				seat, err := sit(ctx, id, reading.New(table, reading.Options{Server: c}), table, bot("sensible").choose())
				if err != nil {
					return err
				}
				return playThrough(ctx, seat)
			}}
			return p.run(ctx, e)
		})
	}
	return group.Wait()
}
