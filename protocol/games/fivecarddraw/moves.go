package fivecarddraw

import (
	"slices"

	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/table"
)

// Moves implements play.Rules. It lists everything that a seat may say, but only a few of the totals
// and of the places to pick, since there can be millions.
func (Rules) Moves(s State, v table.View) []Move {
	if fields[s.Stage] == nil || s.awaitedSeat() != v.Seat {
		return nil
	}
	switch s.Stage {
	case Betting, BetAfter:
		return s.betMoves(v.Seat)
	case Exchanging:
		return s.discardMoves(v.Seat)
	case Picking:
		return s.pickMoves()
	case Showing:
		return s.showMoves(v)
	}
	return s.openerMoves(v)
}

// betMoves returns the moves to fold, to check or call, and some totals from the least to the greatest.
func (s State) betMoves(seat table.Seat) []Move {
	b := s.Bounds(seat)
	moves := []Move{{Fold: true}, {Check: b.Call == 0, Call: b.Call > 0}}
	if b.Least == 0 {
		return moves
	}
	pot := s.Deal.Round.Height + s.InMiddle() + b.Call
	totals := []int{b.Least, min(max(pot, b.Least), b.Greatest), (b.Least + b.Greatest) / 2, b.Greatest}
	slices.Sort(totals)
	for _, total := range slices.Compact(totals) {
		moves = append(moves, Move{To: total})
	}
	return moves
}

// discardMoves returns all sets of cards that may be put away, the empty set first.
func (s State) discardMoves(seat table.Seat) (moves []Move) {
	for set := range uint(1) << HandSize {
		if cards := subsetOf(s.Deal.Hands[seat], set); len(cards) <= s.Exchangeable() {
			moves = append(moves, Move{Discard: &cards})
		}
	}
	return moves
}

// subsetOf returns the elements of a list whose bits are in set.
func subsetOf[T any](list []T, set uint) []T {
	some := []T{}
	for i, v := range list {
		if set>>i&1 == 1 {
			some = append(some, v)
		}
	}
	return some
}

// pickMoves returns picks of the first free places, of the last, and of some between.
func (s State) pickMoves() []Move {
	free := slices.DeleteFunc(shared.PlacesFrom(0, DeckSize), func(c table.Card) bool { return !s.Deal.IsFree(c) })
	n := s.Deal.missingCards(s.Deal.In[s.Deal.pickedFor()])
	between := (len(free) - n) / 2
	return []Move{{Pick: free[:n]}, {Pick: free[len(free)-n:]}, {Pick: free[between:][:n]}}
}

// showMoves returns the moves to show the hand and to muck it.
func (s State) showMoves(v table.View) []Move {
	moves := []Move{{Show: shownCards(s.Deal.Hands[v.Seat], v.Faces)}}
	if s.Rules.Showdown == OptMuck {
		moves = append(moves, Move{Muck: true})
	}
	return moves
}

// openerMoves returns the move with the fewest dealt cards that show an opening, and the move with
// none.
func (s State) openerMoves(v table.View) []Move {
	dealt := shownCards(s.Deal.Dealt[v.Seat], v.Dealt)
	var least []ShownCard
	for set := range uint(1) << HandSize {
		if cards := subsetOf(dealt, set); (least == nil || len(cards) < len(least)) && OpensBetting(facesOf(cards), s.Rules.Wheel) {
			least = cards
		}
	}
	moves := []Move{{Openers: &[]ShownCard{}}}
	if least != nil {
		moves = slices.Insert(moves, 0, Move{Openers: &least})
	}
	return moves
}

func shownCards[F ~uint16](places []table.Card, faces map[table.Card]F) []ShownCard {
	cards := make([]ShownCard, len(places))
	for i, c := range places {
		cards[i] = ShownCard{Card: c, Face: Face(faces[c])}
	}
	return cards
}

func facesOf(cards []ShownCard) []Face {
	faces := make([]Face, len(cards))
	for i, c := range cards {
		faces[i] = c.Face
	}
	return faces
}
