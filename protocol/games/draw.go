package games

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
)

// DrawShown is how many cards are shown.
const DrawShown = 40

const drawCards = 52

// Draw is a game without moves, by which players draw lots that nobody knows beforehand and nobody can
// influence: all seats shuffle, and forty of 52 cards are shown to everybody. One honest shuffle is
// enough. What the faces decide is up to whoever uses the draw, such as an event
// (docs/spec/56-seating.md, 56.1 and 56.7). Draw implements play.Rules.
type Draw struct{}

// DrawState is public.
type DrawState struct {
	Seats int         `json:"seats"`
	Left  int         `json:"left"` // deals left, this one included
	Stage DrawStage   `json:"stage"`
	Faces []card.Face `json:"faces"` // shown last, in the order of the deck
}

// DrawStage is the stage of a draw.
type DrawStage string

// Stages.
const (
	DrawShuffling DrawStage = "shuffling"
	DrawShowing   DrawStage = "showing"
	DrawOver      DrawStage = "over"
)

// DrawMove is never made: nobody chooses anything.
type DrawMove struct{}

// Name implements table.Rules.
func (Draw) Name() string { return "draw/v1" }

// Needs leaves out the relations of hands, since nobody has one.
func (Draw) Needs(table.Config) []string { return []string{"ownership", "shuffle", "reveal"} }

// Setup implements table.Rules.
func (Draw) Setup(c table.Config) (DrawState, card.Deck, error) {
	if err := table.ReadOptions(c).Err(); err != nil {
		return DrawState{}, card.Deck{}, err
	}
	if c.Seats < 2 || c.Seats > 16 {
		return DrawState{}, card.Deck{}, fmt.Errorf("%d seats, a draw is for 2 to 16", c.Seats)
	}
	faces := make([]string, drawCards)
	for i := range faces {
		faces[i] = strconv.Itoa(i + 1)
	}
	deck, err := card.NewDeck("draw-52", faces)
	return DrawState{Seats: c.Seats, Left: c.Deals, Stage: DrawShuffling, Faces: []card.Face{}}, deck, err
}

// Duties implements table.Rules.
func (Draw) Duties(s DrawState) []table.Duty {
	switch s.Stage {
	case DrawShuffling:
		d := table.Duty{Kind: table.Shuffle}
		for seat := range table.Seat(s.Seats) {
			d.Seats = append(d.Seats, seat)
		}
		return []table.Duty{d}
	case DrawShowing:
		d := table.Duty{Kind: table.Show}
		for c := range table.Card(DrawShown) {
			d.Cards = append(d.Cards, c)
		}
		return []table.Duty{d}
	}
	return nil
}

// Settle implements table.Rules.
func (Draw) Settle(s DrawState, open map[table.Card]card.Face) DrawState {
	if s.Stage == DrawShuffling {
		s.Stage = DrawShowing
		return s
	}
	s.Left--
	if s.Stage = DrawOver; s.Left > 0 {
		s.Stage = DrawShuffling
	}
	s.Faces = make([]card.Face, DrawShown)
	for c := range s.Faces {
		s.Faces[c] = open[table.Card(c)]
	}
	return s
}

// Apply implements table.Rules.
func (Draw) Apply(s DrawState, _ table.Input[DrawMove]) (DrawState, table.Terms, error) {
	return s, table.Terms{}, errors.New("nobody moves in a draw")
}

// Result implements table.Rules.
func (Draw) Result(s DrawState) []int { return make([]int, s.Seats) }

// Moves implements play.Rules.
func (Draw) Moves(DrawState, table.View) []DrawMove { return nil }

// Choose implements play.Rules.
func (Draw) Choose(DrawState, table.View, *rand.Rand) (DrawMove, bool) { return DrawMove{}, false }
