package tarokk

// This is the phase between exchange and play of a deal of tarokk:
// the partner call, counts, figures, contras, and whose side is speaking
// (docs/spec/61-tarokk.md, R-CALL, R-ANC, R-CNT, R-FIG, R-CON, R-SIDE). It knows
// no hand: each turn comes with the claims that its speaker must prove
// (docs/spec/62-tarokk-proofs.md, 62.4.5 and 62.4.6), and what is proved stays public.
//
// [Announcements] is a value; no method changes it or what it points to. Play goes on
// asking it: whose side is public ([Announcements.RevealSide]) and whom an announced
// pagátultimó binds ([Announcements.RetentionOf]).

import (
	"slices"

	"github.com/pakli/pakli/protocol/card"
)

// PublicFacts is what everybody knows when the phase begins. Where a seat is no one
// it is [tarokk.Nobody]. Under discard-announce=first-turn a seat's discarded
// tarokks are entered before its first turn.
type PublicFacts struct {
	Declarer int         `json:"declarer"`
	MustCall *card.Face  `json:"must_call"` // the card of a binding invit or of a yielded game (R-CALL-6)
	Partner  int         `json:"partner"`   // publicly the declarer's (R-CONV-14)
	Ultimo   int         `json:"ultimo"`    // who must announce pagátultimó or prove a big honour (R-CONV-8)
	Tarokks  [4]int      `json:"tarokks"`   // by seat: how many were discarded (R-DISC-6)
	Opened   []card.Face `json:"opened"`    // the declarer's discarded tarokks, face up
}

// Announcements is the phase as everybody sees it. Seats are 0 to 3, A to D.
type Announcements struct {
	PublicFacts
	Called *card.Face      `json:"called"` // nil before the declarer's first turn
	Turns  int             `json:"turns"`  // taken so far
	Passes int             `json:"passes"` // since somebody last said anything
	Items  []AnnouncedItem `json:"items"`  // the game, then the figures as they were announced
	Counts [4]int          `json:"counts"` // by seat: 8, 9, or 0 for none
	LE7    [4]bool         `json:"le7"`    // by seat: proved to hold seven tarokks at most
	Sides  [4]Side         `json:"sides"`  // by seat: as far as they are public
	Last   Side            `json:"last"`   // of whoever last announced a figure or contra'd (R-SIDE-1)
}

// AnnouncedItem is an item that can be contra'd (R-CON-1).
type AnnouncedItem struct {
	Item   Item `json:"item"`
	By     int  `json:"by"`     // who announced it; of the game, the declarer
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

// Speaker is whose turn it is: the declarer first, then counter-clockwise
// (R-ANC-1), until three in succession only pass (R-ANC-4).
func (s Announcements) Speaker() (seat int, over bool) {
	if s.Passes == 3 {
		return Nobody, true
	}
	return (s.Declarer + s.Turns) % 4, false
}

// seatLetter names a seat (R-SEAT-3).
func seatLetter(seat int) rune { return rune('A' + seat) }

// isFirstTurn reports whether the turn that comes next is its speaker's first.
func (s Announcements) isFirstTurn() bool { return s.Turns < 4 }

// findItem returns the place of an item among Items, or -1.
func (s Announcements) findItem(item Item) int {
	return slices.IndexFunc(s.Items, func(a AnnouncedItem) bool { return a.Item == item })
}

// RevealSide makes the side of a seat public, during the announcements by what it
// says and in play by its cards. If seat is the declarer's partner the other two
// are opponents (R-SIDE-6); that two are opponents says nothing about the third,
// since the declarer may be alone (AMB-10). A side that is public stays as it is.
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

// revealRest makes opponents of all whose side is not public: their partner is
// known, or it is known that there is none (R-CALL-7).
func (s Announcements) revealRest() Announcements {
	for seat, side := range s.Sides {
		if side == UnknownSide {
			s.Sides[seat] = DefenderSide
		}
	}
	return s
}

// partnerKnown reports whether the partner is public, and with it who holds the
// called card.
func (s Announcements) partnerKnown() bool {
	for seat, side := range s.Sides {
		if seat != s.Declarer && side == DeclarerSide {
			return true
		}
	}
	return false
}

// Answer says whether a rule binds a seat.
type Answer int

// Answers.
const (
	AnswerNo Answer = iota
	AnswerYes
	AnswerHidden // yes if the seat is of a certain side, and its side is not public
)

// PagatRetention says whether a seat that holds the pagát must keep it as long as it can.
type PagatRetention struct {
	Answer Answer
	To     Side // of a hidden answer: the side that is bound, the only one that announced pagátultimó
}

// RetentionOf tells whether an announced pagátultimó binds seat (R-PLAY-6): as a
// member of a side that announced it (R-PLAY-7), or under
// pagat-retention=any-holder (AMB-15) whatever its side.
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
