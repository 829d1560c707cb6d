package httpapi

import (
	"cmp"
	"context"
	"runtime"
	"time"

	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/ledger/admission"
)

// Gate is an admission.Gate that is fair to the callers of a Server. Seats pay for what
// they have signed, and for wrong proofs by the time these took; addresses wait by the
// time that all their proofs have taken; and whoever sends wrong proofs that are costly
// to check waits longer each time.
type Gate struct {
	checks *limit.Checks
	keys   *limit.Buckets[string]
	clock  func() time.Time
}

var _ admission.Gate = (*Gate)(nil)

// Callers that wait for a processor.
const (
	maxChecksWaiting           = 2048
	maxChecksWaitingPerAddress = 256
)

// NewGate returns the gate for these limits; clock nil means time.Now. It makes sure
// that two goroutines can run at the same time, on one processor too: otherwise a long
// check would get 10 ms at a time before the runtime looks at the network. As it is,
// the kernel wakes the thread that has something to answer.
func NewGate(l Limits, clock func() time.Time) *Gate {
	if runtime.GOMAXPROCS(0) == 1 {
		runtime.GOMAXPROCS(2)
	}
	l = l.withDefaults()
	if clock == nil {
		clock = time.Now
	}
	return &Gate{
		checks: limit.NewChecks(limit.ChecksOptions{
			Most: runtime.GOMAXPROCS(0), CostlyPerAddress: l.ChecksPerAddress, Long: runtime.GOMAXPROCS(0) - 1,
			Waiting: maxChecksWaiting, WaitingPerAddress: maxChecksWaitingPerAddress, Clock: clock,
		}),
		keys:  limit.NewBuckets[string](limit.KeyRate, l.KeyRate, l.KeyBurst),
		clock: clock,
	}
}

// Look implements admission.Gate.
func (g *Gate) Look(ctx context.Context, w admission.Work) error {
	if err := g.keys.Look(w.Key, g.clock()); err != nil {
		return err
	}
	return g.checks.Look(proofOf(ctx, w))
}

func proofOf(ctx context.Context, w admission.Work) limit.Proof {
	return limit.Proof{Caller: limit.Caller(ctx), Seat: w.Key, Table: w.Table, Bytes: w.Bytes}
}

// Enter implements admission.Gate. A read that has to replay a table does so in its place here
// and not in its turn, and pays for it as for that.
func (g *Gate) Enter(ctx context.Context, w admission.Work) (leave func(admission.Outcome), err error) {
	if err := g.keys.Look(w.Key, g.clock()); err != nil {
		return nil, err
	}
	d := proofOf(ctx, w)
	read, resume := seenIn(ctx).turn, pauseTurn(ctx)
	left, err := g.checks.Enter(ctx, d)
	if err != nil {
		return nil, cmp.Or(resume(), err)
	}
	var replay stopwatch
	if read != nil {
		replay = startStopwatch()
	}
	begin := g.clock()
	return func(o admission.Outcome) {
		now := g.clock()
		switch o {
		case admission.Right:
			g.keys.ChargeTokens(w.Key, 1, now)
		case admission.Wrong:
			g.keys.ChargeTokens(w.Key, 1+int(now.Sub(begin)/wrongUnit), now)
		}
		if read != nil {
			read.charge(replay.stop())
		}
		left(o != admission.Unsigned, o == admission.Right)
		_ = resume() // who has gone gets no turn, and notices soon
	}, nil
}

// wrongUnit is the time for which a wrong proof costs its seat as much as a
// message: with the usual limits a seat can make a server check wrong proofs for
// a twentieth of the time.
const wrongUnit = time.Millisecond

// Waiting returns how many wait for a processor.
func (g *Gate) Waiting() int { return g.checks.Waiting() }
