package sitout_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/sitout"
)

// A deal in which a seat that sits out owes something, has a card or sees one that is
// hidden; and all that a game is held to, where not every seat of the table plays.
func TestConformance(t *testing.T) {
	c := tabletest.Config{Seats: 4, Deals: 5, Playouts: 8, Legal: legal, Invariant: outside}
	configs := []tabletest.Config{c}
	for _, name := range thorough.Drawn(t, thorough.Suites(suite.Proving(proof.Relations()...))) {
		c.Suite, _ = suite.Lookup(name)
		c.Playouts, c.Deals = 1, 2
		configs = append(configs, c)
	}
	tabletest.Run(t, play.Of(sitout.Rules{}), configs...)
}

// outside is what must be true of the seat that sits out.
func outside(t *tabletest.Table) error {
	s, _ := table.Public[sitout.State](t.State)
	if s.Stage == sitout.Over {
		return nil
	}
	sits, view := s.Dealer, t.View(s.Dealer)
	switch {
	case len(t.State.Hand(sits)) > 0 || len(t.State.Dealt(sits)) > 0:
		return fmt.Errorf("seat %d sits out, and has %v, was dealt %v", sits, t.State.Hand(sits), t.State.Dealt(sits))
	case !maps.Equal(view.Faces, t.State.Faces()) || len(view.Dealt) > 0:
		return fmt.Errorf("seat %d sits out, and sees %v, of which %v are open", sits, view.Faces, t.State.Faces())
	}
	for _, d := range t.State.Duties() {
		if d.Owes(sits) && d.Kind != table.Key && s.Stage != sitout.Call {
			return fmt.Errorf("seat %d sits out, and owes %v", sits, d)
		}
		if d.Kind == table.Show && slices.Contains(d.Cards, table.Card(7)) {
			return fmt.Errorf("card 7 is nobody's, and its tokens are owed: %v", d)
		}
	}
	return nil
}

// legal is O3 with open cards.
func legal(t *tabletest.Table, seat table.Seat, move json.RawMessage) error {
	var m sitout.Move
	if err := json.Unmarshal(move, &m); err != nil || m.Lay == nil {
		return err
	}
	hand := t.Hand(seat)
	if face, held := hand[m.Lay.Card]; !held || face != m.Lay.Face {
		return fmt.Errorf("card %d has face %d", m.Lay.Card, face)
	}
	if highest := slices.Max(slices.Collect(maps.Values(hand))); m.Say == "best" && m.Lay.Face < highest {
		return fmt.Errorf("%d is best, with %d in the hand", m.Lay.Face, highest)
	}
	if dealt := slices.Max(slices.Collect(maps.Values(t.Dealt(seat)))); m.Say == "low" && dealt > t.State.Faces()[6] {
		return fmt.Errorf("low, but was dealt %d", dealt)
	}
	return nil
}
