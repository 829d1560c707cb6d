// Package fivecarddraw is five-card draw, the poker that was first played by post: 2 to 6 seats, fixed,
// pot and no limit, antes and blinds, side pots, a hidden exchange, and as many deals as agreed, for
// table stakes.
//
// The numbered rules are in docs/spec/92-five-card-draw.md; comments and errors cite them. deck.go and
// hand.go (cards, and classes of hands) and ruleset.go (options) need no table.
//
// A deal goes through stages (state.go): dealing.go goes from the shuffle to the hands, bets.go has
// both rounds of betting (betting.go is one of them), exchange.go what is put away and drawn, stock.go
// the stock, showdown.go who shows or mucks, openers.go the proof of an opening, settle.go what follows
// a deal, pot.go layers and odd chips, prizes.go the payout by places, forfeit.go what a seat loses
// that does not disclose. move.go is what players say, moves.go the players' side, bot.go a bot.
//
// Nothing hidden is ever proved, except that a shown card has its face. A card that is folded, mucked
// or put away stays closed: no rule makes its token due (FD-R-43).
package fivecarddraw

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
)

// Rules implements table.Rules, and play.Rules for players.
type Rules struct{}

var _ table.Rules[State, Move] = Rules{}

// Name implements table.Rules.
func (Rules) Name() string { return "five-card-draw/v1" }

// Setup implements table.Rules.
func (Rules) Setup(c table.Config) (State, card.Deck, error) {
	r, err := ParseOptions(c)
	if err != nil {
		return State{}, card.Deck{}, err
	}
	pack, err := card.NewDeck(DeckName, FaceNames())
	if err != nil {
		return State{}, card.Deck{}, err
	}
	s := State{Rules: r, Deals: c.Deals, Chips: slices.Repeat([]int{r.Stack}, c.Seats), Out: make([]Out, c.Seats), Past: []SettledDeal{}}
	return s.beginDeal(1, 0), pack, nil
}

// Needs lists what a suite must prove for this game: nothing is ever stated about hidden cards, and no
// card is handed over, unless discards return to the stock (FD-R-34).
func (Rules) Needs(c table.Config) []string {
	needs := []string{"ownership", "shuffle", "reveal"}
	if c.Options["reshuffle"] == OptDiscards {
		needs = append(needs, "transfer", "arrange") // a single card is mixed as an arrangement of one
	}
	if c.Options["disclose"] != "" || c.Options["silent"] != "" {
		needs = append(needs, "disclosure")
	}
	return needs
}

// Duties implements table.Rules.
func (Rules) Duties(s State) []table.Duty {
	switch s.Stage {
	case Over:
		return nil
	case Shuffling:
		return []table.Duty{{Kind: table.Shuffle, Seats: s.Deal.shufflers()}}
	case Dealing, Drawing:
		return s.Deal.showDuties()
	case Returning:
		return s.Deal.returnDuties()
	case Mixing:
		return []table.Duty{{Kind: table.Mix, Seats: s.Deal.shufflers(), Cards: s.Deal.Returned}}
	case Disclosing:
		return []table.Duty{{Kind: table.Disclose, Seats: s.Deal.shufflers()}}
	}
	return []table.Duty{{Kind: table.Move, Seats: []table.Seat{s.awaitedSeat()}}}
}

// Settle implements table.Rules.
func (Rules) Settle(s State, _ map[table.Card]card.Face) State {
	switch s.Stage {
	case Shuffling:
		return s.dealPlaces()
	case Returning:
		s.Stage = Mixing
		return s
	case Mixing:
		return s.afterDiscard()
	case Disclosing:
		return s.nextDeal()
	}
	return s.receiveCards()
}

// fields lists the fields of moves in each stage.
var fields = map[Stage][]string{
	Picking: {pick}, Betting: {fold, check, call, to}, Exchanging: {discard}, BetAfter: {fold, check, call, to},
	Showing: {show, muck}, Opening: {openers},
}

// Apply implements table.Rules.
func (Rules) Apply(s State, in table.Input[Move]) (State, table.Terms, error) {
	m, seat := in.Move, in.Seat
	field := m.fieldName()
	if !slices.Contains(fields[s.Stage], field) {
		return s, table.Terms{}, fmt.Errorf("92.10: in the stage %q a move has one field, %s", s.Stage, strings.Join(fields[s.Stage], " or "))
	}
	var err error
	switch field {
	case pick:
		s, err = s.pickPlaces(m.Pick)
	case fold:
		s = s.fold(seat)
	case check:
		s, err = s.check(seat)
	case call:
		s, err = s.call(seat)
	case to:
		s, err = s.raise(seat, m.To)
	case discard:
		s, err = s.discard(seat, *m.Discard)
	case show:
		return s.show(seat, m.Show)
	case muck:
		s, err = s.muck(seat)
	case openers:
		return s.proveOpeners(seat, *m.Openers, in.Faces)
	}
	return s, table.Terms{}, err
}

// awaitedSeat returns who is to move in a stage that waits for a move.
func (s State) awaitedSeat() table.Seat {
	switch s.Stage {
	case Betting, BetAfter:
		seat, _ := s.Deal.Round.NextSpeaker(s.Deal.Live, s.Chips)
		return seat
	case Picking:
		return s.Deal.In[1-s.Deal.pickedFor()]
	case Opening:
		return table.Seat(s.Deal.Opener)
	}
	return s.Deal.Asked[0]
}

// Result implements table.Rules (FD-R-54, FD-R-55).
func (Rules) Result(s State) []int {
	if s.Rules.Payout == OptPlaces {
		return s.placePayout()
	}
	result := make([]int, len(s.Chips))
	for seat, chips := range s.Chips {
		result[seat] = chips - s.Rules.Stack
	}
	return result
}
