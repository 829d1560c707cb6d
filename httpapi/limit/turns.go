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
	customer := CustomerOf(caller)
	q.mu.Lock()
	p := q.parties[customer]
	if p == nil {
		p = &party{its: q.accountOf(customer), whole: q.accountOf(RangeOf(caller))}
		q.parties[customer] = p
	}
	q.tickets++
	t.number = q.tickets
	place := p.waiting.PushBack(t)
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

// TurnsOptions configure Turns. All are required.
type TurnsOptions struct {
	// Rate is the processor time that all turns together get per unit of time. A negative rate means
	// no bound.
	Rate float64
	// Others are at work and take no turns; while there are any, turns get a third of that.
	Others *Shares
	// Burst is the time that turns may use at once.
	Burst time.Duration
	// AtOnce bounds the concurrent turns.
	AtOnce int
	// Waiting and WaitingPerAddress bound those that wait.
	Waiting, WaitingPerAddress int
}

// Turns share out processor time. All turns together have a bucket of it, and no more run
// concurrently than leave a processor to work without turns. Waiting callers are served in the order
// of queue. The time used is known only afterwards: the caller measures it and passes it to leave.
type Turns struct {
	queue
	o TurnsOptions

	running int           // turns, except those that last too long
	late    int           // turns that last too long
	left    time.Duration // in the bucket; below 0 it is a debt
	spare   time.Duration // a second bucket, half as fast, for callers that have used little while there is a debt
	at      time.Time     // when left and spare were computed
	again   *time.Timer   // begins the next turns; nil: nobody waits for time
}

const (
	// A caller that has recently used less than this waits only for debts of others that have used
	// little.
	little = 50 * time.Millisecond
	// maxDebt bounds the common debt. What one turn takes beyond it delays only its own range.
	maxDebt = 200 * time.Millisecond
	// enough is what the bucket must contain before turns go on.
	enough = time.Millisecond
	// longTurn is how long a turn counts as concurrent. A longer one does not use its processor, or
	// gets little of it; maxLate bounds the longer ones for each place.
	longTurn = 100 * time.Millisecond
	maxLate  = 7
	// lookAgain is the interval at which waiting turns check whether posts have left more time.
	lookAgain = 100 * time.Millisecond
	// longestWait is the longest wait that an Error contains.
	longestWait = time.Hour
)

// NewTurns returns Turns that nobody uses yet.
func NewTurns(o TurnsOptions) *Turns {
	t := &Turns{o: o, left: o.Burst, spare: o.Burst, at: time.Now(), queue: newQueue(time.Now, o.Waiting, o.WaitingPerAddress)}
	t.next = t.beginNext
	return t
}

// Enter waits for a turn. The caller calls leave once with the processor time used. The error is an
// *Error if too many wait, of this address or in total, or that of ctx.
func (t *Turns) Enter(ctx context.Context, address netip.Prefix) (leave func(used time.Duration), err error) {
	if t.o.Rate < 0 {
		return func(time.Duration) {}, nil
	}
	k := new(ticket)
	if err := t.awaitTurn(ctx, address, k); err != nil {
		return nil, t.refusalOf(err)
	}
	return t.beginTurn(address, k), nil
}

func (t *Turns) refusalOf(err error) error {
	if _, full := err.(*Error); !full || t.Waiting() >= t.o.Waiting {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fillBuckets()
	return &Error{Reason: AddressTime, Wait: max(t.timeUntilEnough(t.left), time.Second)}
}

// Charge charges an address for time used outside a turn.
func (t *Turns) Charge(address netip.Prefix, used time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.spendTime(used)
	t.chargeUsed(address, used)
}

func (t *Turns) spendTime(used time.Duration) {
	t.fillBuckets()
	t.left = max(t.left-used, -maxDebt)
}

func (t *Turns) fillBuckets() {
	now := time.Now()
	more := time.Duration(float64(max(now.Sub(t.at), 0)) * max(t.currentRate(), 0))
	t.left, t.spare, t.at = min(t.left+more, t.o.Burst), min(t.spare+more/2, t.o.Burst), now
}

func (t *Turns) currentRate() float64 {
	if t.o.Others.HeldTotal() > 0 {
		return t.o.Rate / 3
	}
	return t.o.Rate
}

// timeUntilEnough returns the time until a bucket with this content has enough.
func (t *Turns) timeUntilEnough(left time.Duration) time.Duration {
	return time.Duration(min(float64(enough-left)/t.currentRate(), float64(longestWait)))
}

// beginNext begins the turns that may begin. During a debt these are turns of callers that have used
// little.
func (t *Turns) beginNext() {
	if t.running >= t.o.AtOnce {
		return
	}
	t.fillBuckets()
	owed, most := t.left <= 0, t.levelOf(little)
	next := t.left // bucket that is waited for
	may := func(p *party) *list.Element {
		if owed && (p.level() > most || t.spare <= 0) {
			if p.level() <= most {
				next = max(t.left, 2*t.spare)
			}
			return nil
		}
		return p.waiting.Front()
	}
	for t.running < t.o.AtOnce {
		p, place := t.nextParty(may)
		if p == nil {
			break
		}
		p.beginTicket(place).spare = owed
		t.running++
	}
	if owed && t.again == nil && t.running < t.o.AtOnce && t.Waiting() > 0 {
		t.again = time.AfterFunc(min(t.timeUntilEnough(next), lookAgain), func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.again = nil
			t.beginNext()
		})
	}
}

// beginTurn returns the function that ends a turn. A long turn makes room for another one.
func (t *Turns) beginTurn(address netip.Prefix, k *ticket) (leave func(used time.Duration)) {
	late, over := false, false
	lasts := time.AfterFunc(longTurn, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if !over && t.late < maxLate*t.o.AtOnce {
			late = true
			t.late++
			t.running--
			t.spendTime(longTurn) // until the real time is known
			t.beginNext()
		}
	})
	return func(used time.Duration) {
		lasts.Stop()
		t.mu.Lock()
		defer t.mu.Unlock()
		over = true
		if late {
			t.late--
			t.spendTime(used - longTurn)
		} else {
			t.running--
			t.spendTime(used)
		}
		if k.spare {
			t.spare = max(t.spare-used, -maxDebt)
		}
		t.endTicket(address, used)
		t.beginNext()
	}
}
