package limit

import (
	"container/list"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxKnown bounds the remembered buckets.
const maxKnown = 16 << 10

// Buckets are token buckets, one for each key. A key may also draw from the larger buckets of the
// groups that it belongs to. All methods may be called at the same time.
type Buckets[K comparable] struct {
	reason Reason
	owners func(K) []K // returns a key and the groups that it belongs to
	levels []*bucketLevel[K]
}

// bucketLevel has the buckets of keys, or of groups of one size.
type bucketLevel[K comparable] struct {
	limit rate.Limit
	burst int

	mu    sync.Mutex
	known recentValues[K, *rate.Limiter] // a forgotten key has a full bucket again
}

// NewBuckets returns full buckets of burst tokens that refill at perSecond. A negative rate means no
// bound.
func NewBuckets[K comparable](reason Reason, perSecond float64, burst int) *Buckets[K] {
	b := &Buckets[K]{reason: reason, owners: func(key K) []K { return []K{key} }}
	b.addLevel(perSecond, burst)
	return b
}

// Addresses are Buckets of addresses. An IPv6 address also draws from the buckets of its networks.
type Addresses = Buckets[netip.Prefix]

// NewAddresses returns full buckets of burst tokens for one address that refill at perSecond. A
// negative rate means no bound.
func NewAddresses(reason Reason, perSecond float64, burst int) *Addresses {
	a := &Addresses{reason: reason, owners: networksOf}
	for i := range 3 { // one for each network of networksOf
		a.addLevel(perSecond*float64(int(1)<<i), burst<<i)
	}
	return a
}

func (b *Buckets[K]) addLevel(perSecond float64, burst int) {
	limit := rate.Limit(perSecond)
	if perSecond < 0 {
		limit = rate.Inf
	}
	b.levels = append(b.levels, &bucketLevel[K]{limit: limit, burst: burst, known: newRecent[K, *rate.Limiter]()})
}

// TakeToken takes a token out of the bucket of key, or returns an *Error that says when there will be
// one. A request refused for one address costs its network nothing.
func (b *Buckets[K]) TakeToken(key K, now time.Time) error {
	for i, owner := range b.owners(key) {
		if limiter := b.levels[i].bucketOf(owner); !limiter.AllowN(now, 1) {
			return b.refusalAt(limiter, now)
		}
	}
	return nil
}

// ChargeTokens takes n tokens for something already used, even if they are not there: the debt is
// paid off first. It is at most a full bucket.
func (b *Buckets[K]) ChargeTokens(key K, n int, now time.Time) {
	for i, owner := range b.owners(key) {
		b.levels[i].bucketOf(owner).ReserveN(now, min(n, b.levels[i].burst))
	}
}

// Look returns what TakeToken would, but takes nothing.
func (b *Buckets[K]) Look(key K, now time.Time) error {
	for i, owner := range b.owners(key) {
		l := b.levels[i]
		l.mu.Lock()
		limiter, ok := l.known.peek(owner)
		l.mu.Unlock()
		if ok && l.limit != rate.Inf && limiter.TokensAt(now) < 1 {
			return b.refusalAt(limiter, now)
		}
	}
	return nil
}

func (b *Buckets[K]) refusalAt(limiter *rate.Limiter, now time.Time) error {
	r := limiter.ReserveN(now, 1)
	defer r.CancelAt(now)
	return &Error{Reason: b.reason, Wait: r.DelayFrom(now)}
}

func (l *bucketLevel[K]) bucketOf(key K) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	return *l.known.use(key, func() *rate.Limiter { return rate.NewLimiter(l.limit, l.burst) })
}

// TokensLeft returns the size of a key's own bucket, the tokens in it, and when it will be full, or
// false if it has no bound.
func (b *Buckets[K]) TokensLeft(key K, now time.Time) (burst, left int, full time.Duration, bounded bool) {
	own := b.levels[0]
	if own.limit == rate.Inf {
		return 0, 0, 0, false
	}
	tokens := max(own.bucketOf(key).TokensAt(now), 0)
	missing := float64(own.burst) - tokens
	return own.burst, int(tokens), time.Duration(missing / float64(own.limit) * float64(time.Second)), true
}

// recentValues remembers the most recently used values by their keys, at most maxKnown.
type recentValues[K comparable, V any] struct {
	known map[K]*list.Element
	order *list.List // of *item[K, V], the one used last in front
}

type item[K comparable, V any] struct {
	key   K
	value V
}

func newRecent[K comparable, V any]() recentValues[K, V] {
	return recentValues[K, V]{map[K]*list.Element{}, list.New()}
}

// peek returns a remembered value, without counting as its use.
func (r recentValues[K, V]) peek(key K) (value V, ok bool) {
	if e, ok := r.known[key]; ok {
		return e.Value.(*item[K, V]).value, true
	}
	return value, false
}

// use returns the remembered value, or remembers what fresh returns.
func (r recentValues[K, V]) use(key K, fresh func() V) *V {
	if e, ok := r.known[key]; ok {
		r.order.MoveToFront(e)
		return &e.Value.(*item[K, V]).value
	}
	if r.order.Len() >= maxKnown {
		oldest := r.order.Remove(r.order.Back()).(*item[K, V])
		delete(r.known, oldest.key)
	}
	i := &item[K, V]{key, fresh()}
	r.known[key] = r.order.PushFront(i)
	return &i.value
}

// Shares are the parts that callers hold of something bounded: requests, bytes, or connections, in
// total and for each address; see networksOf for IPv6.
type Shares struct {
	most, mostPerAddress int

	mu        sync.Mutex
	held      int
	byAddress map[netip.Prefix]int
}

// NewShares returns shares that are all free.
func NewShares(most, mostPerAddress int) *Shares {
	return &Shares{most: most, mostPerAddress: mostPerAddress, byAddress: map[netip.Prefix]int{}}
}

// Enter takes n for an address, if they are free. The caller calls leave once.
func (s *Shares) Enter(address netip.Prefix, n int) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held+n > s.most {
		return nil, &Error{Reason: Concurrency}
	}
	list := networksOf(address)
	for i, network := range list {
		if s.byAddress[network]+n > s.mostPerAddress<<i {
			return nil, &Error{Reason: Concurrency}
		}
	}
	s.held += n
	for _, network := range list {
		s.byAddress[network] += n
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.held -= n
		for _, network := range list {
			if s.byAddress[network] -= n; s.byAddress[network] == 0 {
				delete(s.byAddress, network)
			}
		}
	}, nil
}

// NearlyFull reports whether an address, or all together, hold nearly everything, so that work that
// needs more is not worth starting.
func (s *Shares) NearlyFull(address netip.Prefix) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held > s.most*7/8 {
		return true
	}
	for i, network := range networksOf(address) {
		if s.byAddress[network] > s.mostPerAddress<<i*7/8 {
			return true
		}
	}
	return false
}

// HeldTotal returns how much is held in total.
func (s *Shares) HeldTotal() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}
