package limit

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"
)

// Prefix returns the caller at an address: an IPv4 address, or the /64 of an IPv6 one, as a household
// is given. All malformed addresses are one caller.
func Prefix(address string) netip.Prefix {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return netip.Prefix{}
	}
	a = a.Unmap().WithZone("")
	bits := 32
	if a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits)
	return p
}

// networksOf returns an address and, for IPv6, the /56 and the /48 that contain it, since one
// customer has many addresses. The bounds of these are 1, 2 and 4 times those of one address.
func networksOf(address netip.Prefix) []netip.Prefix {
	list := []netip.Prefix{address}
	if address.Bits() == 64 {
		for _, bits := range []int{56, 48} {
			p, _ := address.Addr().Prefix(bits)
			list = append(list, p)
		}
	}
	return list
}

// CustomerOf returns the probable customer of a network at an address, for things handed out in turn:
// an IPv4 address, or the /56 of an IPv6 one.
func CustomerOf(address netip.Prefix) netip.Prefix {
	list := networksOf(address)
	return list[min(1, len(list)-1)]
}

// RangeOf returns the probable range of one operator of machines: the /24 of an IPv4 address, the /48
// of an IPv6 one.
func RangeOf(address netip.Prefix) netip.Prefix {
	bits := 24
	if address.Addr().Is6() {
		bits = 48
	}
	p, _ := address.Addr().Prefix(bits)
	return p
}

// IsLoopback reports whether a host, with or without a port, is this machine: a loopback address, or
// localhost, which no resolver may look up elsewhere (RFC 6761 §6.3).
func IsLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	return err == nil && a.Unmap().IsLoopback()
}

type callerKey struct{}

// WithCaller returns the context of a request by caller.
func WithCaller(ctx context.Context, caller netip.Prefix) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// Caller returns the caller of a request, or the zero prefix, which counts as a caller.
func Caller(ctx context.Context) netip.Prefix {
	p, _ := ctx.Value(callerKey{}).(netip.Prefix)
	return p
}

// Reason names a bound. Names are stable, and refusals are counted by them.
type Reason string

// The bounds.
const (
	AddressRate   Reason = "address-rate"   // posts of one address
	KeyRate       Reason = "key-rate"       // messages of one seat or organiser
	TableRate     Reason = "table-rate"     // new tables of one address
	NoticeRate    Reason = "notice-rate"    // notices to events of one address
	GlobalRate    Reason = "global-rate"    // posts of everybody
	SeatProofs    Reason = "seat-proofs"    // costly proofs of a seat that has sent wrong ones
	AddressProofs Reason = "address-proofs" // costly proofs of an address that wrong ones came from
	AddressTime   Reason = "address-time"   // processor time of one address
	Concurrency   Reason = "concurrency"    // requests, bytes or polls at the same time
	CheckQueue    Reason = "check-queue"    // callers that wait for a processor
)

// Error says that a caller has to come again later.
type Error struct {
	Reason Reason
	Wait   time.Duration // 0 if it is not known
}

func (e *Error) Error() string {
	switch e.Reason {
	case AddressRate:
		return "too many posts from this address"
	case KeyRate:
		return "too many messages under this key"
	case TableRate:
		return "too many new tables from this address"
	case NoticeRate:
		return "too many notices to events from this address"
	case GlobalRate:
		return "too many posts"
	case SeatProofs:
		return "this seat has sent wrong proofs, and each makes it wait longer"
	case AddressProofs:
		return "too many wrong proofs from this address"
	case AddressTime:
		return "too many requests from this address"
	case Concurrency:
		return "too many requests at the same time"
	case CheckQueue:
		return "too many proofs wait to be checked"
	}
	return fmt.Sprintf("over the limit %q", string(e.Reason))
}

// IsPersonal reports whether this caller alone asks for too much, and not all callers together.
func (e *Error) IsPersonal() bool {
	switch e.Reason {
	case AddressRate, AddressTime, KeyRate, TableRate, NoticeRate, SeatProofs, AddressProofs:
		return true
	}
	return false
}
