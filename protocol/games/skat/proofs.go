package skat

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/table"
)

// Proof is an entry of the catalogue: what a player must prove about hidden cards, or open. Reports and
// scenes name it by its id.
type Proof struct {
	ID     string
	Rule   string
	Group  string // the cards it is about: one of the groups below
	Option string // the option under which alone it is due
	Opens  bool   // cards are turned up instead of staying hidden
}

// The ids of the catalogue (91.4).
const (
	pVoid    = "P-VOID"
	pNoTrump = "P-NOTRUMP"
	pNoJack  = "P-NOJACK"
	pVoidN   = "P-VOIDN"
	mWith    = "M-WITH"
	mWithout = "M-WITHOUT"
	dNoJack  = "D-NOJACK"
	oOpen    = "O-OPEN"
	cOpen    = "C-OPEN"
	eTwelve  = "E-TWELVE"
	eSkat    = "E-SKAT"
)

// The groups of cards (91.1).
const (
	handGroup = "H" // the hand
	restGroup = "R" // the hand without the card in play
	passGroup = "X" // two cards laid aside
	skatGroup = "S" // the skat of a hand game
	hideGroup = "O" // those of the declarer's hand and discards that are not open
)

// Proofs lists the catalogue.
func Proofs() []Proof {
	return []Proof{
		{pVoid, "SK-R-33", restGroup, "", false},
		{pNoTrump, "SK-R-33", restGroup, "", false},
		{pNoJack, "SK-R-33", restGroup, "", false},
		{pVoidN, "SK-R-33", restGroup, "", false},
		{mWith, "SK-R-38", hideGroup, "early=" + OptProve, false},
		{mWithout, "SK-R-38", hideGroup, "early=" + OptProve, false},
		{dNoJack, "SK-R-72", passGroup, "ramsch=" + OptSchieber, false},
		{oOpen, "SK-R-31", handGroup, "", true},
		{cOpen, "SK-R-59", handGroup, "", true},
		{eTwelve, "SK-R-38", hideGroup, "early=" + OptOpen, true},
		{eSkat, "SK-R-23", skatGroup, "", true},
	}
}

func noneOf(id, group string, places []table.Card, set card.Set) table.Condition {
	return table.Condition{Cards: places, Set: set, Claim: id, Group: group}
}

// someOf is the condition that at least n of the cards at places are in set.
func someOf(id, group string, n int, places []table.Card, set card.Set) table.Condition {
	return table.Condition{Cards: places, Set: set, Min: n, Max: len(places), Claim: id, Group: group}
}

// lackedClasses are the classes that p proves to lack by playing f (SKIP-1 to SKIP-6).
func (d Deal) lackedClasses(p int, f Face) []Class {
	t := d.currentTrick()
	if len(t.Faces) == 0 || len(d.Hands[p]) == 1 || d.isOpen(p) {
		return nil
	}
	return shared.LackedClasses(d.Game(), card.Face(t.Faces[0]), card.Face(f), func(class Class) bool { return d.isKnownVoid(p, class) })
}

// isKnownVoid reports whether everybody knows that p has no card of a class: it has been proved, or all
// of its cards are open (SKIP-3, SKIP-4).
func (d Deal) isKnownVoid(p int, class Class) bool {
	return slices.Contains(d.Void[p], class) || d.Game().Cards(class).Minus(d.SeenFaces()) == card.Set{}
}

// isOpen reports whether the hand of p lies open (SKIP-5).
func (d Deal) isOpen(p int) bool { return d.OpenHand && p == d.Declarer }

// playID is the id of the proof that a class is missing (91.4.2).
func (d Deal) playID(class Class) string {
	switch g := d.Game(); {
	case g == Null:
		return pVoidN
	case class != Trump:
		return pVoid
	case g == Grand:
		return pNoJack
	}
	return pNoTrump
}

// closedPlaces are O(d): those cards of the declarer's hand and discards that are not open, by place.
func (d Deal) closedPlaces() (places []table.Card) {
	if !d.OpenHand {
		places = append(places, d.Hands[d.Declarer]...)
	}
	if d.Holder == d.Declarer {
		places = append(places, d.Skat...)
	}
	return sortedPlaces(places)
}

// ownSeen are the open faces among the declarer's twelve cards.
func (d Deal) ownSeen() card.Set {
	return d.SeenOf(d.Declarer).Union(d.SeenOf(nobody)).Union(d.ImpliedSkat())
}

// matadorConditions are the conditions of M-WITH or M-WITHOUT that remain after the public checks
// (91.4.3).
func (d Deal) matadorConditions(m Matadors) ([]table.Condition, error) {
	trumps := d.Game().Trumps()
	if m.N < 1 || m.N > len(trumps) {
		return nil, fmt.Errorf("SK-R-38: there are 1 to %d matadors in this game, and not %d", len(trumps), m.N)
	}
	own, top := d.ownSeen(), d.Game().Top(m.N)
	var next card.Set // the next trump after the matadors, if there is one
	if m.N < len(trumps) {
		next = card.SetOf(trumps[m.N])
	}
	others := d.SeenFaces().Minus(own)
	has, lacks := top, next
	if !m.With {
		has, lacks = next, top
	}
	if bad := shared.CommonFaces(has, others).Union(shared.CommonFaces(lacks, own)); bad != (card.Set{}) {
		return nil, fmt.Errorf("SK-R-38: %v was seen, and is not where these matadors would have it", Faces(bad))
	}
	return d.holdConditions(m, has.Minus(own), lacks.Minus(others))
}

// holdConditions are the conditions that all of has, and none of lacks, are among the declarer's closed
// cards.
func (d Deal) holdConditions(m Matadors, has, lacks card.Set) (list []table.Condition, err error) {
	places := d.closedPlaces()
	if has.Len() > len(places) {
		return nil, fmt.Errorf("SK-R-38: %d of these matadors would have to be among %d cards", has.Len(), len(places))
	}
	list = []table.Condition{someOf(mWith, hideGroup, has.Len(), places, has), noneOf(mWith, hideGroup, places, lacks)}
	if !m.With {
		list = []table.Condition{noneOf(mWithout, hideGroup, places, lacks), someOf(mWithout, hideGroup, has.Len(), places, has)}
	}
	return slices.DeleteFunc(list, func(c table.Condition) bool { return c.Set == card.Set{} }), nil
}
