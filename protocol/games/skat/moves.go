package skat

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/table"
)

// Moves implements play.Rules: every call, discard, announcement and card that the player can prove to
// be allowed, and last what ends a deal early.
func (r Rules) Moves(s State, v table.View) []Move {
	phase, due := phases[s.Stage]
	p := s.Deal.player(v.Seat)
	if !due || p == nobody || !slices.Contains(phase.movers(s), p) {
		return nil
	}
	return slices.DeleteFunc(phase.moves(s, p, v), func(m Move) bool { return r.Check(s, v, m) != nil })
}

// Check says why the seat of v cannot make a move: the rule that forbids it, or the fact about its own
// cards that it would have to prove and cannot.
func (r Rules) Check(s State, v table.View, m Move) error {
	_, terms, err := r.Apply(s, table.Input[Move]{Seat: v.Seat, Move: m})
	if err != nil {
		return err
	}
	for _, shown := range terms.Open {
		if has := v.Faces[shown.Card]; has != shown.Face {
			return fmt.Errorf("SK-R-35: card %d is %v, and not %v", shown.Card, Face(has), Face(shown.Face))
		}
	}
	for _, c := range terms.Prove {
		n := 0
		for _, place := range c.Cards {
			if c.Set.Has(v.Faces[place]) {
				n++
			}
		}
		if n < c.Min || n > c.Max {
			return &Untrue{c, n}
		}
	}
	return nil
}

// Untrue is a false fact about a player's own cards on which a move rests: the rules allow the move,
// but the player could not prove it.
type Untrue struct {
	table.Condition
	Has int // how many of the cards are in the set
}

// Error states the fact with the names of the cards.
func (u *Untrue) Error() string {
	return fmt.Sprintf("%s: %d to %d of %d cards would have to be of %v, and %d are", u.Claim, u.Min, u.Max, len(u.Cards), Faces(u.Set), u.Has)
}

var yesNo = []bool{true, false}

// movesFrom makes one move of each value.
func movesFrom[T any](values []T, set func(*Move, T)) []Move {
	list := make([]Move, len(values))
	for i, v := range values {
		set(&list[i], v)
	}
	return list
}

// facesAt are the faces of cards, as v sees them.
func facesAt(v table.View, places []table.Card) []Face {
	faces := make([]Face, len(places))
	for i, c := range places {
		faces[i] = Face(v.Faces[c])
	}
	return faces
}

// sortedPlaces are the places in ascending order.
func sortedPlaces(places []table.Card) []table.Card {
	places = slices.Clone(places)
	slices.Sort(places)
	return places
}
