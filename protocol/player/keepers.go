package player

import (
	"context"
	"errors"
	"time"

	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Keepers are the keepers of a table's clock (docs/spec/66-cosigners.md, 66.8). Their methods are
// called beside those of the Source, from other goroutines.
type Keepers interface {
	// Hold gives a message of this seat to all of them, with the act that gave the seat to its
	// holder, or nil; it returns when each has answered, or ctx ends.
	Hold(ctx context.Context, parcel, reseat []byte)
	// Present tells all of them where this seat is (exchange.SignPresence), and returns how many know it then.
	Present(ctx context.Context, presence, reseat []byte) int
	// Silence returns the lines of those who say that they hold no message at a place.
	Silence(ctx context.Context, p keeper.Place) [][]byte
}

const (
	// receiptTime is how long the log may take for a receipt before keepers are given the message.
	receiptTime = 5 * time.Second
	// shortOfTime is how much of a seat's time must be left for that: with less they are given it
	// at once.
	shortOfTime = 30
	// keeperTime bounds what is asked of all keepers at once.
	keeperTime = 20 * time.Second
)

// pendingMessage is a message of this seat for which there is no receipt yet.
type pendingMessage struct {
	entry wire.Hash
	since time.Time
	held  time.Time // when keepers were given it last
}

// postMessage posts a message. If there is no receipt in time, whatever the log answers in its place, keepers
// are given the message: before the seat is late, somebody must have it.
func (p *Seat) postMessage(ctx context.Context, parcel []byte) error {
	if p.Keepers == nil || p.state.Genesis().Clock.IsNone() {
		return p.source.Post(ctx, p.state.ID(), parcel)
	}
	bare, _ := wire.CutParcel(parcel)
	if hash := wire.HashEntry(bare); p.pending.entry != hash {
		p.pending = pendingMessage{entry: hash, since: time.Now()}
	}
	d := delivery{p, parcel, make(chan error, 1)}
	holding := make(chan time.Time, 1)
	go func() { holding <- d.holdUnless(ctx, p.pending) }()
	err := p.source.Post(ctx, p.state.ID(), parcel)
	d.posted <- err
	if p.pending.held = <-holding; err == nil {
		p.left = nil // which was of this duty
	}
	return err
}

// delivery is a message on its way to the log, and what that has answered.
type delivery struct {
	*Seat
	parcel []byte
	posted chan error
}

// holdUnless gives keepers the message unless it is posted in time, and again while it is not: one of them may have been away. It returns
// when the log has answered, and says when keepers were given it last.
func (d delivery) holdUnless(ctx context.Context, m pendingMessage) time.Time {
	patience := receiptTime
	if c := d.state.Genesis().Clock; d.needsPresence() { // before keepers may be silent of one who says that it is here
		patience = min(patience, exchange.PresenceEvery(time.Duration(c.Grace)*time.Second))
	}
	wait := time.Until(m.since.Add(patience))
	switch {
	case !m.held.IsZero():
		wait = time.Until(m.held.Add(receiptTime))
	case d.isShortOfTime():
		wait = 0
	}
	for {
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
			d.giveKeepers(ctx)
			m.held, wait = time.Now(), receiptTime
		case err := <-d.posted:
			timer.Stop()
			if err == nil || errors.Is(err, ErrStale) || ctx.Err() != nil {
				return m.held
			}
			d.giveKeepers(ctx)
			return time.Now()
		}
	}
}

// giveKeepers gives keepers the message, until they have answered or nobody needs to hold it any more.
func (d delivery) giveKeepers(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, keeperTime)
	defer cancel()
	over := make(chan struct{})
	go func() {
		defer close(over)
		d.Keepers.Hold(ctx, d.parcel, d.taken)
	}()
	select {
	case <-over:
	case err := <-d.posted:
		if d.posted <- err; err == nil {
			cancel()
		}
		<-over
	}
}

// giveUnheard gives keepers what this seat has signed on the head, when there are no news of the table:
// a log that answers nothing does not take it either. It signs nothing new.
func (p *Seat) giveUnheard(ctx context.Context) {
	signed := p.entryOn(p.state.Head())
	if p.Keepers == nil || signed == nil || len(p.state.DutiesOf(p.hand.Seat)) == 0 || p.gaps || p.away != nil || time.Since(p.pending.held) < receiptTime {
		return
	}
	p.Keepers.Hold(ctx, signed, p.taken)
	p.pending.held = time.Now()
}

// isShortOfTime reports whether this seat has little time left, as the table's clock was told last, or, where keepers' silence would make it
// late, as it has measured itself: the log may say that there is much.
func (p *Seat) isShortOfTime() bool {
	if p.left != nil && *p.left < shortOfTime {
		return true
	}
	if !p.needsPresence() {
		return false
	}
	_, owed, spent := p.state.Timing(p.hand.Seat)
	used, unknown := time.Duration(0), false
	for _, since := range owed {
		came := p.seen[since.Entry]
		used, unknown = max(used, time.Since(came)), unknown || came.IsZero()
	}
	sum := used
	for _, i := range spent {
		since, done := p.seen[i.Since.Entry], p.seen[i.Done.Entry]
		sum, unknown = sum+done.Sub(since), unknown || since.IsZero()
	}
	little := time.Duration(shortOfTime+p.state.Genesis().Clock.Grace) * time.Second // which others may have had an entry before it
	duty, deal := p.state.Limits(p.hand.Seat)
	ends := func(limit int64, used time.Duration) bool {
		return limit > 0 && time.Duration(limit)*time.Second-used < little
	}
	return unknown || ends(duty, used) || ends(deal, sum)
}

// givesSeat reports whether an entry is the act that gives a seat to the holder of a key.
func givesSeat(e *wire.Entry, seat table.Seat, key string) bool {
	var body wire.ReseatBody
	return e.Act != nil && e.Act.Kind == wire.KindReseat && wire.DecodeAct(e.Act.Body, &body) == nil && table.Seat(body.Seat) == seat && body.Key == key
}
