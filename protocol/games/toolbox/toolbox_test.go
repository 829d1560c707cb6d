package toolbox_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/games/toolbox/toolboxtest"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// Operations in any order that stop a table, blame an honest seat, or let an attack
// through.
func TestContract(t *testing.T) {
	tabletest.Run(t, toolboxtest.Game,
		tabletest.Config{Seats: 2, Options: map[string]string{"faces": "6"}, Limit: 3_000},
		tabletest.Config{Seats: 3, Options: map[string]string{"faces": "8"}, Limit: 3_000},
	)
}

// A table of new cards and no deck, of which what was minted lies about after all was
// undone; and one that cannot go on then.
func TestUndone(t *testing.T) {
	for seed := range uint64(40) {
		tb, err := tabletest.New(toolboxtest.Game, tabletest.Config{Seats: 2, Options: map[string]string{"faces": "6"}, Limit: 3_000,
			Ends: &wire.Ends{Late: wire.LateUndo, Agree: true}}, seed)
		if err == nil {
			err = tb.Play(int(seed) + 3)
		}
		if err != nil {
			t.Fatal(err)
		}
		if tb.State.Over() || tb.State.Deal() == 0 {
			continue
		}
		for seat := range table.Seat(2) {
			if err := tb.Add(tb.ActOf(seat, wire.KindAgree, wire.AgreeBody{To: wire.AgreeUndo})); err != nil {
				t.Fatal(err)
			}
		}
		again, err := tabletest.New(toolboxtest.Game, tabletest.Config{Seats: 2, Options: map[string]string{"faces": "6"}, Limit: 3_000}, seed)
		if err != nil {
			t.Fatal(err)
		}
		for again.State.Deal() == 0 {
			if err := again.Play(1); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := tb.State.Cards(), again.State.Cards(); got != want && tb.State.Duties()[0].Kind == again.State.Duties()[0].Kind {
			t.Errorf("seed %d: %d cards lie, at the beginning it was %d", seed, got, want)
		}
		if err := tb.Play(30); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}
