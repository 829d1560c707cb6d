package limit

// Known returns how many buckets are remembered.
func Known[K comparable](b *Buckets[K]) int { return len(b.known.known) }

// Parties returns how many addresses are here, and how many others remembered.
func Parties(c *Checks) (here, away int) { return len(c.queue.parties), len(c.queue.accounts.known) }

// Remembered returns how many seats and tables Proofs knows of, and how many
// addresses have a line.
func Remembered(p *WrongProofs) (seats, tables, lines int) {
	return len(p.seats.known), len(p.tables.known), len(p.lines)
}

// Accounts returns how many addresses are remembered.
func Accounts(t *Turns) int { return len(t.queue.accounts.known) }
