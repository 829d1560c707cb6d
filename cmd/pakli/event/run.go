package event

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/cmd/pakli/sitting"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/client/organiser"
	"github.com/pakli/pakli/httpapi/client/tablelog"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/events"
)

// runCommand runs an event. It continues at the state in the log, also after a crash.
func runCommand(f *command.Flags) command.Body {
	s := flags.ServerOf(f)
	file := flags.SeatOf(f, "seat", "organiser.seat", "the organiser's seat `file`")
	players := f.Int("players", 0, "`number` of registrations with which the event begins")
	lang := flags.LanguageOf(f)
	closes := f.Duration("close", 0, "close a table after so long without a message; its finished deals count (default: never)")
	return func(ctx context.Context, e command.Env) error {
		if *players < wire.MinSeats {
			return command.WrongUsage("--players is missing: say with how many registrations the event begins, at least %d", wire.MinSeats)
		}
		id, err := file.OpenShared()
		if err != nil {
			return err
		}
		defer id.Close()
		c, hash, err := s.FindEvent(ctx, e, f.Arg(0))
		if err != nil {
			return err
		}
		d := NewDirection(e, s, c, hash, id, file.File)
		d.Closes = *closes
		seated := func(play func(*player.Identity) error) error {
			id, err := file.Open()
			if err != nil {
				return err
			}
			return errors.Join(play(id), id.Close())
		}
		return d.underLock(func() error {
			if err := d.RunToEnd(ctx, seated, *players, sitting.Pause); err != nil {
				return err
			}
			v, err := d.verifyEvent(ctx)
			if err != nil {
				return err
			}
			return SumResults(v, lang.Reports()).StandingsText(e.Out)
		})
	}
}

// organiserSeat plays the organiser's seat at a table.
type organiserSeat func(play func(*player.Identity) error) error

// RunToEnd takes the next steps until the standings are published. It waits for an unreachable
// server, and for another command that uses the organiser's seat file. If another decision came
// first, maybe its own whose answer was lost, it looks again.
func (d *Direction) RunToEnd(ctx context.Context, organiser organiserSeat, players int, every time.Duration) error {
	for {
		done, err := d.takeStep(ctx, organiser, players, every)
		if _, stale := errors.AsType[*client.Conflict](err); (stale || client.IsPassing(err) || errors.Is(err, seatfile.ErrInUse)) && ctx.Err() == nil {
			fmt.Fprintf(d.e.Err, "%s; trying again\n", plain.Lines(err.Error()))
			err = command.Wait(ctx, sitting.Pause)
		}
		if err != nil || done {
			return err
		}
	}
}

// takeStep takes the next step and reports whether it was the last.
func (d *Direction) takeStep(ctx context.Context, organiserPlays organiserSeat, players int, every time.Duration) (done bool, err error) {
	v, err := d.verifyEvent(ctx)
	if err != nil {
		return false, err
	}
	h, state := v.History, stateOf(v)
	if state.Next() != organiser.Over && len(h.Rounds) == 0 && h.CountEntrants() < players {
		return false, d.awaitPlayers(ctx, players, every)
	}
	switch state.Next() {
	case organiser.Over:
		if h.Canceled != nil {
			err = fmt.Errorf("the event was cancelled: %s", plain.Text(string(h.Canceled.Body.(*bulletin.RemarkBody).Text)))
		}
		return true, err
	case organiser.Accept:
		err = d.acceptPlayers(ctx)
	case organiser.Plan:
		err = d.publishPlans(ctx)
	case organiser.Start:
		err = d.startRound(ctx)
	case organiser.AwaitTables:
		err = d.awaitTables(ctx, state.TablesInPlay(), every)
	case organiser.Publish:
		if v.Protest > 0 {
			return false, d.awaitProtest(ctx, v, every)
		}
		err = d.publishFinal(ctx)
		if refused, is := errors.AsType[*client.Problem](err); is && refused.Type == client.ProblemBase+client.RefusedDecision {
			err = d.awaitDecision(ctx, err, v, every)
		}
	case organiser.Seat:
		err = d.seatRound(ctx)
	case organiser.Draw:
		err = d.drawLots(ctx, organiserPlays)
	}
	return false, err
}

// awaitPlayers waits until enough players have registered.
func (d *Direction) awaitPlayers(ctx context.Context, players int, every time.Duration) error {
	bar := flags.NewProgress(d.e.Err)
	defer bar.EndBar()
	for {
		now, err := d.Client.Event(ctx, d.ID)
		if err != nil || now.Over || now.Entrants >= players {
			return err
		}
		text := fmt.Sprintf("%d of %d have registered", now.Entrants, players)
		bar.TellPart(float64(now.Entrants)/float64(players), text, text)
		if err := command.Wait(ctx, every); err != nil {
			return err
		}
	}
}

// awaitProtest waits and counts down until the time to appeal has passed by the keepers' clocks. It
// also returns after a new notice or decision, since the log then says what is next.
func (d *Direction) awaitProtest(ctx context.Context, v *events.VerifiedEvent, every time.Duration) error {
	bar := flags.NewProgress(d.e.Err)
	defer bar.EndBar()
	said, moved, told := countSaid(v), time.Now(), false
	for left := v.Protest; ; {
		text := fmt.Sprintf("time to appeal: %v left", time.Duration(left)*time.Second)
		bar.TellPart(1-float64(left)/float64(v.History.Terms.Protest), text, "players have time to appeal until the keepers' clocks show that "+(time.Duration(v.History.Terms.Protest)*time.Second).String()+" have passed; the final standings come then")
		if !told && time.Since(moved) > tellsAfter+time.Duration(v.History.Terms.Clock.Tick)*time.Second {
			told = true
			flags.ClearBar(d.e)
			fmt.Fprintln(d.e.Err, "no keeper's time has come into the log for a while, so nobody can show that the time to appeal passes: are the cosigners that the event names at work?")
		}
		if err := command.Wait(ctx, every); err != nil {
			return err
		}
		_, err := d.Client.Event(ctx, d.ID) // a restarted server knows the event, and shows a time, only after a request for it
		if err == nil {
			v, err = d.verifyEvent(ctx)
		}
		if err != nil {
			return err
		}
		if v.Protest == 0 || countSaid(v) != said {
			return nil
		}
		if v.Protest != left {
			left, moved, told = v.Protest, time.Now(), false
		}
	}
}

// awaitDecision reports why the standings cannot be published yet, and waits for a notice or
// decision.
func (d *Direction) awaitDecision(ctx context.Context, why error, v *events.VerifiedEvent, every time.Duration) error {
	fmt.Fprintf(d.e.Err, "%s\nthe final standings come when that is decided\n", plain.Lines(why.Error()))
	for said := countSaid(v); countSaid(v) == said; {
		if err := command.Wait(ctx, every); err != nil {
			return err
		}
		var err error
		if v, err = d.verifyEvent(ctx); err != nil {
			return err
		}
	}
	return nil
}

func countSaid(v *events.VerifiedEvent) int {
	return len(v.History.Notices) + len(v.History.Decisions)
}

// drawLots draws the lots of the next round. At a table of the draw, even one that was begun before,
// the organiser's seat shuffles too.
func (d *Direction) drawLots(ctx context.Context, organiser organiserSeat) error {
	id, err := d.beginDraw(ctx)
	if open, begun := errors.AsType[*event.DrawOpenError](err); begun {
		id, err = open.Table, nil
	}
	if err != nil || id == (wire.Hash{}) {
		return err
	}
	err = organiser(func(own *player.Identity) error {
		p, err := sitting.TakeSeat(ctx, own, tablelog.New(id, tablelog.Options{Server: d.Client}), id, sitting.Bot("sensible").Moves())
		if err != nil {
			return err
		}
		return sitting.PlayThrough(ctx, p, func(string) {}, p.Play)
	})
	if errors.Is(err, sitting.ErrRedrawn) || errors.Is(err, player.ErrFoul) {
		return nil // a seat has left: the log says what is next
	}
	return err
}

// awaitTables waits until tables are over and reports how many are. It closes tables that stand
// still, if it may.
func (d *Direction) awaitTables(ctx context.Context, tables []event.SeatedPlace, every time.Duration) error {
	places, first := map[wire.Hash]event.SeatedPlace{}, tables[0].Table.Index
	for _, t := range tables {
		places[t.Table.ID], first = t, min(first, t.Table.Index)
	}
	waits, bar := standstills{}, flags.NewProgress(d.e.Err)
	defer bar.EndBar()
	for {
		now, err := d.Client.Event(ctx, d.ID)
		if err != nil || now.Over {
			return err
		}
		left, err := d.unfinishedTables(ctx, places, first-1)
		if err != nil || len(left) == 0 {
			return err
		}
		d.tellOver(bar, tables, left)
		for _, t := range waits.stillTables(left, time.Now()) {
			if err := d.endStandstill(ctx, places[t.ID], t, waits[t.ID]); err != nil {
				return err
			}
		}
		if err := command.Wait(ctx, every); err != nil {
			return err
		}
	}
}

// tellOver reports how many of a round's tables and deals are over.
func (d *Direction) tellOver(bar *flags.ProgressBar, tables []event.SeatedPlace, left []client.Summary) {
	deals := tables[0].Table.Terms.Deals
	all, done := len(tables)*deals, (len(tables)-len(left))*deals
	for _, t := range left {
		if t.Standing != nil {
			done += min(max(t.Deal-1, 0), deals) // deals that were thrown in add to these
		}
	}
	round, over := tables[0].Round, len(tables)-len(left)
	bar.TellPart(float64(done)/float64(all), fmt.Sprintf("round %d: %d/%d tables, %d/%d deals", round, over, len(tables), done, all),
		fmt.Sprintf("round %d: %d of %d tables are over", round, over, len(tables)))
}

// unfinishedTables returns those of some tables that are not over. All begin after an index of the
// log.
func (d *Direction) unfinishedTables(ctx context.Context, tables map[wire.Hash]event.SeatedPlace, after uint64) (list []client.Summary, err error) {
	for t, err := range flags.TablesAfter(ctx, d.Client, client.TableFilter{}, &after) {
		if err != nil {
			return nil, err
		}
		if _, ours := tables[t.ID]; ours && (t.Standing == nil || t.State != client.TableOver && t.State != client.TableFoul) {
			list = append(list, t)
		}
	}
	return list, nil
}

// standstills records since when tables have had no new entry.
type standstills map[wire.Hash]*standstill

type standstill struct {
	last  uint64 // index of the newest entry
	since time.Time
	told  bool
}

// stillTables returns the tables without a new entry for a while.
func (s standstills) stillTables(tables []client.Summary, now time.Time) (list []client.Summary) {
	for _, t := range tables {
		if t.Standing == nil {
			continue
		}
		if t.State == client.TablePaused { // a player has paused and will say when play resumes
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

// endStandstill reports what can be done about a table that stands still, or closes it.
func (d *Direction) endStandstill(ctx context.Context, at event.SeatedPlace, t client.Summary, w *standstill) error {
	still := time.Since(w.since)
	if d.Closes > 0 && still >= d.Closes {
		flags.ClearBar(d.e)
		return d.closeTable(ctx, at, still)
	}
	if !w.told && (still >= tellsAfter || t.State == client.TableStopped) {
		w.told = true
		flags.ClearBar(d.e)
		fmt.Fprintf(d.e.Err, "table %d/%d, %s, stands still; to end it: %s --reason \"…\". An arbiter can do that too\n", at.Round, at.Number, t.ID.Code()[:wire.MinCode], command.Line("pakli", "table", "close", t.ID.String(), "--server", plain.Address(d.s.URL), "--seat", d.seatFile))
	}
	return nil
}

// closeTable closes a table, unless it has moved on meanwhile.
func (d *Direction) closeTable(ctx context.Context, at event.SeatedPlace, still time.Duration) error {
	now, err := sitting.ReplayTable(ctx, d.Client, at.Table.ID)
	if err != nil || now.IsOver() {
		return err
	}
	reason := wire.Text(fmt.Sprintf("The table stood still for %d seconds.", int(still.Seconds())))
	entry, err := player.SignAct(now, d.Key, d.Signer, wire.KindClose, wire.CloseBody{Reason: reason})
	if err != nil {
		return err
	}
	_, err = d.Client.Post(ctx, at.Table.ID, entry)
	if refused, ok := errors.AsType[*client.Problem](err); ok && refused.Type == client.ProblemBase+client.StaleParent {
		return nil
	}
	if err == nil {
		fmt.Fprintf(d.e.Out, "closed %d/%d %s\n", at.Round, at.Number, at.Table.ID)
	}
	return err
}
