package limit

import (
	"cmp"
	"container/list"
	"context"
	"math"
	"net/netip"
	"sync"
	"time"
)

// halfLife is the time in which half of the used time is forgotten.
const halfLife = 10 * time.Second

// queue has the callers that wait for a processor and what each has used. Next is the caller that has
// used least, by itself and together with its range if that has many: so others do not come after all
// addresses of an operator, however many it has.
type queue struct {
	mu       sync.Mutex
	next     func()  // begins the tickets that may begin
	waits    *Shares // bounds the waiting tickets
	clock    func() time.Time
	begin    time.Time
	tickets  uint64                               // number of tickets so far
	accounts recentValues[netip.Prefix, *account] // of ranges and customers
	parties  map[netip.Prefix]*party              // customers that wait or run
}

// account is the time that a range or customer has used. Its level is the logarithm (base 2) of the
// remembered seconds plus the half-lives since the queue began, and so does not change with time.
type account struct{ level float64 }

// party is one customer that waits or runs.
type party struct {
	its, whole      *account // the customer's and its range's
	running, costly int
	waiting         list.List // of *ticket
}

type ticket struct {
	number uint64
	costly bool
	long   bool
	spare  bool          // of Turns
	ready  chan struct{} // closed when it may begin
	begun  func()        // is called when it stops waiting
}

func newQueue(clock func() time.Time, waiting, waitingPerAddress int) queue {
	return queue{
		waits: NewShares(waiting, waitingPerAddress), clock: clock, begin: clock(),
		accounts: newRecent[netip.Prefix, *account](), parties: map[netip.Prefix]*party{},
	}
}

// Waiting returns how many tickets wait.
func (q *queue) Waiting() int { return q.waits.HeldTotal() }

// awaitTurn waits until a caller's ticket may begin. It returns an *Error if there is no room to
// wait, or the error of ctx.
func (q *queue) awaitTurn(ctx context.Context, caller netip.Prefix, t *ticket) (err error) {
	t.ready = make(chan struct{})
	if t.begun, err = q.waits.Enter(caller, 1); err != nil {
		return err
	}
	q.mu.Lock()
	place := q.addTicket(caller, t)
	q.next()
	q.mu.Unlock()
	select {
	case <-t.ready:
		return nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.withdrawTicket(caller, t, place) {
		return ctx.Err()
	}
	return nil
}

// accountOf returns the account of a range or customer.
func (q *queue) accountOf(of netip.Prefix) *account {
	return *q.accounts.use(of, func() *account { return &account{math.Inf(-1)} })
}

// chargeUsed charges the time used by a caller: the first little of it to its range, and all of it to
// the customer. So one address does not count for all its neighbours, but many do.
func (q *queue) chargeUsed(caller netip.Prefix, used time.Duration) {
	its, whole := q.accountOf(CustomerOf(caller)), q.accountOf(RangeOf(caller))
	remembered := time.Duration(math.Exp2(its.level-q.halfLives()) * float64(time.Second))
	whole.addUsed(q, min(used, little-remembered))
	its.addUsed(q, used)
}

func (a *account) addUsed(q *queue, used time.Duration) {
	if used > 0 {
		more := q.levelOf(used)
		high, low := max(a.level, more), min(a.level, more)
		a.level = high + math.Log2(1+math.Exp2(low-high))
	}
}

// levelOf returns the level of an account of which used is remembered now.
func (q *queue) levelOf(used time.Duration) float64 { return math.Log2(used.Seconds()) + q.halfLives() }

func (q *queue) halfLives() float64 { return q.clock().Sub(q.begin).Seconds() / halfLife.Seconds() }

func (q *queue) addTicket(caller netip.Prefix, t *ticket) (place *list.Element) {
	customer := CustomerOf(caller)
	p := q.parties[customer]
	if p == nil {
		p = &party{its: q.accountOf(customer), whole: q.accountOf(RangeOf(caller))}
		q.parties[customer] = p
	}
	q.tickets++
	t.number = q.tickets
	return p.waiting.PushBack(t)
}

// nextParty returns the party that is next and the first of its tickets that may begin, or nil.
func (q *queue) nextParty(may func(*party) *list.Element) (first *party, place *list.Element) {
	for _, p := range q.parties {
		if e := may(p); e != nil && (first == nil || comesBefore(p, e, first, place)) {
			first, place = p, e
		}
	}
	return first, place
}

// level returns the higher level of the party's and its range's.
func (p *party) level() float64 { return max(p.its.level, p.whole.level) }

func comesBefore(p *party, e *list.Element, q *party, f *list.Element) bool {
	return cmp.Or(cmp.Compare(p.level(), q.level()), cmp.Compare(p.its.level, q.its.level),
		cmp.Compare(e.Value.(*ticket).number, f.Value.(*ticket).number)) < 0
}

func (p *party) beginTicket(place *list.Element) *ticket {
	t := p.waiting.Remove(place).(*ticket)
	t.begun()
	p.running++
	close(t.ready)
	return t
}

// endTicket ends a caller's ticket, which has used the given time.
func (q *queue) endTicket(caller netip.Prefix, used time.Duration) *party {
	p := q.parties[CustomerOf(caller)]
	p.running--
	q.chargeUsed(caller, used)
	q.dropIdle(caller, p)
	return p
}

// withdrawTicket gives up a ticket. It returns false if its turn has come already.
func (q *queue) withdrawTicket(caller netip.Prefix, t *ticket, place *list.Element) bool {
	select {
	case <-t.ready:
		return false
	default:
	}
	p := q.parties[CustomerOf(caller)]
	p.waiting.Remove(place)
	t.begun()
	q.dropIdle(caller, p)
	return true
}

// dropIdle removes a party without tickets.
func (q *queue) dropIdle(caller netip.Prefix, p *party) {
	if p.running == 0 && p.waiting.Len() == 0 {
		delete(q.parties, CustomerOf(caller))
	}
}
