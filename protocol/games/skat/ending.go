package skat

import (
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat/deck"
	"github.com/pakli/pakli/protocol/games/skat/list"
	"github.com/pakli/pakli/protocol/games/skat/ruleset"
	"github.com/pakli/pakli/protocol/games/skat/value"
	"github.com/pakli/pakli/protocol/table"
)

// end ends a deal. A suit game or grand that ends with fewer than thirty open cards
// needs its matadors shown first (91.6.2).
func (s State) end(e Ending) State {
	s.Deal.Ending, s.Deal.Offer = &e, nil
	return s.settleMatadors()
}

// settleMatadors goes to the next stage that the value needs: the skat of a hand game
// (E-SKAT), then the declarer's cards (E-TWELVE) or the proof (M-WITH, M-WITHOUT).
func (s State) settleMatadors() State {
	d := s.Deal
	switch {
	case d.Contract == nil || d.Contract.Game == deck.Null || d.Implied() != (card.Set{}):
		return s.settle(nil)
	case d.Contract.Hand && d.SeenOf(nobody) == (card.Set{}):
		s.Stage = ShowingSkat
	case len(d.closed()) == 0:
		return s.settle(nil)
	case s.Rules.Early == ruleset.Open:
		s.Stage = Laying
	default:
		s.Stage = Proving
	}
	return s
}

// skatShown is the skat of a hand game, turned up by all.
func (s State) skatShown(open map[table.Card]card.Face) State {
	var cards []table.Shown
	for _, c := range s.Deal.Skat {
		cards = append(cards, table.Shown{Card: c, Face: open[c]})
	}
	s.Deal = s.Deal.turnUp(nobody, cards)
	return s.settleMatadors()
}

// lay is E-TWELVE.
func lay(s State, p int, m Move) (State, table.Terms, error) {
	cards, err := shown("SK-R-38", s.Deal.closed(), *m.Lay)
	if err != nil {
		return s, table.Terms{}, err
	}
	s.Deal = s.Deal.turnUp(p, cards)
	return s.settle(nil), table.Terms{Open: cards}, nil
}

func layings(s State, _ int, v table.View) []Move {
	faces := seen(v, s.Deal.closed())
	return []Move{{Lay: &faces}}
}

// prove is M-WITH or M-WITHOUT.
func prove(s State, _ int, m Move) (State, table.Terms, error) {
	conditions, err := s.Deal.matadors(*m.Matadors)
	if err != nil {
		return s, table.Terms{}, err
	}
	return s.settle(m.Matadors), table.Terms{Prove: conditions}, nil
}

func proofs(s State, _ int, v table.View) []Move {
	twelve := s.Deal.ownSeen().Union(deck.SetOf(seen(v, s.Deal.closed())...))
	m := value.Count(s.Deal.Game(), twelve)
	return []Move{{Matadors: &m}}
}

// settle scores the deal and goes on to the next. Matadors that were proved are said;
// otherwise they are counted.
func (s State) settle(proved *value.Matadors) State {
	d := s.Deal
	done := Settled{
		Number: d.Number, Dealer: d.Dealer, Seats: d.Seats, How: d.Ending.How, Declarer: d.seat(d.Declarer), Bid: d.Bid, Contract: d.Contract,
		Pushes: d.Pushes, Kontra: d.seat(d.Kontra), Re: d.Re, Bock: s.Bock > 0, Events: []string{}, Points: make([]int, len(s.Seats)),
	}
	done.Cards, done.Tricks = d.Taken()
	if counted := done.How == Played || done.How == Ramsch; counted && d.Game() != deck.Null {
		done.Cards[d.skatTo()] += deck.PointsOf(d.Implied())
	}
	done.Factor = list.Factor(d.Kontra != nobody, d.Re, s.Bock)
	switch {
	case d.Ramsch:
		done = s.settleRamsch(done)
	case d.Declarer != nobody:
		done = s.settleGame(done, proved)
	}
	s.Bock = s.Bock.After(len(done.Events), len(s.Seats))
	s.Past, s.Last = append(slices.Clone(s.Past), done), &d
	return s.next()
}

// skatTo is whose the points of the skat are: the declarer's (SK-R-23), in a Ramsch the
// winner's of the last trick (SK-R-69).
func (d Deal) skatTo() int {
	if d.Ramsch {
		return d.Winner(d.Tricks[len(d.Tricks)-1])
	}
	return d.Declarer
}

// settleGame scores a declarer's game.
func (s State) settleGame(done Settled, proved *value.Matadors) Settled {
	d := s.Deal
	m := value.Count(d.Game(), d.ownSeen())
	if proved != nil {
		m = *proved
	}
	c := *d.Contract
	var r value.Result
	switch d.Ending.How {
	case Played:
		r = c.Played(d.Bid, m, done.Cards[d.Declarer], done.Tricks[d.Declarer])
	case Conceded:
		r = c.Conceded(d.Bid, m)
	case GivenUp:
		r = c.GivenUp(d.Bid, m, d.defence())
	case Claimed:
		r = c.Claimed(d.Bid, m, d.Ending.Level)
	case NullOverbid:
		r = c.NullOverbid(d.Bid)
	}
	done.Result, done.Events = &r, s.events(r, done.Cards[d.Declarer])
	done.Points = s.gamePoints(*done.Declarer, r.Score*done.Factor)
	return done
}
