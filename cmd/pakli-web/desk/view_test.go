package desk

import (
	"errors"
	"slices"
	"testing"

	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// A foul without proofs, of which a page shows those that it should have had: the program ended. And
// proofs of a foul, or a commitment to one that is still asked for, shown as if they held.
func TestProofsThatWereNotVerified(t *testing.T) {
	g, _ := games.Lookup("schwarzer-peter/v1")
	tb, err := tabletest.New(g, tabletest.Config{Seats: 3, Suite: clear.Asking{}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	d, err := tb.PlayUntil(table.Shuffle)
	if err != nil {
		t.Fatal(err)
	}
	seat := d.Seats[0]
	honest, err := tb.Message(seat, d, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := wire.Parse(honest)
	if err != nil {
		t.Fatal(err)
	}
	for _, proofs := range [][][]byte{{}, {{1}}, {{1}, {2}}} {
		m := *e.Message
		m.Proofs = proofs
		entry, err := wire.Sign(&m, tb.Hands[seat].Signer)
		if err != nil {
			t.Fatal(err)
		}
		_, err = tabletest.Apply(tb.State, entry)
		fault, is := errors.AsType[*table.Fault](err)
		if !is || fault.Class != table.Foul {
			t.Fatal(err)
		}
		after := tb.State.End(fault, wire.HashEntry(entry))
		if shown := of("en", after).proofs(tb.State, after, &m); len(shown) > 0 {
			t.Errorf("a foul with %d proofs: %+v is shown", len(proofs), shown)
		}
	}
	for _, kind := range []table.Kind{table.Shuffle, table.Answer} {
		if _, err := tb.PlayUntil(kind); err != nil {
			t.Fatal(err)
		}
		before := tb.State
		if err := tb.Play(1); err != nil {
			t.Fatal(err)
		}
		e, err := wire.Parse(slices.Clone(tb.Entries[len(tb.Entries)-1]))
		if err != nil {
			t.Fatal(err)
		}
		if shown := of("en", tb.State).proofs(before, tb.State, e.Message); (len(shown) > 0) != (kind == table.Answer) {
			t.Errorf("%s: %+v is shown", kind, shown)
		}
	}
}
