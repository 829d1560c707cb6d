package toolbox_test

import (
	"testing"

	"github.com/pakli/pakli/internal/testmust"
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

// A deal that began with cards that nobody mints, and whose seat somebody else takes: it waits for the new key,
// and must not be over when that has come.
func TestReseatBeforeDeck(t *testing.T) {
	for _, move := range []string{`{"op":"create","pile":"p","faces":[0]}`, `{"op":"random","pile":"p","faces":[0,1]}`} {
		o := newClear(t, tabletest.Config{Seats: 2, Options: map[string]string{"faces": "6"}, Ends: &wire.Ends{Late: wire.LateUndo, Resign: true}})
		o.does(a, move)
		testmust.Do(t, o.Add(o.ActOf(b, wire.KindResign, wire.ResignBody{Scope: wire.ResignTable})))
		hand, reseat, err := o.Substitute(b)
		if err == nil {
			err = o.Add(reseat)
		}
		if err == nil {
			err = o.SitDown(hand)
		}
		if err == nil {
			err = o.Play(1)
		}
		if err != nil || o.State.Over() || len(o.State.Duties()) == 0 {
			t.Errorf("%s: over %v, due %v; %v", move, o.State.Over(), o.State.Duties(), err)
		}
	}
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
		testmust.Do(t, err)
		if tb.State.Over() || tb.State.Deal() == 0 {
			continue
		}
		for seat := range table.Seat(2) {
			testmust.Do(t, tb.Add(tb.ActOf(seat, wire.KindAgree, wire.AgreeBody{To: wire.AgreeUndo})))
		}
		again := testmust.Have(tabletest.New(toolboxtest.Game, tabletest.Config{Seats: 2, Options: map[string]string{"faces": "6"}, Limit: 3_000}, seed))(t)
		for again.State.Deal() == 0 {
			testmust.Do(t, again.Play(1))
		}
		if got, want := tb.State.Cards(), again.State.Cards(); got != want && tb.State.Duties()[0].Kind == again.State.Duties()[0].Kind {
			t.Errorf("seed %d: %d cards lie, at the beginning it was %d", seed, got, want)
		}
		testmust.Do(t, tb.Play(30), "seed", seed)
	}
}
