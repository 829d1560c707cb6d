package limit

import (
	"container/list"
	"context"
	"net/netip"
	"sync"
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
// those who send costly or wrong proofs come after everybody else (see queue). An address is
// what CustomerOf returns here.
type Checks struct {
	o ChecksOptions

	mu      sync.Mutex
	running int
	long    int // of those that run
	waiting *Shares
	queue   queue
}

// NewChecks returns Checks without callers.
func NewChecks(o ChecksOptions) *Checks {
	return &Checks{o: o, waiting: NewShares(o.Waiting, o.WaitingPerAddress), queue: newQueue(o.Clock)}
}

// Enter waits until the caller may check what has size bytes; a negative size
// is unknown. Leave must be called once. The error is an *Error or that of ctx.
func (c *Checks) Enter(ctx context.Context, caller netip.Prefix, size int) (leave func(), err error) {
	t := newTicket()
	t.costly, t.long = size < 0 || size > cheap, size < 0 || size > long
	if t.begun, err = c.waiting.Enter(caller, 1); err != nil {
		return nil, &Error{Reason: CheckQueue}
	}
	place := c.joinQueue(caller, t)
	select {
	case <-t.ready:
	case <-ctx.Done():
		if c.withdrawTicket(caller, t, place) {
			return nil, ctx.Err()
		}
	}
	begin := c.o.Clock()
	return func() { c.endCheck(caller, t, c.o.Clock().Sub(begin)) }, nil
}

// Waiting returns how many wait.
func (c *Checks) Waiting() int {
	return c.waiting.HeldTotal()
}

func (c *Checks) joinQueue(caller netip.Prefix, t *ticket) *list.Element {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.beginNext()
	return c.queue.addTicket(caller, t)
}

// beginNext lets begin who may.
func (c *Checks) beginNext() {
	for c.running < c.o.Most {
		p, place := c.queue.nextParty(func(p *party) *list.Element { return p.firstTicket(c.o.CostlyPerAddress, c.long < c.o.Long) })
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

func (c *Checks) withdrawTicket(caller netip.Prefix, t *ticket, place *list.Element) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.queue.withdrawTicket(caller, t, place)
}

func (c *Checks) endCheck(caller netip.Prefix, t *ticket, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.queue.endTicket(caller, took)
	c.running--
	if t.costly {
		p.costly--
	}
	if t.long {
		c.long--
	}
	c.beginNext()
}
