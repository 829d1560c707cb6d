package fivecarddraw_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/drawtest/referee"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
)

// modest is the clear suite without hand-overs and conditions.
type modest struct{ clear.Suite }

func (modest) Proves(relation string) bool {
	return slices.Contains([]string{"ownership", "shuffle", "reveal"}, relation)
}

// A table that does not open over a suite of locks, which proves what this game needs and
// no more; or that comes to need more in the course of play.
func TestNeeds(t *testing.T) {
	for _, need := range (fivecarddraw.Rules{}).Needs(table.Config{}) {
		if !(modest{}).Proves(need) {
			t.Errorf("needs %s", need)
		}
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
		{clear.Deferred{}, options{"disclose": "deal", "silent": "forfeits"}, ""}, {clear.Deferred{}, nil, ""},
		{clear.Deferred{}, options{"rules": "by-email", "disclose": "table"}, ""}, {clear.Suite{}, options{"rules": "by-email"}, ""},
		{modest{}, options{"reshuffle": "discards"}, "no proof of transfer"},
	} {
		_, err := tabletest.New(game, tabletest.Config{Seats: 2, Options: c.o, Suite: c.suite}, 1)
		if (err == nil) != (c.word == "") || err != nil && !strings.Contains(err.Error(), c.word) {
			t.Errorf("%s, %v: %v, want %q", c.suite.Name(), c.o, err, c.word)
		}
	}
}

// A kernel that does not ask for the tokens that a move owes: cards shown with other faces
// than they have must be noticed, or the conformance of this game means nothing.
func TestMissingTokensAreNoticed(t *testing.T) {
	closed := func(table.Terms) table.Terms { return table.Terms{} }
	c := tabletest.Config{Seats: 2, Deals: 6, Playouts: 10, Options: options{"showdown": "all", "stack": "1000"}}
	_, c.Legal = referee.Watch()
	tabletest.Noticed(t, tabletest.Mutant(fivecarddraw.Rules{}, closed), c)
	c.Options = options{"openers": "jacks", "stack": "1000"}
	tabletest.Noticed(t, tabletest.Mutant(fivecarddraw.Rules{}, closed), c)
}
