package limit

import (
	"cmp"
	"container/list"
	"context"
	"net/netip"
	"sync"
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
	may := func(p *party) *list.Element {
		for e := p.waiting.Front(); e != nil; e = e.Next() {
			if t := e.Value.(*ticket); (!t.costly || p.costly < c.o.CostlyPerAddress) && (!t.long || c.long < c.o.Long) {
				return e
			}
		}
		return nil
	}
	for c.running < c.o.Most {
		p, place := c.nextParty(may)
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

// The costs of wrong proofs.
const (
	firstPause = 2 * time.Second // after the second wrong proof; four times as long after each further one
	mostPauses = 5               // after which pauses stay at 512 s
	forgetting = time.Hour       // after the last wrong proof

	// An address has this much time for proofs that turn out wrong, and afterwards this rate: in
	// milliseconds, and milliseconds a second.
	wrongBurst = 500
	wrongRate  = 50
	maxInLine  = 16 // callers of one address
)

// Proof is a message whose proofs may be costly to check.
type Proof struct {
	Caller netip.Prefix
	Seat   string   // its verifier key
	Table  [32]byte // its id; zero for a message that begins a table, which has no proofs
	Bytes  int      // of the message, with its blobs
}

func (d Proof) isCheap() bool { return d.Bytes <= cheap || d.Table == [32]byte{} }

// wrongProofs bounds the time lost with wrong proofs, which no honest seat sends. It delays only
// proofs above cheap.
//
//   - A seat that has sent a wrong proof pauses: not after the first, then for 2 s, 8 s, 32 s, 128 s
//     and 512 s, counted by the wrong proofs of its whole table.
//   - An address has 0.5 s for failing checks, and 50 ms more each second. When that is used up, its
//     seats with wrong proofs have to come again later. Its other seats stand in line and are checked
//     one at a time, except a seat that has sent, or whose table has sent, a right proof of this
//     length and no wrong one. Keys cost nothing, and right proofs cost as much as wrong ones.
//
// Everything is forgotten after an hour without a wrong proof, or, beyond maxKnown keys or tables,
// the oldest first. Time comes from the clock, but waiting in line takes real time.
type wrongProofs struct {
	clock  func() time.Time
	failed *Addresses // tokens are milliseconds

	mu     sync.Mutex
	seats  recentValues[string, record]
	tables recentValues[[32]byte, record]
	lines  map[netip.Prefix]*line
}

// record is what a seat, or a whole table, has sent.
type record struct {
	wrong       int
	last, until time.Time // time of the last wrong one, and end of its pause
	right       int       // size of the longest right one
}

// line is the line of an address's seats about which nothing is known.
type line struct {
	turn  chan struct{} // held by the first
	stand int
}

// newWrongProofs returns empty wrongProofs. It needs a clock.
func newWrongProofs(clock func() time.Time) *wrongProofs {
	return &wrongProofs{
		clock: clock, failed: NewAddresses(AddressProofs, wrongRate, wrongBurst),
		seats: newRecent[string, record](), tables: newRecent[[32]byte, record](), lines: map[netip.Prefix]*line{},
	}
}

// mustStand reports whether d has to stand in line because of its seat and address. It returns an
// *Error if d has to come again later.
func (p *wrongProofs) mustStand(d Proof) (waits bool, err error) {
	if d.isCheap() {
		return false, nil
	}
	now := p.clock()
	p.mu.Lock()
	defer p.mu.Unlock()
	seat, _ := p.seats.peek(d.Seat)
	if wait := seat.until.Sub(now); wait > 0 {
		return false, &Error{Reason: SeatProofs, Wait: wait}
	}
	err = p.failed.Look(d.Caller, now)
	if err == nil && p.lines[d.Caller] == nil {
		return false, nil
	}
	if seat.isSuspect(now) {
		return false, cmp.Or(err, error(&Error{Reason: AddressProofs})) // not before those in line
	}
	table, _ := p.tables.peek(d.Table)
	vouched := seat.right
	if !table.isSuspect(now) {
		vouched = max(vouched, table.right)
	}
	return vouched < d.Bytes, nil
}

func (r record) isSuspect(now time.Time) bool { return r.wrong > 0 && now.Sub(r.last) < forgetting }

// standInLine waits until the caller is first in the line of its address and the address has paid for
// its wrong proofs.
func (p *wrongProofs) standInLine(ctx context.Context, caller netip.Prefix) (leave func(), err error) {
	l, err := p.joinLine(caller)
	if err != nil {
		return nil, err
	}
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		p.leaveLine(caller, l)
		return nil, ctx.Err()
	}
	leave = func() {
		<-l.turn
		p.leaveLine(caller, l)
	}
	for {
		over, _ := p.failed.Look(caller, p.clock()).(*Error)
		if over == nil {
			return leave, nil
		}
		select {
		case <-time.After(over.Wait):
		case <-ctx.Done():
			leave()
			return nil, ctx.Err()
		}
	}
}

func (p *wrongProofs) joinLine(caller netip.Prefix) (*line, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lines[caller]
	if l == nil {
		l = &line{turn: make(chan struct{}, 1)}
		p.lines[caller] = l
	}
	if l.stand >= maxInLine {
		return nil, p.failed.refusalAt(p.failed.levels[0].bucketOf(caller), p.clock()) // of this address alone
	}
	l.stand++
	return l, nil
}

func (p *wrongProofs) leaveLine(caller netip.Prefix, l *line) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.stand--; l.stand == 0 {
		delete(p.lines, caller)
	}
}

// NoteRight records that d holds. It costs nothing.
func (p *wrongProofs) NoteRight(d Proof) {
	if d.isCheap() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.recordsOf(d) {
		r.right = max(r.right, d.Bytes)
	}
}

// NoteWrong records that d, signed by its seat, does not hold, and how long the check took.
func (p *wrongProofs) NoteWrong(d Proof, took time.Duration) {
	now := p.clock()
	p.failed.ChargeTokens(d.Caller, int(took/time.Millisecond), now)
	if d.isCheap() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	most, list := 0, p.recordsOf(d)
	for _, r := range list {
		if !r.isSuspect(now) {
			r.wrong = 0
		}
		r.wrong, r.last = r.wrong+1, now
		most = max(most, r.wrong)
	}
	list[0].until = now.Add(pauseAfter(most))
}

// recordsOf returns the record of the seat and that of the table.
func (p *wrongProofs) recordsOf(d Proof) [2]*record {
	none := func() record { return record{} }
	return [2]*record{p.seats.use(d.Seat, none), p.tables.use(d.Table, none)}
}

func pauseAfter(wrong int) time.Duration {
	if wrong < 2 {
		return 0
	}
	return firstPause << (2 * min(wrong-2, mostPauses-1))
}
