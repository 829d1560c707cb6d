// Package sitout is a game for tests of which one seat of four sits out in turn: the
// smallest one with every kind of duty in a deal that has not all seats of the table.
//
//   - O1 The pack has nine cards, 1 to 9. There are four seats. In each deal one of them
//     deals and sits out, seat 0 in the first. The other three, from the next one on,
//     shuffle and get two cards each. One card is turned up; two are left.
//   - O2 The first of the three hands a card to the second, who mixes its hand.
//   - O3 Each of the three lays a card of its hand. It may say "best": it has no higher
//     one; or "low": both that it was dealt are lower than the card turned up.
//   - O4 The dealer, who has no card, calls the deal "fair" or "foul". It changes nothing.
//   - O5 The highest card laid wins its seat three points, and loses every other seat one.
package sitout

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
	Shuffle Stage = "shuffle"
	Deal    Stage = "deal"
	Hand    Stage = "hand"
	Mix     Stage = "mix"
	Lay     Stage = "lay"
	Call    Stage = "call"
	Over    Stage = "over"
)

// State is what everybody sees.
type State struct {
	Stage  Stage             `json:"stage"`
	Dealer table.Seat        `json:"dealer"`
	Left   int               `json:"left"` // deals after this one
	Laid   []table.ShownCard `json:"laid"` // from the first seat on
	Scores []int             `json:"scores"`
}

// Move is a card that is laid, with what is said of it, or a call.
type Move struct {
	Lay  *table.ShownCard `json:"lay,omitempty"`
	Say  string           `json:"say,omitempty"`
	Call string           `json:"call,omitempty"`
}

// Name implements table.Rules.
func (Rules) Name() string { return "sitout/v1" }

// Setup implements table.Rules.
func (Rules) Setup(c table.Config) (State, card.Deck, error) {
	if err := table.ReadOptions(c).Err(); err != nil {
		return State{}, card.Deck{}, err
	}
	if c.Seats != seats {
		return State{}, card.Deck{}, errors.New("O1: there are four seats")
	}
	var names []string
	for f := range faces {
		names = append(names, fmt.Sprint(f+1))
	}
	deck, err := card.NewDeck("sitout", names)
	return State{Stage: Shuffle, Left: c.Deals - 1, Laid: []table.ShownCard{}, Scores: make([]int, seats)}, deck, err
}

// SeatAt is the seat that is so many after the first of the deal.
func (s State) SeatAt(i int) table.Seat { return (s.Dealer + 1 + table.Seat(i)) % seats }

// dealtCards are the cards that the i-th seat of the deal gets by O1.
func dealtCards(i int) []table.Card { return []table.Card{2 * table.Card(i), 2*table.Card(i) + 1} }

// hands are the hands after O2, by place in the deal.
var hands = [playing][]table.Card{{1}, {0, 2, 3}, {4, 5}}

// Duties implements table.Rules.
func (Rules) Duties(s State) []table.Duty {
	switch s.Stage {
	case Shuffle:
		return []table.Duty{{Kind: table.Shuffle, Seats: []table.Seat{s.SeatAt(0), s.SeatAt(1), s.SeatAt(2)}}}
	case Deal:
		duties := []table.Duty{{Kind: table.Show, Cards: []table.Card{upcard}}}
		for i := range playing {
			duties = append(duties, table.Duty{Kind: table.Show, Cards: dealtCards(i), To: []table.Seat{s.SeatAt(i)}})
		}
		return duties
	case Hand:
		return []table.Duty{{Kind: table.Give, Seats: []table.Seat{s.SeatAt(0)}, Cards: []table.Card{0}, To: []table.Seat{s.SeatAt(1)}}}
	case Mix:
		return []table.Duty{{Kind: table.Permute, Seats: []table.Seat{s.SeatAt(1)}, Cards: hands[1]}}
	case Lay:
		return []table.Duty{{Kind: table.Move, Seats: []table.Seat{s.SeatAt(len(s.Laid))}}}
	case Call:
		return []table.Duty{{Kind: table.Move, Seats: []table.Seat{s.Dealer}}}
	}
	return nil
}

// Settle implements table.Rules.
func (Rules) Settle(s State, _ map[table.Card]card.Face) State {
	s.Stage = map[Stage]Stage{Shuffle: Deal, Deal: Hand, Hand: Mix, Mix: Lay}[s.Stage]
	return s
}

// Apply implements table.Rules.
func (Rules) Apply(s State, in table.Input[Move]) (State, table.Terms, error) {
	m := in.Move
	switch {
	case s.Stage == Lay && m.Lay != nil && m.Call == "":
		return s.layCard(m, in.Faces[upcard])
	case s.Stage == Call && (m == Move{Call: "fair"} || m == Move{Call: "foul"}):
		return s.endDeal(), table.Terms{}, nil
	}
	return s, table.Terms{}, fmt.Errorf("O3, O4: play waits for a seat to %s", s.Stage)
}

func (s State) layCard(m Move, up card.Face) (State, table.Terms, error) {
	i := len(s.Laid)
	at := slices.Index(hands[i], m.Lay.Card)
	if at < 0 || int(m.Lay.Face) >= faces {
		return s, table.Terms{}, fmt.Errorf("O3: seat %d has no card %d, or there is no face %d", s.SeatAt(i), m.Lay.Card, m.Lay.Face)
	}
	terms := table.Terms{Open: []table.ShownCard{*m.Lay}}
	switch rest := slices.Delete(slices.Clone(hands[i]), at, at+1); {
	case m.Say == "best" && len(rest) > 0:
		terms.Prove = []table.Condition{{Cards: rest, Set: facesFrom(m.Lay.Face)}}
	case m.Say == "low":
		terms.Prove = []table.Condition{{Cards: dealtCards(i), Set: facesFrom(up), Dealt: true}}
	case m.Say != "":
		return s, table.Terms{}, fmt.Errorf("O3: a seat with %d cards cannot say %.10q", len(hands[i]), m.Say)
	}
	if s.Laid = append(slices.Clone(s.Laid), *m.Lay); len(s.Laid) == playing {
		s.Stage = Call
	}
	return s, terms, nil
}

// facesFrom are the faces from f on.
func facesFrom(f card.Face) (set card.Set) {
	for ; f < faces; f++ {
		set = set.AddFace(f)
	}
	return set
}

// endDeal is O5, and the next deal.
func (s State) endDeal() State {
	best := 0
	for i, c := range s.Laid {
		if c.Face > s.Laid[best].Face {
			best = i
		}
	}
	winner := s.SeatAt(best)
	s.Scores = slices.Clone(s.Scores)
	for seat := range s.Scores {
		s.Scores[seat]--
	}
	s.Scores[winner] += seats
	if s.Stage = Over; s.Left > 0 {
		s.Stage, s.Left, s.Dealer, s.Laid = Shuffle, s.Left-1, s.SeatAt(0), []table.ShownCard{}
	}
	return s
}

// Moves implements play.Rules. It lists all that are true.
func (Rules) Moves(s State, v table.View) []Move {
	if s.Stage == Call {
		return []Move{{Call: "fair"}, {Call: "foul"}}
	}
	i := len(s.Laid)
	var moves []Move
	for _, c := range hands[i] {
		lay := &table.ShownCard{Card: c, Face: v.Faces[c]}
		moves = append(moves, Move{Lay: lay})
		higher := func(o table.Card) bool { return v.Faces[o] > lay.Face }
		if len(hands[i]) > 1 && !slices.ContainsFunc(hands[i], higher) {
			moves = append(moves, Move{Lay: lay, Say: "best"})
		}
		over := func(o table.Card) bool { return v.Dealt[o] >= v.Faces[upcard] }
		if !slices.ContainsFunc(dealtCards(i), over) {
			moves = append(moves, Move{Lay: lay, Say: "low"})
		}
	}
	return moves
}

// Choose implements play.Rules.
func (r Rules) Choose(s State, v table.View, random *rand.Rand) (Move, bool) {
	return play.RandomMove(r.Moves(s, v), random)
}

// Result implements table.Rules.
func (Rules) Result(s State) []int { return s.Scores }
