package player

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"golang.org/x/mod/sumdb/note"
)

// A log can show a player another history than the one in which the player is said to be late, in
// more ways than anybody has listed. So players tell keepers where they are, whatever they were
// shown and why (66.8.9), and keepers sign no silence about a seat on a head that it has not
// reached. The alternative, to infer from entries beside the history who was led astray, covers
// only the cases thought of.

// errUntold says that too few keepers know that a seat leaves.
var errUntold = errors.New("too few keepers could be told that this seat must not answer: somebody could say that it is late. Start this program again where it reaches them")

// attendance tells keepers where a seat is.
type attendance struct {
	where    atomic.Pointer[seatPresence]
	attended time.Time // when keepers were last told
	saidHere bool      // whether the seat then was here
	telling  sync.Mutex
	told     time.Time // time in the last presence
}

// seatPresence is what keepers are told of a seat, and how many of them must know it.
type seatPresence struct {
	keeper.Place
	state   string
	since   time.Time
	taken   []byte
	enough  int
	keepers Keepers
	signer  note.Signer
}

// lostFor is how long a seat is lost before keepers are told at once.
const lostFor = 2 * time.Second

// setPresence records where this seat is. While the seat depends on answers of the log it is lost:
// they may not come.
func (p *Seat) setPresence(state string) {
	if !p.needsPresence() {
		return
	}
	clock := p.state.Genesis().Clock
	place := keeper.Place{Table: p.state.ID(), Parent: p.state.Head(), Seat: int(p.hand.Seat)}
	w := &seatPresence{place, state, time.Now(), p.taken, len(clock.Keepers) - clock.Quorum + 1, p.Keepers, p.hand.Signer}
	if before := p.where.Load(); before != nil && before.state == state {
		w.since = before.since
	}
	p.where.Store(w)
}

// needsPresence reports whether keepers want to know where this seat is.
func (p *Seat) needsPresence() bool { return p.Keepers != nil && p.state.Genesis().Clock.Silence }

// attending tells keepers where this seat is, at first that it is lost, until stop is called.
func (p *Seat) attending(ctx context.Context) (stop func()) {
	if p.setPresence(exchange.Lost); !p.needsPresence() {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	clock := p.state.Genesis().Clock
	var all sync.WaitGroup
	all.Go(func() { p.attendKeepers(ctx, clock) })
	return func() { cancel(); all.Wait() }
}

// attendKeepers tells keepers where the seat is, again and again until the context ends, but at
// least once: a program whose server is away begins and ends play at once, and would otherwise say
// nothing.
func (a *attendance) attendKeepers(ctx context.Context, c wire.Clock) {
	every := exchange.PresenceEvery(time.Duration(c.Grace) * time.Second)
	for again := true; again; again = ctx.Err() == nil {
		w := *a.where.Load()
		if a.saidHere && w.state == exchange.Lost && time.Since(w.since) >= lostFor || time.Since(a.attended) >= every {
			a.attended = time.Now()
			said, _ := a.tellKeepers(ctx, min(every, receiptTime))
			a.saidHere = said == exchange.Here
		}
		pauseFor(ctx, min(every, time.Second))
	}
}

// tellKeepers tells keepers where the seat is. It returns what it said, and whether the keepers
// that do not know it are no quorum.
func (a *attendance) tellKeepers(ctx context.Context, within time.Duration) (state string, enough bool) {
	w, doc, err := a.signPresence()
	if err != nil {
		return "", false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within) // play may end meanwhile
	defer cancel()
	return w.state, w.keepers.Present(ctx, doc, w.taken) >= w.enough
}

// signPresence signs where the seat is, with a time later than the last even if the clock was set
// back. It chooses state and time together, so that no goroutine signs an old state with a later
// time.
func (a *attendance) signPresence() (seatPresence, []byte, error) {
	a.telling.Lock()
	defer a.telling.Unlock()
	now := time.Now().Round(0) // wall clock only: the monotonic clock runs on when the wall clock is set back
	if a.told = a.told.Add(time.Millisecond); now.After(a.told) {
		a.told = now
	}
	w := *a.where.Load()
	doc, err := exchange.SignPresence(w.Place, w.state, a.told, w.signer)
	return w, doc, err
}

// tellRest tells keepers once for each head where nothing is asked of anybody, before this seat may
// go.
func (p *Seat) tellRest(ctx context.Context) {
	_, stopped := p.state.GoneSeat()
	if !p.needsPresence() || !stopped && !p.state.IsPaused() || p.rested == p.state.Head() {
		return
	}
	p.setPresence(exchange.Rests)
	if _, enough := p.tellKeepers(ctx, receiptTime); enough {
		p.rested = p.state.Head()
	}
}

// LeaveTable tells keepers that this seat goes for good, and returns why. If the seat is bound by
// what it has signed, the log is given that entry once more.
func (p *Seat) LeaveTable(ctx context.Context, why error) error {
	if isBound(why) && p.journal.Entry != nil && !p.journal.copied {
		_ = p.source.Post(ctx, p.state.ID(), p.journal.Entry) // whatever the log answers: the entry may lie beside
	}
	if !p.needsPresence() || p.journal.copied || p.away != nil {
		return why
	}
	p.setPresence(exchange.Leaves)
	for end := time.Now().Add(keeperTime); ; {
		if _, enough := p.tellKeepers(ctx, receiptTime); enough {
			return why
		}
		if time.Now().After(end) || ctx.Err() != nil {
			if isBound(why) {
				why = errors.Join(why, errUntold)
			}
			return why
		}
		pauseFor(ctx, time.Second)
	}
}

// CanResume reports whether Play has ended with an error that may pass, so that Play can go on:
// something is withheld or, for a seat whose keepers want to know where it is, any error that does
// not end play. A log must not end play by odd answers, since nobody would then say where the seat
// is.
func (p *Seat) CanResume(err error) bool {
	switch {
	case IsWithheld(err):
		return true
	case err == nil, !p.needsPresence(), hasPlayEnded(err, p.state), errors.Is(err, ErrElsewhere), errors.Is(err, ErrCopy), IsOwn(err):
		return false
	}
	return true
}

// TellLost tells keepers that a seat is lost, until the context ends, while its table cannot be
// opened. Taken is the act that gave the seat to its holder; nil: the holder has had it from the
// beginning.
func TellLost(ctx context.Context, id *Identity, k Keepers, at keeper.Place, taken []byte, clock wire.Clock) {
	var lost attendance
	lost.where.Store(&seatPresence{at, exchange.Lost, time.Now(), taken, 0, k, id.Signer()})
	lost.attendKeepers(ctx, clock)
}

// hasPlayEnded reports whether play has ended for a seat.
func hasPlayEnded(err error, s *table.State) bool {
	return err == nil && s.IsOver() || errors.Is(err, ErrFoul) || errors.Is(err, ErrReseated) || isBound(err)
}
