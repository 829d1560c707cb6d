package limit

import (
	"container/list"
	"context"
	"net/netip"
	"time"
)

// cheap is the size in bytes up to which a parcel can cost little to check: a
// proof of n bytes has at most n/32 group elements, and time goes up with them.
const cheap = 4096

// long is the size above which one takes so much time that others would notice if all
// processors checked such. Of all shuffles only those by cutting and choosing are longer.
const long = 32 << 10

// ChecksOptions configure Checks. All are needed.
type ChecksOptions struct {
	// Most is how many may check at the same time: the processors.
	Most int
	// CostlyPerAddress are those of one address whose size is above cheap, or
	// unknown. Where it is less than Most, one address leaves processors to the others.
	CostlyPerAddress int
	// Long are those of all addresses together that are longer than long, or of
	// unknown size. It is less than Most, so that a processor is left.
	Long int
	// Waiting and WaitingPerAddress bound the queue.
	Waiting, WaitingPerAddress int
	// Clock tells the time that is used.
	Clock func() time.Time
}

// Checks hands out processors for checking proofs. What a check costs is measured, so that
// those who send costly or wrong proofs come after everybody else (see queue), and who sends wrong ones waits
// (see wrongProofs). An address is what CustomerOf returns here.
type Checks struct {
	queue
	o       ChecksOptions
	wrong   *wrongProofs
	running int
	long    int // of those that run
}

// NewChecks returns Checks without callers.
func NewChecks(o ChecksOptions) *Checks {
	c := &Checks{o: o, wrong: newWrongProofs(o.Clock), queue: newQueue(o.Clock, o.Waiting, o.WaitingPerAddress)}
	c.next = c.beginNext
	return c
}

// Look returns the *Error that Enter would return at once for wrong proofs.
func (c *Checks) Look(d Proof) error {
	_, err := c.wrong.mustStand(d)
	return err
}

// Enter waits until d may be checked. Leave must be called once, with what was found: whether its seat has
// signed it, and whether it holds. The error is an *Error or that of ctx. What others were found to have sent
// while it waited for a processor can make it wait again, for once.
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

// beginNext lets begin who may.
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

// firstTicket is the first ticket of a party that may begin.
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
