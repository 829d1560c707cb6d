package limit

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxKnown is how many buckets are remembered.
const maxKnown = 16 << 10

// Buckets are token buckets, one for each key. All methods may be called at the
// same time.
type Buckets[K comparable] struct {
	reason Reason
	limit  rate.Limit
	burst  int

	mu    sync.Mutex
	known recent[K, *rate.Limiter] // a key that is forgotten has a full bucket again
}

// NewBuckets returns full buckets of burst tokens, into each of which come
// perSecond. A negative rate means no bound.
func NewBuckets[K comparable](reason Reason, perSecond float64, burst int) *Buckets[K] {
	limit := rate.Limit(perSecond)
	if perSecond < 0 {
		limit = rate.Inf
	}
	return &Buckets[K]{reason: reason, limit: limit, burst: burst, known: newRecent[K, *rate.Limiter]()}
}

// Take takes a token out of the bucket of key, or returns an *Error that says
// when there will be one.
func (b *Buckets[K]) Take(key K, now time.Time) error {
	limiter := b.of(key)
	if limiter.AllowN(now, 1) {
		return nil
	}
	return b.refusal(limiter, now)
}

// Charge takes n tokens that have been used already, whether they are there or
// not: what is missing is paid off first. No more than a full bucket is owed.
func (b *Buckets[K]) Charge(key K, n int, now time.Time) {
	b.of(key).ReserveN(now, min(n, b.burst))
}

// Look returns what Take would, and takes nothing.
func (b *Buckets[K]) Look(key K, now time.Time) error {
	b.mu.Lock()
	limiter, ok := b.known.peek(key)
	b.mu.Unlock()
	if !ok || b.limit == rate.Inf {
		return nil
	}
	if limiter.TokensAt(now) < 1 {
		return b.refusal(limiter, now)
	}
	return nil
}

func (b *Buckets[K]) refusal(limiter *rate.Limiter, now time.Time) error {
	r := limiter.ReserveN(now, 1)
	defer r.CancelAt(now)
	return &Error{Reason: b.reason, Wait: r.DelayFrom(now)}
}

func (b *Buckets[K]) of(key K) *rate.Limiter {
	b.mu.Lock()
	defer b.mu.Unlock()
	return *b.known.use(key, func() *rate.Limiter { return rate.NewLimiter(b.limit, b.burst) })
}
