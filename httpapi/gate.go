package httpapi

import (
	"context"
	"runtime"
	"time"

	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/ledger/admission"
)

// Gate is an admission.Gate that is fair to the callers of a Server: seats pay
// for what they have signed, and for wrong proofs by the time these took;
// addresses wait by the time that all their proofs have taken.
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

// NewGate returns the gate for these limits; clock nil means time.Now.
func NewGate(l Limits, clock func() time.Time) *Gate {
	l = l.withDefaults()
	if clock == nil {
		clock = time.Now
	}
	return &Gate{
		checks: limit.NewChecks(limit.ChecksOptions{
			Most: runtime.GOMAXPROCS(0), DearPerAddress: l.ChecksPerAddress,
			Waiting: maxChecksWaiting, WaitingPerAddress: maxChecksWaitingPerAddress, Clock: clock,
			Reason: limit.CheckQueue,
		}),
		keys:  limit.NewBuckets[string](limit.KeyRate, l.KeyRate, l.KeyBurst),
		clock: clock,
	}
}

// Enter implements admission.Gate.
func (g *Gate) Enter(ctx context.Context, w admission.Work) (leave func(admission.Outcome), err error) {
	if err := g.keys.Look(w.Key, g.clock()); err != nil {
		return nil, err
	}
	left, err := g.checks.Enter(ctx, limit.Caller(ctx), w.Bytes)
	if err != nil {
		return nil, err
	}
	begin := g.clock()
	return func(o admission.Outcome) {
		left()
		now := g.clock()
		switch o {
		case admission.Right:
			g.keys.Charge(w.Key, 1, now)
		case admission.Wrong:
			g.keys.Charge(w.Key, 1+int(now.Sub(begin)/wrongUnit), now)
		}
	}, nil
}

// wrongUnit is the time for which a wrong proof costs its seat as much as a
// message: with the usual limits a seat can make a server check wrong proofs for
// a twentieth of the time.
const wrongUnit = time.Millisecond

// Waiting returns how many wait for a processor.
func (g *Gate) Waiting() int { return g.checks.Waiting() }
