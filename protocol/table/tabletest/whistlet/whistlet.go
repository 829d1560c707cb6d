// Package whistlet is a trick game for tests: the smallest one that asks for
// every form of the kernel's conditions and for a card that everybody sees.
//
//   - W1 The pack has 16 cards, the ranks J Q K A of the suits C S H D. Three
//     seats get five each; the last card is turned up and its suit is trump.
//   - W2 From seat 0 on, each seat bids once: "pass"; "one", at least one
//     honour (an ace) in the hand; "two", exactly two. The last seat that bid
//     most leads to the first trick, and seat 0 if all passed.
//   - W3 A card that is played is in the hand and has the face its holder says.
//   - W4 A card of the led suit must be played if the hand has one.
//   - W5 The highest trump takes the trick, or else the highest card of the led
//     suit; who took it leads to the next.
//   - W6 A seat scores three points for each of its tricks, less five.
package whistlet

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
)

// Rules implements table.Rules.
type Rules struct{}

var _ table.Rules[State, Move] = Rules{}

const (
	seats    = 3
	handSize = 5
	upcard   = table.Card(seats * handSize)
	suits    = "CSHD"
	order    = "JQKA"
)

// Bids, from the lowest.
var bids = []string{"pass", "one", "two"}

// State is what everybody sees.
type State struct {
	Dealt  bool           `json:"dealt"`
	Shown  bool           `json:"shown"`
	Bids   []string       `json:"bids"` // by seat, as far as they bid
	Leader table.Seat     `json:"leader"`
	Trick  []table.Shown  `json:"trick"` // cards played to the trick, leader first
	Hands  [][]table.Card `json:"hands"`
	Tricks []int          `json:"tricks"` // by seat
}

// Move is a bid or a card: exactly one of its fields is set.
type Move struct {
	Bid  string       `json:"bid,omitempty"`
	Card *table.Shown `json:"card,omitempty"`
}

// Name implements table.Rules.
func (Rules) Name() string { return "whistlet/v1" }

// Setup implements table.Rules.
func (Rules) Setup(c table.Config) (State, card.Deck, error) {
	if err := table.ReadOptions(c).Err(); err != nil {
		return State{}, card.Deck{}, err
	}
	if c.Seats != seats || c.Deals != 1 {
		return State{}, card.Deck{}, errors.New("W1: whistlet is for three seats and one deal")
	}
	var faces []string
	for _, suit := range suits {
		for _, rank := range order {
			faces = append(faces, string(rank)+string(suit))
		}
	}
	deck, err := card.NewDeck("whistlet", faces)
	return State{Bids: []string{}, Trick: []table.Shown{}, Tricks: make([]int, seats)}, deck, err
}

func suitOf(f card.Face) int { return int(f) / len(order) }

// Set is the faces of one suit.
func Set(suit int) card.Set {
	var s card.Set
	for i := range len(order) {
		s = s.With(card.Face(suit*len(order) + i))
	}
	return s
}

// Honours are the aces (W2).
func Honours() card.Set {
	var s card.Set
	for suit := range len(suits) {
		s = s.With(card.Face(suit*len(order) + len(order) - 1))
	}
	return s
}

// Turn is the seat that bids or plays next.
func (s State) Turn() table.Seat {
	if len(s.Bids) < seats {
		return table.Seat(len(s.Bids))
	}
	return (s.Leader + table.Seat(len(s.Trick))) % seats
}

// Duties implements table.Rules.
func (Rules) Duties(s State) []table.Duty {
	switch {
	case !s.Dealt:
		return []table.Duty{{Kind: table.Shuffle, Seats: []table.Seat{0, 1, 2}}}
	case !s.Shown:
		duties := []table.Duty{{Kind: table.Show, Cards: []table.Card{upcard}}}
		for seat, hand := range s.Hands {
			duties = append(duties, table.Duty{Kind: table.Show, Cards: hand, To: []table.Seat{table.Seat(seat)}})
		}
		return duties
	case len(s.Hands[0])+len(s.Hands[1])+len(s.Hands[2]) == 0:
		return nil
	}
	return []table.Duty{{Kind: table.Move, Seats: []table.Seat{s.Turn()}}}
}

// Settle implements table.Rules.
func (Rules) Settle(s State, _ map[table.Card]card.Face) State {
	if s.Dealt {
		s.Shown = true
		return s
	}
	s.Dealt, s.Hands = true, make([][]table.Card, seats)
	for c := range upcard {
		s.Hands[c/handSize] = append(s.Hands[c/handSize], c)
	}
	return s
}

// Apply implements table.Rules.
func (Rules) Apply(s State, in table.Input[Move]) (State, table.Terms, error) {
	switch m := in.Move; {
	case len(s.Bids) < seats && m.Card == nil:
		return s.bid(m.Bid)
	case len(s.Bids) == seats && m.Bid == "" && m.Card != nil:
		return s.play(*m.Card, in.Faces[upcard])
	}
	return s, table.Terms{}, errors.New("W2: first every seat bids, then cards are played")
}

func (s State) bid(bid string) (State, table.Terms, error) {
	value := slices.Index(bids, bid)
	if value < 0 {
		return s, table.Terms{}, fmt.Errorf("W2: unknown bid %.10q", bid)
	}
	hand := s.Hands[s.Turn()]
	var terms table.Terms
	switch bid {
	case "one":
		terms.Prove = []table.Condition{{Cards: hand, Set: Honours(), Min: 1, Max: len(hand)}}
	case "two":
		terms.Prove = []table.Condition{{Cards: hand, Set: Honours(), Min: 2, Max: 2}}
	}
	if value > 0 && value >= s.highest() {
		s.Leader = s.Turn()
	}
	s.Bids = append(slices.Clone(s.Bids), bid)
	return s, terms, nil
}

func (s State) highest() int {
	highest := 0
	for _, b := range s.Bids {
		highest = max(highest, slices.Index(bids, b))
	}
	return highest
}

func (s State) play(c table.Shown, up card.Face) (State, table.Terms, error) {
	turn := s.Turn()
	i := slices.Index(s.Hands[turn], c.Card)
	if i < 0 {
		return s, table.Terms{}, fmt.Errorf("W3: card %d is not in the hand of seat %d", c.Card, turn)
	}
	if int(c.Face) >= len(suits)*len(order) {
		return s, table.Terms{}, fmt.Errorf("W3: there is no face %d", c.Face)
	}
	s.Hands = slices.Clone(s.Hands)
	s.Hands[turn] = slices.Delete(slices.Clone(s.Hands[turn]), i, i+1)
	terms := table.Terms{Open: []table.Shown{c}}
	if rest := s.Hands[turn]; len(s.Trick) > 0 && len(rest) > 0 && suitOf(c.Face) != suitOf(s.Trick[0].Face) {
		terms.Prove = []table.Condition{{Cards: rest, Set: Set(suitOf(s.Trick[0].Face)), Max: 0}}
	}
	s.Trick = append(slices.Clone(s.Trick), c)
	if len(s.Trick) == seats {
		s = s.take(suitOf(up))
	}
	return s, terms, nil
}

// take gives the trick to the highest card (W5).
func (s State) take(trump int) State {
	strength := func(f card.Face) int {
		switch suitOf(f) {
		case trump:
			return 2*len(order) + int(f)
		case suitOf(s.Trick[0].Face):
			return int(f) % len(order)
		}
		return -1
	}
	best := 0
	for i := range s.Trick {
		if strength(s.Trick[i].Face) > strength(s.Trick[best].Face) {
			best = i
		}
	}
	s.Leader = (s.Leader + table.Seat(best)) % seats
	s.Tricks = slices.Clone(s.Tricks)
	s.Tricks[s.Leader]++
	s.Trick = []table.Shown{}
	return s
}

// Moves implements table.Rules. It lists all that are legal.
func (Rules) Moves(s State, v table.View) []Move {
	hand := s.Hands[v.Seat]
	if len(s.Bids) < seats {
		return bidsOf(count(hand, v, Honours()))
	}
	led := card.Set{}
	if len(s.Trick) > 0 {
		led = Set(suitOf(s.Trick[0].Face))
	}
	mustFollow := count(hand, v, led) > 0
	var moves []Move
	for _, c := range hand {
		if f := v.Faces[c]; !mustFollow || led.Has(f) {
			moves = append(moves, Move{Card: &table.Shown{Card: c, Face: f}})
		}
	}
	return moves
}

func bidsOf(honours int) []Move {
	moves := []Move{{Bid: "pass"}}
	if honours >= 1 {
		moves = append(moves, Move{Bid: "one"})
	}
	if honours == 2 {
		moves = append(moves, Move{Bid: "two"})
	}
	return moves
}

func count(hand []table.Card, v table.View, set card.Set) (n int) {
	for _, c := range hand {
		if set.Has(v.Faces[c]) {
			n++
		}
	}
	return n
}

// Result implements table.Rules.
func (Rules) Result(s State) []int {
	scores := make([]int, seats)
	for seat, n := range s.Tricks {
		scores[seat] = 3*n - handSize
	}
	return scores
}
