package keeping

import (
	"testing"

	"github.com/pakli/pakli/protocol/wire"
)

// Strangers, one table or one seat that take all the room: each has its share.
func TestShares(t *testing.T) {
	b := Bounds{Bytes: 1600}
	var r room
	genesis := &wire.Genesis{Seats: []string{"a", "b", "c", "d", "e"}}
	table := func(known bool) *kept { return &kept{known: known, genesis: genesis, holds: map[hold]*stored{}} }
	known, a := table(true), hold{seat: 0, key: "a"}
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
	if !r.has(known, a, 10, b) {
		t.Error("strangers have taken the room of those who are known")
	}
	for i := range seatHolds {
		known.holds[hold{parent: wire.Hash{byte(i)}, seat: 0, key: "a"}] = &stored{}
	}
	if r.has(known, a, 1, b) || !r.has(known, hold{seat: 1, key: "b"}, 1, b) || !r.has(known, hold{seat: 0, key: "x"}, 1, b) {
		t.Error("the share of a seat's holder is another's, or has no end")
	}
	for i, key := range []string{"x", "y"} {
		known.holds[hold{parent: wire.Hash{byte(i)}, seat: 1, key: key}] = &stored{size: 25}
	}
	if r.has(known, hold{seat: 1, key: "z"}, 1, b) || !r.has(known, hold{seat: 1, key: "b"}, 10, b) {
		t.Error("later holders take the room of the first one")
	}
}
