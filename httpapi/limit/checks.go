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

// Checks hands out processors for checking proofs. Of the addresses that wait, the one
// that has used least time is next (start-time fair queueing). What a check costs is
// measured, so that those who send costly or wrong proofs come after everybody else. An
// address is a Customer here.
type Checks struct {
	o ChecksOptions

	mu      sync.Mutex
	running int
	long    int // of those that run
	waiting *Shares
	parties map[netip.Prefix]*party        // that wait or check
	away    map[netip.Prefix]time.Duration // what others have used beyond floor
	floor   time.Duration                  // the most that a party had used when it was served
}

// party is one address that waits or checks.
type party struct {
	running, costly int
	used            time.Duration // as if it had always been here
	queue           list.List     // of *ticket
}

type ticket struct {
	costly bool
	long   bool
	ready  chan struct{} // closed when it may begin
	begun  func()        // it waits no more
}

// NewChecks returns Checks without callers.
func NewChecks(o ChecksOptions) *Checks {
	return &Checks{o: o, waiting: NewShares(o.Waiting, o.WaitingPerAddress), parties: map[netip.Prefix]*party{}, away: map[netip.Prefix]time.Duration{}}
}

// Enter waits until the caller may check what has size bytes; a negative size
// is unknown. Leave must be called once. The error is an *Error or that of ctx.
func (c *Checks) Enter(ctx context.Context, caller netip.Prefix, size int) (leave func(), err error) {
	t := &ticket{costly: size < 0 || size > cheap, long: size < 0 || size > long, ready: make(chan struct{})}
	if t.begun, err = c.waiting.Enter(caller, 1); err != nil {
		return nil, &Error{Reason: CheckQueue}
	}
	caller = Customer(caller)
	place := c.join(caller, t)
	select {
	case <-t.ready:
	case <-ctx.Done():
		if c.withdraw(caller, t, place) {
			return nil, ctx.Err()
		}
	}
	begin := c.o.Clock()
	return func() { c.leave(caller, t, c.o.Clock().Sub(begin)) }, nil
}

// Waiting returns how many wait.
func (c *Checks) Waiting() int {
	return c.waiting.Held()
}

func (c *Checks) join(caller netip.Prefix, t *ticket) *list.Element {
	c.mu.Lock()
	defer c.mu.Unlock()
	place := c.party(caller).queue.PushBack(t)
	c.serve()
	return place
}

// party returns the party at an address. One that was away has not saved time up.
func (c *Checks) party(caller netip.Prefix) *party {
	p := c.parties[caller]
	if p == nil {
		p = &party{used: max(c.away[caller], c.floor)}
		delete(c.away, caller)
		c.parties[caller] = p
	}
	return p
}

// part lets a party go that does nothing any more, and remembers what it has
// used for as long as that matters.
func (c *Checks) part(caller netip.Prefix, p *party) {
	if p.running > 0 || p.queue.Len() > 0 {
		return
	}
	delete(c.parties, caller)
	if len(c.away) >= maxKnown {
		clear(c.away)
	}
	if p.used > c.floor {
		c.away[caller] = p.used
	}
}

// serve lets begin who may.
func (c *Checks) serve() {
	for c.running < c.o.Most {
		p, place := c.next()
		if p == nil {
			return
		}
		t := p.queue.Remove(place).(*ticket)
		t.begun()
		c.running++
		p.running++
		if t.costly {
			p.costly++
		}
		if t.long {
			c.long++
		}
		c.floor = max(c.floor, p.used)
		close(t.ready)
	}
}

// next returns the party that has used least of those that may have one more,
// and its first ticket that may begin.
func (c *Checks) next() (least *party, place *list.Element) {
	for _, p := range c.parties {
		if e := p.first(c.o.CostlyPerAddress, c.long < c.o.Long); e != nil && (least == nil || p.used < least.used) {
			least, place = p, e
		}
	}
	return least, place
}

func (p *party) first(mostCostly int, mayBeLong bool) *list.Element {
	for e := p.queue.Front(); e != nil; e = e.Next() {
		if t := e.Value.(*ticket); (!t.costly || p.costly < mostCostly) && (!t.long || mayBeLong) {
			return e
		}
	}
	return nil
}

// withdraw gives up a ticket; it is false if its turn has come already.
func (c *Checks) withdraw(caller netip.Prefix, t *ticket, place *list.Element) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-t.ready:
		return false
	default:
	}
	p := c.parties[caller]
	p.queue.Remove(place)
	t.begun()
	c.part(caller, p)
	return true
}

func (c *Checks) leave(caller netip.Prefix, t *ticket, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.parties[caller]
	p.running--
	c.running--
	if t.costly {
		p.costly--
	}
	if t.long {
		c.long--
	}
	p.used += max(took, 0)
	c.part(caller, p)
	c.serve()
}
