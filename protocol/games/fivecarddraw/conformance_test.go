package fivecarddraw_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/drawtest"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/drawtest/referee"
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

// FD-R-02, FD-R-13 to FD-R-17, FD-R-27, FD-R-34, FD-R-41, FD-R-43, FD-R-61, FD-P-01 to FD-P-07, FD-P-09: the kernel's
// promises hold for five-card draw, and every move that the rules let pass is legal to the referee, who sees all
// cards, and the other way round; so are the stages, what each seat holds, and what becomes of the chips.
func TestConformance(t *testing.T) {
	var configs []tabletest.Config
	all := slices.Concat(shapes, locked)
	chosen := thorough.Some(t, len(all), 4)
	for i, c := range all {
		if !chosen(i) && i != 1 {
			continue
		}
		c.Playouts = 2
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
	for i := range configs { // they are played side by side: each has a referee of its own
		configs[i].Invariant, configs[i].Legal = referee.Watch()
	}
	tabletest.Run(t, game, configs...)
	again := again
	again.Playouts = 1
	again.Invariant, again.Legal = referee.Watch()
	tabletest.Run(t, eager, again)
}

func public(t *tabletest.Table) fivecarddraw.State {
	s, _ := table.Public[fivecarddraw.State](t.State)
	return s
}

// chips says whether a chip has appeared or vanished, or is negative (FD-R-02).
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
