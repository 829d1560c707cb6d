package betting_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/games/fivecarddraw/betting"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/drawtest"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/ruleset"
)

type total struct {
	drawtest.Vector
	Limit                                                                string
	Unit, Height, Own, Stack, Middle, Step, Count, Call, Least, Greatest int
}

func (v total) round() (betting.Terms, betting.Round) {
	terms := betting.Terms{Limit: v.Limit, Unit: v.Unit}
	if v.Limit == ruleset.Fixed {
		terms.Cap = 4
	}
	return terms, betting.Round{Chips: []int{v.Own}, Spoken: []bool{false}, Height: v.Height, Step: v.Step, Count: v.Count, Bettor: -1}
}

// FD-R-22 to FD-R-25: a total that may not be bet, or one that may and is refused, by any
// of the 15 vectors; every total is tried.
func TestTotals(t *testing.T) {
	drawtest.Each(t, "totals", func(t *testing.T, v total) {
		terms, round := v.round()
		if got, want := terms.Bounds(round, 0, v.Stack, v.Middle), (betting.Bounds{Call: v.Call, Least: v.Least, Greatest: v.Greatest}); got != want {
			t.Errorf("bounds %+v, want %+v", got, want)
		}
		for to := range v.Own + v.Stack + 10 {
			err := terms.Check(round, 0, v.Stack, v.Middle, to)
			if may := v.Least > 0 && to >= v.Least && to <= v.Greatest; may != (err == nil) {
				t.Errorf("to %d: %v", to, err)
			}
		}
	})
}
