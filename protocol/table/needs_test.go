package table_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/table/tabletest/sitout"
)

// lessAble is a suite that proves these relations alone.
type lessAble struct {
	clear.Suite
	proves []string
}

func (s lessAble) Proves(relation string) bool { return slices.Contains(s.proves, relation) }

// modest is a game that needs these relations alone.
type modest struct {
	sitout.Rules
	needs []string
}

func (g modest) Needs(table.Config) []string { return g.needs }

// A table that opens although its suite cannot do what its game will ask for: it would
// stop in the middle of a deal, and whoever has to prove would be at fault. And one that
// does not open although the suite can.
func TestNeeds(t *testing.T) {
	five := []string{"ownership", "shuffle", "reveal", "transfer", "condition"}
	for _, c := range []struct {
		name    string
		game    table.Game
		suite   proof.Suite
		lacking string
	}{
		{"neither says", three, clear.Suite{}, ""},
		{"the suite says all", three, lessAble{proves: proof.Relations()}, ""},
		{"the suite lacks one", three, lessAble{proves: five}, "no proof of permute:"},
		{"the suite lacks two", three, lessAble{proves: five[:3]}, "no proof of transfer, condition, permute:"},
		{"the game does without", play.Of(modest{needs: five[:3]}), lessAble{proves: five[:3]}, ""},
		{"the game needs nothing", play.Of(modest{}), lessAble{}, ""},
		{"the game needs what is not known", play.Of(modest{needs: []string{"forge"}}), clear.Suite{}, "no proof of forge:"},
	} {
		_, err := tabletest.New(c.game, tabletest.Config{Seats: 4, Suite: c.suite}, 1)
		switch {
		case c.lacking == "" && err != nil:
			t.Errorf("%s: the table does not open: %v", c.name, err)
		case c.lacking != "" && (err == nil || !strings.Contains(err.Error(), c.lacking)):
			t.Errorf("%s: %v, want %q", c.name, err, c.lacking)
		}
	}
}

// A suite of the catalogue that takes for granted what its prover does not do, or the
// other way round: those over ElGamal prove all that a game can need.
func TestProves(t *testing.T) {
	s, _ := suite.Lookup(suite.Default)
	for _, relation := range proof.Relations() {
		if !proof.Proves(s, relation) {
			t.Errorf("%s does not prove %s", s.Name(), relation)
		}
	}
	if proof.Proves(s, "forge") {
		t.Error("a relation is proved that there is not")
	}
}
