// Package schwarzerpeter is the game of Schwarzer Peter (Old Maid), in two rule
// sets: "article", the worked example of the LibTMCG article for two players,
// and "common", as it is played by two to eight. docs/spec/60-games.md, 60.4,
// states the rules under the numbers SP-S1… and SP-C1… that errors and tests
// cite, and what must be proved.
//
// A card is drawn by its position in the holder's hand: the holder masks it
// for the drawer (Give), who permutes the whole hand (Permute), so that nobody
// can follow it. Pairs are laid down by opening both cards. No rule needs a
// fact about cards that stay hidden: that a pair was kept cannot be seen, so
// laying down is a right and never a duty.
//
// Scores are zero-sum: the seat left with the odd card loses one point to each
// of the others. A table of several deals adds them up, and the first seat
// moves on by one from deal to deal.
package schwarzerpeter

import (
	"fmt"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
)

// Rules implements table.Rules, and play.Rules for players.
type Rules struct{}

var _ table.Rules[State, Move] = Rules{}

// Name implements table.Rules.
func (Rules) Name() string { return "schwarzer-peter/v1" }

// Setup implements table.Rules.
func (Rules) Setup(c table.Config) (State, card.Deck, error) {
	o, err := readOptions(c)
	if err != nil {
		return State{}, card.Deck{}, err
	}
	deck, err := o.deck()
	if err != nil {
		return State{}, card.Deck{}, err
	}
	s := State{Options: o, Deals: c.Deals, Scores: make([]int, c.Seats), Last: []table.Seat{}}
	return s.shuffle(), deck, nil
}

// Duties implements table.Rules.
func (Rules) Duties(s State) []table.Duty {
	switch s.Stage {
	case Shuffling:
		return []table.Duty{{Kind: table.Shuffle, Seats: s.from(s.First)}}
	case Dealing:
		var duties []table.Duty
		for seat, hand := range s.Hands {
			duties = append(duties, table.Duty{Kind: table.Show, Cards: hand, To: []table.Seat{table.Seat(seat)}})
		}
		return duties
	case Laying, Drawing:
		return []table.Duty{{Kind: table.Move, Seats: []table.Seat{s.Turn}}}
	case Giving:
		return []table.Duty{{Kind: table.Give, Seats: []table.Seat{s.Drawn.From}, Cards: []table.Card{s.Drawn.Card}, To: []table.Seat{s.Drawn.By}}}
	case Permuting:
		return []table.Duty{{Kind: table.Permute, Seats: []table.Seat{s.Turn}, Cards: s.Hands[s.Turn]}}
	}
	return nil
}

// Settle implements table.Rules.
func (Rules) Settle(s State, _ map[table.Card]card.Face) State {
	switch s.Stage {
	case Shuffling:
		return s.deal()
	case Dealing:
		return s.lay(s.layersAfterDeal())
	case Giving:
		return s.handOver()
	case Permuting:
		return s.lay(s.layersAfterDraw())
	}
	return s
}

// Apply implements table.Rules.
func (Rules) Apply(s State, in table.Input[Move]) (State, table.Terms, error) {
	m := in.Move
	switch {
	case m.Lay != nil && m.Draw == nil && s.Stage == Laying:
		return s.layDown(*m.Lay)
	case m.Draw != nil && m.Lay == nil && s.Stage == Drawing:
		next, err := s.draw(*m.Draw)
		return next, table.Terms{}, err
	case s.Stage == Laying:
		return s, table.Terms{}, fmt.Errorf("%s: %c may lay down pairs now: the move is {\"lay\":[…]}", s.rule("SP-S3", "SP-C3"), letter(in.Seat))
	}
	return s, table.Terms{}, fmt.Errorf("%s: %c must draw a card now: the move is {\"draw\":{…}}", s.rule("SP-S5", "SP-C4"), letter(in.Seat))
}

// Result implements table.Rules.
func (Rules) Result(s State) []int { return s.Scores }
