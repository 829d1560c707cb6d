package referee

import (
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/deck"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/suite/sra255"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/mutants"
)

// moves are what mutants are made of.
var moves = mutants.Vocabulary{
	Words: append(deck.Names(), "0", "1"),
	Verbs: []string{"fold", "check", "call", "to", "discard", "pick", "muck", "show", "openers"},
	Move:  func() any { return new(fivecarddraw.Move) },
}

func campaign() *mutants.Campaign {
	return &mutants.Campaign{Effort: mutants.Asked(mutants.Effort{Bytes: 2, Moves: 24}), Words: moves, Legal: func(t *tabletest.Table) error {
		_, err := Judge(t)
		return err
	}}
}

// Nothing slips through: for every kind of entry that a table of five-card draw has, each
// field, value, proof and signature altered, by an outsider and by the seat itself. A mutant
// that is applied, unless the referee finds it legal; a foul that another seat is blamed for.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("alters every kind of entry")
	}
	var s proof.Suite // nil is the clear suite: whole logs have the proofs of others
	if thorough.Tests() {
		s, _ = suite.Lookup(suite.Default)
	}
	c := campaign()
	for seed, config := range []tabletest.Config{
		{Seats: 4, Deals: 8, Suite: s},
		{Seats: 2, Deals: 4, Suite: s, Options: map[string]string{"rules": "by-email"}},
		{Seats: 3, Deals: 6, Suite: s, Options: map[string]string{"openers": "jacks"}},
		{Seats: 4, Deals: 5, Suite: s, Options: map[string]string{"second-betting": "false"}},
		{Seats: 5, Deals: 4, Suite: s, Options: map[string]string{"second-betting": "false", "cap": "1"}},
	} {
		played := testmust.Have(tabletest.Play(game, config, uint64(seed+2)))(t)
		c.Kinds(t, played)
	}
	c.Complete(t, append([]string{"key", "shuffle", "show"}, moves.Verbs...)...)
}

// The same of every entry of whole logs: a deal after another, with card keys for the
// table and for one deal (sra255), with a seat that has lost its chips and sits out.
func TestMutantsOfLogs(t *testing.T) {
	if testing.Short() {
		t.Skip("alters every entry of logs")
	}
	for _, name := range thorough.Drawn(t, []string{suite.Default, sra255.Name}) {
		t.Run(strings.ReplaceAll(name, "/", "-"), func(t *testing.T) {
			t.Parallel()
			s, _ := suite.Lookup(name)
			played, c := bustedSeat(t, s), campaign()
			c.Effort = mutants.Asked(mutants.Effort{Bytes: 2, Moves: 8})
			c.Log(t, played)
			c.Complete(t, "key", "shuffle", "show", "move")
		})
	}
}

// bustedSeat is the first table on which a seat has no chips before the last deal.
func bustedSeat(t *testing.T, s proof.Suite) *tabletest.Table {
	t.Helper()
	config := tabletest.Config{Seats: 3, Deals: 2, Suite: s, Options: map[string]string{"limit": "none", "stack": "4"}}
	for seed := range uint64(100) {
		played := testmust.Have(tabletest.Play(game, config, seed))(t)
		if last, _ := table.Public[fivecarddraw.State](played.State); last.Deal.Number == 2 && len(last.Deal.In) == 2 {
			return played
		}
	}
	t.Fatal("no seat ever lost its chips")
	return nil
}
