// Package dare is the smallest game that can be added: two seats have a card each, one
// after the other they dare, which shows it, or duck; the higher card wins a point.
package dare

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

// State is what everybody sees.
type State struct {
	Stage string   `json:"stage"` // shuffle, deal, play, over
	Said  []string `json:"said"`  // by seat: a card, or "" of who ducked
}

// Move shows a card, or ducks if it names none.
type Move struct {
	Face string `json:"face"`
}

var faces = []string{"1", "2", "3", "4", "5", "6"}

// Name implements table.Rules.
func (Rules) Name() string { return "dare/v1" }

// Setup implements table.Rules.
func (Rules) Setup(c table.Config) (State, card.Deck, error) {
	if err := table.ReadOptions(c).Err(); err != nil || c.Seats != 2 || c.Deals != 1 {
		return State{}, card.Deck{}, errors.Join(err, errors.New("D-1: two seats play one deal"))
	}
	deck, err := card.NewDeck("dare", faces)
	return State{Stage: "shuffle", Said: []string{}}, deck, err
}

// Duties implements table.Rules.
func (Rules) Duties(s State) []table.Duty {
	switch s.Stage {
	case "shuffle":
		return []table.Duty{{Kind: table.Shuffle, Seats: []table.Seat{0, 1}}}
	case "deal":
		return []table.Duty{{Kind: table.Show, Cards: []table.Card{0}, To: []table.Seat{0}}, {Kind: table.Show, Cards: []table.Card{1}, To: []table.Seat{1}}}
	case "play":
		return []table.Duty{{Kind: table.Move, Seats: []table.Seat{table.Seat(len(s.Said))}}}
	}
	return nil
}

// Settle implements table.Rules.
func (Rules) Settle(s State, _ map[table.Card]card.Face) State {
	s.Stage = map[string]string{"shuffle": "deal", "deal": "play"}[s.Stage]
	return s
}

// Apply implements table.Rules.
func (Rules) Apply(s State, in table.Input[Move]) (State, table.Terms, error) {
	var terms table.Terms
	if in.Move.Face != "" {
		f := slices.Index(faces, in.Move.Face)
		if f < 0 {
			return s, terms, fmt.Errorf("D-2: %.10q is no card", in.Move.Face)
		}
		terms.Open = []table.ShownCard{{Card: table.Card(in.Seat), Face: card.Face(f)}}
	}
	s.Said = append(slices.Clone(s.Said), in.Move.Face)
	if len(s.Said) == 2 {
		s.Stage = "over"
	}
	return s, terms, nil
}

// Moves implements play.Rules.
func (Rules) Moves(s State, v table.View) []Move {
	return []Move{{Face: faces[v.Faces[table.Card(v.Seat)]]}, {}}
}

// Choose implements play.Rules.
func (r Rules) Choose(s State, v table.View, random *rand.Rand) (Move, bool) {
	return play.RandomMove(r.Moves(s, v), random)
}

// Result implements table.Rules.
func (Rules) Result(s State) []int {
	switch {
	case s.Said[0] > s.Said[1]:
		return []int{1, -1}
	case s.Said[0] < s.Said[1]:
		return []int{-1, 1}
	}
	return []int{0, 0}
}
