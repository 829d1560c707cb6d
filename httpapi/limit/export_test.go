package limit

// Known returns how many buckets are remembered.
func Known[K comparable](b *Buckets[K]) int { return len(b.known) }

// Parties returns how many addresses are here, and how many others remembered.
func Parties(c *Checks) (here, away int) { return len(c.parties), len(c.away) }
