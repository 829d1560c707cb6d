package fivecarddraw_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	presentation "github.com/pakli/pakli/protocol/games/fivecarddraw/scene"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/scene/scenetest"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/suite/sra"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
)

var (
	game  = play.NewGame(fivecarddraw.Rules{})
	eager = play.NewGame[fivecarddraw.State, fivecarddraw.Move](eagerRules{})
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
	{Seats: 3, Deals: 2, Suite: clear.DeferredSuite{}, Options: options{"disclose": "deal", "silent": "forfeits", "limit": "none", "stack": "9"}},
	{Seats: 2, Deals: 2, Suite: clear.DeferredSuite{}, Options: options{"rules": "by-email"}},
	{Seats: 4, Deals: 3, Suite: clear.DeferredSuite{}, Options: options{"openers": "jacks", "stack": "12"}},
}

// again is a table whose stock runs out.
var again = tabletest.Config{Seats: 6, Options: options{"reshuffle": "discards"}}

// FD-R-02, FD-R-13 to FD-R-17, FD-R-27, FD-R-34, FD-R-41, FD-R-43, FD-R-61, FD-P-01 to FD-P-07, FD-P-09: the kernel's
// promises hold for five-card draw, and every move that the rules let pass is legal to the referee, who sees all
// cards, and the other way round; so are the stages, what each seat holds, and what becomes of the chips.
func TestConformance(t *testing.T) {
	var configs []tabletest.Config
	all := slices.Concat(shapes, locked)
	chosen := testmust.SomeOf(t, len(all), 4)
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
		if i == 1 || i < len(shapes) && testmust.Thorough() {
			c.Deals, c.Playouts = min(c.Deals, 2), 1
			c.Suite, _ = suite.Lookup(sra.Name)
			configs = append(configs, c)
		}
	}
	for i := range configs { // they are played side by side: each has a referee of its own
		configs[i].Invariant, configs[i].Legal = watchTable()
	}
	tabletest.Run(t, game, configs...)
	again := again
	again.Playouts = 1
	again.Invariant, again.Legal = watchTable()
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

// What everybody and each seat sees of a deal changes unnoticed: a card put away or mucked is seen, a
// new card comes before an old one is gone, or a rule changes.
func TestPlaythroughs(t *testing.T) {
	tabletest.Check(t, game, tabletest.Config{Seats: 2, Options: options{"rules": "by-email"}}, 41, "testdata/by-email.playthrough.txt")
	sidePot := tabletest.Config{Seats: 3, Deals: 2, Options: options{"limit": "none", "small-blind": "1", "big-blind": "2", "stack": "12"}}
	tabletest.Check(t, game, sidePot, 40, "testdata/side-pot.playthrough.txt")
	sidePot.Suite, _ = suite.Lookup(sra.Name)
	tabletest.Check(t, game, sidePot, 40, "testdata/locks.playthrough.txt")
	tabletest.Check(t, eager, again, 3, "testdata/reshuffle.playthrough.txt")
	tabletest.Check(t, game, locked[0], 1, "testdata/disclosed.playthrough.txt")
}

// modest is the clear suite without hand-overs and conditions.
type modest struct{ clear.Suite }

func (modest) Proves(relation string) bool {
	return slices.Contains([]string{"ownership", "shuffle", "reveal"}, relation)
}

// A table does not open over a suite of locks, although that proves all this game needs; or the game
// needs more in the course of play.
func TestNeeds(t *testing.T) {
	for _, need := range (fivecarddraw.Rules{}).Needs(table.Config{}) {
		testmust.Holdf(t, (modest{}).Proves(need), "needs %s", need)
	}
	testmust.Have(tabletest.Play(game, tabletest.Config{Seats: 4, Deals: 3, Suite: modest{}}, 1))(t)
}

// 92.2: a table that agrees on disclosure, and whose suite has nothing to disclose; one of a suite that defers
// and does not open; discards that come back where nothing is handed over.
func TestSuitesOfOptions(t *testing.T) {
	for _, c := range []struct {
		suite proof.Suite
		o     options
		word  string
	}{
		{clear.Suite{}, options{"disclose": "table"}, "leave them out"}, {clear.Suite{}, options{"silent": "waits"}, "leave them out"},
		{clear.DeferredSuite{}, options{"disclose": "deal", "silent": "forfeits"}, ""}, {clear.DeferredSuite{}, nil, ""},
		{clear.DeferredSuite{}, options{"rules": "by-email", "disclose": "table"}, ""}, {clear.Suite{}, options{"rules": "by-email"}, ""},
		{modest{}, options{"reshuffle": "discards"}, "no proof of transfer"},
	} {
		_, err := tabletest.New(game, tabletest.Config{Seats: 2, Options: c.o, Suite: c.suite}, 1)
		if (err == nil) != (c.word == "") || err != nil && !strings.Contains(err.Error(), c.word) {
			t.Errorf("%s, %v: %v, want %q", c.suite.Name(), c.o, err, c.word)
		}
	}
}

// A kernel that does not ask for the tokens that a move owes: cards shown with false faces must be
// noticed, or the conformance of this game means nothing.
func TestMissingTokensAreNoticed(t *testing.T) {
	closed := func(table.Terms) table.Terms { return table.Terms{} }
	c := tabletest.Config{Seats: 2, Deals: 6, Playouts: 10, Options: options{"showdown": "all", "stack": "1000"}}
	_, c.Legal = watchTable()
	tabletest.CheckNoticed(t, tabletest.MutantGame(fivecarddraw.Rules{}, closed), c)
	c.Options = options{"openers": "jacks", "stack": "1000"}
	tabletest.CheckNoticed(t, tabletest.MutantGame(fivecarddraw.Rules{}, closed), c)
}

var shown = scene.NewGame(game.Name(), presentation.Presentation{})

// An answer about three cards put away names the last of them twice.
func TestSaysWhatIsPutAway(t *testing.T) {
	played, err := tabletest.New(eager, tabletest.Config{Seats: 2}, 1)
	for s := (fivecarddraw.State{}); err == nil && s.Stage != fivecarddraw.Exchanging; s, _ = table.Public[fivecarddraw.State](played.State) {
		err = played.Play(1)
	}
	testmust.Do(t, err)
	at := scene.SeatPosition(played.State, played.View(played.State.Duties()[0].Seats[0]))
	var picked []scene.Pick
	for _, part := range shown.Ask(at).Parts[1:4] {
		picked = append(picked, part.Pick)
	}
	says := shown.Answer(at, picked).Says
	seen := map[string]bool{}
	var walk func(n scene.Note)
	walk = func(n scene.Note) {
		for _, a := range n.Args {
			if a.Face != "" {
				seen[a.Face] = true
			}
			if a.Note != nil {
				walk(*a.Note)
			}
		}
	}
	walk(says)
	testmust.Holdf(t, len(seen) == 3, "of %v it says %v", picked, seen)
}

// Cards come to the stock again, and are shown to seats that must not see them.
func TestSceneOfReshuffledStock(t *testing.T) {
	scenetest.Run(t, eager, shown, tabletest.Config{Seats: 6, Options: options{"reshuffle": "discards"}})
}
