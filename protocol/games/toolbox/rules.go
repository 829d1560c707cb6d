// Package toolbox is a game without an aim: every operation on cards as a move. Two to eight seats lay,
// mask, mix, cut, deal, show and hand over cards in named piles, and throw numbers together. Each move
// is followed by the protocol steps that it needs. Then anybody may move again, until somebody ends the
// table. Scripts and other programs use it as a library of card operations (package protocol/toolbox).
//
// Normative text: docs/spec/93-toolbox.md, whose rules errors name.
package toolbox

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
)

// Name is the game's name.
const Name = "toolbox/v1"

// Bounds of a table.
const (
	MaxSeats  = 8
	MaxPiles  = 64
	MaxPlaces = 1024 // of cards in one deal, including those laid aside
	MaxPile   = card.MaxFaces
)

// Rules implements play.Rules.
type Rules struct{}

// Name implements table.Rules.
func (Rules) Name() string { return Name }

// Needs says that all relations are needed.
func (Rules) Needs(table.Config) []string {
	return []string{"ownership", "shuffle", "reveal", "transfer", "condition", "permute", "arrange", "mint"}
}

// Setup implements table.Rules. The options are faces and names.
func (Rules) Setup(c table.Config) (State, card.Deck, error) {
	o := table.ReadOptions(c)
	faces := o.Int("faces", 52, 2, card.MaxFaces)
	names := make([]string, faces)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	if given := o.Text("names", ""); given != "" {
		if names = strings.Split(given, ","); len(names) != faces && o.Err() == nil {
			return State{}, card.Deck{}, fmt.Errorf("option names: %d names for %d faces", len(names), faces)
		}
	}
	if err := o.Err(); err != nil {
		return State{}, card.Deck{}, err
	}
	if c.Seats < 2 || c.Seats > MaxSeats {
		return State{}, card.Deck{}, fmt.Errorf("%d seats, must be 2 to %d", c.Seats, MaxSeats)
	}
	deck, err := card.NewDeck("toolbox", names)
	return State{Seats: c.Seats, Faces: faces, Piles: map[string][]table.Card{}, Hands: make([][]table.Card, c.Seats)}, deck, err
}

// Duties implements table.Rules.
func (Rules) Duties(s State) []table.Duty {
	switch {
	case len(s.Steps) > 0:
		return s.Steps[0]
	case s.Over:
		return nil
	}
	if op, seats := s.throwStep(); op != "" {
		return []table.Duty{{Kind: table.Move, Seats: seats}}
	}
	return []table.Duty{{Kind: table.Move, Seats: s.allSeats(), Awaited: []table.Seat{}}}
}

// Settle implements table.Rules.
func (Rules) Settle(s State, _ map[table.Card]card.Face) State {
	s.Steps = s.Steps[1:]
	return s
}

// Result implements table.Rules: nobody wins.
func (Rules) Result(s State) []int { return make([]int, s.Seats) }

// Apply implements table.Rules.
func (Rules) Apply(s State, in table.Input[Move]) (State, table.Terms, error) {
	s.Piles, s.Hands = maps.Clone(s.Piles), slices.Clone(s.Hands)
	a := &stateChange{State: s, in: in, m: in.Move}
	op, known := operations[in.Move.Op]
	if !known {
		return s, table.Terms{}, fmt.Errorf("TB-OP: there is no operation %q", in.Move.Op)
	}
	if in.Move != in.Move.withFields(op.fields) {
		return s, table.Terms{}, fmt.Errorf("TB-OP: %s has only the fields %s", in.Move.Op, op.fields)
	}
	for _, step := range []func(*stateChange){(*stateChange).inThrow, op.do, (*stateChange).checkBounds} {
		if step(a); a.err != nil {
			break
		}
	}
	return a.State, a.terms, a.err
}

func (s State) allSeats() []table.Seat {
	seats := make([]table.Seat, s.Seats)
	for i := range seats {
		seats[i] = table.Seat(i)
	}
	return seats
}

// isName reports whether a pile may have a name.
func isName(name string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	return name != "" && len(name) <= 16 && strings.Contains(letters, name[:1]) &&
		!strings.ContainsFunc(name, func(r rune) bool { return !strings.ContainsRune(letters+"0123456789-", r) })
}

// checkBounds bounds the table after a move.
func (a *stateChange) checkBounds() {
	for name, pile := range a.Piles {
		if !isName(name) {
			a.fail("TB-NAME: a pile %q: names have 1 to 16 small letters, digits and -", name)
		}
		if len(pile) > MaxPile {
			a.fail("TB-SIZE: pile %s would have %d cards, at most %d fit", name, len(pile), MaxPile)
		}
		if len(pile) == 0 {
			delete(a.Piles, name)
		}
	}
	if len(a.Piles) > MaxPiles || a.Places > MaxPlaces {
		a.fail("TB-SIZE: %d piles and %d places, at most %d and %d fit", len(a.Piles), a.Places, MaxPiles, MaxPlaces)
	}
}
