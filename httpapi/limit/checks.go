package limit

import (
	"container/list"
	"context"
	"net/netip"
	"time"
)

// cheap is the size in bytes up to which a parcel can cost little to check: a proof of n bytes has at
// most n/32 group elements, and the time is proportional to them.
const cheap = 4096

// long is the size above which a check takes so long that others would notice if all processors made
// such checks. Only shuffles by cutting and choosing are longer.
const long = 32 << 10

// ChecksOptions configure Checks. All are required.
type ChecksOptions struct {
	// Most is the number of concurrent checks: the number of processors.
	Most int
	// CostlyPerAddress bounds the concurrent checks of one address above cheap or of unknown size. If
	// it is less than Most, one address leaves processors to the others.
	CostlyPerAddress int
	// Long bounds the concurrent checks of all addresses above long or of unknown size. It is less
	// than Most, so that a processor stays free.
	Long int
	// Waiting and WaitingPerAddress bound the queue.
	Waiting, WaitingPerAddress int
	// Clock measures the time used.
	Clock func() time.Time
}

// Checks hands out processors for checking proofs. It measures the cost of checks, so that senders of
// costly or wrong proofs come after everybody else (see queue), and senders of wrong ones wait (see
// wrongProofs). An address here is the result of CustomerOf.
type Checks struct {
	queue
	o       ChecksOptions
	wrong   *wrongProofs
	running int
	long    int // number of running long checks
}

// NewChecks returns Checks that nobody uses yet.
func NewChecks(o ChecksOptions) *Checks {
	c := &Checks{o: o, wrong: newWrongProofs(o.Clock), queue: newQueue(o.Clock, o.Waiting, o.WaitingPerAddress)}
	c.next = c.beginNext
	return c
}

// Look returns the *Error that Enter would return at once because of wrong proofs.
func (c *Checks) Look(d Proof) error {
	_, err := c.wrong.mustStand(d)
	return err
}

// Enter waits until d may be checked. The caller then calls leave once: whether the seat has signed
// d, and whether it holds. The error is an *Error or that of ctx. If other wrong proofs are found
// while d waits for a processor, d may have to wait once more.
func (c *Checks) Enter(ctx context.Context, d Proof) (leave func(signed, holds bool), err error) {
	for {
		stands, err := c.wrong.mustStand(d)
		left := func() {}
		if stands {
			left, err = c.wrong.standInLine(ctx, d.Caller)
		}
		if err != nil {
			return nil, err
		}
		t := &ticket{costly: d.Bytes < 0 || d.Bytes > cheap, long: d.Bytes < 0 || d.Bytes > long}
		if err := c.awaitTurn(ctx, d.Caller, t); err != nil {
			left()
			if ctx.Err() == nil {
				err = &Error{Reason: CheckQueue}
			}
			return nil, err
		}
		begin := c.o.Clock()
		if !stands {
			if stands, err = c.wrong.mustStand(d); stands || err != nil {
				c.endCheck(d.Caller, t, c.o.Clock().Sub(begin))
				continue
			}
		}
		return func(signed, holds bool) {
			took := c.o.Clock().Sub(begin)
			switch {
			case signed && holds:
				c.wrong.NoteRight(d)
			case signed:
				c.wrong.NoteWrong(d, took)
			}
			c.endCheck(d.Caller, t, took)
			left()
		}, nil
	}
}

// beginNext begins the checks that may begin.
func (c *Checks) beginNext() {
	for c.running < c.o.Most {
		p, place := c.nextParty(func(p *party) *list.Element { return p.firstTicket(c.o.CostlyPerAddress, c.long < c.o.Long) })
		if p == nil {
			return
		}
		t := p.beginTicket(place)
		c.running++
		if t.costly {
			p.costly++
		}
		if t.long {
			c.long++
		}
	}
}

// firstTicket returns the first ticket of a party that may begin, or nil.
func (p *party) firstTicket(mostCostly int, mayBeLong bool) *list.Element {
	for e := p.waiting.Front(); e != nil; e = e.Next() {
		if t := e.Value.(*ticket); (!t.costly || p.costly < mostCostly) && (!t.long || mayBeLong) {
			return e
		}
	}
	return nil
}

func (c *Checks) endCheck(caller netip.Prefix, t *ticket, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.endTicket(caller, took)
	c.running--
	if t.costly {
		p.costly--
	}
	if t.long {
		c.long--
	}
	c.beginNext()
}
