package skat

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat/deck"
	"github.com/pakli/pakli/protocol/games/skat/ruleset"
	"github.com/pakli/pakli/protocol/games/skat/value"
	"github.com/pakli/pakli/protocol/games/trick"
	"github.com/pakli/pakli/protocol/table"
)

// Proof is an entry of the catalogue: what a player must prove or open of hidden
// cards, by the id that reports and the scene name it by.
type Proof struct {
	ID     string
	Rule   string
	Group  string // of cards: the rest of the hand, the two passed on, those not open at the end
	Option string // under which alone it is due
	Opens  bool   // cards are turned up, and nothing stays hidden
}

// Ids of the catalogue (91.4).
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

// Groups of cards (91.1).
const (
	handGroup = "H" // the hand
	restGroup = "R" // the hand without the card in play
	passGroup = "X" // two cards laid aside
	skatGroup = "S" // the skat of a hand game
	hideGroup = "O" // of the declarer's hand and discards, what is not open
)

// Proofs lists the catalogue.
func Proofs() []Proof {
	return []Proof{
		{pVoid, "SK-R-33", restGroup, "", false},
		{pNoTrump, "SK-R-33", restGroup, "", false},
		{pNoJack, "SK-R-33", restGroup, "", false},
		{pVoidN, "SK-R-33", restGroup, "", false},
		{mWith, "SK-R-38", hideGroup, "early=" + ruleset.Prove, false},
		{mWithout, "SK-R-38", hideGroup, "early=" + ruleset.Prove, false},
		{dNoJack, "SK-R-72", passGroup, "ramsch=" + ruleset.Schieber, false},
		{oOpen, "SK-R-31", handGroup, "", true},
		{cOpen, "SK-R-59", handGroup, "", true},
		{eTwelve, "SK-R-38", hideGroup, "early=" + ruleset.Open, true},
		{eSkat, "SK-R-23", skatGroup, "", true},
	}
}

// none says that no card of places is in set.
func none(id, group string, places []table.Card, set card.Set) table.Condition {
	return table.Condition{Cards: places, Set: set, Claim: id, Group: group}
}

// some says that at least n cards of places are in set.
func some(id, group string, n int, places []table.Card, set card.Set) table.Condition {
	return table.Condition{Cards: places, Set: set, Min: n, Max: len(places), Claim: id, Group: group}
}

// follows are the classes that p proves to lack by laying f (SKIP-1 to SKIP-6).
func (d Deal) follows(p int, f deck.Face) []deck.Class {
	t := d.current()
	if len(t.Faces) == 0 || len(d.Hands[p]) == 1 || d.isOpen(p) {
		return nil
	}
	return trick.Lacking(d.Game(), card.Face(t.Faces[0]), card.Face(f), func(class deck.Class) bool { return d.lacks(p, class) })
}

// lacks reports whether everybody knows that p has no card of a class: it was
// proved, or all of them are open (SKIP-3, SKIP-4).
func (d Deal) lacks(p int, class deck.Class) bool {
	return slices.Contains(d.Void[p], class) || d.Game().Cards(class).Without(d.Seen()) == card.Set{}
}

// isOpen reports whether the hand of p lies open (SKIP-5).
func (d Deal) isOpen(p int) bool { return d.OpenHand && p == d.Declarer }

// playID names the proof that a class is missing (91.4.2).
func (d Deal) playID(class deck.Class) string {
	switch g := d.Game(); {
	case g == deck.Null:
		return pVoidN
	case class != deck.Trump:
		return pVoid
	case g == deck.Grand:
		return pNoJack
	}
	return pNoTrump
}

// closed are the cards of the declarer's hand and discards that are not open, by
// place: O(d).
func (d Deal) closed() (places []table.Card) {
	if !d.OpenHand {
		places = append(places, d.Hands[d.Declarer]...)
	}
	if d.Holder == d.Declarer {
		places = append(places, d.Skat...)
	}
	return sorted(places)
}

// ownSeen are the open faces of the declarer's twelve.
func (d Deal) ownSeen() card.Set {
	return d.SeenOf(d.Declarer).Union(d.SeenOf(nobody)).Union(d.Implied())
}

// matadors are the conditions M-WITH or M-WITHOUT, after the public checks (91.4.3).
func (d Deal) matadors(m value.Matadors) ([]table.Condition, error) {
	trumps := d.Game().Trumps()
	if m.N < 1 || m.N > len(trumps) {
		return nil, fmt.Errorf("SK-R-38: there are 1 to %d matadors in this game, and not %d", len(trumps), m.N)
	}
	own, top := d.ownSeen(), d.Game().Top(m.N)
	var next card.Set // the trump after those, if there is one
	if m.N < len(trumps) {
		next = card.SetOf(trumps[m.N])
	}
	others := d.Seen().Without(own)
	has, lacks := top, next
	if !m.With {
		has, lacks = next, top
	}
	if bad := trick.Common(has, others).Union(trick.Common(lacks, own)); bad != (card.Set{}) {
		return nil, fmt.Errorf("SK-R-38: %v was seen, and is not where these matadors would have it", deck.Faces(bad))
	}
	return d.holds(m, has.Without(own), lacks.Without(others))
}

// holds are the conditions that all of has and none of lacks are among the closed
// cards of the declarer.
func (d Deal) holds(m value.Matadors, has, lacks card.Set) (list []table.Condition, err error) {
	places := d.closed()
	if has.Len() > len(places) {
		return nil, fmt.Errorf("SK-R-38: %d of these matadors would have to be among %d cards", has.Len(), len(places))
	}
	list = []table.Condition{some(mWith, hideGroup, has.Len(), places, has), none(mWith, hideGroup, places, lacks)}
	if !m.With {
		list = []table.Condition{none(mWithout, hideGroup, places, lacks), some(mWithout, hideGroup, has.Len(), places, has)}
	}
	return slices.DeleteFunc(list, func(c table.Condition) bool { return c.Set == card.Set{} }), nil
}
