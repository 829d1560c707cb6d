package limit

import (
	"context"
	"net/netip"
	"time"
)

// WrongProofs are those of Checks.
type WrongProofs = wrongProofs

// NewWrongProofs returns WrongProofs without any.
func NewWrongProofs(clock func() time.Time) *WrongProofs { return newWrongProofs(clock) }

// EnterSize is Enter of what nobody has sent wrong.
func (c *Checks) EnterSize(ctx context.Context, caller netip.Prefix, size int) (leave func(), err error) {
	return c.awaitProcessor(ctx, caller, size)
}

// Known returns how many buckets are remembered.
func Known[K comparable](b *Buckets[K]) int { return len(b.known.known) }

// Parties returns how many addresses are here, and how many others remembered.
func Parties(c *Checks) (here, away int) { return len(c.parties), len(c.accounts.known) }

// Remembered returns how many seats and tables Proofs knows of, and how many
// addresses have a line.
func Remembered(p *wrongProofs) (seats, tables, lines int) {
	return len(p.seats.known), len(p.tables.known), len(p.lines)
}

// Accounts returns how many addresses are remembered.
func Accounts(t *Turns) int { return len(t.accounts.known) }
