package tarokk_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

var game = table.Of(tarokk.Rules{})

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
// is legal to a referee who sees all cards, and the other way round.
func TestConformance(t *testing.T) {
	var configs []tabletest.Config
	for i, c := range shapes {
		c.Playouts = 3
		c.Invariant, c.Legal = watched()
		configs = append(configs, c)
		for _, name := range suite.Names() {
			if i > 0 || name != suite.Default && testing.Short() {
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

// The referee agrees with many deals that are played without attacks.
func TestRefereeAgrees(t *testing.T) {
	for _, c := range shapes {
		t.Run(c.String(), func(t *testing.T) {
			for seed := range uint64(5) {
				played, err := tabletest.Play(game, c, 1000+seed)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := judged(played); err != nil {
					t.Fatalf("seed %d: %v", 1000+seed, err)
				}
			}
		})
	}
}

var _ = fmt.Sprint
