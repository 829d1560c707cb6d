// Package hand ranks five cards: every hand is of one of 7,462 classes, 1 the best
// (FD-R-44). Hands of one class are equal.
//
// Ranks are counted. Sets of ranks are numbered by the combinatorial number system,
// by which a set with a higher card comes after all that have none so high; so the
// class of a hand is the first of its kind and how many of its kind are better.
package hand

import (
	"slices"

	"github.com/pakli/pakli/protocol/games/fivecarddraw/deck"
)

// Size is how many cards a hand has.
const Size = 5

// Classes is how many classes there are, with and without a wheel.
const Classes = 7462

// Kind is a kind of hand, from a straight flush down to a high card.
type Kind int

// Kinds of hand, as the table of 92.6 numbers them.
const (
	HighCard Kind = iota
	OnePair
	TwoPairs
	ThreeOfAKind
	Straight
	Flush
	FullHouse
	FourOfAKind
	StraightFlush
)

// Class is the class of five different cards; wheel says whether A 2 3 4 5 is a
// straight.
func Class(faces [Size]deck.Face, wheel bool) int { panic("not yet") }

// KindOf is the kind of hands of a class.
func KindOf(class int, wheel bool) Kind { panic("not yet") }

// Opens reports whether some cards of a hand show a pair of jacks or better, whatever
// the others are (FD-R-61).
func Opens(faces []deck.Face, wheel bool) bool { panic("not yet") }

var _ = slices.Sort[[]int]
