package limit

import (
	"container/list"
	"context"
	"net/netip"
	"time"
)

// TurnsOptions configure Turns. All are required.
type TurnsOptions struct {
	// Rate is the processor time that all turns together get per unit of time. A negative rate means
	// no bound.
	Rate float64
	// Busy reports whether work without turns is running; then turns get a third of Rate.
	Busy func() bool
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
	if t.o.Busy() {
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
