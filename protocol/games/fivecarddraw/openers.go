package fivecarddraw

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
)

// passedIn ends a deal that nobody opened: what was paid stays in the middle (FD-R-60).
func (s State) passedIn() State {
	s.Left = s.InMiddle()
	return s.closeDeal([]Payment{})
}

// proveOpeners proves an opening (FD-R-61), or says that there is none, by which the opener loses its
// claims (FD-R-62). Cards that are already open are named but not turned up again.
func (s State) proveOpeners(seat table.Seat, cards []ShownCard, faces map[table.Card]card.Face) (State, table.Terms, error) {
	if len(cards) == 0 {
		s.Deal.Pots = s.Deal.withoutClaims(seat, func(Pot) bool { return true })
		return s.settlePots(), table.Terms{}, nil
	}
	terms, named, err := turnUpTerms("FD-R-61", cards, s.Deal.Dealt[seat])
	switch {
	case err != nil:
		return s, terms, err
	case !OpensBetting(named, s.Rules.Wheel):
		return s, terms, errors.New("FD-R-61: these cards show no pair of jacks, and nothing better")
	}
	for _, c := range cards {
		if f, open := faces[c.Card]; open && f != card.Face(c.Face) {
			return s, terms, fmt.Errorf("FD-R-61: card %d lies open, and is not %v", c.Card, c.Face)
		}
	}
	terms.Open = slices.DeleteFunc(terms.Open, func(c table.ShownCard) bool { _, open := faces[c.Card]; return open })
	return s.settlePots(), terms, nil
}
