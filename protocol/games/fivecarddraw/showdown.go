package fivecarddraw

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
)

// beginShowdown gives back what nobody called, and asks the seats that have to show (FD-R-40, FD-R-50).
func (s State) beginShowdown() State {
	s.Deal.Back = UncalledChips(s.Deal.Paid)
	for seat, back := range s.Deal.Back {
		s = s.pay(table.Seat(seat), -back)
	}
	s.Deal.Pots = PotLayers(s.Deal.Paid, s.Deal.Live, s.Left)
	before := s.Deal.Dealer
	if bettor := s.Deal.Round.Bettor; bettor != nobody {
		before = table.Seat((bettor + len(s.Chips) - 1) % len(s.Chips))
	}
	s.Deal.Asked = s.Deal.liveSeats(before)
	s.Stage = Showing
	return s.awaitShow()
}

// awaitShow skips seats for which no pot is contested (FD-R-42).
func (s State) awaitShow() State {
	for len(s.Deal.Asked) > 0 && !s.Deal.hasContestedPot(s.Deal.Asked[0]) {
		s.Deal.Asked = s.Deal.Asked[1:]
	}
	switch {
	case len(s.Deal.Asked) > 0:
		return s
	case s.Deal.Opener != nobody:
		s.Stage = Opening
		return s
	}
	return s.settlePots()
}

// hasContestedPot reports whether another seat claims a pot that this seat claims (FD-R-41). A seat
// that gave up a pot no longer claims it, so the other claimants have shown or have not spoken.
func (d Deal) hasContestedPot(seat table.Seat) bool {
	return slices.ContainsFunc(d.Pots, func(p Pot) bool { return isContested(p, seat) })
}

func isContested(p Pot, seat table.Seat) bool {
	return len(p.Claimants) > 1 && slices.Contains(p.Claimants, seat)
}

// show turns a hand up (FD-R-41).
func (s State) show(seat table.Seat, cards []ShownCard) (State, table.Terms, error) {
	terms, faces, err := turnUpTerms("FD-R-41", cards, s.Deal.Hands[seat])
	switch {
	case err != nil:
		return s, terms, err
	case len(cards) != HandSize:
		return s, terms, fmt.Errorf("FD-R-41: %d cards shown, a hand has %d", len(cards), HandSize)
	}
	shown := Hand{Seat: seat, Faces: [HandSize]Face(faces)}
	shown.Class = HandClass(shown.Faces, s.Rules.Wheel)
	s.Deal.Shown = append(slices.Clone(s.Deal.Shown), shown)
	s.Deal.Asked = s.Deal.Asked[1:]
	return s.awaitShow(), terms, nil
}

// muck gives up every contested pot (FD-R-41). The cards stay closed.
func (s State) muck(seat table.Seat) (State, error) {
	if s.Rules.Showdown == OptAll {
		return s, fmt.Errorf("FD-R-41: with showdown=%s seat %s must show its hand", OptAll, seat.Letter())
	}
	s.Deal.Pots = s.Deal.withoutClaims(seat, func(p Pot) bool { return isContested(p, seat) })
	s.Deal.Mucked = append(slices.Clone(s.Deal.Mucked), seat)
	s.Deal.Asked = s.Deal.Asked[1:]
	return s.awaitShow(), nil
}

// withoutClaims returns the pots after a seat gave up its claims to some of them.
func (d Deal) withoutClaims(seat table.Seat, up func(Pot) bool) []Pot {
	pots := slices.Clone(d.Pots)
	for i, p := range pots {
		if up(p) {
			pots[i] = p.WithoutClaim(seat)
		}
	}
	return pots
}

// turnUpTerms returns the terms on which a seat turns up some of its cards, and their faces.
func turnUpTerms(rule string, cards []ShownCard, own []table.Card) (terms table.Terms, faces []Face, err error) {
	var places []table.Card
	for _, c := range cards {
		switch {
		case !slices.Contains(own, c.Card):
			return table.Terms{}, nil, fmt.Errorf("%s: card %d is none of those that may be shown", rule, c.Card)
		case slices.Contains(faces, c.Face):
			return table.Terms{}, nil, fmt.Errorf("%s: %v is named twice", rule, c.Face)
		}
		places, faces = append(places, c.Card), append(faces, c.Face)
		terms.Open = append(terms.Open, table.ShownCard{Card: c.Card, Face: card.Face(c.Face)})
	}
	return terms, faces, checkAscending(rule, places)
}
