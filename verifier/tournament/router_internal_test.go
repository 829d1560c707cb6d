package tournament

import (
	"testing"

	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// The tables of a round begin together. With one worker behind just then, the other one got them all, and verified alone for the whole round.
func TestRoundIsShared(t *testing.T) {
	r := &router{options: Options{Open: openTables}, owner: map[wire.Hash]*worker{}}
	for range 2 {
		r.workers = append(r.workers, &worker{in: make(chan replay.Leaf, queue), tables: verifier.NewTables(verifier.Options{}, nil, nil, 2)})
	}
	for range 500 {
		r.workers[0].in <- replay.Leaf{}
	}
	for i := range 64 {
		r.place(wire.Hash{byte(i)})
	}
	for i, w := range r.workers {
		if w.open() != 32 {
			t.Errorf("worker %d has %d of 64 tables", i, w.open())
		}
	}
}
