package event

import (
	"slices"

	"github.com/pakli/pakli/protocol/wire"
)

// Layer says what a number rests on.
type Layer string

// Layers, from the strongest.
const (
	Proved  Layer = "proved" // rules and proofs
	Agreed  Layer = "agreed" // the signatures of all seats, or of the one that it costs
	ByClock Layer = "clock"  // times that keepers signed
	Ruled   Layer = "ruled"  // the signature of somebody entitled by the event
	OfTerms Layer = "terms"  // the event's terms, for a bye
)

// Line is a finished deal of a table. With Deal 0 it is what a seat that left, or the end of the
// table, paid besides.
type Line struct {
	Deal     int              `json:"deal"`
	Payments []int            `json:"payments"` // by seat
	Tallies  map[string][]int `json:"tallies,omitempty"`
	Keys     []string         `json:"-"` // holder of each seat; nil: as in the genesis entry
	Layer    Layer            `json:"layer"`
	Index    uint64           `json:"-"` // of the entry that brought it
	Forfeit  bool             `json:"-"` // paid by a seat that left
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

// Table is what an event needs to know of a table that names it: its genesis entry, signed by the
// organiser that the entry names, and the outcome of its replay.
type Table struct {
	ID    wire.Hash
	Index uint64 // of the genesis entry
	Terms *wire.Genesis
	State State
	Last  uint64   // index of the last entry that counts
	Lines []Line   // finished deals; before a foul too
	Faces []uint16 // at a table of the draw: the faces shown first
	// by key of a seat that was late, resigned or is at fault: the index where it first was
	Failed map[string]uint64
	Waits  []string // keys that play waited for at the end of what is known, or when it was closed
	Closed bool     // whether the organiser or an arbiter closed it
}

// HasDeal reports whether a deal with this number is finished at the table.
func (t *Table) HasDeal(n int) bool {
	return slices.ContainsFunc(t.Lines, func(l Line) bool { return l.Deal == n })
}

// DrawGame is the game of a table of the draw (56.2).
const DrawGame = "draw/v1"

// tablePlace is a table's place in an event.
type tablePlace struct{ round, number int }

// hasTerms reports whether a table has the terms of the event, apart from the game, and the
// arbiters that the event had when the table began.
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

// TableGenesis returns the genesis entry of a table of a round, without its nonce.
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
