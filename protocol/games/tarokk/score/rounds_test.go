package score_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/games/tarokk/score"
)

// R-SESS-1, R-SESS-2, R-SESS-3, AMB-21: an end that nobody declared; a turn without a
// skíz that is observed; one that does not count once it is.
func TestEnding(t *testing.T) {
	for _, c := range []struct {
		name    string
		declare bool
		members int
		skiz    []int // of each turn
		turns   int   // when it is over
	}{
		{"not declared", false, 4, []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, -1},
		{"the dealer has the skíz", true, 4, []int{0, 1, 1, 1, 1, 1}, 4},
		{"lost trials are not observed", true, 4, []int{score.NoSkiz, score.NoSkiz, 2, 0, 0, 0, 0, 0, 0}, 8},
		{"lost trials count afterwards", true, 5, []int{1, score.NoSkiz, score.NoSkiz, score.NoSkiz, score.NoSkiz, score.NoSkiz, 0}, 6},
		{"the longest", true, 5, []int{4, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 9},
	} {
		e := score.Ending{}
		if c.declare {
			e, _ = e.Declare()
		}
		over := -1
		for i, skiz := range c.skiz {
			if e.Over() {
				break
			}
			if e = e.Turn(c.members, skiz); e.Over() {
				over = i + 1
			}
		}
		if over != c.turns {
			t.Errorf("%s: over after %d turns, want %d", c.name, over, c.turns)
		}
	}
}
