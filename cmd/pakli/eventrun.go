package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pakli/pakli/cmd/pakli/reading"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
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
	closes := f.Duration("close", 0, "close a table at which nothing was signed for so long: its finished deals count; 0: never")
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
	if err := id.Close(); err != nil { // the organiser's other commands have the file, but while lots are drawn
		return exitFail, err
	}
	c, hash, err := s.event(ctx, e, f.Arg(0))
	if err != nil {
		return exitFail, err
	}
	d := direct(e, &s, c, hash, id, *file)
	d.closes = *closes
	seated := func(play func(*player.Identity) error) error {
		id, err := openSeat("--seat", *file, secret)
		if err != nil {
			return err
		}
		return errors.Join(play(id), id.Close())
	}
	return exitDone, d.alone(func() error { return d.run(ctx, seated, *players, time.Second) })
}

// seated has the organiser's seat play at a table.
type seated func(play func(*player.Identity) error) error

// run does what is next until the standings are published. It waits for a server that is away, and for
// another command of the organiser that has the seat file; and where another decision came first, its own
// of before an answer was lost, it looks again.
func (d *direction) run(ctx context.Context, organiser seated, players int, every time.Duration) error {
	for {
		done, err := d.step(ctx, organiser, players, every)
		if _, stale := errors.AsType[*client.Conflict](err); (stale || client.Away(err) || errors.Is(err, seatfile.ErrInUse)) && ctx.Err() == nil {
			fmt.Fprintf(d.e.err, "%s; trying again\n", plain.Lines(err.Error()))
			err = pauseFor(ctx, pause)
		}
		if err != nil || done {
			return err
		}
	}
}

// step does what is next, and reports whether that was all.
func (d *direction) step(ctx context.Context, organiser seated, players int, every time.Duration) (done bool, err error) {
	v, err := d.look(ctx)
	if err != nil {
		return false, err
	}
	h := v.History
	_, drawn := v.Draws[h.Seated()+1]
	switch waiting := d.waiting(v); {
	case h.Canceled != nil:
		return true, fmt.Errorf("the event was cancelled: %s", plain.Text(string(h.Canceled.Body.(*wire.RemarkBody).Text)))
	case h.Final != nil:
		return true, nil
	case len(h.Rounds) == 0 && len(h.Players)+h.Unanswered(^uint64(0)) < players:
		err = d.enough(ctx, players, every)
	case h.Unanswered(v.Log.Checkpoint.Size) > 0:
		err = d.roster(ctx)
	case len(h.Rounds) == 0 && len(h.Unplanned()) > 0:
		err = d.plan(ctx)
	case d.unbegun(v):
		err = d.start(ctx)
	case len(waiting) > 0:
		err = d.over(ctx, waiting, every)
	case h.Seated() == h.Terms.Rounds:
		err = d.final(ctx)
	case drawn:
		err = d.seat(ctx)
	default:
		err = d.drawn(ctx, organiser)
	}
	return false, err
}

// enough waits until so many have registered.
func (d *direction) enough(ctx context.Context, players int, every time.Duration) error {
	bar := newProgress(d.e.err)
	defer bar.done()
	for {
		now, err := d.c.Event(ctx, d.id)
		if err != nil || now.Over || now.Players+now.Unanswered >= players {
			return err
		}
		came := now.Players + now.Unanswered
		text := fmt.Sprintf("%d of %d have registered", came, players)
		bar.tell(float64(came)/float64(players), text, text)
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

// drawn draws the lots of the next round. At a table of the draw the organiser's seat shuffles too, also
// at one that was begun before.
func (d *direction) drawn(ctx context.Context, organiser seated) error {
	id, err := d.draw(ctx)
	if open, begun := errors.AsType[*event.DrawOpenError](err); begun {
		id, err = open.Table, nil
	}
	if err != nil || id == (wire.Hash{}) {
		return err
	}
	err = organiser(func(own *player.Identity) error {
		p, err := sit(ctx, own, reading.New(id, reading.Options{Server: d.c}), id, bot("sensible").choose())
		if err != nil {
			return err
		}
		return playThrough(ctx, p, func(string) {}, p.Play)
	})
	if errors.Is(err, errRedrawn) || errors.Is(err, player.ErrFoul) {
		return nil // somebody has left: what is next, the log says
	}
	return err
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

// over waits until tables are over, and says how many are. Those that stand still it closes,
// if it may.
func (d *direction) over(ctx context.Context, tables []event.Seated, every time.Duration) error {
	places, first := map[wire.Hash]event.Seated{}, tables[0].Table.Index
	for _, t := range tables {
		places[t.Table.ID], first = t, min(first, t.Table.Index)
	}
	waits, bar := standstills{}, newProgress(d.e.err)
	defer bar.done()
	for {
		now, err := d.c.Event(ctx, d.id)
		if err != nil || now.Over {
			return err
		}
		left, err := d.playing(ctx, places, first-1)
		if err != nil || len(left) == 0 {
			return err
		}
		d.tellOver(bar, tables, left)
		for _, t := range waits.of(left, time.Now()) {
			if err := d.stands(ctx, places[t.ID], t, waits[t.ID]); err != nil {
				return err
			}
		}
		if err := pauseFor(ctx, every); err != nil {
			return err
		}
	}
}

// tellOver tells how many of a round's tables are over, and of its deals.
func (d *direction) tellOver(bar *progress, tables []event.Seated, left []client.Summary) {
	deals := tables[0].Table.Terms.Deals
	all, done := len(tables)*deals, (len(tables)-len(left))*deals
	for _, t := range left {
		if t.Standing != nil {
			done += max(t.Deal-1, 0)
		}
	}
	round, over := tables[0].Round, len(tables)-len(left)
	bar.tell(float64(done)/float64(all), fmt.Sprintf("round %d: %d/%d tables, %d/%d deals", round, over, len(tables), done, all),
		fmt.Sprintf("round %d: %d of %d tables are over", round, over, len(tables)))
}

// playing are those of some tables that are not over. All begin behind an index of the log.
func (d *direction) playing(ctx context.Context, tables map[wire.Hash]event.Seated, after uint64) (list []client.Summary, err error) {
	for t, err := range tablesAfter(ctx, d.c, client.TableFilter{}, &after) {
		if err != nil {
			return nil, err
		}
		if _, ours := tables[t.ID]; ours && (t.Standing == nil || t.State != client.TableOver && t.State != client.TableFoul) {
			list = append(list, t)
		}
	}
	return list, nil
}

// standstills are since when nothing has come to tables.
type standstills map[wire.Hash]*standstill

type standstill struct {
	last  uint64 // index of the newest entry
	since time.Time
	told  bool
}

// of are the tables at which nothing has come for a while.
func (s standstills) of(tables []client.Summary, now time.Time) (list []client.Summary) {
	for _, t := range tables {
		if t.Standing == nil {
			continue
		}
		if t.State == client.TablePaused { // somebody has said so, and will say when it goes on
			delete(s, t.ID)
			continue
		}
		if w := s[t.ID]; w == nil || w.last != t.Last.Index {
			s[t.ID] = &standstill{last: t.Last.Index, since: now}
		} else {
			list = append(list, t)
		}
	}
	return list
}

// tellsAfter is when an organiser is told of a table that stands still.
const tellsAfter = time.Minute

// stands says what can be done about a table that stands still, or closes it.
func (d *direction) stands(ctx context.Context, at event.Seated, t client.Summary, w *standstill) error {
	still := time.Since(w.since)
	if d.closes > 0 && still >= d.closes {
		d.e.clear()
		return d.close(ctx, at, still)
	}
	if !w.told && (still >= tellsAfter || t.State == client.TableStopped) {
		w.told = true
		d.e.clear()
		fmt.Fprintf(d.e.err, "table %d/%d, %s, stands still; to end it: pakli table close %s --reason \"…\" --seat %s. An arbiter can do that too\n", at.Round, at.Number, t.ID.Code()[:wire.MinCode], t.ID, d.seatFile)
	}
	return nil
}

// close closes a table, unless it moves on meanwhile.
func (d *direction) close(ctx context.Context, at event.Seated, still time.Duration) error {
	now, err := replayed(ctx, d.c, at.Table.ID)
	if err != nil || now.Over() {
		return err
	}
	reason := wire.Text(fmt.Sprintf("The table stood still for %d seconds.", int(still.Seconds())))
	entry, err := player.Act(now, d.key, d.signer, wire.KindClose, wire.CloseBody{Reason: reason})
	if err != nil {
		return err
	}
	_, err = d.c.Post(ctx, at.Table.ID, entry)
	if refused, ok := errors.AsType[*client.Problem](err); ok && refused.Type == client.ProblemBase+client.StaleParent {
		return nil
	}
	if err == nil {
		fmt.Fprintf(d.e.out, "closed %d/%d %s\n", at.Round, at.Number, at.Table.ID)
	}
	return err
}
