package cosign

import (
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/wire"
)

// Strangers, one table or one seat fill all the room: each has only its share.
func TestShares(t *testing.T) {
	b := KeeperBounds{Bytes: 1600}
	var r usedRoom
	genesis := &wire.Genesis{Seats: []string{"a", "b", "c", "d", "e"}}
	table := func(known bool) *keptTable {
		return &keptTable{known: known, genesis: genesis, holds: map[hold]*storedMessage{}}
	}
	known, a := table(true), holder{0, "a"}
	for i := range 8 {
		stranger := table(false)
		testmust.Requiref(t, r.hasRoom(stranger, a, 10, b) && !r.hasRoom(stranger, a, 11, b),
			"table %d of strangers: a seat of five may have 10 of 1600 bytes", i)
		r.takeBytes(stranger, 100)
	}
	testmust.Hold(t, !r.hasRoom(table(false), a, 1, b), "strangers have more than half")
	testmust.Hold(t, r.hasRoom(known, a, 10, b), "strangers have taken the room of those who are known")
	for i := range seatHolds {
		known.holds[hold{parent: wire.Hash{byte(i)}, holder: a}] = &storedMessage{}
	}
	testmust.Hold(t, !r.hasRoom(known, a, 1, b) && r.hasRoom(known, holder{1, "b"}, 1, b) && r.hasRoom(known, holder{0, "x"}, 1, b),
		"the share of a seat's holder is another's, or has no end")
	for i, key := range []string{"x", "y"} {
		known.holds[hold{parent: wire.Hash{byte(i)}, holder: holder{1, key}}] = &storedMessage{size: 25}
	}
	testmust.Hold(t, !r.hasRoom(known, holder{1, "z"}, 1, b) && r.hasRoom(known, holder{1, "b"}, 10, b), "later holders take the room of the first one")
}
