package tournament_test

import (
	"slices"
	"testing"

	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/tournament"
)

// One key at two tables is one player.
func TestStandingsOfOnePlayer(t *testing.T) {
	tables := []verifier.Table{
		{Report: &verifier.Report{Game: "g", Seats: []string{"a", "b"}, Keys: []string{"a+1", "b+1"}, Result: []int{3, -3}}},
		{Report: &verifier.Report{Game: "g", Seats: []string{"b", "a"}, Keys: []string{"b+1", "a+2"}, Result: []int{5, -5}}},
		{Report: &verifier.Report{Game: "h", Seats: []string{"a", "b"}, Keys: []string{"a+1", "b+1"}, Result: []int{1, -1}}},
	}
	want := []tournament.Standing{
		{Game: "g", Name: "a", Key: "a+1", Tables: 1, Sum: 3}, {Game: "g", Name: "b", Key: "b+1", Tables: 2, Sum: 2}, {Game: "g", Name: "a", Key: "a+2", Tables: 1, Sum: -5}, {Game: "h", Name: "a", Key: "a+1", Tables: 1, Sum: 1}, {Game: "h", Name: "b", Key: "b+1", Tables: 1, Sum: -1},
	}
	if got := tournament.Standings(tables); !slices.Equal(got, want) {
		t.Errorf("standings\n%v, want\n%v", got, want)
	}
}
