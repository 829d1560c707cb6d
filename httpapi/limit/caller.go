package limit

import (
	"context"
	"net/netip"
)

// Prefix is the caller at an address: an IPv4 address, or the /64 of an IPv6
// one, which is what a household is given. What is no address is one caller.
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

type callerKey struct{}

// With returns a context of a request by caller.
func With(ctx context.Context, caller netip.Prefix) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// Caller returns who asked; nobody in particular is a caller too.
func Caller(ctx context.Context) netip.Prefix {
	p, _ := ctx.Value(callerKey{}).(netip.Prefix)
	return p
}
