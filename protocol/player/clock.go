package player

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/timing"
	"github.com/pakli/pakli/protocol/wire"
)

// TimedSource is a Source that also knows what a table with a clock needs.
type TimedSource interface {
	// Index returns where in the log the table's entry number n is, as Messages returned it: the
	// log may have the same bytes at several places.
	Index(n int) (uint64, error)
	// Mark returns a good mark of the log, found under a checkpoint like the messages.
	Mark(ctx context.Context, mark wire.Hash) (keeper.Mark, error)
	// Clocks returns the clocks of the seats that owe something. They need not be true: a claim is
	// checked against its marks before it is signed.
	Clocks(ctx context.Context, id wire.Hash) ([]timing.Clock, error)
}

var errUntimed = errors.New("the table has a clock, and nobody here knows where in the log its entries are")

// timedSource returns the source of a table with a clock, and nil for other tables.
func (p *Seat) timedSource() (TimedSource, error) {
	if p.state.Genesis().Clock.IsNone() {
		return nil, nil
	}
	t, ok := p.source.(TimedSource)
	if !ok {
		return nil, errUntimed
	}
	return t, nil
}

// markTime bounds the time to read one mark.
const markTime = 30 * time.Second

// entryFacts returns the facts to judge the table's entry number n by; if n < 0, the log does not
// have the entry.
func (p *Seat) entryFacts(n int) (f table.Facts, err error) {
	t, err := p.timedSource()
	if t == nil || err != nil {
		return f, err
	}
	judging := p.judging
	f.Marks = func(mark wire.Hash) (keeper.Mark, error) {
		ctx, cancel := context.WithTimeout(cmp.Or(judging, context.Background()), markTime)
		defer cancel()
		return t.Mark(ctx, mark)
	}
	if n >= 0 {
		f.Index, err = t.Index(n)
	}
	return f, err
}

// errInTime says that a seat is no longer late.
var errInTime = errors.New("the table has moved on")

// claimTimeout claims on the head that a seat is late, by what marks prove and, where the clock
// asks for it, by the silence of keepers.
func (p *Seat) claimTimeout(ctx context.Context, c timing.Clock) error {
	head := p.state.Head()
	c.Claim.Silence = [][]byte{}
	if p.needsPresence() {
		asking, cancel := context.WithTimeout(ctx, receiptTime)
		defer cancel()
		lines := p.Keepers.Silence(asking, keeper.Place{Table: p.state.ID(), Parent: head, Seat: int(c.Seat)})
		c.Claim.Silence = append(c.Claim.Silence, lines...)
	}
	return p.PostAct(ctx, Act{wire.KindTimeout, func() (any, error) {
		if p.state.Head() != head {
			return nil, errInTime
		}
		return c.Claim, nil
	}})
}

// tellTime asks the source for the clocks, if the table has a clock and this seat owes a duty of
// the kind; "" means any duty of any seat. It returns nil otherwise.
func (p *Seat) tellTime(ctx context.Context, kind wire.Kind) ([]timing.Clock, error) {
	owes := func(d table.Duty) bool { return kind == "" || d.Kind == kind && d.Owes(p.hand.Seat) }
	if p.state.Genesis().Clock.IsNone() || !slices.ContainsFunc(p.state.Duties(), owes) {
		return nil, nil
	}
	// A log that never answers must not keep the seat from hearing keepers, or its player from
	// being asked.
	if p.needsPresence() {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, receiptTime)
		defer stop()
	}
	source, err := p.timedSource()
	if err != nil {
		return nil, err
	}
	clocks, err := source.Clocks(ctx, p.state.ID())
	p.left = nil
	for _, c := range clocks {
		if c.Seat == p.hand.Seat && c.Limited {
			p.left = &c.Left
		}
	}
	if err == nil && p.Timed != nil {
		p.Timed(clocks)
	}
	return clocks, err
}

// keepTime claims that another seat is late, if one is. It returns how long to wait for news then:
// at a table whose clock runs, no longer than the time between two marks.
func (p *Seat) keepTime(ctx context.Context, wait time.Duration) (time.Duration, error) {
	if _, gone := p.state.GoneSeat(); gone || p.state.IsPaused() || p.state.Genesis().Clock.IsNone() {
		return wait, nil
	}
	clocks, err := p.tellTime(ctx, "")
	if err != nil {
		return wait, err
	}
	pause := min(wait, time.Duration(p.state.Genesis().Clock.Tick)*time.Second)
	for _, c := range clocks {
		if c.Limited && c.Left < 0 && c.Seat != p.hand.Seat {
			err := p.claimTimeout(ctx, c)
			fault, _ := errors.AsType[*table.Fault](err)
			switch {
			case err == nil:
				return 0, nil
			case errors.Is(err, errInTime), fault != nil && slices.Contains([]table.Check{table.CheckGrace, table.CheckSilence, table.CheckBranch}, fault.Check):
				// The seat still has time to see the head, or it has signed, or keepers do not say
				// that it has not.
				return pause, nil
			}
			return pause, fmt.Errorf("claiming that seat %s is late: %w", c.Seat.Letter(), err)
		}
	}
	return pause, nil
}
