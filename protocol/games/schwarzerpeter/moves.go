package schwarzerpeter

import (
	"slices"

	"github.com/pakli/pakli/protocol/table"
)

// Moves implements play.Rules. Moves that lay down pairs come first, the one with the most pairs at the
// front, and keeping them all comes last. The common rules offer to keep a pair only with the option
// keep-pairs.
func (Rules) Moves(s State, v table.View) []Move {
	switch s.Stage {
	case Laying:
		return s.layingMoves(s.matchPairs(v))
	case Drawing:
		var moves []Move
		holder := s.nextHolder()
		for i := range s.Hands[holder] {
			moves = append(moves, Move{Draw: &Draw{From: holder, Position: i}})
		}
		return moves
	}
	return nil
}

func (s State) layingMoves(pairs []Pair) []Move {
	var moves []Move
	offer := func(p []Pair) { moves = append(moves, Move{Lay: &p}) }
	switch {
	case s.isArticle():
		for i := range pairs {
			offer(pairs[i : i+1])
		}
		offer([]Pair{})
	case s.Options.KeepPairs == "true":
		for n := len(pairs); n >= 0; n-- {
			offer(pairs[:n])
		}
	default:
		offer(pairs)
	}
	return moves
}

// matchPairs matches each card of the hand that v sees with the first card that makes a pair with it,
// from left to right.
func (s State) matchPairs(v table.View) []Pair {
	faces := s.Options.faceNames()
	pairs := []Pair{}
	var single []ShownCard
	for _, c := range s.Hands[v.Seat] {
		shown := ShownCard{Card: c, Face: faces[v.Faces[c]]}
		i := slices.IndexFunc(single, func(e ShownCard) bool { return s.Options.isPair(e.Face, shown.Face) })
		if i < 0 {
			single = append(single, shown)
			continue
		}
		pairs = append(pairs, Pair{single[i], shown})
		single = slices.Delete(single, i, i+1)
	}
	return pairs
}
