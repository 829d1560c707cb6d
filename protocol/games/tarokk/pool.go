package tarokk

// Pool is the ultimó pool of BGA-7: points that belong to no player, from zero up. Every method returns
// the new pool and what the players paid or got; the changes sum to zero. Without the option
// ultimo-pool nothing happens.
//
// Where points cannot be shared equally, the first of those who share, from A on, each bear one of the
// odd points. The pool is not multiplied in double rounds, because other deals paid into it. By a house
// rule a lost ultimó adds at most poolStake, so that the pool stays a number of ordinary size.
type Pool int

// Stakes of BGA-7.
const (
	poolThrownIn = 2 // from each player
	poolTrial    = 8
	poolStake    = 1 << 16
)

// ThrownIn takes the stakes for a deal that was thrown in.
func (p Pool) ThrownIn(r RuleSet) (Pool, Payments) {
	return p.payShares(r, []int{0, 1, 2, 3}, -poolThrownIn*ActivePlayers)
}

// TrialLost takes the stake for a lost trial, in place of what [TrialPayments] pays.
func (p Pool) TrialLost(r RuleSet, declarer int) (Pool, Payments) {
	return p.payShares(r, []int{declarer}, -poolTrial)
}

// SettleUltimo settles an announced pagátultimó: a side that fails doubles the pool, and a side that
// makes it wins the pool. If both sides announced it, the one that fails pays first; if both fail, each
// pays what was in the pool before.
func (p Pool) SettleUltimo(r RuleSet, d PlayedDeal) (Pool, Payments) {
	var all Payments
	stake := min(int(p), poolStake)
	for _, side := range []Side{DeclarerSide, DefenderSide} {
		if d.isAnnounced(side, Ultimo) && !d.ultimoWon(side) {
			var paid Payments
			p, paid = p.payShares(r, d.sideMembers(side), -stake)
			all = all.Plus(paid)
		}
	}
	if w := d.Pagat; d.isAnnounced(w, Ultimo) && d.ultimoWon(w) {
		var won Payments
		p, won = p.payShares(r, d.sideMembers(w), int(p))
		all = all.Plus(won)
	}
	return p, all
}

// ShareOut empties the pool at the end of a session, sharing it among the members.
func (p Pool) ShareOut(r RuleSet, members int) (Pool, Payments) {
	return p.payShares(r, []int{0, 1, 2, 3, DealerSeat}[:members], int(p))
}

// payShares shares n points of the pool among seats, or a cost as −n.
func (p Pool) payShares(r RuleSet, seats []int, n int) (Pool, Payments) {
	var shares Payments
	if !r.UltimoPool {
		return p, shares
	}
	odd := n % len(seats)
	for i, seat := range seats {
		shares[seat] = n / len(seats)
		if i < max(odd, -odd) {
			shares[seat] += odd / max(odd, -odd)
		}
	}
	return p - Pool(n), shares
}
