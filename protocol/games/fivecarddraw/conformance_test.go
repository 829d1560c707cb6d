package fivecarddraw_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/deck"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/drawtest"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/suite/sra255"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
)

var (
	game  = play.Of(fivecarddraw.Rules{})
	eager = play.Of(drawtest.Eager{})
)

type options = map[string]string

// shapes are the tables that the suite plays with all its attacks: every option that
// changes the course of play.
var shapes = []tabletest.Config{
	{Seats: 3, Deals: 3},
	{Seats: 2, Deals: 3, Options: options{"rules": "by-email"}},
	{Seats: 2, Deals: 4, Options: options{"small-blind": "1", "big-blind": "2", "limit": "none", "ante": "0", "stack": "12", "pick": "opponent"}},
	{Seats: 4, Deals: 4, Options: options{"limit": "pot", "draw": "one-by-one", "stack": "20", "payout": "places", "prizes": "60,30,10"}},
	{Seats: 6, Deals: 2, Options: options{"limit": "none", "showdown": "all", "stack": "9", "wheel": "false"}},
	{Seats: 3, Deals: 6, Options: options{"openers": "jacks", "stack": "11", "reopen": "half", "bet": "4", "later-bet": "5"}},
	{Seats: 5, Deals: 2, Options: options{"second-betting": "false", "exchange": "2", "cap": "1", "ante": "3", "small-blind": "1", "big-blind": "2"}},
}

// locked are tables of a suite that defers.
var locked = []tabletest.Config{
	{Seats: 3, Deals: 2, Suite: clear.Deferred{}, Options: options{"disclose": "deal", "silent": "forfeits", "limit": "none", "stack": "9"}},
	{Seats: 2, Deals: 2, Suite: clear.Deferred{}, Options: options{"rules": "by-email"}},
	{Seats: 4, Deals: 3, Suite: clear.Deferred{}, Options: options{"openers": "jacks", "stack": "12"}},
}

// again is a table whose stock runs out.
var again = tabletest.Config{Seats: 6, Options: options{"reshuffle": "discards"}}

// The kernel's promises hold for five-card draw, and every move that the rules let pass is
// legal to one who sees all cards, and the other way round.
func TestConformance(t *testing.T) {
	var configs []tabletest.Config
	all := slices.Concat(shapes, locked)
	chosen := thorough.Some(t, len(all), 4)
	for i, c := range all {
		if !chosen(i) && i != 1 {
			continue
		}
		c.Playouts, c.Invariant, c.Legal = 2, conserved, legal
		configs = append(configs, c)
		if i == 1 {
			c.Deals, c.Playouts = 1, 1
			c.Suite, _ = suite.Lookup(suite.Default)
			configs = append(configs, c)
		}
		if i == 1 || i < len(shapes) && thorough.Tests() {
			c.Deals, c.Playouts = min(c.Deals, 2), 1
			c.Suite, _ = suite.Lookup(sra255.Name)
			configs = append(configs, c)
		}
	}
	tabletest.Run(t, game, configs...)
	again := again
	again.Playouts, again.Invariant, again.Legal = 1, conserved, legal
	tabletest.Run(t, eager, again)
}

func public(t *tabletest.Table) fivecarddraw.State {
	s, _ := table.Public[fivecarddraw.State](t.State)
	return s
}

// conserved says that no chip appears or vanishes, and none is negative (FD-R-02).
func conserved(t *tabletest.Table) error { return chips(public(t)) }

func chips(s fivecarddraw.State) error {
	sum := s.InMiddle()
	for _, n := range s.Chips {
		sum += n
	}
	if want := len(s.Chips) * s.Rules.Stack; sum != want || slices.Min(s.Chips) < 0 || s.Left < 0 {
		return fmt.Errorf("FD-R-02: chips %v and %d in the middle; there are %d", s.Chips, s.InMiddle(), want)
	}
	return nil
}

// legal judges with all cards open what a move says of cards: that they have the faces
// named (FD-R-41), and that openers are jacks or better (FD-R-61).
func legal(t *tabletest.Table, seat table.Seat, raw json.RawMessage) error {
	var m fivecarddraw.Move
	if err := json.Unmarshal(raw, &m); err != nil {
		return err
	}
	s, faces := public(t), t.Dealt(seat)
	named := m.Show
	if m.Openers != nil {
		named = *m.Openers
	}
	for _, c := range named {
		if face, dealt := faces[c.Card]; !dealt || deck.Face(face) != c.Face {
			return fmt.Errorf("card %d is %v, dealt %v", c.Card, deck.Face(face), dealt)
		}
		if m.Openers == nil && !slices.Contains(s.Deal.Hands[seat], c.Card) {
			return fmt.Errorf("card %d is not in the hand", c.Card)
		}
	}
	return nil
}
