// Package fivecarddraw is five-card draw, the poker that was first played by post: 2 to 6
// seats, fixed, pot and no limit, antes and blinds, side pots, a hidden exchange, and as
// many deals as were agreed, for table stakes.
//
// The numbered rules are docs/spec/92-five-card-draw.md; comments and errors cite them. The
// packages below this one each hold a part that needs no table: deck (cards), hand (classes
// of hands), betting (a round), pot (layers and odd chips), prizes (payout by places) and
// ruleset (options).
//
// A deal goes through stages (state.go): dealing.go is from the shuffle to the hands, bets.go
// both rounds of betting, exchange.go what is put away and drawn, showdown.go who shows or
// mucks, openers.go the proof of an opening, payment.go pots and what follows a deal; move.go
// is what players say, moves.go the players' side.
//
// Nothing hidden is ever proved but that a card shown has its face. A card that is folded,
// mucked or put away stays closed: no rule makes its token due (FD-R-43).
package fivecarddraw

import (
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/deck"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/ruleset"
	"github.com/pakli/pakli/protocol/table"
)

// Rules implements table.Rules, and play.Rules for players.
type Rules struct{}

var _ table.Rules[State, Move] = Rules{}

// Name implements table.Rules.
func (Rules) Name() string { return "five-card-draw/v1" }

// Setup implements table.Rules.
func (Rules) Setup(c table.Config) (State, card.Deck, error) {
	r, err := ruleset.Parse(c)
	if err != nil {
		return State{}, card.Deck{}, err
	}
	pack, err := card.NewDeck(deck.Name, deck.Names())
	return State{Rules: r}, pack, err
}

// Duties implements table.Rules.
func (Rules) Duties(s State) []table.Duty { return nil }

// Settle implements table.Rules.
func (Rules) Settle(s State, _ map[table.Card]card.Face) State { return s }

// Apply implements table.Rules.
func (Rules) Apply(s State, in table.Input[Move]) (State, table.Terms, error) {
	return s, table.Terms{}, nil
}

// Result implements table.Rules.
func (Rules) Result(s State) []int { return nil }
