package tarokk_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

var game = play.NewGame(tarokk.Rules{})

type options = map[string]string

func decode(s *table.State) (state tarokk.State) {
	raw, err := s.Public()
	if err == nil {
		err = json.Unmarshal(raw, &state)
	}
	if err != nil {
		panic(err)
	}
	return state
}

// shapes are the tables that the suite plays with all its attacks: both numbers
// of members, all presets, and the options that change what must be proved.
var shapes = []tabletest.Config{
	{Seats: 4, Deals: 2},
	{Seats: 5, Deals: 2, Options: options{"preset": "cup", "talon-fee": "true", "dealer-weeps": "true", "deal-knock": "true"}},
	{Seats: 4, Deals: 2, Options: options{"preset": "bga"}},
	{Seats: 5, Deals: 3, Options: options{"preset": "bga", "ending": "skiz", "seat-draw": "false"}},
	{Seats: 4, Options: options{"free-call": "none", "discard-announce": "first-turn", "discard-xx": "forbidden", "red-low": "four"}},
	{Seats: 4, Options: options{"count-pais": "true", "count-side": "figure", "forced-contra": "spoken", "xvii": "pais", "pagat-retention": "any-holder"}},
	{Seats: 5, Options: options{"invit-commit": "if-other-declares", "raise-sole": "true", "ultimo-duty": "exchanged", "annul-after-tarokk": "all", "seat-draw": "false"}},
}

// The kernel's promises hold for tarokk, and every move that the rules let pass
// is legal to a referee who sees all cards, and the other way round. Without
// PAKLI_TESTS=thorough, one deal on the first table and one of the others.
func TestConformance(t *testing.T) {
	var configs []tabletest.Config
	chosen := testmust.SomeOf(t, len(shapes)-1, 1)
	for i, c := range shapes {
		if i > 0 && !chosen(i-1) {
			continue
		}
		c.Playouts = 1
		c.Invariant, c.Legal = watched()
		if i > 1 || !testmust.Thorough() {
			c.Deals = 1
		}
		configs = append(configs, c)
		for _, name := range testmust.ThoroughSuites(suite.NamesProving(proof.Relations()...)) {
			other := strings.Contains(name, "tereliuswikstrom") // one in the short form shows that the game asks none in particular
			if i > 0 || name != suite.Default && (!testmust.Thorough() || !other && os.Getenv("PAKLI_PLAYOUTS") == "") {
				continue
			}
			c := c
			c.Deals, c.Playouts = 1, 1
			c.Suite, _ = suite.Lookup(name)
			c.Invariant, c.Legal = watched()
			configs = append(configs, c)
		}
	}
	tabletest.Run(t, game, configs...)
}

// A table whose moves need one proof less, whichever, must be noticed by the
// referee; or the test above means nothing.
func TestRefereeNotices(t *testing.T) {
	testmust.OnlyThorough(t, "many deals are played, until a lie comes through")
	for name, dropped := range map[string]func(table.Condition) bool{
		"B-HON":   func(c table.Condition) bool { return c.Set == tarokk.Honours },
		"P-VOID":  func(c table.Condition) bool { return len(c.Cards) < 9 && c.Set.Len() == tarokk.DeckSize-5 },
		"A-OPP":   func(c table.Condition) bool { return len(c.Cards) == 9 && c.Set.Len() == tarokk.DeckSize-1 },
		"D-CLASS": func(c table.Condition) bool { return c.Set == tarokk.PlainDiscards },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mutant := tabletest.MutantGame(tarokk.Rules{}, func(terms table.Terms) table.Terms {
				terms.Prove = slices.DeleteFunc(slices.Clone(terms.Prove), dropped)
				return terms
			})
			c := tabletest.Config{Seats: 4, Playouts: 60}
			c.Invariant, c.Legal = watched()
			tabletest.CheckNoticed(t, mutant, c)
		})
	}
}
