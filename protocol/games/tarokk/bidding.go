package tarokk

import (
	"github.com/pakli/pakli/protocol/games/tarokk/auction"
	"github.com/pakli/pakli/protocol/games/tarokk/claim"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/table"
)

// bidding waits for a call of the auction.
type bidding struct{ State }

func (b bidding) movers() []table.Seat {
	p, _ := b.Deal.Auction.Speaker(b.Rules)
	return b.Deal.seatsOf(p)
}

func (b bidding) moves(p int, _ table.View) []Move {
	return each(b.Deal.Auction.Calls(b.Rules, p), func(m *Move, c auction.Call) { m.Call = &c })
}

func (b bidding) move(p int, m Move) (State, table.Terms, error) {
	a, claims, err := b.Deal.Auction.Apply(b.Rules, p, *m.Call)
	if err != nil {
		return b.State, table.Terms{}, err
	}
	b.Deal.Auction = a
	terms := b.Deal.terms(p, claims)
	if _, over := a.Speaker(b.Rules); !over {
		return b.State, terms, nil
	}
	return b.finish(), terms, nil
}

// finish ends the auction (R-BID-9).
func (b bidding) finish() State {
	o := b.Deal.Auction.Outcome(b.Rules)
	if o.ThrownIn {
		return ending{b.State}.throwIn(Settled{How: Passed})
	}
	b.Deal.Outcome = &o
	if o.Confirm != nobody {
		b.Stage = Confirming
		return b.State
	}
	return b.draw()
}

// confirming waits for the card of an invit after the auction (OPT-CONV-COMMIT).
type confirming struct{ State }

func (c confirming) movers() []table.Seat { return c.Deal.seatsOf(c.Deal.Outcome.Confirm) }

func (confirming) moves(int, table.View) []Move {
	return each(yesNo, func(m *Move, b bool) { m.Confirm = &b })
}

func (c confirming) move(p int, m Move) (State, table.Terms, error) {
	a, claims, err := c.Deal.Auction.Confirm(c.Rules, p, *m.Confirm)
	if err != nil {
		return c.State, table.Terms{}, err
	}
	o := a.Outcome(c.Rules)
	c.Deal.Auction, c.Deal.Outcome = a, &o
	terms := c.Deal.terms(p, claims)
	if !*m.Confirm {
		return ending{c.State}.forfeit(p), terms, nil
	}
	return c.draw(), terms, nil
}

// draw gives the talon out, in order, beginning with the declarer (R-TAL-1,
// R-TAL-2); in a trial to the declarer alone, until it is decided.
func (s State) draw() State {
	next := 0
	o, decided := s.Deal.Outcome, s.Stage == Trying
	for _, p := range turns(o.Declarer) {
		if isDeclarer := p == o.Declarer; isDeclarer && !decided || !isDeclarer && (decided || !o.Trial) {
			s.Deal.Hands = s.Deal.give(p, run(next, o.Draw[p]))
		}
		next += o.Draw[p]
	}
	if s.Stage = TalonDraws; o.Trial && !decided {
		s.Stage = DeclarerDraws
	}
	return s
}

// trying waits for the honour of a trial bid: the declarer has one, or has none
// and pays (R-BID-16).
type trying struct{ State }

func (t trying) movers() []table.Seat { return t.Deal.seatsOf(t.Deal.Outcome.Declarer) }

func (trying) moves(int, table.View) []Move {
	return each(yesNo, func(m *Move, b bool) { m.Trial = &b })
}

func (t trying) move(p int, m Move) (State, table.Terms, error) {
	if *m.Trial {
		return t.draw(), t.Deal.terms(p, []claim.Claim{claim.AtLeast("T-TRIAL-OK", 1, claim.Exchanged, deck.Honours)}), nil
	}
	return ending{t.State}.loseTrial(), t.Deal.terms(p, []claim.Claim{claim.Every("T-TRIAL-FAIL", claim.Exchanged, deck.Not(deck.Honours))}), nil
}
