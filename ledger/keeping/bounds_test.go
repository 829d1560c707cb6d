package keeping

import (
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/wire"
)

// Strangers, one table or one seat that take all the room: each has its share.
func TestShares(t *testing.T) {
	b := Bounds{Bytes: 1600}
	var r room
	genesis := &wire.Genesis{Seats: []string{"a", "b", "c", "d", "e"}}
	table := func(known bool) *kept { return &kept{known: known, genesis: genesis, holds: map[hold]*stored{}} }
	known, a := table(true), holder{0, "a"}
	for i := range 8 {
		stranger := table(false)
		if !r.has(stranger, a, 10, b) || r.has(stranger, a, 11, b) {
			t.Fatalf("table %d of strangers: a seat of five may have 10 of 1600 bytes", i)
		}
		r.take(stranger, 100)
	}
	if r.has(table(false), a, 1, b) {
		t.Error("strangers have more than half")
	}
	testmust.Hold(t, r.has(known, a, 10, b), "strangers have taken the room of those who are known")
	for i := range seatHolds {
		known.holds[hold{parent: wire.Hash{byte(i)}, holder: a}] = &stored{}
	}
	if r.has(known, a, 1, b) || !r.has(known, holder{1, "b"}, 1, b) || !r.has(known, holder{0, "x"}, 1, b) {
		t.Error("the share of a seat's holder is another's, or has no end")
	}
	for i, key := range []string{"x", "y"} {
		known.holds[hold{parent: wire.Hash{byte(i)}, holder: holder{1, key}}] = &stored{size: 25}
	}
	if r.has(known, holder{1, "z"}, 1, b) || !r.has(known, holder{1, "b"}, 10, b) {
		t.Error("later holders take the room of the first one")
	}
}
