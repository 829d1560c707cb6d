package tarokk

// This file is the phase of a deal of tarokk between exchange and play: the partner call, counts,
// figures, contras, and the side for which a player speaks (docs/spec/61-tarokk.md, R-CALL, R-ANC,
// R-CNT, R-FIG, R-CON, R-SIDE). It knows no hand: each turn comes with the claims that its speaker must
// prove (docs/spec/62-tarokk-proofs.md, 62.4.5 and 62.4.6), and what is proved stays public.
//
// [Announcements] is a value; no method changes it or what it points to. During play the rules still
// ask it which sides are public ([Announcements.RevealSide]) and whom an announced pagátultimó binds
// ([Announcements.RetentionOf]).

import (
	"slices"

	"github.com/pakli/pakli/protocol/card"
)

// PublicFacts are the facts that everybody knows when the phase begins. A seat is [tarokk.Nobody] if
// there is none. Under discard-announce=first-turn, a seat's discarded tarokks are entered before its
// first turn.
type PublicFacts struct {
	Declarer int         `json:"declarer"`
	MustCall *card.Face  `json:"must_call"` // the card of a binding invit or of a yielded game (R-CALL-6)
	Partner  int         `json:"partner"`   // the declarer's partner, if he is public (R-CONV-14)
	Ultimo   int         `json:"ultimo"`    // the seat that must announce pagátultimó or prove a big honour (R-CONV-8)
	Tarokks  [4]int      `json:"tarokks"`   // by seat, the number of tarokks discarded (R-DISC-6)
	Opened   []card.Face `json:"opened"`    // the declarer's discarded tarokks, face up
}

// Announcements is the public state of the phase. Seats are 0 to 3, A to D.
type Announcements struct {
	PublicFacts
	Called *card.Face      `json:"called"` // nil before the declarer's first turn
	Turns  int             `json:"turns"`  // number of turns taken
	Passes int             `json:"passes"` // number of passes since anybody last said something else
	Items  []AnnouncedItem `json:"items"`  // the game, then the figures as they were announced
	Counts [4]int          `json:"counts"` // by seat: 8, 9, or 0 for none
	LE7    [4]bool         `json:"le7"`    // by seat, whether it has proved that it holds seven tarokks at most
	Sides  [4]Side         `json:"sides"`  // by seat, as far as the sides are public
	Last   Side            `json:"last"`   // the side of the last figure or contra (R-SIDE-1)
}

// AnnouncedItem is an item that can be contra'd (R-CON-1).
type AnnouncedItem struct {
	Item   Item `json:"item"`
	By     int  `json:"by"`     // the seat that announced it; for the game, the declarer
	Contra int  `json:"contra"` // steps of the ladder, 0 to 5 (R-CON-2)
}

// NewAnnouncements begins the phase.
func NewAnnouncements(p PublicFacts) Announcements {
	s := Announcements{PublicFacts: p, Last: DeclarerSide, Items: []AnnouncedItem{{Item: TheGame, By: p.Declarer}}}
	s.Sides[p.Declarer] = DeclarerSide
	if p.Partner != Nobody {
		s = s.RevealSide(p.Partner, DeclarerSide)
	}
	return s
}

// Speaker is the seat whose turn it is: first the declarer, then counter-clockwise (R-ANC-1), until
// three in succession have only passed (R-ANC-4).
func (s Announcements) Speaker() (seat int, over bool) {
	if s.Passes == 3 {
		return Nobody, true
	}
	return (s.Declarer + s.Turns) % 4, false
}

// seatLetter names a seat (R-SEAT-3).
func seatLetter(seat int) rune { return rune('A' + seat) }

// isFirstTurn reports whether the next turn is the first one of its speaker.
func (s Announcements) isFirstTurn() bool { return s.Turns < 4 }

// findItem returns the index of an item in Items, or -1.
func (s Announcements) findItem(item Item) int {
	return slices.IndexFunc(s.Items, func(a AnnouncedItem) bool { return a.Item == item })
}

// RevealSide makes the side of a seat public: during the announcements by what it says, in play by its
// cards. If the seat is the declarer's partner, the other two are opponents (R-SIDE-6). That two are
// opponents says nothing about the third, because the declarer may be alone (AMB-10). A public side
// never changes.
func (s Announcements) RevealSide(seat int, side Side) Announcements {
	if s.Sides[seat] != UnknownSide {
		return s
	}
	s.Sides[seat] = side
	if side == DeclarerSide {
		s = s.revealRest()
	}
	return s
}

// revealRest makes opponents of all seats whose side is not public: the partner is known, or it is
// known that there is none (R-CALL-7).
func (s Announcements) revealRest() Announcements {
	for seat, side := range s.Sides {
		if side == UnknownSide {
			s.Sides[seat] = DefenderSide
		}
	}
	return s
}

// partnerKnown reports whether the partner is public, and so the holder of the called card.
func (s Announcements) partnerKnown() bool {
	for seat, side := range s.Sides {
		if seat != s.Declarer && side == DeclarerSide {
			return true
		}
	}
	return false
}

// Answer is whether a rule binds a seat.
type Answer int

// The answers.
const (
	AnswerNo Answer = iota
	AnswerYes
	AnswerHidden // yes if the seat is on a certain side, but its side is not public
)

// PagatRetention says whether a seat that holds the pagát must keep it as long as it can.
type PagatRetention struct {
	Answer Answer
	To     Side // with AnswerHidden: the side that is bound, the only one that announced pagátultimó
}

// RetentionOf tells whether an announced pagátultimó binds a seat (R-PLAY-6): because its side
// announced it (R-PLAY-7), or, under pagat-retention=any-holder (AMB-15), whatever its side is.
func (s Announcements) RetentionOf(r RuleSet, seat int) PagatRetention {
	var by []Side
	for _, a := range s.Items {
		if a.Item.Figure == Ultimo {
			by = append(by, a.Item.Side)
		}
	}
	switch {
	case len(by) == 0:
		return PagatRetention{Answer: AnswerNo}
	case r.Retention == RetainAnyHolder || len(by) == 2 || slices.Contains(by, s.Sides[seat]):
		return PagatRetention{Answer: AnswerYes}
	case s.Sides[seat] == UnknownSide:
		return PagatRetention{Answer: AnswerHidden, To: by[0]}
	}
	return PagatRetention{Answer: AnswerNo}
}
