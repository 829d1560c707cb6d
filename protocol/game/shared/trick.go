// Package shared is what the rules of games share: the places that moves name, fields of
// which exactly one is set (moves.go), and tricks (trick.go): who must follow, what a
// card that does not follow has to prove, who takes a trick and what it counts.
//
// Rules of tricks read classes of cards only, and trumps are a class like any
// other: a card is of the class led, or it is not. A [TrickGame] says which cards are
// of which class, and of which classes a hand has to play as far as it has them.
// Of hidden hands nothing is asked but the residual rule: who plays a card shows
// by it to have none of the classes that would have come before its own, and
// proves of the rest of the hand what is not known of it ([LackedClasses]).
//
// A trick is its faces, the leader's first. The package knows no
// hand that is hidden and no proof; sets go into conditions by the game's own hand.
package shared

import (
	"slices"

	"github.com/pakli/pakli/protocol/card"
)

// TrickGame is how the cards of one game follow and beat one another. C is a class.
type TrickGame[C comparable] interface {
	// Class is the class of a card.
	Class(f card.Face) C
	// Cards are all cards of a class.
	Cards(class C) card.Set
	// Follow lists the classes that must be played when one is led: a card of the
	// first that the hand has, or any card if it has none of them.
	Follow(led C) []C
	// Beats reports whether f takes a trick from the card that holds it so far.
	Beats(f, best card.Face) bool
	// Points returns what a card counts for the player who takes it.
	Points(f card.Face) int
}

// TrickWinner is the index of the card that takes a trick.
func TrickWinner[C comparable, F ~uint16](g TrickGame[C], faces []F) int {
	best := 0
	for i, f := range faces {
		if g.Beats(card.Face(f), card.Face(faces[best])) {
			best = i
		}
	}
	return best
}

// TrickPoints is what cards count together.
func TrickPoints[C comparable, F ~uint16](g TrickGame[C], faces []F) (sum int) {
	for _, f := range faces {
		sum += g.Points(card.Face(f))
	}
	return sum
}

// LackedClasses lists the classes of which a hand has no card left if played may be laid
// to a trick that led began, in the order of [TrickGame.Follow]. Those of which known
// says that everybody knows it already are left out.
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

// PlayableCards returns the cards of an open hand that may be laid to a trick, whose faces so far are
// in trick: all of the hand, if there are none.
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

// CommonFaces are the faces that two sets share.
func CommonFaces(s, t card.Set) card.Set { return s.Minus(s.Minus(t)) }
