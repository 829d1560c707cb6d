package limit

import (
	"context"
	"net/netip"
	"sync"
	"time"
)

// TurnsOptions configure Turns. All are needed.
type TurnsOptions struct {
	// Rate is the processor time that all addresses together get for each unit of
	// time while they wait for it. A negative rate means no bound.
	Rate float64
	// Burst is what one address may use before it waits.
	Burst time.Duration
	// PerAddress are the turns of one address at the same time.
	PerAddress int
	// Waiting are those of one address that may wait.
	Waiting int
}

// Turns share out processor time by address. An address that asks for much gets it
// slowly, and the processors stay idle often enough that the others do not wait.
//
// A virtual clock runs at Rate, divided by the addresses that wait (virtual clock,
// Zhang 1990, with the clock of generalised processor sharing, Parekh and Gallager
// 1993). What an address uses is added to its account, which never falls behind the
// clock. An address that is ahead of it by more than Burst waits; its requests do so in
// the order of arrival. The time used is known afterwards: the caller of leave has
// measured it. An address is a Customer here.
type Turns struct {
	o TurnsOptions

	mu       sync.Mutex
	clock    time.Duration // virtual
	at       time.Time     // when clock was read last
	waiting  int           // addresses with somebody who waits
	accounts recent[netip.Prefix, *account]
}

const (
	// lookAgain is after how long who waits looks whether the clock runs faster now,
	// since others have left.
	lookAgain = time.Second
	// longestWait is the longest that anybody is told.
	longestWait = time.Hour
)

// account is what one address has used, as the time of the virtual clock at which
// that is paid.
type account struct {
	used    time.Duration
	waiting int
	line    chan struct{} // held by the first in the line
	turns   chan struct{} // held for each turn
}

// NewTurns returns Turns of which none was used.
func NewTurns(o TurnsOptions) *Turns {
	return &Turns{o: o, at: time.Now(), accounts: newRecent[netip.Prefix, *account]()}
}

// Enter waits for a turn. Leave must be called once, with the processor time used.
// The error is an *Error if too many of the address wait, or that of ctx.
func (t *Turns) Enter(ctx context.Context, address netip.Prefix) (leave func(used time.Duration), err error) {
	a, err := t.join(address)
	if err != nil {
		return nil, err
	}
	defer t.part(a)
	if err := hold(ctx, a.line); err != nil {
		return nil, err
	}
	defer func() { <-a.line }()
	if err := hold(ctx, a.turns); err != nil {
		return nil, err
	}
	for {
		wait := t.wait(a)
		if wait <= 0 {
			return func(used time.Duration) { t.Charge(address, used); <-a.turns }, nil
		}
		select {
		case <-time.After(min(wait, lookAgain)):
		case <-ctx.Done():
			<-a.turns
			return nil, ctx.Err()
		}
	}
}

// hold takes the only place in c.
func hold(ctx context.Context, c chan struct{}) error {
	select {
	case c <- struct{}{}:
		return nil
	default:
	}
	select {
	case c <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Charge adds to what an address has used outside a turn.
func (t *Turns) Charge(address netip.Prefix, used time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tick()
	a := t.account(address)
	a.used = max(a.used, t.clock) + used
}

func (t *Turns) join(address netip.Prefix) (*account, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tick()
	a := t.account(address)
	if a.waiting >= t.o.Waiting {
		return nil, &Error{Reason: AddressTime, Wait: t.until(a)}
	}
	if a.waiting++; a.waiting == 1 {
		t.waiting++
	}
	return a, nil
}

func (t *Turns) part(a *account) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tick()
	if a.waiting--; a.waiting == 0 {
		t.waiting--
	}
}

// wait returns how long an address has to wait if nothing changes.
func (t *Turns) wait(a *account) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tick()
	return t.until(a)
}

func (t *Turns) until(a *account) time.Duration {
	if t.o.Rate < 0 {
		return 0
	}
	return time.Duration(min(float64(a.used-t.o.Burst-t.clock)*t.slowness(), float64(longestWait)))
}

// slowness is the time in which the virtual clock advances by one unit.
func (t *Turns) slowness() float64 { return float64(max(t.waiting, 1)) / t.o.Rate }

// tick must come before each change of the addresses that wait.
func (t *Turns) tick() {
	now := time.Now()
	if t.o.Rate > 0 {
		t.clock += time.Duration(float64(max(now.Sub(t.at), 0)) / t.slowness())
	}
	t.at = now
}

func (t *Turns) account(address netip.Prefix) *account {
	return *t.accounts.use(Customer(address), func() *account {
		return &account{used: t.clock, line: make(chan struct{}, 1), turns: make(chan struct{}, t.o.PerAddress)}
	})
}
