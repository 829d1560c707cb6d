package tarokk

import (
	"github.com/pakli/pakli/protocol/card"
)

// Claims say what a player of tarokk must prove about hidden cards: the groups and claims of
// docs/spec/62-tarokk-proofs.md, 62.1. The phases of a deal say which claims are due; a test compares
// them with 62.4.
//
// A claim is about one of the groups of cards that a player has in the course of a deal; the game turns
// it into a [table.Condition] about the cards that are in that group. No claim marks a card: "at least
// one honour" says nothing about which card it is, so no hand is masked again because of a claim.

// Group is one of the lists of cards that a player has.
type Group int

// The groups, in the words of the catalogue.
const (
	DealtHand       Group = iota // H0: the nine cards as they were dealt, whatever became of them
	DrawnCards                   // D: the cards from the talon as they were drawn
	ExchangedCards               // G: hand and drawn cards together, before the discard
	LastHand                     // H1: the nine cards after the discard
	RestOfHand                   // R: the cards left when the card in play is taken away
	AllDiscards                  // X: all discards
	TarokkDiscarded              // XT: the discards said to be tarokks
	PlainDiscarded               // XP: the other discards
)

var groupNames = [...]string{"H0", "D", "G", "H1", "R", "X", "XT", "XP"}

// String is the group's letter in the catalogue.
func (g Group) String() string { return groupNames[g] }

// Claim is "of the cards in Of, at least Min and at most Max are in Set". Min may be [AllOfGroup].
type Claim struct {
	ID       string // the id in the catalogue: "B-HON"
	Of       Group
	Set      card.Set
	Min, Max int
}

// AllOfGroup stands for the number of cards in the group.
const AllOfGroup = 1 << 10

// AtLeast is Min for a group of so many cards. A Min above the number of cards stays as it is, so that
// the claim cannot hold; lowering it would weaken the claim.
func (c Claim) AtLeast(cards int) int {
	if c.Min == AllOfGroup {
		return cards
	}
	return c.Min
}

// EveryCard claims that all the cards of a group are in set.
func EveryCard(id string, of Group, set card.Set) Claim {
	return Claim{ID: id, Of: of, Set: set, Min: AllOfGroup, Max: AllOfGroup}
}

// AtLeast claims that n or more cards of a group are in set.
func AtLeast(id string, n int, of Group, set card.Set) Claim {
	return Claim{ID: id, Of: of, Set: set, Min: n, Max: AllOfGroup}
}

// Exactly claims that exactly n cards of a group are in set.
func Exactly(id string, n int, of Group, set card.Set) Claim {
	return Claim{ID: id, Of: of, Set: set, Min: n, Max: n}
}
