package fivecarddraw

import (
	"slices"

	"github.com/pakli/pakli/protocol/table"
)

// Forfeit returns the result if one seat alone never discloses its locks (FD-R-56): its winnings go to
// those who would have won without it, as far as its chips go, the latest deal first.
func (r Rules) Forfeit(s State, silent table.Seat) ([]int, bool) {
	if s.Rules.Silent != OptForfeits {
		return nil, false
	}
	if s.Stage == Disclosing {
		s = s.divide()
	}
	s.Chips, s.Out = slices.Clone(s.Chips), slices.Clone(s.Out)
	for _, done := range slices.Backward(s.undisclosedDeals()) {
		for _, p := range slices.Backward(done.Pots) {
			s.giveUp(silent, done, p)
		}
	}
	for seat, chips := range s.Chips {
		switch {
		case chips > 0:
			s.Out[seat] = Out{}
		case s.Out[seat].Deal == 0:
			s.Out[seat] = Out{Deal: s.Deal.Number, Chips: s.Deal.Began[seat], Dealer: s.Deal.Dealer}
		}
	}
	return r.Result(s), true
}

// undisclosedDeals returns the deals whose locks are not disclosed yet.
func (s State) undisclosedDeals() []SettledDeal {
	if s.Rules.Disclose == OptEachDeal {
		return s.Past[len(s.Past)-1:]
	}
	return s.Past
}

// giveUp takes a seat's share of a pot from it. It changes the chips of s.
func (s State) giveUp(silent table.Seat, done SettledDeal, p Payment) {
	at := slices.Index(p.Winners, silent)
	if at < 0 {
		return
	}
	heirs := p.Heirs[at]
	if len(heirs) == 0 {
		heirs = slices.DeleteFunc(s.Deal.clockwise(done.Dealer), func(seat table.Seat) bool { return seat == silent || done.Began[seat] == 0 })
	}
	chips := min(p.Shares[at], s.Chips[silent])
	s.Chips[silent] -= chips
	for i, share := range PotShares(chips, len(heirs)) {
		s.Chips[heirs[i]] += share
	}
}
