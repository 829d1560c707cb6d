package limit

import (
	"cmp"
	"context"
	"net/netip"
	"sync"
	"time"
)

// What wrong proofs cost.
const (
	firstPause = 2 * time.Second // after the second wrong proof; four times as long after each one more
	mostPauses = 5               // then they grow no longer: 512 s
	forgetting = time.Hour       // after the last

	// An address has this much time for proofs that turn out wrong, and from then
	// on this part of it: in milliseconds, and milliseconds a second.
	wrongBurst = 500
	wrongRate  = 50
	maxInLine  = 16 // callers of one address
)

// Proof is a message of which the proofs may be costly to check.
type Proof struct {
	Caller netip.Prefix
	Seat   string   // its verifier key
	Table  [32]byte // its id; zero of what begins one, and has no proofs
	Bytes  int      // of the message, with its blobs
}

func (d Proof) isCheap() bool { return d.Bytes <= cheap || d.Table == [32]byte{} }

// wrongProofs bounds the time that is lost with wrong proofs, which no honest seat
// sends. Only proofs above cheap are held up.
//
//   - A seat that has sent a wrong one pauses: not after the first, then for
//     2 s, 8 s, 32 s, 128 s and 512 s, counted by what its whole table has sent.
//   - An address has 0.5 s of checks that fail, and 50 ms more each second. When
//     they are used up, its seats with wrong proofs have to come again later, and
//     its others stand in line, one at a time; but not if the seat, or another one of
//     its table, has sent a right one as long, and none a wrong one. Keys cost nothing,
//     and right proofs cost what wrong ones do.
//
// Everything is forgotten after an hour without a wrong proof, or, beyond
// maxKnown keys or tables, what is oldest. Time comes from the clock; waiting in
// line takes real time.
type wrongProofs struct {
	clock  func() time.Time
	failed *Addresses // of milliseconds

	mu     sync.Mutex
	seats  recentValues[string, record]
	tables recentValues[[32]byte, record]
	lines  map[netip.Prefix]*line
}

// record is what a seat has sent, or all of a table.
type record struct {
	wrong       int
	last, until time.Time // of the wrong ones, and of the pause that they cost
	right       int       // bytes of the longest
}

// line is where the seats of one address stand of which nothing is known.
type line struct {
	turn  chan struct{} // held by the first
	stand int
}

// newWrongProofs returns wrongProofs without any; clock is needed.
func newWrongProofs(clock func() time.Time) *wrongProofs {
	return &wrongProofs{
		clock: clock, failed: NewAddresses(AddressProofs, wrongRate, wrongBurst),
		seats: newRecent[string, record](), tables: newRecent[[32]byte, record](), lines: map[netip.Prefix]*line{},
	}
}

// mustStand tells whether d has to stand in line as far as its seat and address are concerned, or is an
// *Error.
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

// standInLine waits in the line of an address until it is first in it and the address
// has paid for what was wrong.
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
		return nil, p.failed.refusalAt(p.failed.levels[0].bucketOf(caller), p.clock()) // of the address alone
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

// NoteRight notes that d holds. It costs nothing.
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

// NoteWrong notes that d, signed by its seat, does not hold, and how long that took
// to see.
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

// recordsOf returns that of the seat, and that of the table.
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
