package play

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pakli/pakli/cmd/pakli/event"
	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/cmd/pakli/sitting"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/wire"
)

// entrant is a player of an event. It registers, sits at draws and joins each of its tables.
type entrant struct {
	c     *client.Client
	id    *player.Identity
	event wire.Hash
	name  string
	late  bool // register only when a round has been seated
	every time.Duration
	sit   func(ctx context.Context, table wire.Hash) error
	line  func(table wire.Hash) string // returns the command that plays there
	tell  func(text string)            // reports to everybody; nil: nobody listens

	attendance
}

// attendance is what a player has read of an event, as the server shows it. It decides only when to
// look for a table, whose own entries say who sits there.
type attendance struct {
	terms     *bulletin.Event
	officials []string           // keys of arbiters and jury
	read      int                // number of entries
	asked     map[wire.Hash]bool // the player's registrations
	number    int                // on the roster; 0: none
	rounds    int                // number of seated rounds
	since     uint64             // index of the last seating; its tables come later
	seated    bool               // the player has a place in it
	over      bool
	unsure    *bulletin.RemarkBody // of a cancellation that may be void, if another decision came first
	cancelled *bulletin.RemarkBody // the reason
	played    map[wire.Hash]bool
}

// NewsTime is how long a player waits for news before looking for a table anyway: a player to whom an
// arbiter has given another's seat is in no seating.
var NewsTime = 20 * time.Second

// attendEvent plays until the event is over, even if the server is away for longer than the client
// waits.
func (p *entrant) attendEvent(ctx context.Context, e command.Env) error {
	p.attendance = attendance{asked: map[wire.Hash]bool{}, played: map[wire.Hash]bool{}}
	for {
		err := p.takeStep(ctx, e)
		if client.IsPassing(err) && ctx.Err() == nil {
			err = command.Wait(ctx, sitting.Pause)
		}
		if err != nil || p.over {
			if p.cancelled != nil {
				sitting.TellPlayer(e, "the organiser has cancelled the event: "+plain.Text(string(p.cancelled.Text)))
			}
			return err
		}
	}
}

func (p *entrant) takeStep(ctx context.Context, e command.Env) error {
	switch {
	case p.terms == nil:
		if err := p.readNews(ctx, 0); err != nil || p.terms != nil {
			return err
		}
		return errors.New("the server shows nothing of the event")
	case p.late && p.rounds == 0:
		return p.readNews(ctx, NewsTime)
	case len(p.asked) == 0:
		return p.askPlace(ctx, e)
	}
	id, err := p.nextTable(ctx)
	if err == nil && id == nil {
		err = p.awaitTable(ctx)
	}
	if err != nil || id == nil {
		return err
	}
	round := p.rounds
	if err = p.sitAt(ctx, e, *id); !client.IsPassing(err) {
		p.played[*id], p.seated = true, p.seated && p.rounds > round // the next round may be seated already
	}
	if errors.Is(err, sitting.ErrRedrawn) {
		return nil
	}
	if errors.Is(err, player.ErrFoul) { // the table is over, but not the event
		fmt.Fprintln(e.Err, plain.Lines(err.Error()))
		return nil
	}
	return err
}

// sitAt plays at a table until it is over or the event is cancelled.
func (p *entrant) sitAt(ctx context.Context, e command.Env, table wire.Hash) error {
	playing, leave := context.WithCancel(ctx)
	defer leave()
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		for p.cancelled == nil && command.Wait(playing, NewsTime) == nil {
			_ = p.readNews(playing, 0) // cancels playing if the event is cancelled
		}
		leave()
	}()
	err := p.sit(playing, table)
	leave()
	<-heard
	if p.cancelled != nil && (errors.Is(err, context.Canceled) || client.IsPassing(err)) && ctx.Err() == nil {
		sitting.TellPlayer(e, "the table is left as it is; who wants to play on there all the same: "+p.line(table))
		return nil
	}
	return err
}

// awaitTable returns when there may be a table for the player: soon, if one is to be begun. Otherwise
// it waits for news of the event, but not for every piece: the registration of each of a thousand
// players is news to all.
func (p *entrant) awaitTable(ctx context.Context) error {
	if !p.seated && !p.draws() {
		if err := p.readNews(ctx, NewsTime); err != nil || p.over {
			return err
		}
	}
	if err := command.Wait(ctx, p.every); err != nil {
		return err
	}
	return p.readNews(ctx, 0)
}

// draws reports whether the player may now sit at the draw of the next round. The drawers are the
// first on the roster who offered to, and others after them if one of these is late or away.
func (p *entrant) draws() bool {
	return p.rounds < p.terms.Rounds && p.number > 0 && p.number <= 4*p.terms.Drawers
}

// readNews reads new notices and decisions, and waits for some if there are none.
func (p *entrant) readNews(ctx context.Context, wait time.Duration) error {
	for {
		page, err := p.c.EventEntries(ctx, p.event, p.read, wait)
		if err != nil {
			return err
		}
		for _, e := range page.Entries {
			if err := p.takeEntry([]byte(e.Entry), e.Index); err != nil {
				return err
			}
		}
		if err := p.makeSure(ctx); err != nil {
			return err
		}
		if wait = 0; len(page.Entries) == 0 || p.read >= page.Count {
			return nil
		}
	}
}

// makeSure asks the server whether a cancellation signed by the organiser counts.
func (p *entrant) makeSure(ctx context.Context) error {
	if p.unsure == nil || p.over {
		return nil
	}
	now, err := p.c.Event(ctx, p.event)
	if err != nil {
		return err
	}
	if now.Over {
		p.cancelled, p.over = p.unsure, true
	}
	p.unsure = nil
	return nil
}

func (p *entrant) takeEntry(entry []byte, index uint64) error {
	p.read++
	if p.terms == nil {
		e, err := bulletin.ParseEvent(entry)
		if err != nil || e.Hash != p.event {
			return errors.New("the server shows a different event from the one it was asked for")
		}
		p.terms, p.officials = e.Event, slices.Concat(e.Event.Arbiters, e.Event.Jury)
		return nil
	}
	if !p.isConcerned(entry) {
		return nil
	}
	e, err := bulletin.Parse(entry)
	switch {
	case err != nil:
	case e.Notice != nil:
		p.asked[e.Hash] = p.asked[e.Hash] || e.Notice.Kind == bulletin.Register && e.Notice.By == p.id.VerifierKey()
	case e.Decision != nil && e.VerifySelf() == nil:
		p.takeDecision(e.Decision, index)
	}
	return nil
}

// isConcerned reports whether an entry may concern the player and must be parsed. Other players'
// notices, and a roster without the player, need not be.
func (p *entrant) isConcerned(entry []byte) bool {
	has := func(text string) bool { return bytes.Contains(entry, []byte(text)) }
	for own := range p.asked {
		if has(own.String()) {
			return true
		}
	}
	return has(p.id.VerifierKey()) || has(bulletin.DecisionFormat) && !has(`"kind":"`+string(bulletin.DecideRoster)+`"`)
}

func (p *entrant) takeDecision(d *bulletin.Decision, index uint64) {
	body, err := d.ReadBody()
	if err != nil || d.Event != p.event {
		return
	}
	if b, is := body.(*bulletin.RemarkBody); is && d.Kind == bulletin.DecideRemark && p.tell != nil && (d.By == p.terms.Organiser || slices.Contains(p.officials, d.By)) {
		by, _, _ := strings.Cut(d.By, "+")
		p.tell(fmt.Sprintf("%s tells everybody: %s", by, plain.Text(string(b.Text))))
	}
	if d.By != p.terms.Organiser {
		return
	}
	switch b := body.(type) {
	case *bulletin.ArbitersBody:
		p.officials = slices.Concat(b.Arbiters, b.Jury)
	case *bulletin.RosterBody:
		for _, a := range b.Accept {
			if p.asked[a.Notice] {
				p.number = a.Number
			}
		}
	case *bulletin.RemarkBody:
		if d.Kind == bulletin.DecideCancel {
			p.unsure = b
		}
	case *bulletin.SeatingBody:
		p.rounds, p.since = b.Round, index
		p.seated = b.Part > 1 && p.seated || slices.ContainsFunc(b.Tables, func(t []int) bool { return slices.Contains(t, p.number) })
	}
	p.over = p.over || d.Kind == bulletin.DecideFinal
}

func (p *entrant) askPlace(ctx context.Context, e command.Env) error {
	say := event.Speech{Name: "register", Who: p.name, Draw: true}
	if err := say.PostNotice(ctx, e, p.c, p.event, p.id); err != nil {
		return err
	}
	return p.readNews(ctx, 0)
}

// nextTable returns a table of the event, of the last round or of the next round's draw, at which the
// player has a seat, or nil.
func (p *entrant) nextTable(ctx context.Context) (*wire.Hash, error) {
	for t, err := range flags.TablesAfter(ctx, p.c, client.TableFilter{Player: p.id.VerifierKey()}, &p.since) {
		if err != nil {
			return nil, err
		}
		if t.Standing != nil && (t.State == client.TableOver || t.State == client.TableFoul) {
			p.seated = false // the table of the round, which was begun before this program
			continue
		}
		if p.played[t.ID] || t.Standing == nil {
			continue
		}
		first, err := p.c.Messages(ctx, t.ID, 0, 0)
		if err != nil || len(first) == 0 {
			return nil, err
		}
		g, err := wire.ParseGenesis([]byte(first[0].Entry))
		if err != nil || g.Hash != t.ID || g.Table.Event != p.event.String() || g.Table.Organiser != p.terms.Organiser {
			p.played[t.ID] = true // not a table of the event
			continue
		}
		return &t.ID, nil
	}
	return nil, nil
}
