package tableset

import (
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// A key at two tables is one player.
func TestStandingsOfOnePlayer(t *testing.T) {
	tables := []verifier.Table{
		{Report: &verifier.Report{Game: "g", Seats: []string{"a", "b"}, Keys: []string{"a+1", "b+1"}, Result: []int{3, -3}}},
		{Report: &verifier.Report{Game: "g", Seats: []string{"b", "a"}, Keys: []string{"b+1", "a+2"}, Result: []int{5, -5}}},
		{Report: &verifier.Report{Game: "h", Seats: []string{"a", "b"}, Keys: []string{"a+1", "b+1"}, Result: []int{1, -1}}},
	}
	want := []Standing{
		{Game: "g", Name: "a", Key: "a+1", Tables: 1, Sum: 3}, {Game: "g", Name: "b", Key: "b+1", Tables: 2, Sum: 2}, {Game: "g", Name: "a", Key: "a+2", Tables: 1, Sum: -5}, {Game: "h", Name: "a", Key: "a+1", Tables: 1, Sum: 1}, {Game: "h", Name: "b", Key: "b+1", Tables: 1, Sum: -1},
	}
	got := Standings(tables)
	testmust.Holdf(t, slices.Equal(got, want), "standings\n%v, want\n%v", got, want)
}

// The tables of a round begin together. A worker that lags behind at that moment must not leave all
// of them to another worker for the whole round.
func TestRoundIsShared(t *testing.T) {
	r := &router{options: Options{Open: openTables}, owner: map[wire.Hash]*worker{}}
	for range 2 {
		r.workers = append(r.workers, &worker{in: make(chan replay.Leaf, queue), tables: verifier.NewTables(verifier.Options{}, nil, nil, 2)})
	}
	for range 500 {
		r.workers[0].in <- replay.Leaf{}
	}
	for i := range 64 {
		r.placeTable(wire.Hash{byte(i)})
	}
	for i, w := range r.workers {
		testmust.Equal(t, w.openTables(), 32, "of 64 tables worker", i, "has")
	}
}
