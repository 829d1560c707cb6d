package httpapi

import (
	"context"
	"runtime"
	"time"

	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/ledger/admission"
)

// Gate is an admission.Gate that is fair to the callers of a Server: seats pay
// for what they have signed, addresses for the time that their proofs take.
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
		}),
		keys:  limit.NewBuckets[string](limit.KeyRate, l.KeyRate, l.KeyBurst),
		clock: clock,
	}
}

// Enter implements admission.Gate.
func (g *Gate) Enter(ctx context.Context, w admission.Work) (leave func(signed bool), err error) {
	if err := g.keys.Look(w.Key, g.clock()); err != nil {
		return nil, err
	}
	left, err := g.checks.Enter(ctx, limit.Caller(ctx), w.Bytes)
	if err != nil {
		return nil, err
	}
	return func(signed bool) {
		left()
		if signed {
			_ = g.keys.Take(w.Key, g.clock()) // others may have been as quick
		}
	}, nil
}

// Waiting returns how many wait for a processor.
func (g *Gate) Waiting() int { return g.checks.Waiting() }
