package skat

import (
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
)

// Game is what a declarer announces: a suit that is trump, grand or null
// (SK-R-27). Its zero value is none.
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

// Games are all games.
var Games = []Game{ClubsGame, SpadesGame, HeartsGame, DiamondsGame, Grand, Null}

var _ shared.TrickGame[Class] = Grand

// Valid reports whether g is a game.
func (g Game) Valid() bool { return slices.Contains(Games, g) }

// Base is what the value of a game is a multiple of; 0 for null (SK-R-46).
func (g Game) Base() int {
	return map[Game]int{DiamondsGame: 9, HeartsGame: 10, SpadesGame: 11, ClubsGame: 12, Grand: 24}[g]
}

// Class is SK-R-06. It implements shared.TrickGame.
func (g Game) Class(f card.Face) Class {
	suit := suitOf(f)
	if g != Null && (rankOf(f) == jack || suit == Class(g)) {
		return Trump
	}
	return suit
}

// Cards are all cards of a class: 7 of a suit, 8 in null; 11 trumps, 4 in grand. It
// implements shared.TrickGame.
func (g Game) Cards(class Class) (s card.Set) {
	for f := range card.Face(DeckSize) {
		if g.Class(f) == class {
			s = s.AddFace(f)
		}
	}
	return s
}

// Follow is SK-R-33: there is no duty to trump. It implements shared.TrickGame.
func (g Game) Follow(led Class) []Class { return []Class{led} }

// Beats is SK-R-34. It implements shared.TrickGame.
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

// Points is SK-R-02. It implements shared.TrickGame.
func (g Game) Points(f card.Face) int { return FacePoints(f) }

// Trumps are the trumps of a game, the highest first; of null none.
func (g Game) Trumps() []card.Face {
	list := g.Cards(Trump).Faces()
	slices.SortFunc(list, func(e, f card.Face) int { return g.height(f) - g.height(e) })
	return list
}

// Top are the n highest trumps.
func (g Game) Top(n int) card.Set { return card.SetOf(g.Trumps()[:n]...) }
