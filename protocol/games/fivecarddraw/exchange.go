package fivecarddraw

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/table"
)

// beginExchange begins the exchange, in which every live seat is asked (FD-R-30).
func (s State) beginExchange() State {
	s.Deal.Asked = s.Deal.liveSeats(s.Deal.Dealer)
	s.Stage = Exchanging
	return s
}

// Exchangeable returns how many cards the asked seat may put away.
func (s State) Exchangeable() int {
	return min(s.Rules.Exchange, s.Deal.StockSize()+len(s.returnableCards(s.Deal.Asked[0])))
}

// discard puts cards away before new ones come (FD-R-30 to FD-R-34).
func (s State) discard(seat table.Seat, cards []table.Card) (State, error) {
	switch n := len(cards); {
	case n > s.Rules.Exchange:
		return s, fmt.Errorf("FD-R-30: %d cards put away, at most %d may be", n, s.Rules.Exchange)
	case n > s.Exchangeable():
		return s, fmt.Errorf("FD-R-33: %d cards put away, and %d are left to draw", n, s.Exchangeable())
	}
	if err := checkAscending("FD-R-30", cards); err != nil {
		return s, err
	}
	for _, c := range cards {
		if !slices.Contains(s.Deal.Hands[seat], c) {
			return s, fmt.Errorf("FD-R-30: card %d is not in the hand of seat %s", c, seat.Letter())
		}
	}
	kept := slices.DeleteFunc(slices.Clone(s.Deal.Hands[seat]), func(c table.Card) bool { return slices.Contains(cards, c) })
	s.Deal.Hands, s.Deal.Away = withValueAt(s.Deal.Hands, seat, kept), withValueAt(s.Deal.Away, seat, cards)
	s.Deal.Asked = s.Deal.Asked[1:]
	if s.Deal.StockSize() < 0 {
		return s.replenish(seat), nil
	}
	return s.afterDiscard(), nil
}

// afterDiscard asks the next seat, or brings new cards (FD-R-32).
func (s State) afterDiscard() State {
	s.Stage = Exchanging
	if s.Rules.Draw == OptTogether && len(s.Deal.Asked) > 0 {
		return s
	}
	return s.supply()
}

// supply decides which places come to the seats that lack cards, in the order of exchange (FD-R-31), or
// waits for a pick.
func (s State) supply() State {
	if s.Rules.Pick == OptOpponent {
		return s.awaitSupply()
	}
	for _, seat := range s.Deal.liveSeats(s.Deal.Dealer) {
		if n := s.Deal.missingCards(seat); n > 0 {
			next, places := s.Deal.drawFromStock(n)
			next.Coming = withValueAt(next.Coming, seat, places)
			s.Deal = next
		}
	}
	return s.awaitSupply()
}

// awaitSupply waits for the remaining picks, and then for the cards to be shown.
func (s State) awaitSupply() State {
	lacks := func(seat table.Seat) bool { return s.Deal.Live[seat] && s.Deal.missingCards(seat) > 0 }
	comes := func(seat table.Seat) bool { return len(s.Deal.Coming[seat]) > 0 }
	switch in := s.Deal.In; {
	case slices.ContainsFunc(in, lacks):
		s.Stage = Picking
	case !slices.ContainsFunc(in, comes):
		return s.continueExchange()
	case len(s.Deal.Dealt[in[0]]) == 0:
		s.Stage = Dealing
	default:
		s.Stage = Drawing
	}
	return s
}

// continueExchange asks the next seat to exchange, or ends the exchange.
func (s State) continueExchange() State {
	if len(s.Deal.Asked) == 0 {
		return s.betAfter()
	}
	s.Stage = Exchanging
	return s
}
