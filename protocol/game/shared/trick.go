// Package shared has what the rules of games share: the places that moves name, fields of which exactly
// one is set (moves.go), and tricks (trick.go): who must follow, what a card that does not follow has
// to prove, who takes a trick and what it counts.
//
// Rules of tricks see only classes of cards, and trumps are a class like any other. A [TrickGame] says
// which class a card is of, and which classes a hand has to play as far as it has them. Hidden hands
// are subject only to the residual rule: a played card shows that the hand has none of the classes that
// take precedence over its own, and the seat proves about the rest of its hand what is not yet known
// ([LackedClasses]).
//
// A trick is its faces, the leader's first. The package knows no hidden hand and no proof; each game
// puts the sets into conditions itself.
package shared

import (
	"slices"

	"github.com/pakli/pakli/protocol/card"
)

// TrickGame is how the cards of a game follow and beat one another. C is the type of a class.
type TrickGame[C comparable] interface {
	// Class returns the class of a card.
	Class(f card.Face) C
	// Cards returns all cards of a class.
	Cards(class C) card.Set
	// Follow lists the classes that must be played when a class is led: a card of the first class that
	// the hand has, or any card if it has none of them.
	Follow(led C) []C
	// Beats reports whether f takes a trick from the card that holds it so far.
	Beats(f, best card.Face) bool
	// Points returns what a card counts for the seat that takes it.
	Points(f card.Face) int
}

// TrickWinner returns the index of the card that takes a trick.
func TrickWinner[C comparable, F ~uint16](g TrickGame[C], faces []F) int {
	best := 0
	for i, f := range faces {
		if g.Beats(card.Face(f), card.Face(faces[best])) {
			best = i
		}
	}
	return best
}

// TrickPoints returns the sum of the points of cards.
func TrickPoints[C comparable, F ~uint16](g TrickGame[C], faces []F) (sum int) {
	for _, f := range faces {
		sum += g.Points(card.Face(f))
	}
	return sum
}

// LackedClasses lists the classes of which a hand has no card left if it may lay played to a trick
// begun by led, in the order of [TrickGame.Follow]. It leaves out classes for which known says that
// everybody knows it.
func LackedClasses[C comparable](g TrickGame[C], led, played card.Face, known func(C) bool) (classes []C) {
	for _, class := range g.Follow(g.Class(led)) {
		if class == g.Class(played) {
			break
		}
		if !known(class) {
			classes = append(classes, class)
		}
	}
	return classes
}

// PlayableCards returns the cards of an open hand that may be laid to a trick with these faces so far;
// if there are none yet, all cards.
func PlayableCards[C comparable, F ~uint16](g TrickGame[C], trick []F, hand card.Set) card.Set {
	if len(trick) == 0 {
		return hand
	}
	follow := g.Follow(g.Class(card.Face(trick[0])))
	i := slices.IndexFunc(follow, func(class C) bool { return CommonFaces(g.Cards(class), hand) != (card.Set{}) })
	if i < 0 {
		return hand
	}
	return CommonFaces(g.Cards(follow[i]), hand)
}

// CommonFaces returns the faces that two sets share.
func CommonFaces(s, t card.Set) card.Set { return s.Minus(s.Minus(t)) }
