package schwarzerpeter

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/table"
)

// Move is a player's choice; exactly one field is set.
//
//	{"lay":[[{"card":3,"face":"7H"},{"card":11,"face":"7D"}]]}   lay down these pairs
//	{"lay":[]}                                                   lay down nothing
//	{"draw":{"from":1,"position":4}}                             draw from seat 1 the card at place 4 of its hand, from 0
type Move struct {
	Lay  *[]Pair `json:"lay,omitempty"`
	Draw *Draw   `json:"draw,omitempty"`
}

// Pair is two cards of one hand that belong together.
type Pair [2]ShownCard

// ShownCard is a card and the name of the face its holder says it has.
type ShownCard struct {
	Card table.Card `json:"card"`
	Face string     `json:"face"`
}

// Draw names a card by its place in a hand.
type Draw struct {
	From     table.Seat `json:"from"`
	Position int        `json:"position"`
}

// layDown lays pairs of the hand of Turn on the table (SP-S3, SP-C3).
func (s State) layDown(pairs []Pair) (State, table.Terms, error) {
	if s.isArticle() && len(pairs) > 1 {
		return s, table.Terms{}, fmt.Errorf("SP-S3: at most one pair may be laid down in a round, and not %d", len(pairs))
	}
	faces := s.Options.faceNames()
	hand := s.Hands[s.Turn]
	var terms table.Terms
	for _, p := range pairs {
		for _, c := range p {
			if !slices.Contains(hand, c.Card) {
				return s, table.Terms{}, fmt.Errorf("%s: card %d is not, or no longer, in the hand of %c", s.ruleNumber("SP-S3", "SP-C3"), c.Card, seatLetter(s.Turn))
			}
			f := slices.Index(faces, c.Face)
			if f < 0 {
				return s, table.Terms{}, fmt.Errorf("%s: %.10q is no face of the deck", s.ruleNumber("SP-S1", "SP-C1"), c.Face)
			}
			hand = shared.WithoutPlaces(hand, c.Card)
			terms.Open = append(terms.Open, table.ShownCard{Card: c.Card, Face: card.Face(f)})
		}
		if !s.Options.isPair(p[0].Face, p[1].Face) {
			return s, table.Terms{}, fmt.Errorf("%s: %s and %s are no pair", s.ruleNumber("SP-S3", "SP-C1"), p[0].Face, p[1].Face)
		}
	}
	s.Laid = slices.Clone(s.Laid)
	s.Laid[s.Turn] = slices.Concat(s.Laid[s.Turn], pairs)
	return s.withHand(s.Turn, hand).offerLaying(s.Lay), terms, nil
}

// drawCard takes a card by its position out of the holder's hand (SP-S5, SP-C4).
func (s State) drawCard(d Draw) (State, error) {
	holder := s.nextHolder()
	hand := s.Hands[holder]
	switch rule := s.ruleNumber("SP-S5", "SP-C4"); {
	case d.From != holder:
		return s, fmt.Errorf("%s: %c must draw from %c", rule, seatLetter(s.Turn), seatLetter(holder))
	case d.Position < 0 || d.Position >= len(hand):
		return s, fmt.Errorf("%s: there is no card at position %d, %c has %d cards", rule, d.Position, seatLetter(holder), len(hand))
	}
	s.Drawn = &DrawnCard{By: s.Turn, From: holder, Position: d.Position, Card: hand[d.Position]}
	s.Stage = Giving
	return s, nil
}
