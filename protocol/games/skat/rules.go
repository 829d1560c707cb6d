// Package skat is Skat as tournaments play it, with three or four seats and lists of any number of
// deals, and the common home variants as options.
//
// The numbered rules are in docs/spec/90-skat.md, and what must be proved about hidden cards in
// docs/spec/91-skat-proofs.md; comments and errors cite both. Four parts need no hand: deck.go and
// announced.go (cards, classes, order, what follows suit), ruleset.go (options), auction.go, and
// value.go with ramsch.go (matadors, levels, what a game counts). Tricks are in package shared.
//
// A deal goes through stages (state.go), and each stage that waits for moves has a phase. bidding.go
// has the calls; exchange.go the choice, the skat and the announcement; schieber.go the exchange of a
// Schieberamsch; kontra.go Kontra and Re; play.go the ouvert hand and the tricks; early.go conceding
// and claiming; settle.go what is shown when a deal is over; session.go the deals of a list, and
// list.go its scoring systems, ranking and Bock. proofs.go is the catalogue of proofs, move.go has the
// moves, moves.go what players can choose, and bot.go a bot.
//
// No call requires any particular cards; a player proves with every card that does not follow suit that
// it may be played; and the value of a game is settled at its end, from the thirty cards played or from
// what an early end shows.
package skat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/table"
)

// Rules implements table.Rules, and play.Rules for players.
type Rules struct{}

var _ table.Rules[State, Move] = Rules{}

// Name implements table.Rules.
func (Rules) Name() string { return "skat/v1" }

// Setup implements table.Rules.
func (Rules) Setup(c table.Config) (State, card.Deck, error) {
	r, err := ParseRuleSet(c)
	if err != nil {
		return State{}, card.Deck{}, err
	}
	if c.Deals < 1 {
		return State{}, card.Deck{}, fmt.Errorf("SK-R-67: a list of %d deals", c.Deals)
	}
	pack, err := card.NewDeck(DeckName, FaceNames())
	if err != nil {
		return State{}, card.Deck{}, err
	}
	s := State{Rules: r, List: List{Deals: c.Deals, Tally: NewTally(c.Seats), Past: []SettledDeal{}}, Deal: newDeal(0, nil)}
	for seat := range c.Seats {
		s.Seats = append(s.Seats, table.Seat(seat))
	}
	if r.SeatsDraw == OptOn {
		s.Stage = DrawingSeats
		return s, pack, nil
	}
	return s.beginDeal(), pack, nil
}

// Duties implements table.Rules.
func (Rules) Duties(s State) []table.Duty {
	d := s.Deal
	switch s.Stage {
	case Over:
		return nil
	case DrawingSeats:
		return []table.Duty{{Kind: table.Shuffle, Seats: s.Seats}}
	case ShowingSeats:
		return []table.Duty{{Kind: table.Show, Cards: shared.PlacesFrom(0, len(s.Seats))}}
	case Shuffling:
		return []table.Duty{{Kind: table.Shuffle, Seats: s.shufflers()}}
	case Dealing:
		var hands []table.Duty
		for p, hand := range d.Hands {
			hands = append(hands, table.Duty{Kind: table.Show, Cards: hand, To: d.seatsOf(p)})
		}
		return hands
	case Taking:
		return []table.Duty{{Kind: table.Show, Cards: d.Skat, To: d.seatsOf(d.Taker)}}
	case Receiving:
		return []table.Duty{{Kind: table.Give, Seats: d.seatsOf(d.Holder), Cards: d.Skat, To: d.seatsOf(d.Taker)}}
	case Mixing:
		return []table.Duty{{Kind: table.Permute, Seats: d.seatsOf(d.Taker), Cards: d.Hands[d.Taker]}}
	case ShowingSkat:
		return []table.Duty{{Kind: table.Show, Cards: d.Skat}}
	}
	seats := d.seatsOf(phases[s.Stage].movers(s)...)
	return []table.Duty{{Kind: table.Move, Seats: seats, Awaited: seats[:1]}}
}

// Settle implements table.Rules.
func (Rules) Settle(s State, open map[table.Card]card.Face) State {
	switch s.Stage {
	case DrawingSeats:
		s.Stage = ShowingSeats
		return s
	case ShowingSeats:
		s.List = s.takeSeats(open)
		return s.beginDeal()
	case Shuffling:
		return s.dealPlaces()
	case Dealing:
		s.Stage = Bidding
		return s
	case Taking, Receiving:
		return s.takeSkat()
	case Mixing:
		return s.afterMixing()
	case ShowingSkat:
		return s.skatShown(open)
	}
	panic("skat: stage " + s.Stage + " has no steps to settle")
}

// Apply implements table.Rules.
func (Rules) Apply(s State, in table.Input[Move]) (State, table.Terms, error) {
	phase, p := phases[s.Stage], s.Deal.player(in.Seat)
	field := in.Move.fieldName()
	if !slices.Contains(phase.fields, field) {
		return s, table.Terms{}, fmt.Errorf("90.15: in the stage %q a move has one field, %s", s.Stage, strings.Join(phase.fields, " or "))
	}
	return phase.apply(s, p, in.Move)
}

// Result implements table.Rules.
func (Rules) Result(s State) []int { return s.Tally.Sums(s.Rules.Score) }
