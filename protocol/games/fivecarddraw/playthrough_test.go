package fivecarddraw_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/suite/sra255"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/playthrough"
)

// What everybody and each seat sees of a deal: a card put away or mucked that comes to be
// seen, a new card that comes before an old one is gone, or a rule that changes unnoticed.
func TestPlaythroughs(t *testing.T) {
	playthrough.Check(t, game, tabletest.Config{Seats: 2, Options: options{"rules": "by-email"}}, 41, "testdata/by-email.playthrough.txt")
	sidePot := tabletest.Config{Seats: 3, Deals: 2, Options: options{"limit": "none", "small-blind": "1", "big-blind": "2", "stack": "12"}}
	playthrough.Check(t, game, sidePot, 40, "testdata/side-pot.playthrough.txt")
	sidePot.Suite, _ = suite.Lookup(sra255.Name)
	playthrough.Check(t, game, sidePot, 40, "testdata/locks.playthrough.txt")
	playthrough.Check(t, eager, again, 3, "testdata/reshuffle.playthrough.txt")
	playthrough.Check(t, game, locked[0], 1, "testdata/disclosed.playthrough.txt")
}
