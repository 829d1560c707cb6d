// Package announce is the phase between exchange and play of a deal of tarokk:
// the partner call, counts, figures, contras, and whose side is speaking
// (docs/spec/61-tarokk.md, R-CALL, R-ANC, R-CNT, R-FIG, R-CON, R-SIDE). It knows
// no hand: each turn comes with the claims that its speaker must prove
// (docs/spec/62-tarokk-proofs.md, 62.4.5 and 62.4.6), and what is proved stays public.
//
// A [State] is a value; no method changes it or what it points to. Play goes on
// asking it: whose side is public ([State.Reveal]) and whom an announced
// pagátultimó binds ([State.Bound]).
package announce

import (
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/auction"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
)

// Public is what everybody knows when the phase begins. Where a seat is no one
// it is [auction.Nobody]. Under discard-announce=first-turn a seat's discarded
// tarokks are entered before its first turn.
type Public struct {
	Declarer int         `json:"declarer"`
	MustCall *card.Face  `json:"must_call"` // the card of a binding invit or of a yielded game (R-CALL-6)
	Partner  int         `json:"partner"`   // publicly the declarer's (R-CONV-14)
	Ultimo   int         `json:"ultimo"`    // who must announce pagátultimó or prove a big honour (R-CONV-8)
	Tarokks  [4]int      `json:"tarokks"`   // by seat: how many were discarded (R-DISC-6)
	Opened   []card.Face `json:"opened"`    // the declarer's discarded tarokks, face up
}

// State is the phase as everybody sees it. Seats are 0 to 3, A to D.
type State struct {
	Public
	Called *card.Face    `json:"called"` // nil before the declarer's first turn
	Turns  int           `json:"turns"`  // taken so far
	Passes int           `json:"passes"` // since somebody last said anything
	Items  []Announced   `json:"items"`  // the game, then the figures as they were announced
	Counts [4]int        `json:"counts"` // by seat: 8, 9, or 0 for none
	LE7    [4]bool       `json:"le7"`    // by seat: proved to hold seven tarokks at most
	Sides  [4]score.Side `json:"sides"`  // by seat: as far as they are public
	Last   score.Side    `json:"last"`   // of whoever last announced a figure or contra'd (R-SIDE-1)
}

// Announced is an item that can be contra'd (R-CON-1).
type Announced struct {
	Item   score.Item `json:"item"`
	By     int        `json:"by"`     // who announced it; of the game, the declarer
	Contra int        `json:"contra"` // steps of the ladder, 0 to 5 (R-CON-2)
}

// New begins the phase.
func New(p Public) State {
	s := State{Public: p, Last: score.Dec, Items: []Announced{{Item: score.TheGame, By: p.Declarer}}}
	s.Sides[p.Declarer] = score.Dec
	if p.Partner != auction.Nobody {
		s = s.Reveal(p.Partner, score.Dec)
	}
	return s
}

// Speaker is whose turn it is: the declarer first, then counter-clockwise
// (R-ANC-1), until three in succession only pass (R-ANC-4).
func (s State) Speaker() (seat int, over bool) {
	if s.Passes == 3 {
		return auction.Nobody, true
	}
	return (s.Declarer + s.Turns) % 4, false
}

// letter names a seat (R-SEAT-3).
func letter(seat int) rune { return rune('A' + seat) }

// first reports whether the turn that comes next is its speaker's first.
func (s State) first() bool { return s.Turns < 4 }

// find returns the place of an item among Items, or -1.
func (s State) find(item score.Item) int {
	return slices.IndexFunc(s.Items, func(a Announced) bool { return a.Item == item })
}
