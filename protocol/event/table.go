package event

import (
	"slices"

	"github.com/pakli/pakli/protocol/wire"
)

// Layer is what a number rests on.
type Layer string

// Layers, from the strongest.
const (
	Proved  Layer = "proved" // rules and proofs
	Agreed  Layer = "agreed" // the signatures of all seats, or of the one whom it costs
	ByClock Layer = "clock"  // times that keepers signed
	Ruled   Layer = "ruled"  // the signature of somebody whom the event entitled
	OfTerms Layer = "terms"  // a bye: the event's terms say what it is worth
)

// Line is a finished deal of a table, or what a seat that left or the end of the table
// brought besides: then Deal is 0.
type Line struct {
	Deal     int              `json:"deal"`
	Payments []int            `json:"payments"` // by seat
	Tallies  map[string][]int `json:"tallies,omitempty"`
	Keys     []string         `json:"-"` // who held each seat; nil: those of the genesis entry
	Layer    Layer            `json:"layer"`
	Index    uint64           `json:"-"` // of the entry that brought it
	Forfeit  bool             `json:"-"` // what a seat that left pays
}

// State says how a table stands.
type State string

// States of a table.
const (
	Sound       State = "sound"
	Adjudicated State = "adjudicated" // over by a clock, a resignation or an act
	Unfinished  State = "unfinished"
	Foul        State = "foul"
	Unknown     State = "cannot check"
)

// IsOver reports whether play has ended.
func (s State) IsOver() bool { return s == Sound || s == Adjudicated || s == Foul }

// Table is what an event needs to know of a table that names it: its genesis entry, signed by
// the organiser whom that names, and what its replay came to.
type Table struct {
	ID     wire.Hash
	Index  uint64 // of the genesis entry
	Terms  *wire.Genesis
	State  State
	Last   uint64            // index of the last entry that counts
	Lines  []Line            // finished deals; before a foul too
	Faces  []uint16          // shown first, of a table of the draw
	Failed map[string]uint64 // by key of a seat that was late by the clock, resigned, or is at fault: the index where it first was
	Waits  []string          // keys of whom play waited for at the end of what is known, or when it was closed
	Closed bool              // by an act of the organiser or an arbiter
}

// HasDeal reports whether a deal with a number is over at the table.
func (t *Table) HasDeal(n int) bool {
	return slices.ContainsFunc(t.Lines, func(l Line) bool { return l.Deal == n })
}

// DrawGame is the game of a table of the draw (56.2).
const DrawGame = "draw/v1"

// tablePlace is where in an event a table is.
type tablePlace struct{ round, number int }

// hasTerms reports whether a table has the terms of the event, its game apart, and the arbiters that the
// event had when it began.
func (h *History) hasTerms(t *Table) bool {
	g, e := t.Terms, h.Terms
	return g.Event == h.ID.String() && g.Organiser == e.Organiser && g.Suite == e.Suite && g.Fouls == e.Fouls &&
		sameJSON(g.Clock, e.Clock) && g.Ends == e.Ends && slices.Equal(g.Arbiters, h.arbitersAt(t.Index))
}

// hasGame reports whether a table of a round has the game of the event.
func (h *History) hasGame(t *Table) bool {
	return t.Terms.Game == h.Terms.Game && t.Terms.Deals == h.Terms.Deals && sameJSON(t.Terms.Options, h.Terms.Options)
}

func sameJSON(a, b any) bool {
	x, err := wire.EncodeBody(a)
	if err != nil {
		return false
	}
	y, err := wire.EncodeBody(b)
	return err == nil && string(x) == string(y)
}

// hasPlayers reports whether a table has the keys and names of players, in order.
func (h *History) hasPlayers(t *Table, players []int) bool {
	if len(players) != len(t.Terms.Seats) {
		return false
	}
	for i, n := range players {
		if p := h.byNumber[n]; p == nil || p.Key != t.Terms.Seats[i] || p.Name != t.Terms.Names[i] {
			return false
		}
	}
	return true
}

// TableGenesis is the entry that begins a table of a round, but for its nonce.
func (h *History) TableGenesis(round, number int) *wire.Genesis {
	e := h.Terms
	g := &wire.Genesis{
		Format: wire.TableFormat2, Event: h.ID.String(), Round: round, Number: number, Game: e.Game, Suite: e.Suite, Options: e.Options,
		Deals: e.Deals, Fouls: e.Fouls, Clock: e.Clock, Ends: e.Ends, Organiser: e.Organiser, Arbiters: slices.Clone(h.arbiters),
	}
	for _, n := range h.Rounds[round-1].Tables[number-1] {
		p := h.byNumber[n]
		g.Seats, g.Names = append(g.Seats, p.Key), append(g.Names, p.Name)
	}
	return g
}
