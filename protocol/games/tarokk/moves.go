package tarokk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
)

// Moves implements play.Rules: every call, annulment, discard and card that the player can prove to be
// allowed; and those turns of the announcements that have one figure or contra, or a contra followed by
// a figure.
func (r Rules) Moves(s State, v table.View) []Move {
	phase, _ := s.currentPhase()
	if phase == nil {
		return nil
	}
	return slices.DeleteFunc(phase.possibleMoves(s.Deal.playerAt(v.Seat), v), func(m Move) bool { return r.Check(s, v, m) != nil })
}

// Untrue is a false fact about a player's own cards on which a move rests: the rules allow the move,
// but the player could not prove it.
type Untrue struct {
	table.Condition
	Faces []card.Face // the faces of the cards of the condition
}

// Error states the fact with the names of the cards.
func (u *Untrue) Error() string {
	return fmt.Sprintf("of %s, %d to %d would have to be of %s", joinNames(u.Faces), u.Min, u.Max, joinNames(u.Set.Faces()))
}

func joinNames(faces []card.Face) string {
	names := make([]string, len(faces))
	for i, f := range faces {
		names[i] = FaceName(f)
	}
	return strings.Join(names, " ")
}

// Check says why the seat of v cannot make a move: the rule that forbids it, or as an [*Untrue] the
// fact about its cards that it would have to prove and cannot. For a discard it also checks what must
// be proved when discards are disclosed, so that no move it accepts leads to a stage with only foul
// moves.
func (r Rules) Check(s State, v table.View, m Move) error {
	_, terms, err := r.Apply(s, table.Input[Move]{Seat: v.Seat, Move: m})
	if err != nil {
		return err
	}
	for _, shown := range terms.Open {
		if has := v.Faces[shown.Card]; has != shown.Face {
			return &Untrue{table.Condition{Cards: []table.Card{shown.Card}, Set: card.SetOf(shown.Face), Min: 1, Max: 1}, []card.Face{has}}
		}
	}
	if m.Discard != nil {
		p := s.Deal.playerAt(v.Seat)
		next := s.Deal
		next.Discards[p].Letters = *m.Discard
		terms.Prove = append(terms.Prove, next.claimTerms(p, []Claim{EveryCard("D-CLASS", AllDiscards, s.DiscardableCards())}).Prove...)
	}
	for _, c := range terms.Prove {
		if u := findUntrue(v, c); u != nil {
			return u
		}
	}
	return nil
}

// findUntrue returns the condition with the cards that v sees if it is false, or nil.
func findUntrue(v table.View, c table.Condition) *Untrue {
	faces, n := v.Faces, 0
	if c.Dealt {
		faces = v.Dealt
	}
	u := &Untrue{Condition: c}
	for _, place := range c.Cards {
		u.Faces = append(u.Faces, faces[place])
		if c.Set.Has(faces[place]) {
			n++
		}
	}
	if n < c.Min || n > c.Max {
		return u
	}
	return nil
}

var yesNo = []bool{true, false}

// movesFrom makes one move of each value; those in more come last.
func movesFrom[T any](values []T, set func(*Move, T), more ...T) []Move {
	var list []Move
	for _, v := range slices.Concat(values, more) {
		var m Move
		set(&m, v)
		list = append(list, m)
	}
	return list
}

// cardNames are the names of cards, as v sees them.
func (s State) cardNames(v table.View, cards []table.Card) []string {
	all, list := FaceNames(s.Rules.RedLow), make([]string, len(cards))
	for i, c := range cards {
		list[i] = all[v.Faces[c]]
	}
	return list
}

// facesAt are the faces of cards, among those that a player sees.
func facesAt(faces map[table.Card]card.Face, cards []table.Card) card.Set {
	var set card.Set
	for _, c := range cards {
		set = set.AddFace(faces[c])
	}
	return set
}
