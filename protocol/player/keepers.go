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
// called concurrently with those of the Source, from other goroutines.
type Keepers interface {
	// Hold gives a message of this seat to all keepers, with the act that gave the seat to its
	// holder, or nil. It returns when each has answered or ctx ends.
	Hold(ctx context.Context, parcel, reseat []byte)
	// Present tells all keepers where this seat is (exchange.SignPresence), and returns how many
	// then know it.
	Present(ctx context.Context, presence, reseat []byte) int
	// Silence returns the lines of the keepers which say that they hold no message at a place.
	Silence(ctx context.Context, p keeper.Place) [][]byte
}

const (
	// receiptTime is how long the log may take to give a receipt before keepers are given the
	// message.
	receiptTime = 5 * time.Second
	// shortOfTime is a number of seconds: a seat with less time left gives keepers the message at
	// once.
	shortOfTime = 30
	// keeperTime bounds a request to all keepers.
	keeperTime = 20 * time.Second
)

// pendingMessage is a message of this seat without a receipt so far.
type pendingMessage struct {
	entry wire.Hash
	since time.Time
	held  time.Time // when keepers were last given it
}

// postMessage posts a message. If there is no receipt in time, whatever else the log answers,
// keepers are given the message: somebody must have it before the seat is late.
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
		p.left = nil // it was of this duty
	}
	return err
}

// delivery is a message on its way to the log; posted receives the log's answer.
type delivery struct {
	*Seat
	parcel []byte
	posted chan error
}

// holdUnless gives keepers the message unless it is posted in time, and again while it is not,
// since a keeper may have been away. It returns once the log has answered, with the time when
// keepers were last given the message.
func (d delivery) holdUnless(ctx context.Context, m pendingMessage) time.Time {
	patience := receiptTime
	if c := d.state.Genesis().Clock; d.needsPresence() { // before keepers may be silent about a seat that says it is here
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

// giveKeepers gives keepers the message, until they have answered or the log has taken it.
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

// giveUnheard gives keepers what this seat has signed on the head when there is no news of the
// table: a log that answers nothing does not take the message either. It signs nothing new.
func (p *Seat) giveUnheard(ctx context.Context) {
	signed := p.entryOn(p.state.Head())
	if p.Keepers == nil || signed == nil || len(p.state.DutiesOf(p.hand.Seat)) == 0 || p.gaps || p.away != nil || time.Since(p.pending.held) < receiptTime {
		return
	}
	p.Keepers.Hold(ctx, signed, p.taken)
	p.pending.held = time.Now()
}

// isShortOfTime reports whether this seat has little time left by the table's clock as last told.
// Where the silence of keepers could make it late, the seat also measures by itself: the log may
// claim that much is left.
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
	little := time.Duration(shortOfTime+p.state.Genesis().Clock.Grace) * time.Second // others may have had an entry that long before it
	duty, deal := p.state.Limits(p.hand.Seat)
	ends := func(limit int64, used time.Duration) bool {
		return limit > 0 && time.Duration(limit)*time.Second-used < little
	}
	return unknown || ends(duty, used) || ends(deal, sum)
}

// givesSeat reports whether an entry is the act that gives a seat to a key.
func givesSeat(e *wire.Entry, seat table.Seat, key string) bool {
	var body wire.ReseatBody
	return e.Act != nil && e.Act.Kind == wire.KindReseat && wire.DecodeAct(e.Act.Body, &body) == nil && table.Seat(body.Seat) == seat && body.Key == key
}
