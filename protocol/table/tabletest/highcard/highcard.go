// Package highcard is a game for tests of tables whose locks are disclosed: the smallest one
// that needs no more than shuffles and tokens, and in which a seat sits out.
//
//   - H1 The pack has nine cards, 1 to 9. There are four seats. In each deal one of them sits
//     out, seat 0 in the first. The other three, from the next one on, shuffle and get two
//     cards each. One card is turned up.
//   - H2 Each of the three lays a card of its hand, or passes.
//   - H3 The highest card laid wins its seat three points, and loses every other seat one. If
//     none is laid, nobody wins.
//   - H4 With disclose=deal the three disclose their locks after each deal.
//   - H5 With silent=forfeits a seat that alone does not disclose has lost 300 points, and
//     every other has won 100.
package highcard

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
)

// Rules implements play.Rules.
type Rules struct{}

var _ play.Rules[State, Move] = Rules{}

const (
	seats   = 4
	playing = seats - 1 // in a deal
	faces   = 9
	upcard  = table.Card(2 * playing)
)

// Stage is what play waits for.
type Stage string

// The stages of a deal in their order.
const (
	Shuffle  Stage = "shuffle"
	Deal     Stage = "deal"
	Lay      Stage = "lay"
	Disclose Stage = "disclose"
	Over     Stage = "over"
)

// State is what everybody sees.
type State struct {
	Stage    Stage             `json:"stage"`
	Out      table.Seat        `json:"out"`  // of this deal
	Left     int               `json:"left"` // deals after this one
	Laid     []table.ShownCard `json:"laid"` // from the first seat on; a pass is Passed
	Scores   []int             `json:"scores"`
	Each     bool              `json:"each"`     // disclose=deal
	Forfeits bool              `json:"forfeits"` // silent=forfeits
}

// Passed stands in State.Laid for a seat that laid nothing.
var Passed = table.ShownCard{Card: 255}

// Move is a card that is laid; none is a pass.
type Move struct {
	Lay *table.ShownCard `json:"lay,omitempty"`
}

// Name implements table.Rules.
func (Rules) Name() string { return "highcard/v1" }

// Needs is what lets a suite of locks play it.
func (Rules) Needs(table.Config) []string { return []string{"ownership", "shuffle", "reveal"} }

// Setup implements table.Rules.
func (Rules) Setup(c table.Config) (State, card.Deck, error) {
	o := table.ReadOptions(c)
	s := State{Stage: Shuffle, Left: c.Deals - 1, Laid: []table.ShownCard{}, Scores: make([]int, seats)}
	s.Each, s.Forfeits = o.Choice("disclose", "table", "deal") == "deal", o.Choice("silent", "waits", "forfeits") == "forfeits"
	if err := o.Err(); err != nil {
		return State{}, card.Deck{}, err
	}
	if c.Seats != seats {
		return State{}, card.Deck{}, errors.New("H1: there are four seats")
	}
	var names []string
	for f := range faces {
		names = append(names, fmt.Sprint(f+1))
	}
	deck, err := card.NewDeck("highcard", names)
	return s, deck, err
}

// dealSeats are the seats of the deal.
func (s State) dealSeats() (list []table.Seat) {
	for i := range table.Seat(playing) {
		list = append(list, (s.Out+1+i)%seats)
	}
	return list
}

// dealtCards are the cards that the i-th seat of the deal gets.
func dealtCards(i int) []table.Card { return []table.Card{2 * table.Card(i), 2*table.Card(i) + 1} }

// Duties implements table.Rules.
func (Rules) Duties(s State) []table.Duty {
	switch s.Stage {
	case Shuffle, Disclose:
		kind := map[Stage]table.Kind{Shuffle: table.Shuffle, Disclose: table.Disclose}[s.Stage]
		return []table.Duty{{Kind: kind, Seats: s.dealSeats()}}
	case Deal:
		duties := []table.Duty{{Kind: table.Show, Cards: []table.Card{upcard}}}
		for i, seat := range s.dealSeats() {
			duties = append(duties, table.Duty{Kind: table.Show, Cards: dealtCards(i), To: []table.Seat{seat}})
		}
		return duties
	case Lay:
		return []table.Duty{{Kind: table.Move, Seats: []table.Seat{s.dealSeats()[len(s.Laid)]}}}
	}
	return nil
}

// Settle implements table.Rules.
func (Rules) Settle(s State, _ map[table.Card]card.Face) State {
	if s.Stage == Disclose {
		return s.nextDeal()
	}
	s.Stage = map[Stage]Stage{Shuffle: Deal, Deal: Lay}[s.Stage]
	return s
}

// Apply implements table.Rules.
func (Rules) Apply(s State, in table.Input[Move]) (State, table.Terms, error) {
	terms, laid := table.Terms{}, Passed
	if l := in.Move.Lay; l != nil {
		if !slices.Contains(dealtCards(len(s.Laid)), l.Card) || int(l.Face) >= faces {
			return s, terms, fmt.Errorf("H2: seat %s has no card %d, or there is no face %d", in.Seat.Letter(), l.Card, l.Face)
		}
		laid, terms.Open = *l, []table.ShownCard{*l}
	}
	if s.Laid = append(slices.Clone(s.Laid), laid); len(s.Laid) < playing {
		return s, terms, nil
	}
	return s.endDeal(), terms, nil
}

// endDeal is H3.
func (s State) endDeal() State {
	best := slices.MaxFunc(s.Laid, func(a, b table.ShownCard) int { return faceValue(a) - faceValue(b) })
	if s.Scores = slices.Clone(s.Scores); best != Passed {
		for seat := range s.Scores {
			s.Scores[seat]--
		}
		s.Scores[s.dealSeats()[slices.Index(s.Laid, best)]] += seats
	}
	if s.Each {
		s.Stage = Disclose
		return s
	}
	return s.nextDeal()
}

func faceValue(c table.ShownCard) int {
	if c == Passed {
		return -1
	}
	return int(c.Face)
}

// nextDeal is the next deal.
func (s State) nextDeal() State {
	if s.Stage = Over; s.Left > 0 {
		s.Stage, s.Left, s.Out, s.Laid = Shuffle, s.Left-1, (s.Out+1)%seats, []table.ShownCard{}
	}
	return s
}

// Moves implements play.Rules.
func (Rules) Moves(s State, v table.View) []Move {
	moves := []Move{{}}
	for _, c := range dealtCards(len(s.Laid)) {
		moves = append(moves, Move{Lay: &table.ShownCard{Card: c, Face: v.Faces[c]}})
	}
	return moves
}

// Choose implements play.Rules.
func (r Rules) Choose(s State, v table.View, random *rand.Rand) (Move, bool) {
	return play.RandomMove(r.Moves(s, v), random)
}

// Result implements table.Rules.
func (Rules) Result(s State) []int { return s.Scores }

// Forfeit is H5.
func (Rules) Forfeit(s State, silent table.Seat) ([]int, bool) {
	scores := slices.Clone(s.Scores)
	for seat := range scores {
		scores[seat] += 100
	}
	scores[silent] -= 100 * seats
	return scores, s.Forfeits
}
