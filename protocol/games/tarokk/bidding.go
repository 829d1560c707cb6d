package tarokk

import (
	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/table"
)

// bidding waits for a call of the auction.
type bidding struct{ State }

func (b bidding) awaitedSeats() []table.Seat {
	p, _ := b.Deal.Auction.Speaker(b.Rules)
	return b.Deal.seatsOf(p)
}

func (b bidding) possibleMoves(p int, _ table.View) []Move {
	return movesFrom(b.Deal.Auction.LegalCalls(b.Rules, p), func(m *Move, c Call) { m.Call = &c })
}

func (b bidding) applyMove(p int, m Move) (State, table.Terms, error) {
	a, claims, err := b.Deal.Auction.ApplyCall(b.Rules, p, *m.Call)
	if err != nil {
		return b.State, table.Terms{}, err
	}
	b.Deal.Auction = a
	terms := b.Deal.claimTerms(p, claims)
	if _, over := a.Speaker(b.Rules); !over {
		return b.State, terms, nil
	}
	return b.endAuction(), terms, nil
}

// endAuction ends the auction (R-BID-9).
func (b bidding) endAuction() State {
	o := b.Deal.Auction.Outcome(b.Rules)
	if o.ThrownIn {
		return ending{b.State}.throwIn(SettledDeal{How: Passed})
	}
	b.Deal.Outcome = &o
	if o.Confirm != nobody {
		b.Stage = Confirming
		return b.State
	}
	return b.drawTalon()
}

// confirming waits for the proof of an invit's card after the auction (OPT-CONV-COMMIT).
type confirming struct{ State }

func (c confirming) awaitedSeats() []table.Seat { return c.Deal.seatsOf(c.Deal.Outcome.Confirm) }

func (confirming) possibleMoves(int, table.View) []Move {
	return movesFrom(yesNo, func(m *Move, b bool) { m.Confirm = &b })
}

func (c confirming) applyMove(p int, m Move) (State, table.Terms, error) {
	a, claims, err := c.Deal.Auction.ConfirmInvit(c.Rules, p, *m.Confirm)
	if err != nil {
		return c.State, table.Terms{}, err
	}
	o := a.Outcome(c.Rules)
	c.Deal.Auction, c.Deal.Outcome = a, &o
	terms := c.Deal.claimTerms(p, claims)
	if !*m.Confirm {
		return ending{c.State}.payForfeit(p), terms, nil
	}
	return c.drawTalon(), terms, nil
}

// drawTalon gives the talon out in order, beginning with the declarer (R-TAL-1, R-TAL-2); in a trial
// only to the declarer, until it is decided.
func (s State) drawTalon() State {
	next := 0
	o, decided := s.Deal.Outcome, s.Stage == Trying
	for _, p := range playersFrom(o.Declarer) {
		if isDeclarer := p == o.Declarer; isDeclarer && !decided || !isDeclarer && (decided || !o.Trial) {
			s.Deal.Hands = s.Deal.giveCards(p, shared.PlacesFrom(table.Card(next), o.Draw[p]))
		}
		next += o.Draw[p]
	}
	if s.Stage = TalonDraws; o.Trial && !decided {
		s.Stage = DeclarerDraws
	}
	return s
}

// trying waits for the honour of a trial bid: the declarer proves that he has one, or that he has none
// and pays (R-BID-16).
type trying struct{ State }

func (t trying) awaitedSeats() []table.Seat { return t.Deal.seatsOf(t.Deal.Outcome.Declarer) }

func (trying) possibleMoves(int, table.View) []Move {
	return movesFrom(yesNo, func(m *Move, b bool) { m.Trial = &b })
}

func (t trying) applyMove(p int, m Move) (State, table.Terms, error) {
	if *m.Trial {
		return t.drawTalon(), t.Deal.claimTerms(p, []Claim{AtLeast("T-TRIAL-OK", 1, ExchangedCards, Honours)}), nil
	}
	return ending{t.State}.loseTrial(), t.Deal.claimTerms(p, []Claim{EveryCard("T-TRIAL-FAIL", ExchangedCards, AllBut(Honours))}), nil
}
