package skat

import (
	"fmt"

	"github.com/pakli/pakli/protocol/table"
)

// Freely is the least number of cards in hand with which a declarer may concede without asking
// (SK-R-55).
const Freely = 9

// levels is the number of levels that can be claimed; levelNames are their names in errors.
const levels = Schwarz + 1

var levelNames = [levels]string{"simple", "Schneider", "Schwarz"}

// mayConcede says why p may not concede now, or offer to (SK-R-55, SK-R-57). A refused offer may be
// made again only in a later trick, so that a deal comes to an end.
func (s State) mayConcede(p int) error {
	d := s.Deal
	switch {
	case s.Rules.Concede == OptOff:
		return fmt.Errorf("OPT-CONCEDE: at this table nobody concedes")
	case d.Ramsch:
		return fmt.Errorf("SK-R-69: in a Ramsch everybody plays for himself, and nobody concedes")
	case d.Offered[p] >= d.trickNumber():
		return fmt.Errorf("SK-R-55: this was offered in the present trick, and refused")
	}
	return nil
}

// trickNumber is the number of the trick to which the next card belongs, from 1.
func (d Deal) trickNumber() int {
	if n := len(d.Tricks); n > 0 && len(d.Tricks[n-1].Faces) < actives {
		return n
	}
	return len(d.Tricks) + 1
}

// concede ends the deal where the concession binds at once, or makes it an offer.
func (s State) concede(p int, yes bool) (State, table.Terms, error) {
	d := s.Deal
	if !yes {
		return s, table.Terms{}, fmt.Errorf("SK-R-55: who does not concede says nothing: the move is {\"concede\":true}")
	}
	if err := s.mayConcede(p); err != nil {
		return s, table.Terms{}, err
	}
	switch {
	case p == d.Declarer && len(d.Hands[p]) >= Freely:
		return s.endDeal(Ending{How: Conceded}), table.Terms{}, nil
	case p != d.Declarer && s.Rules.Concede == OptOne:
		return s.endDeal(Ending{How: GivenUp}), table.Terms{}, nil
	}
	return s.makeOffer(Offer{By: p}, Agreeing), table.Terms{}, nil
}

// makeOffer asks the other defender about an offer, or both in turn if the declarer makes it.
func (s State) makeOffer(o Offer, stage Stage) State {
	s.Deal.Offered[o.By] = s.Deal.trickNumber()
	s.Deal.Offer, s.Stage = &o, stage
	s.Deal.Asked = s.Deal.answerers()[0]
	return s
}

// answerers are the players asked about the offer, in turn.
func (d Deal) answerers() []int {
	var list []int
	for _, p := range d.defenders() {
		if p != d.Offer.By {
			list = append(list, p)
		}
	}
	return list
}

// askNext asks the next player about the offer; false if all have been asked.
func (s State) askNext() (State, bool) {
	list := s.Deal.answerers()
	if s.Deal.Asked == list[len(list)-1] {
		return s, false
	}
	s.Deal.Asked = list[len(list)-1]
	return s, true
}

// resume goes on with play after an offer.
func (s State) resume() State {
	s.Deal.Offer, s.Stage = nil, Playing
	return s
}

// applyAgreement answers an offer to concede, which holds as soon as one player agrees.
func applyAgreement(s State, _ int, m Move) (State, table.Terms, error) {
	how := GivenUp
	if s.Deal.Offer.By == s.Deal.Declarer {
		how = Conceded
	}
	if *m.Agree {
		return s.endDeal(Ending{How: how}), table.Terms{}, nil
	}
	if next, more := s.askNext(); more {
		return next, table.Terms{}, nil
	}
	return s.resume(), table.Terms{}, nil
}

func agreementMoves(State, int, table.View) []Move {
	return movesFrom(yesNo, func(m *Move, b bool) { m.Agree = &b })
}

// mayClaim says why p may not claim the remaining tricks at a level (SK-R-59, SK-R-60).
func (s State) mayClaim(p, level int) error {
	d := s.Deal
	switch {
	case s.Rules.Claim == OptOff:
		return fmt.Errorf("OPT-CLAIM: at this table nobody claims")
	case p != d.Declarer || d.Ramsch:
		return fmt.Errorf("SK-R-61: the declarer alone claims")
	case p != d.OnTurn():
		return fmt.Errorf("SK-R-59: the declarer claims when he is to lead or to play")
	case d.Offered[p] >= d.trickNumber():
		return fmt.Errorf("SK-R-59: an offer or a claim was made in the present trick, and refused")
	case level < Normal || level > Schwarz || d.Contract.Game == Null && level != Normal:
		return fmt.Errorf("SK-R-59: %d is no level that can be claimed in this game", level)
	case level < d.Contract.Ann:
		return fmt.Errorf("SK-R-59: %s was announced, and the level %s is claimed", levelNames[d.Contract.Ann], levelNames[level])
	case d.Contract.Game != Null && d.Defence().Excludes(level):
		return fmt.Errorf("SK-R-59: the level %s is excluded: the defenders have %d points in %d tricks", levelNames[level], d.Defence().Points, d.Defence().Tricks)
	}
	return nil
}

// Defence is what the defenders have taken in complete tricks.
func (d Deal) Defence() (sum Defence) {
	points, taken := d.TakenByPlayer()
	for _, p := range d.defenders() {
		sum.Points += points[p]
		sum.Tricks += taken[p]
	}
	return sum
}

// claimPlaces are the places of p's hand that a claim turns up.
func (s State) claimPlaces(p int) []table.Card {
	if s.Deal.isOpen(p) {
		return []table.Card{}
	}
	return s.Deal.Hands[p]
}

// claim is C-OPEN: the declarer lays the rest of his hand open and claims all remaining tricks.
func (s State) claim(p int, c Claim) (State, table.Terms, error) {
	if err := s.mayClaim(p, c.Level); err != nil {
		return s, table.Terms{}, err
	}
	cards, err := turnUpCards("SK-R-59", s.claimPlaces(p), c.Faces)
	if err != nil {
		return s, table.Terms{}, err
	}
	s.Deal = s.Deal.turnUp(p, cards)
	s.Deal.OpenHand = true
	return s.makeOffer(Offer{By: p, Claim: true, Level: c.Level}, Answering), table.Terms{Open: cards}, nil
}

// applyAnswer accepts a claim, or plays on with the declarer's cards open (SK-R-59).
func applyAnswer(s State, _ int, m Move) (State, table.Terms, error) {
	switch *m.Answer {
	case PlayOn:
		return s.resume(), table.Terms{}, nil
	case Accept:
		if next, more := s.askNext(); more {
			return next, table.Terms{}, nil
		}
		return s.endDeal(Ending{How: Claimed, Level: s.Deal.Offer.Level}), table.Terms{}, nil
	}
	return s, table.Terms{}, fmt.Errorf("SK-R-59: a claim is answered by accept or play-on, and not %.10q", *m.Answer)
}

func answerMoves(State, int, table.View) []Move {
	return movesFrom([]string{Accept, PlayOn}, func(m *Move, word string) { m.Answer = &word })
}
