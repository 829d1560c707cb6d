package cosign

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/ledger/cosign"
	"github.com/pakli/pakli/protocol/keeper/exchange"
)

// Bounds of a cosigner. A log asks at most five times a second.
const (
	cosignRate           = 20 // requests a second of one address
	cosignBurst          = 100
	cosignConnections    = 1024
	cosignConnectionsOne = 64 // of one address
	cosignAtOnceOne      = 8  // requests of one address that are read or answered at the same time
	cosignLargeOne       = 4  // those among them with large bodies

	keepRate  = 256 << 10 // bytes a second that one address may send a keeper
	keepBurst = 16 << 20
)

// cosignBounds prevent one address from taking the cosigner away from others. They do not apply to
// this machine: a proxy on it forwards the requests of all its clients.
type cosignBounds struct {
	requests *limit.Buckets[netip.Prefix]
	given    *limit.Buckets[netip.Prefix] // bytes
	atOnce   *limit.Shares                // requests
	large    *limit.Shares                // requests with large bodies
	open     *limit.Shares                // connections
	leave    sync.Map                     // by net.Conn: func()
}

func newCosignBounds() *cosignBounds {
	return &cosignBounds{
		requests: limit.NewBuckets[netip.Prefix](limit.AddressRate, cosignRate, cosignBurst),
		given:    limit.NewBuckets[netip.Prefix](limit.AddressRate, keepRate, keepBurst),
		atOnce:   limit.NewShares(cosignConnections, cosignAtOnceOne),
		large:    limit.NewShares(cosign.LargeAtOnce, cosignLargeOne),
		open:     limit.NewShares(cosignConnections, cosignConnectionsOne),
	}
}

// server returns a server for h within the bounds.
func (b *cosignBounds) server(h http.Handler) *http.Server {
	return &http.Server{
		Handler: b.handler(h), ConnState: b.connection,
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
	}
}

func (b *cosignBounds) handler(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller, here := callerAt(r.RemoteAddr)
		if here {
			h.ServeHTTP(w, r)
			return
		}
		leave, err := b.atOnce.Enter(caller, 1)
		if err == nil {
			defer leave()
			if r.ContentLength < 0 || r.ContentLength > cosign.SmallBody {
				if leave, err = b.large.Enter(caller, 1); err == nil {
					defer leave()
				}
			}
		}
		if err != nil || !b.takesRequest(caller, r.ContentLength) {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too many requests from this address", http.StatusTooManyRequests)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// takesRequest reports whether an address may send one more request with a body of this size. An
// unknown size counts as the largest.
func (b *cosignBounds) takesRequest(caller netip.Prefix, size int64) bool {
	if size < 0 {
		size = exchange.MaxRequest
	}
	now := time.Now()
	if b.requests.TakeToken(caller, now) != nil || b.given.Look(caller, now) != nil {
		return false
	}
	b.given.ChargeTokens(caller, int(min(size, exchange.MaxRequest)), now)
	return true
}

// connection closes excess connections.
func (b *cosignBounds) connection(c net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		caller, here := callerAt(c.RemoteAddr().String())
		if here {
			return
		}
		leave, err := b.open.Enter(caller, 1)
		if err != nil {
			c.Close()
			return
		}
		b.leave.Store(c, leave)
	case http.StateClosed, http.StateHijacked:
		if leave, ok := b.leave.LoadAndDelete(c); ok {
			leave.(func())()
		}
	}
}

// callerAt returns the caller at an address with a port, and whether that is this machine.
func callerAt(address string) (caller netip.Prefix, here bool) {
	a, err := netip.ParseAddrPort(address)
	if err != nil {
		return limit.Prefix(""), false
	}
	return limit.Prefix(a.Addr().String()), a.Addr().Unmap().IsLoopback()
}
