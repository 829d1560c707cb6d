package skat

import (
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
)

// Game is the game that a declarer announces: a suit as trump, grand or null (SK-R-27). The zero value
// is no game.
type Game string

// Games.
const (
	ClubsGame    Game = "C"
	SpadesGame   Game = "S"
	HeartsGame   Game = "H"
	DiamondsGame Game = "D"
	Grand        Game = "G"
	Null         Game = "N"
)

// Games are all the games.
var Games = []Game{ClubsGame, SpadesGame, HeartsGame, DiamondsGame, Grand, Null}

var _ shared.TrickGame[Class] = Grand

// Valid reports whether g is a game.
func (g Game) Valid() bool { return slices.Contains(Games, g) }

// Base is the base value of a game, by which its levels are multiplied; 0 for null (SK-R-46).
func (g Game) Base() int {
	return map[Game]int{DiamondsGame: 9, HeartsGame: 10, SpadesGame: 11, ClubsGame: 12, Grand: 24}[g]
}

// Class is the class of a card in this game (SK-R-06). It implements shared.TrickGame.
func (g Game) Class(f card.Face) Class {
	suit := suitOf(f)
	if g != Null && (rankOf(f) == jack || suit == Class(g)) {
		return Trump
	}
	return suit
}

// Cards are all the cards of a class: 7 of a suit, or 8 in null; 11 trumps, or 4 in grand. It
// implements shared.TrickGame.
func (g Game) Cards(class Class) (s card.Set) {
	for f := range card.Face(DeckSize) {
		if g.Class(f) == class {
			s = s.AddFace(f)
		}
	}
	return s
}

// Follow names the class that must be followed (SK-R-33); there is no duty to trump. It implements
// shared.TrickGame.
func (g Game) Follow(led Class) []Class { return []Class{led} }

// Beats reports whether f beats the best card so far (SK-R-34). It implements shared.TrickGame.
func (g Game) Beats(f, best card.Face) bool {
	if class := g.Class(f); class != g.Class(best) {
		return class == Trump
	}
	return g.height(f) > g.height(best)
}

// height orders the cards of one class (SK-R-03 to SK-R-05).
func (g Game) height(f card.Face) int {
	switch rank := rankOf(f); {
	case g == Null:
		return rank
	case rank == jack:
		return 2*perSuit - int(f)/perSuit
	case rank == ten:
		return king
	case rank == queen, rank == king:
		return rank - 1
	default:
		return rank
	}
}

// Points are the card points of f (SK-R-02). It implements shared.TrickGame.
func (g Game) Points(f card.Face) int { return FacePoints(f) }

// Trumps are the trumps of a game, the highest first; null has none.
func (g Game) Trumps() []card.Face {
	list := g.Cards(Trump).Faces()
	slices.SortFunc(list, func(e, f card.Face) int { return g.height(f) - g.height(e) })
	return list
}

// Top is the set of the n highest trumps.
func (g Game) Top(n int) card.Set { return card.SetOf(g.Trumps()[:n]...) }
