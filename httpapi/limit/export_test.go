package limit

import (
	"context"
	"net/netip"
	"time"
)

// WrongProofs exports the wrongProofs of Checks.
type WrongProofs = wrongProofs

// NewWrongProofs returns WrongProofs without any.
func NewWrongProofs(clock func() time.Time) *WrongProofs { return newWrongProofs(clock) }

// EnterSize calls Enter for a sender without wrong proofs.
func (c *Checks) EnterSize(ctx context.Context, caller netip.Prefix, size int) (leave func(), err error) {
	left, err := c.Enter(ctx, Proof{Caller: caller, Bytes: size})
	return func() { left(false, false) }, err
}

// MustStand calls mustStand.
func (p *wrongProofs) MustStand(d Proof) (stands bool, err error) { return p.mustStand(d) }

// Wrong returns the wrong proofs that Checks remembers.
func (c *Checks) Wrong() *WrongProofs { return c.wrong }

// Known returns the number of remembered buckets.
func Known[K comparable](b *Buckets[K]) int { return len(b.levels[0].known.known) }

// Parties returns the number of addresses that are present, and of others that are remembered.
func Parties(c *Checks) (here, away int) { return len(c.parties), len(c.accounts.known) }

// Remembered returns the number of seats and tables that Proofs remembers, and of addresses with a
// line.
func Remembered(p *wrongProofs) (seats, tables, lines int) {
	return len(p.seats.known), len(p.tables.known), len(p.lines)
}

// Accounts returns the number of remembered addresses.
func Accounts(t *Turns) int { return len(t.accounts.known) }
