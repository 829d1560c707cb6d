package referee

import (
	"os"
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/deck"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/mutants"
	"github.com/pakli/pakli/protocol/wire"
)

// moves are what mutants are made of.
var moves = mutants.Vocabulary{
	Words: append(deck.Names(), "0", "1"),
	Verbs: []string{"fold", "check", "call", "to", "discard", "pick", "muck", "show", "openers"},
	Move:  func() any { return new(fivecarddraw.Move) },
}

// kindOf says of what kind an entry is: of a move also which field it sets.
func kindOf(m *wire.Message) string {
	if m.Kind != wire.KindMove {
		return string(m.Kind)
	}
	var body wire.MoveBody
	if wire.DecodeBody(m.Body, &body) != nil {
		return "?"
	}
	field, _, _ := strings.Cut(string(body.Move), ":")
	return strings.Trim(field, `{"`)
}

// Nothing slips through: for every kind of entry that a table of five-card draw has, each
// field, value, proof and signature altered, by an outsider and by the seat itself. A mutant
// that is applied, unless the referee finds it legal; a foul that another seat is blamed for.
//
// PAKLI_MUTANTS=all alters every byte.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("alters every kind of entry")
	}
	effort := mutants.Effort{Bytes: 2, Moves: 24}
	if os.Getenv("PAKLI_MUTANTS") == "all" {
		effort = mutants.Effort{Bytes: 1 << 20, Moves: 1 << 20}
	}
	s, _ := suite.Lookup(suite.Default)
	seen, made, foul, void, legal := map[string]bool{}, 0, 0, 0, 0
	for seed, c := range []tabletest.Config{
		{Seats: 4, Deals: 8, Suite: s},
		{Seats: 2, Deals: 4, Suite: s, Options: map[string]string{"rules": "by-email"}},
		{Seats: 3, Deals: 6, Suite: s, Options: map[string]string{"openers": "jacks"}},
		{Seats: 4, Deals: 5, Suite: s, Options: map[string]string{"second-betting": "false"}},
		{Seats: 5, Deals: 4, Suite: s, Options: map[string]string{"second-betting": "false", "cap": "1"}},
	} {
		played, err := tabletest.Play(game, c, uint64(seed+2))
		if err != nil {
			t.Fatal(err)
		}
		for at := 1; at < len(played.Entries); at++ {
			e, err := wire.Parse(played.Entries[at])
			if err != nil {
				t.Fatal(err)
			}
			kind := kindOf(e.Message)
			if seen[kind] {
				continue
			}
			seen[kind] = true
			list, err := mutants.Of(played, at, effort, moves)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range list {
				made++
				fault, err := mutants.Judge(played, at, m, func(t *tabletest.Table) error {
					_, err := Judge(t)
					return err
				})
				switch {
				case err != nil:
					t.Errorf("table %d, entry %d (%s), %s: %v", seed, at, kind, m.Name, err)
				case fault == nil:
					legal++
				case fault.Class == table.Foul:
					foul++
				default:
					void++
				}
			}
		}
	}
	t.Logf("%d kinds of entries; %d mutants: %d foul, %d void, %d another legal move", len(seen), made, foul, void, legal)
	for _, kind := range append([]string{"key", "shuffle", "show"}, moves.Verbs...) {
		if !seen[kind] {
			t.Errorf("no entry of the kind %s was altered", kind)
		}
	}
}
