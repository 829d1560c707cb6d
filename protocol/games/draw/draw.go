// Package draw is a game without moves, by which players draw lots that nobody knows
// before and nobody bends: all shuffle, and forty of 52 cards are shown to everybody.
// One honest shuffle is enough. What the faces decide is for who asked for the draw, like
// an event (docs/spec/56-seating.md, 56.1 and 56.7).
package draw

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
)

// Shown is how many cards are.
const Shown = 40

const cards = 52

// Rules implements play.Rules.
type Rules struct{}

// State is public.
type State struct {
	Seats int         `json:"seats"`
	Left  int         `json:"left"` // deals, this one included
	Stage Stage       `json:"stage"`
	Faces []card.Face `json:"faces"` // shown last, in the order of the deck
}

// Stage is what is being done.
type Stage string

// Stages.
const (
	Shuffling Stage = "shuffling"
	Showing   Stage = "showing"
	Over      Stage = "over"
)

// Move is none: nobody chooses anything.
type Move struct{}

// Name implements table.Rules.
func (Rules) Name() string { return "draw/v1" }

// Needs leaves out the relations of hands: nobody has one.
func (Rules) Needs(table.Config) []string { return []string{"ownership", "shuffle", "reveal"} }

// Setup implements table.Rules.
func (Rules) Setup(c table.Config) (State, card.Deck, error) {
	if err := table.ReadOptions(c).Err(); err != nil {
		return State{}, card.Deck{}, err
	}
	if c.Seats < 2 || c.Seats > 16 {
		return State{}, card.Deck{}, fmt.Errorf("%d seats, a draw is for 2 to 16", c.Seats)
	}
	faces := make([]string, cards)
	for i := range faces {
		faces[i] = strconv.Itoa(i + 1)
	}
	deck, err := card.NewDeck("draw-52", faces)
	return State{Seats: c.Seats, Left: c.Deals, Stage: Shuffling, Faces: []card.Face{}}, deck, err
}

// Duties implements table.Rules.
func (Rules) Duties(s State) []table.Duty {
	switch s.Stage {
	case Shuffling:
		d := table.Duty{Kind: table.Shuffle}
		for seat := range table.Seat(s.Seats) {
			d.Seats = append(d.Seats, seat)
		}
		return []table.Duty{d}
	case Showing:
		d := table.Duty{Kind: table.Show}
		for c := range table.Card(Shown) {
			d.Cards = append(d.Cards, c)
		}
		return []table.Duty{d}
	}
	return nil
}

// Settle implements table.Rules.
func (Rules) Settle(s State, open map[table.Card]card.Face) State {
	if s.Stage == Shuffling {
		s.Stage = Showing
		return s
	}
	s.Left--
	if s.Stage = Over; s.Left > 0 {
		s.Stage = Shuffling
	}
	s.Faces = make([]card.Face, Shown)
	for c := range s.Faces {
		s.Faces[c] = open[table.Card(c)]
	}
	return s
}

// Apply implements table.Rules.
func (Rules) Apply(s State, _ table.Input[Move]) (State, table.Terms, error) {
	return s, table.Terms{}, errors.New("nobody moves in a draw")
}

// Result implements table.Rules.
func (Rules) Result(s State) []int { return make([]int, s.Seats) }

// Moves implements play.Rules.
func (Rules) Moves(State, table.View) []Move { return nil }

// Choose implements play.Rules.
func (Rules) Choose(State, table.View, *rand.Rand) (Move, bool) { return Move{}, false }
