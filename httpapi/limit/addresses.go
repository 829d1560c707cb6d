package limit

import (
	"net/netip"
	"time"

	"golang.org/x/time/rate"
)

// Addresses are Buckets of addresses; an IPv6 one draws from those of the networks
// that it is in too.
type Addresses struct {
	levels [3]*Buckets[netip.Prefix] // as networks returns them
}

// NewAddresses returns full buckets, of burst tokens for one address, into each of
// which come perSecond. A negative rate means no bound.
func NewAddresses(reason Reason, perSecond float64, burst int) *Addresses {
	a := new(Addresses)
	for i := range a.levels {
		a.levels[i] = NewBuckets[netip.Prefix](reason, perSecond*float64(int(1)<<i), burst<<i)
	}
	return a
}

// Take is as for Buckets. What one address has too much of costs its network nothing.
func (a *Addresses) Take(address netip.Prefix, now time.Time) error {
	for i, network := range networks(address) {
		if err := a.levels[i].Take(network, now); err != nil {
			return err
		}
	}
	return nil
}

// Charge is as for Buckets.
func (a *Addresses) Charge(address netip.Prefix, n int, now time.Time) {
	for i, network := range networks(address) {
		a.levels[i].Charge(network, n, now)
	}
}

// Look is as for Buckets.
func (a *Addresses) Look(address netip.Prefix, now time.Time) error {
	for i, network := range networks(address) {
		if err := a.levels[i].Look(network, now); err != nil {
			return err
		}
	}
	return nil
}

// refusal is of the address alone.
func (a *Addresses) refusal(address netip.Prefix, now time.Time) error {
	return a.levels[0].refusal(a.levels[0].of(address), now)
}

// Left returns the size of an address's own bucket, how many tokens are in it, and when it
// will be full; false if it has no bound.
func (a *Addresses) Left(address netip.Prefix, now time.Time) (burst, left int, full time.Duration, bounded bool) {
	b := a.levels[0]
	if b.limit == rate.Inf {
		return 0, 0, 0, false
	}
	tokens := max(b.of(networks(address)[0]).TokensAt(now), 0)
	missing := float64(b.burst) - tokens
	return b.burst, int(tokens), time.Duration(missing / float64(b.limit) * float64(time.Second)), true
}
