// Package played makes the event.Table of a table, which is what its event needs to know: how it
// stands, its lines by layers, and the faces of a draw (docs/spec/55-events.md, 55.5). It takes the
// steps of a replay, for a verifier, or a state as it is now, for a server that says how things
// stand.
package played

import (
	"maps"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Table is a table of which only what its event needs is kept.
type Table struct {
	sheet   event.Table
	state   *table.State // until the table is over
	holders []seatHolders
	deals   []uint64      // indexes of the entries that finished deals
	ended   []endingPlace // of the acts that ended a deal or the table
}

// endingPlace is the index of an act that ended a deal or the table, and the holders of the seats
// then.
type endingPlace struct {
	index uint64
	keys  []string // nil: those of the genesis entry
}

// seatHolders are the holders of the seats after so many finished deals.
type seatHolders struct {
	deals int
	keys  []string
}

// New begins a table with the step of its genesis entry. The caller also passes that step to
// TakeStep.
func New(id wire.Hash, s replay.Step) *Table {
	return &Table{sheet: event.Table{ID: id, Index: s.Index, Terms: s.Entry.Table}}
}

// FromState returns the event.Table of a state whose genesis entry and last entry have these
// indexes. The state does not tell at which index a deal ended, nor the earlier holders of a seat.
// A failure gets the earliest index possible, that of the table's beginning.
func FromState(s *table.State, index, last uint64) *event.Table {
	t := &Table{sheet: event.Table{ID: s.ID(), Index: index, Last: last, Terms: s.Genesis()}}
	t.deals, t.ended = make([]uint64, len(s.Sheet().Deals)), slices.Repeat([]endingPlace{{index: index}}, len(s.EndingActs()))
	as := event.Unfinished
	if _, over := s.Result(); over {
		as = overBy(s)
	}
	if s.Foul() != nil {
		as = event.Foul
	}
	t.keepLines(s, as)
	if f := s.Foul(); f != nil {
		t.noteFailure(s.HolderKey(f.Seat), last)
	}
	return &t.sheet
}

// awaitedKeys returns the keys that play waits for, or that of the seat that has left.
func awaitedKeys(s *table.State) (keys []string) {
	seats := map[table.Seat]bool{}
	if seat, gone := s.GoneSeat(); gone {
		seats[seat] = true
	}
	for _, d := range s.Duties() {
		for _, seat := range d.Seats {
			seats[seat] = true
		}
	}
	for _, seat := range slices.Sorted(maps.Keys(seats)) {
		keys = append(keys, s.HolderKey(seat))
	}
	return keys
}

// Sheet returns what came of the table so far. Play may go on.
func (t *Table) Sheet() *event.Table {
	now := *t
	if now.state != nil {
		now.keepLines(now.state, event.Unfinished)
	}
	return &now.sheet
}

// TakeStep takes the next step of the table.
func (t *Table) TakeStep(s replay.Step) {
	switch {
	case s.IsVoid():
	case s.Err != nil:
		t.sheet.State, t.state = event.Unknown, nil
	case s.IsFoul():
		t.sheet.Last = s.Index
		t.keepLines(s.Before, event.Foul)
		t.noteFailure(s.Before.HolderKey(s.Fault.Seat), s.Index)
	default:
		t.sheet.Last, t.state = s.Index, s.After
		t.noteDeals(s)
		if a := s.Entry.Act; a != nil && a.Kind == wire.KindReseat {
			t.noteHolders(s.After)
		}
		if _, over := s.After.Result(); over {
			t.keepLines(s.After, overBy(s.After))
			t.sheet.Waits = awaitedKeys(s.Before)
		}
	}
}

func overBy(s *table.State) event.State {
	if s.IsAdjudicated() {
		return event.Adjudicated
	}
	return event.Sound
}

// noteDeals records where in the log deals were finished or undone.
func (t *Table) noteDeals(s replay.Step) {
	for range s.After.Sheet().Deals[len(t.deals):] {
		t.deals = append(t.deals, s.Index)
	}
	for range s.After.EndingActs()[len(t.ended):] {
		t.ended = append(t.ended, endingPlace{s.Index, t.keysInDeal(len(t.deals))})
	}
}

// noteHolders records the holders of the seats from now on.
func (t *Table) noteHolders(s *table.State) {
	now := seatHolders{deals: len(s.Sheet().Deals)}
	for seat := range table.Seat(s.Seats()) {
		now.keys = append(now.keys, s.HolderKey(seat))
	}
	t.holders = append(t.holders, now)
}

// keepLines keeps the lines of a table, and drops its state.
func (t *Table) keepLines(s *table.State, as event.State) {
	t.sheet.State, t.sheet.Waits, t.state = as, awaitedKeys(s), nil
	sheet := s.Sheet()
	for i, l := range sheet.Deals {
		t.sheet.Lines = append(t.sheet.Lines, event.Line{Deal: l.Deal, Payments: l.Payments, Tallies: l.Tallies, Keys: t.keysInDeal(i), Layer: event.Proved, Index: t.deals[i]})
	}
	closing := event.Proved
	for i, e := range s.EndingActs() {
		at, layer := t.ended[i], event.Agreed // a resignation is signed by the seat that resigns
		switch e.Kind {
		case wire.KindTimeout:
			layer = event.ByClock
			t.noteFailure(at.holder(*e.Seat, t.sheet.Terms), at.index)
		case wire.KindResign:
			t.noteFailure(at.holder(*e.Seat, t.sheet.Terms), at.index)
		case wire.KindClose:
			t.sheet.Closed, closing = true, event.Ruled
		case wire.KindAgree:
			closing = event.Agreed
		}
		if e.Points != nil {
			t.sheet.Lines = append(t.sheet.Lines, event.Line{Payments: e.Points, Keys: at.keys, Layer: layer, Index: at.index, Forfeit: true})
		}
	}
	if sheet.Rest != nil && (as == event.Sound || as == event.Adjudicated) {
		t.sheet.Lines = append(t.sheet.Lines, event.Line{Payments: sheet.Rest, Layer: closing, Index: t.sheet.Last})
	}
	if t.sheet.Terms.Game == event.DrawGame && as == event.Sound {
		t.sheet.Faces = drawFaces(s)
	}
}

// holder returns the key that held a seat.
func (e endingPlace) holder(seat table.Seat, g *wire.Genesis) string {
	if e.keys != nil {
		return e.keys[seat]
	}
	return g.Seats[seat]
}

// noteFailure records the first index at which a key was late, resigned or broke a rule.
func (t *Table) noteFailure(key string, index uint64) {
	if _, before := t.sheet.Failed[key]; before {
		return
	}
	if t.sheet.Failed == nil {
		t.sheet.Failed = map[string]uint64{}
	}
	t.sheet.Failed[key] = index
}

// keysInDeal returns the keys of the seats in a deal, or nil if no seat had changed hands by then.
func (t *Table) keysInDeal(deal int) (keys []string) {
	for _, h := range t.holders {
		if h.deals <= deal {
			keys = h.keys
		}
	}
	return keys
}

// drawFaces returns the faces that make the seed, or nil if not all of them are open.
func drawFaces(s *table.State) (list []uint16) {
	faces := s.Faces()
	for c := range table.Card(event.Faces) {
		var f card.Face
		var open bool
		if f, open = faces[c]; !open {
			return nil
		}
		list = append(list, uint16(f))
	}
	return list
}
