package limit

import (
	"net/netip"
	"sync"
)

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
