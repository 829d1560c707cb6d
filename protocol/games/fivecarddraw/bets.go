package fivecarddraw

import (
	"fmt"

	"github.com/pakli/pakli/protocol/table"
)

// terms returns the limits of the present round.
func (s State) terms() BetTerms {
	return BetTerms{Limit: s.Rules.Limit, Unit: s.Rules.LeastBet(s.Stage == BetAfter), Cap: s.Rules.Cap, Half: s.Rules.Reopen == OptHalf}
}

// Bounds returns what a seat may do that is asked in a round of betting.
func (s State) Bounds(seat table.Seat) Bounds {
	return s.terms().Bounds(s.Deal.Round, seat, s.Chips[seat], s.InMiddle())
}

// awaitBet waits for the next seat to speak, or ends the round (FD-R-21).
func (s State) awaitBet() State {
	if _, asked := s.Deal.Round.NextSpeaker(s.Deal.Live, s.Chips); asked {
		return s
	}
	switch {
	case s.Stage == Betting && s.Rules.Openers == OptJacks && s.Deal.Opener == nobody:
		return s.passedIn()
	case len(s.Deal.liveSeats(s.Deal.Dealer)) == 1 || s.Stage == BetAfter:
		return s.beginShowdown()
	}
	return s.beginExchange()
}

// betAfter begins the second betting, unless there is none (FD-R-15).
func (s State) betAfter() State {
	if !s.Rules.SecondBetting {
		return s.beginShowdown()
	}
	s.Deal.Round = NewRound(len(s.Chips), s.Deal.Dealer)
	s.Stage = BetAfter
	return s.awaitBet()
}

func (s State) fold(seat table.Seat) State {
	s.Deal.Live = withValueAt(s.Deal.Live, seat, false)
	s.Deal.Round = s.Deal.Round.Pass(seat)
	return s.awaitBet()
}

func (s State) check(seat table.Seat) (State, error) {
	if n := s.Bounds(seat).Call; n > 0 {
		return s, fmt.Errorf("FD-R-22: seat %s owes %d, and cannot check", seat.Letter(), n)
	}
	s.Deal.Round = s.Deal.Round.Pass(seat)
	return s.awaitBet(), nil
}

func (s State) call(seat table.Seat) (State, error) {
	n := s.Bounds(seat).Call
	if n == 0 {
		return s, fmt.Errorf("FD-R-22: seat %s owes nothing, and cannot call", seat.Letter())
	}
	s.Deal.Round = s.Deal.Round.Call(seat, n)
	return s.pay(seat, n).awaitBet(), nil
}

// raise bets or raises to a total of the round. The first bet of all opens (FD-R-60).
func (s State) raise(seat table.Seat, total int) (State, error) {
	round := s.Deal.Round
	if err := s.terms().CheckTotal(round, seat, s.Chips[seat], s.InMiddle(), total); err != nil {
		return s, err
	}
	if s.Rules.Openers == OptJacks && s.Deal.Opener == nobody && s.Stage == Betting {
		s.Deal.Opener = int(seat)
	}
	s.Deal.Round = round.Raise(s.terms(), seat, total)
	return s.pay(seat, total-round.Chips[seat]).awaitBet(), nil
}
