package fivecarddraw

import (
	"slices"

	"github.com/pakli/pakli/protocol/table"
)

// settlePots pays every pot (FD-R-52). A pot that nobody claims stays in the middle (FD-R-62).
func (s State) settlePots() State {
	s.Left = 0
	s.Chips = slices.Clone(s.Chips)
	payments := []Payment{}
	for _, p := range s.Deal.Pots {
		done := Payment{Chips: p.Chips, Winners: s.Deal.winners(p), Shares: []int{}}
		if len(done.Winners) == 0 {
			s.Left += p.Chips
		} else {
			done.Shares = PotShares(p.Chips, len(done.Winners))
		}
		for i, seat := range done.Winners {
			s.Chips[seat] += done.Shares[i]
			if s.Rules.Silent == OptForfeits {
				done.Heirs = append(done.Heirs, s.Deal.winners(p.WithoutClaim(seat)))
			}
		}
		payments = append(payments, done)
	}
	return s.closeDeal(payments)
}

// winners returns the winners of a pot, by the hands shown.
func (d Deal) winners(p Pot) []table.Seat {
	classes := make([]int, len(d.Live))
	for _, h := range d.Shown {
		classes[h.Seat] = h.Class
	}
	return p.Winners(d.clockwise(d.Dealer), classes)
}

// closeDeal ends a deal: the next one begins, or the table is over (FD-R-53).
func (s State) closeDeal(payments []Payment) State {
	over := s.Deal.Number == s.Deals || s.withChips() < 2
	if over {
		s = s.divide()
	}
	d := s.Deal
	done := SettledDeal{Number: d.Number, Dealer: d.Dealer, Began: d.Began, Paid: d.Paid, Pots: payments, Pays: make([]int, len(s.Chips)), Left: s.Left}
	s.Out = slices.Clone(s.Out)
	for _, seat := range d.In {
		if done.Pays[seat] = s.Chips[seat] - d.Began[seat]; s.Chips[seat] == 0 {
			s.Out[seat] = Out{Deal: d.Number, Chips: d.Began[seat], Dealer: d.Dealer}
		}
	}
	s.Past = append(slices.Clone(s.Past), done)
	switch {
	case over:
		s.Stage = Over
		return s
	case s.Rules.Disclose == OptEachDeal:
		s.Stage = Disclosing
		return s
	}
	return s.nextDeal()
}

// nextDeal begins the next deal after a finished one.
func (s State) nextDeal() State {
	d := s.Deal
	s.Last = &d
	return s.beginDeal(d.Number+1, s.nextDealer())
}

// nextDealer returns the next seat that has chips (FD-R-04).
func (s State) nextDealer() table.Seat {
	seats := s.Deal.clockwise(s.Deal.Dealer)
	return seats[slices.IndexFunc(seats, func(seat table.Seat) bool { return s.Chips[seat] > 0 })]
}

func (s State) withChips() (n int) {
	for _, chips := range s.Chips {
		n += min(chips, 1)
	}
	return n
}

// divide shares what is left in the middle at the end of the table (FD-R-53).
func (s State) divide() State {
	s.Chips = slices.Clone(s.Chips)
	for i, share := range PotShares(s.Left, len(s.Deal.In)) {
		s.Chips[s.Deal.In[i]] += share
	}
	s.Left = 0
	return s
}

// placePayout returns the payout by places (FD-R-55).
func (s State) placePayout() []int {
	standings := make([]Standing, len(s.Chips))
	for seat, out := range s.Out {
		standings[seat] = Standing{Deal: out.Deal, Chips: out.Chips, Dealer: out.Dealer}
		if out.Deal == 0 {
			standings[seat] = Standing{Chips: s.Chips[seat], Dealer: s.Deal.Dealer}
		}
	}
	return PayPlaces(s.Rules.Stack, s.Rules.Prizes, standings)
}
