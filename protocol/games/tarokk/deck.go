package tarokk

// This file is the pack of Hungarian tarokk: 42 cards, their order and points, and the sets that rules
// and proofs use (R-CARD-1 to R-CARD-8).
//
// A face is the index of a card in the order of R-CARD-7, from 0: tarokks T1 (the pagát) to T22 (the
// skíz), then hearts, diamonds, clubs and spades, each from its lowest card to the king.

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
)

// Sizes of the pack (R-CARD-1, R-CARD-5).
const (
	DeckSize    = 42
	TotalPoints = 94

	tarokks = 22
	perSuit = 5
	firstOf = card.Face(tarokks) // the first card that is no tarokk
)

// The tarokks with names of their own.
const (
	Pagat = card.Face(0)  // T1
	XVII  = card.Face(16) // T17
	XVIII = card.Face(17) // T18
	XIX   = card.Face(18) // T19
	XX    = card.Face(19) // T20
	XXI   = card.Face(20) // T21
	Skiz  = card.Face(21) // T22
)

// Suit is the suit of a card. Tarokks are a suit of their own that beats all the others (R-CARD-3).
type Suit int

// The suits, in the order of the pack.
const (
	Hearts Suit = iota
	Diamonds
	Clubs
	Spades
	Tarokk
)

var suitNames = [...]string{"hearts", "diamonds", "clubs", "spades", "tarokk"}

// String is the suit's name.
func (s Suit) String() string { return suitNames[s] }

// PlainSuits are the four suits other than the tarokks.
var PlainSuits = []Suit{Hearts, Diamonds, Clubs, Spades}

// The sets of R-CARD-8.
var (
	AllFaces       = rangeOf(0, DeckSize)
	Tarokks        = rangeOf(0, tarokks)
	Plain          = rangeOf(tarokks, DeckSize)           // SUITS
	Honours        = card.SetOf(Pagat, XXI, Skiz)         // HONOUR
	BigHonours     = card.SetOf(XXI, Skiz)                // BIG
	Kings          = card.SetOf(26, 31, 36, 41)           // KINGS
	TarokkDiscards = rangeOf(1, 20)                       // TDISC: T2 to T20
	PlainDiscards  = Plain.Minus(Kings)                   // PLAINDISC
	Discardable    = AllFaces.Minus(Honours).Minus(Kings) // DISCARDABLE
)

// CardsOf returns the set of a suit's cards.
func CardsOf(s Suit) card.Set {
	if s == Tarokk {
		return Tarokks
	}
	first := tarokks + perSuit*int(s)
	return rangeOf(first, first+perSuit)
}

// AllBut returns the pack without s.
func AllBut(s card.Set) card.Set { return AllFaces.Minus(s) }

// UpTo are the cards up to and including f in the order of the pack.
func UpTo(f card.Face) card.Set { return rangeOf(0, int(f)+1) }

func rangeOf(from, to int) card.Set {
	var s card.Set
	for f := from; f < to; f++ {
		s = s.AddFace(card.Face(f))
	}
	return s
}

// NthTarokk returns tarokk number n, 1 to 22.
func NthTarokk(n int) card.Face { return card.Face(n - 1) }

// TarokkNumber returns the number of a tarokk, 1 to 22.
func TarokkNumber(f card.Face) int { return int(f) + 1 }

// IsTarokk reports whether f is a tarokk.
func IsTarokk(f card.Face) bool { return f < firstOf }

// SuitOf returns the suit of f.
func SuitOf(f card.Face) Suit {
	if IsTarokk(f) {
		return Tarokk
	}
	return Suit((f - firstOf) / perSuit)
}

// FacePoints are the card points of f (R-CARD-2).
func FacePoints(f card.Face) int {
	switch {
	case Honours.Has(f):
		return 5
	case IsTarokk(f):
		return 1
	}
	return 1 + int(f-firstOf)%perSuit
}

// TrickRules are how cards follow and beat one another. A player follows suit, or else plays a tarokk
// (R-PLAY-3); the highest tarokk wins, or else the highest card of the suit led (R-PLAY-5).
type TrickRules struct{}

var _ shared.TrickGame[Suit] = TrickRules{}

// Class implements shared.TrickGame.
func (TrickRules) Class(f card.Face) Suit { return SuitOf(f) }

// Cards implements shared.TrickGame.
func (TrickRules) Cards(s Suit) card.Set { return CardsOf(s) }

// Follow implements shared.TrickGame.
func (TrickRules) Follow(led Suit) []Suit { return slices.Compact([]Suit{led, Tarokk}) }

// Beats implements shared.TrickGame.
func (TrickRules) Beats(f, best card.Face) bool {
	return SuitOf(f) == SuitOf(best) && f > best || IsTarokk(f) && !IsTarokk(best)
}

// Points implements shared.TrickGame.
func (TrickRules) Points(f card.Face) int { return FacePoints(f) }

// RedLow is the lowest red rank of a pack (OPT-DECK-RED-LOW).
type RedLow string

// The packs.
const (
	RedAces  RedLow = "ace"
	RedFours RedLow = "four"
)

// FaceNames returns the names of all cards in the order of the pack.
func FaceNames(red RedLow) []string { return slices.Clone(names[red]) }

// FaceNameIn is the name of f in the pack with that lowest red rank.
func FaceNameIn(red RedLow, f card.Face) string { return names[red][f] }

func namesOf(lowestRed string) []string {
	names := make([]string, 0, DeckSize)
	for n := 1; n <= tarokks; n++ {
		names = append(names, fmt.Sprintf("T%d", n))
	}
	for i, s := range "HDCS" {
		low := "T"
		if Suit(i) <= Diamonds {
			low = lowestRed
		}
		for _, rank := range []string{low, "J", "R", "Q", "K"} {
			names = append(names, string(s)+rank)
		}
	}
	return names
}

// FaceName is the name of f in the pack with red aces.
func FaceName(f card.Face) string { return names[RedAces][f] }

var names = map[RedLow][]string{RedAces: namesOf("A"), RedFours: namesOf("4")}

// ParseFace reads a name of [FaceNames], of either pack, and for tarokks also the numeral printed on
// the card.
func ParseFace(name string) (card.Face, error) {
	for _, list := range [][]string{names[RedAces], names[RedFours], romans[:]} {
		if f := slices.Index(list, name); f >= 0 {
			return card.Face(f), nil
		}
	}
	return 0, fmt.Errorf("R-CARD-7: %.10q is no card of the pack", name)
}

var romans = [tarokks]string{"I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI",
	"XII", "XIII", "XIV", "XV", "XVI", "XVII", "XVIII", "XIX", "XX", "XXI", "SKIZ"}

// RomanNumeral is the numeral printed on a tarokk.
func RomanNumeral(f card.Face) string { return romans[f] }
