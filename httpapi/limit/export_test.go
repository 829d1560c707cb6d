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
	left, err := c.Enter(ctx, Proof{Caller: caller, Bytes: size})
	return func() { left(false, false) }, err
}

// Enter waits as Checks do, but for a processor; leave comes after NoteRight or NoteWrong.
func (p *wrongProofs) Enter(ctx context.Context, d Proof) (leave func(), stood bool, err error) {
	if stood, err = p.mustStand(d); stood {
		leave, err = p.standInLine(ctx, d.Caller)
		return leave, true, err
	}
	return func() {}, false, err
}

// StillUnsuspected tells whether d need not stand in line.
func (p *wrongProofs) StillUnsuspected(d Proof) bool {
	stands, err := p.mustStand(d)
	return !stands && err == nil
}

// Known returns how many buckets are remembered.
func Known[K comparable](b *Buckets[K]) int { return len(b.levels[0].known.known) }

// Parties returns how many addresses are here, and how many others remembered.
func Parties(c *Checks) (here, away int) { return len(c.parties), len(c.accounts.known) }

// Remembered returns how many seats and tables Proofs knows of, and how many
// addresses have a line.
func Remembered(p *wrongProofs) (seats, tables, lines int) {
	return len(p.seats.known), len(p.tables.known), len(p.lines)
}

// Accounts returns how many addresses are remembered.
func Accounts(t *Turns) int { return len(t.accounts.known) }
