package verifiertest

import (
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// Cheat is one way to cheat at a game.
type Cheat struct {
	ID     string   // of a list of cheats
	How    string   // what sets it apart from others of the same ID
	Stuck  bool     // the cheat has left himself no honest message
	Suites []string // by which it is tried instead of those of all; "" is the clear suite
	// Told is a table with the suite and the policy of c, up to where the cheat may be tried, and
	// all that the cheat says in place of an honest message, the best lie first.
	Told func(t *testing.T, c tabletest.Config) (*tabletest.Table, []Lie)
}

// sampled is how many cheats are tried by a further suite, unless the tests are thorough.
const sampled = 3

// TryCheats tries cheats by the clear suite and the default one, or by those that are named. Where
// fouls are refused none of the lies gets in, and play goes on; where they are recorded, log and
// verifier blame the seat that cheated, by the check that found it, and nobody else. Unless the
// tests are thorough, half of the cheats are refused and the others recorded; by every suite but
// the first some are tried, and recorded.
func TryCheats(t *testing.T, cheats []Cheat, suites ...string) {
	if suites == nil {
		suites = []string{"", suite.Default}
	}
	chosen, refused := testmust.SomeOf(t, len(cheats), sampled), testmust.SomeOf(t, len(cheats), len(cheats)/2)
	for i, c := range cheats {
		by := suites
		if c.Suites != nil {
			by = c.Suites
		}
		for n, name := range by {
			if n > 0 && !chosen(i) {
				continue
			}
			config := tabletest.Config{Suite: clear.Suite{}}
			if name != "" {
				config.Suite, _ = suite.Lookup(name)
			}
			t.Run(strings.Trim(c.ID+" "+c.How, " ")+" "+strings.ReplaceAll(config.Suite.Name(), "/", "-"), func(t *testing.T) {
				t.Parallel()
				if n == 0 && refused(i) || testmust.Thorough() {
					config.Fouls = wire.RefuseFouls
					played, lies := c.Told(t, config)
					CheckRefused(t, played, c.Stuck, lies...)
				}
				if n == 0 && refused(i) && !testmust.Thorough() {
					return
				}
				config.Fouls = wire.RecordFouls
				played, lies := c.Told(t, config)
				CheckRecorded(t, played, lies...)
			})
		}
	}
}

// CheckListed holds that cheats of all these IDs are tried, and of no others.
func CheckListed(t *testing.T, cheats []Cheat, ids ...string) {
	t.Helper()
	tried := map[string]bool{}
	for _, c := range cheats {
		tried[c.ID] = true
	}
	for _, id := range ids {
		if !tried[id] {
			t.Errorf("%s is not tried", id)
		}
		delete(tried, id)
	}
	for id := range tried {
		t.Errorf("%s is no cheat of the list", id)
	}
}
