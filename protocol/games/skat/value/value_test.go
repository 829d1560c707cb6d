package value_test

import (
	"testing"

	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/games/skat/auction"
	"github.com/pakli/pakli/protocol/games/skat/deck"
	"github.com/pakli/pakli/protocol/games/skat/value"
)

// all are the contracts that can be announced.
func all() (list []value.Contract) {
	for _, g := range deck.Games {
		for _, hand := range []bool{false, true} {
			list = append(list, value.Contract{Game: g, Hand: hand})
			switch {
			case g == deck.Null:
				list = append(list, value.Contract{Game: g, Hand: hand, Ouvert: true})
			case hand:
				list = append(list, value.Contract{Game: g, Hand: hand, Ann: 1}, value.Contract{Game: g, Hand: hand, Ann: 2}, value.Contract{Game: g, Hand: hand, Ann: 2, Ouvert: true})
			}
		}
	}
	return list
}

// formula is that of 90.6 for suit games and grand.
func formula(c value.Contract, bid, n, pts, tricks int) (val int, won bool, score int) {
	b := func(is bool) int {
		if is {
			return 1
		}
		return 0
	}
	low := min(pts, 120-pts)
	levels := 1 + b(c.Hand) + b(low <= 30 || tricks == 0 || tricks == 10 || c.Ann >= 1) + b(c.Ann >= 1) +
		b(tricks == 0 || tricks == 10 || c.Ann == 2) + b(c.Ann == 2) + b(c.Ouvert)
	val = c.Game.Base() * (n + levels)
	won = pts >= 61 && val >= bid && (c.Ann < 1 || pts >= 90) && (c.Ann < 2 || tricks == 10)
	if won {
		return val, true, val
	}
	raised := (bid + c.Game.Base() - 1) / c.Game.Base() * c.Game.Base()
	return max(val, raised), false, -2 * max(val, raised)
}

// A value that differs from the formula of SK-R-47 to SK-R-53 in any combination of
// game, bid, matadors and tricks, at every bound of points, and one that is no value of the list
// (SK-R-14, SK-R-43, SK-R-45).
func TestEveryGame(t *testing.T) {
	values, chosen := map[int]bool{}, thorough.Some(t, len(auction.Values), 12)
	for _, c := range all() {
		most := len(c.Game.Trumps())
		for n := 1; n <= most; n++ {
			for i, bid := range auction.Values {
				if !chosen(i) {
					continue
				}
				for _, pts := range []int{0, 1, 21, 29, 30, 31, 32, 58, 59, 60, 61, 62, 88, 89, 90, 91, 119, 120} {
					for _, tricks := range []int{0, 1, 9, 10} {
						if tricks == 10 && pts < 120 || tricks == 0 && pts > 21 {
							continue // no such deal
						}
						r := c.Played(bid, value.Matadors{With: true, N: n}, pts, tricks)
						val, won, score := formula(c, bid, n, pts, tricks)
						if r.Value != val || r.Won != won || r.Score != score || r.Overbid != (r.Reached < bid) {
							t.Fatalf("%+v at %d, %d matadors, %d points, %d tricks: %+v, the formula says %d %v %d", c, bid, n, pts, tricks, r, val, won, score)
						}
						values[r.Reached] = true
					}
				}
			}
		}
	}
	for v := range values {
		if _, err := auction.Parse(auction.Call(v).String()); err != nil {
			t.Errorf("a game of %d cannot be bid", v)
		}
	}
}
