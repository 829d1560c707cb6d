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
	posted := make(chan error, 1)
	holding := make(chan time.Time, 1)
	go func() { holding <- p.holdUnless(ctx, posted, p.pending, parcel) }()
	err := p.source.Post(ctx, p.state.ID(), parcel)
	posted <- err
	if p.pending.held = <-holding; err == nil {
		p.left = nil // which was of this duty
	}
	return err
}

// holdUnless gives keepers a message unless it is posted in time, and again while it is not: one of them may have been away. It returns when
// the log has answered, and says when keepers were given it last.
func (p *Seat) holdUnless(ctx context.Context, posted chan error, m pendingMessage, parcel []byte) time.Time {
	patience := receiptTime
	if c := p.state.Genesis().Clock; p.needsPresence() { // before keepers may be silent of one who says that it is here
		patience = min(patience, exchange.PresenceEvery(time.Duration(c.Grace)*time.Second))
	}
	wait := time.Until(m.since.Add(patience))
	switch {
	case !m.held.IsZero():
		wait = time.Until(m.held.Add(receiptTime))
	case p.isShortOfTime():
		wait = 0
	}
	for {
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
			p.giveKeepers(ctx, posted, parcel)
			m.held, wait = time.Now(), receiptTime
		case err := <-posted:
			timer.Stop()
			if err == nil || errors.Is(err, ErrStale) || ctx.Err() != nil {
				return m.held
			}
			p.giveKeepers(ctx, posted, parcel)
			return time.Now()
		}
	}
}

// giveKeepers gives keepers a message, until they have answered or nobody needs to hold it any more.
func (p *Seat) giveKeepers(ctx context.Context, posted chan error, parcel []byte) {
	ctx, cancel := context.WithTimeout(ctx, keeperTime)
	defer cancel()
	over := make(chan struct{})
	go func() {
		defer close(over)
		p.Keepers.Hold(ctx, parcel, p.taken)
	}()
	select {
	case <-over:
	case err := <-posted:
		if posted <- err; err == nil {
			cancel()
		}
		<-over
	}
}

// giveUnheard gives keepers what this seat has signed on the head, when there are no news of the table:
// a log that answers nothing does not take it either. It signs nothing new.
func (p *Seat) giveUnheard(ctx context.Context) {
	signed := p.journal.Entry != nil && p.journal.Parent == p.state.Head() && len(p.state.DutiesOf(p.hand.Seat)) > 0
	if p.Keepers == nil || !signed || p.gaps || p.away != nil || time.Since(p.pending.held) < receiptTime {
		return
	}
	p.Keepers.Hold(ctx, p.journal.Entry, p.taken)
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

// noteReseat notes the act that gives this seat to its holder.
func (p *Seat) noteReseat(e *wire.Entry) {
	if e.Act == nil || e.Act.Kind != wire.KindReseat {
		return
	}
	var body wire.ReseatBody
	if wire.DecodeAct(e.Act.Body, &body) == nil && table.Seat(body.Seat) == p.hand.Seat && body.Key == p.id.VerifierKey() {
		p.taken = e.Bytes()
	}
}

// askSilence asks keepers to say that they hold no message of a seat on the head, where the clock asks
// for that.
func (p *Seat) askSilence(ctx context.Context, seat table.Seat) [][]byte {
	if p.Keepers == nil || !p.state.Genesis().Clock.Silence {
		return [][]byte{}
	}
	ctx, cancel := context.WithTimeout(ctx, receiptTime)
	defer cancel()
	lines := p.Keepers.Silence(ctx, keeper.Place{Table: p.state.ID(), Parent: p.state.Head(), Seat: int(seat)})
	return append([][]byte{}, lines...)
}
