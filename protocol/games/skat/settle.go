package skat

import (
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
)

// endDeal ends a deal. If a suit game or grand ends with fewer than thirty open cards, its matadors
// must be shown first (91.6.2).
func (s State) endDeal(e Ending) State {
	s.Deal.Ending, s.Deal.Offer = &e, nil
	return s.settleMatadors()
}

// settleMatadors goes to the next stage that the value of the game needs: the skat of a hand game
// (E-SKAT), then the declarer's cards (E-TWELVE) or the proof (M-WITH, M-WITHOUT).
func (s State) settleMatadors() State {
	d := s.Deal
	switch {
	case d.Contract == nil || d.Contract.Game == Null || d.ImpliedSkat() != (card.Set{}):
		return s.settleDeal(nil)
	case d.Contract.Hand && d.SeenOf(nobody) == (card.Set{}):
		s.Stage = ShowingSkat
	case len(d.closedPlaces()) == 0:
		return s.settleDeal(nil)
	case s.Rules.Early == OptOpen:
		s.Stage = Laying
	default:
		s.Stage = Proving
	}
	return s
}

// skatShown takes in the skat of a hand game, which all players turned up.
func (s State) skatShown(open map[table.Card]card.Face) State {
	var cards []table.ShownCard
	for _, c := range s.Deal.Skat {
		cards = append(cards, table.ShownCard{Card: c, Face: open[c]})
	}
	s.Deal = s.Deal.turnUp(nobody, cards)
	return s.settleMatadors()
}

// applyLaying is E-TWELVE: the declarer turns up the cards that decide his matadors.
func applyLaying(s State, p int, m Move) (State, table.Terms, error) {
	cards, err := turnUpCards("SK-R-38", s.Deal.closedPlaces(), *m.Lay)
	if err != nil {
		return s, table.Terms{}, err
	}
	s.Deal = s.Deal.turnUp(p, cards)
	return s.settleDeal(nil), table.Terms{Open: cards}, nil
}

func layingMoves(s State, _ int, v table.View) []Move {
	faces := facesAt(v, s.Deal.closedPlaces())
	return []Move{{Lay: &faces}}
}

// proveMatadors is M-WITH or M-WITHOUT.
func proveMatadors(s State, _ int, m Move) (State, table.Terms, error) {
	conditions, err := s.Deal.matadorConditions(*m.Matadors)
	if err != nil {
		return s, table.Terms{}, err
	}
	return s.settleDeal(m.Matadors), table.Terms{Prove: conditions}, nil
}

func matadorMoves(s State, _ int, v table.View) []Move {
	twelve := s.Deal.ownSeen().Union(SetOf(facesAt(v, s.Deal.closedPlaces())...))
	m := CountMatadors(s.Deal.Game(), twelve)
	return []Move{{Matadors: &m}}
}

// settleDeal scores the deal and goes on to the next one. Matadors are counted from the open cards,
// unless they were proved.
func (s State) settleDeal(proved *Matadors) State {
	d := s.Deal
	done := SettledDeal{
		Number: d.Number, Dealer: d.Dealer, Seats: d.Seats, How: d.Ending.How, Declarer: d.seat(d.Declarer), Bid: d.Bid, Contract: d.Contract,
		Pushes: d.Pushes, Kontra: d.seat(d.Kontra), Re: d.Re, Bock: s.Bock > 0, Events: []string{}, Points: make([]int, len(s.Seats)),
	}
	done.Cards, done.Tricks = d.TakenByPlayer()
	if counted := done.How == Played || done.How == Ramsch; counted && d.Game() != Null {
		done.Cards[d.skatTo()] += PointsOf(d.ImpliedSkat())
	}
	done.Factor = DealFactor(d.Kontra != nobody, d.Re, s.Bock)
	switch {
	case d.Ramsch:
		done = s.settleRamsch(done)
	case d.Declarer != nobody:
		done = s.settleGame(done, proved)
	}
	s.Bock = s.Bock.AfterDeal(len(done.Events), len(s.Seats))
	s.Past, s.Last = append(slices.Clone(s.Past), done), &d
	return s.nextDeal()
}

// skatTo is the player who gets the points of the skat: the declarer (SK-R-23), in a Ramsch the winner
// of the last trick (SK-R-69).
func (d Deal) skatTo() int {
	if d.Ramsch {
		return d.Winner(d.Tricks[len(d.Tricks)-1])
	}
	return d.Declarer
}

// settleGame scores a game with a declarer.
func (s State) settleGame(done SettledDeal, proved *Matadors) SettledDeal {
	d := s.Deal
	m := CountMatadors(d.Game(), d.ownSeen())
	if proved != nil {
		m = *proved
	}
	r := d.Result(m, done.Cards[d.Declarer], done.Tricks[d.Declarer])
	done.Result, done.Events = &r, s.events(r, done.Cards[d.Declarer])
	done.Points = s.gamePoints(*done.Declarer, r.Score*done.Factor)
	return done
}

// Result is the result of a game with a declarer that has ended, given his matadors, card points and
// tricks.
func (d Deal) Result(m Matadors, points, tricks int) GameResult {
	switch c := *d.Contract; d.Ending.How {
	case Conceded:
		return c.ConcededResult(d.Bid, m)
	case GivenUp:
		return c.GivenUpResult(d.Bid, m, d.Defence())
	case Claimed:
		return c.ClaimedResult(d.Bid, m, d.Ending.Level)
	case NullOverbid:
		return c.NullOverbidResult(d.Bid)
	default:
		return c.PlayedResult(d.Bid, m, points, tricks)
	}
}
