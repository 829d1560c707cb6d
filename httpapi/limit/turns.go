package limit

import (
	"container/list"
	"context"
	"net/netip"
	"time"
)

// TurnsOptions configure Turns. All are needed.
type TurnsOptions struct {
	// Rate is the processor time that all turns together get for each unit of time. A
	// negative rate means no bound.
	Rate float64
	// Busy tells whether somebody is at work who takes no turns; then turns get a third of that.
	Busy func() bool
	// Burst is what they may use at once.
	Burst time.Duration
	// AtOnce are the turns at the same time.
	AtOnce int
	// Waiting and WaitingPerAddress are those that may wait.
	Waiting, WaitingPerAddress int
}

// Turns share out processor time. All turns together have a bucket of it, and no more of
// them at the same time than leave a processor to what takes no turns. Who waits is served in
// the order of queue. The time used is known afterwards: the caller of leave has measured it.
type Turns struct {
	queue
	o TurnsOptions

	running int           // turns, but for those that last too long
	late    int           // which are these
	left    time.Duration // in the bucket; less than nothing is a debt
	spare   time.Duration // in a second one, half as fast, for who has used little while there is a debt
	at      time.Time     // when that was
	again   *time.Timer   // looks who may begin; nil: nobody waits for time
}

const (
	// Who has used less than this lately waits for no debt of others, but for those who have used little too.
	little = 50 * time.Millisecond
	// maxDebt is the most that all owe: what one turn takes beyond that delays its own range alone.
	maxDebt = 200 * time.Millisecond
	// enough is what the bucket must have again before turns go on.
	enough = time.Millisecond
	// longTurn is how long a turn is one of those at the same time. What takes longer does not use
	// its processor, or has few; maxLate are the longer ones for each place.
	longTurn = 100 * time.Millisecond
	maxLate  = 7
	// lookAgain is after how long who waits for time looks whether posts have left more.
	lookAgain = 100 * time.Millisecond
	// longestWait is the longest that anybody is told.
	longestWait = time.Hour
)

// NewTurns returns Turns of which none was used.
func NewTurns(o TurnsOptions) *Turns {
	t := &Turns{o: o, left: o.Burst, spare: o.Burst, at: time.Now(), queue: newQueue(time.Now, o.Waiting, o.WaitingPerAddress)}
	t.next = t.beginNext
	return t
}

// Enter waits for a turn. Leave must be called once, with the processor time used.
// The error is an *Error if too many wait, of this address or of all, or that of ctx.
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

// Charge adds to what an address has used outside a turn.
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

// timeUntilEnough is the time in which there will be enough in a bucket that has so much left.
func (t *Turns) timeUntilEnough(left time.Duration) time.Duration {
	return time.Duration(min(float64(enough-left)/t.currentRate(), float64(longestWait)))
}

// beginNext lets begin who may. While time is owed, that is who has used little.
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

// beginTurn returns how a turn ends. One that lasts long makes place for another one.
func (t *Turns) beginTurn(address netip.Prefix, k *ticket) (leave func(used time.Duration)) {
	late, over := false, false
	lasts := time.AfterFunc(longTurn, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if !over && t.late < maxLate*t.o.AtOnce {
			late = true
			t.late++
			t.running--
			t.spendTime(longTurn) // until more is known
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
