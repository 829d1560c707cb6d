package referee

import (
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/games/skat/auction"
	"github.com/pakli/pakli/protocol/games/skat/deck"
	"github.com/pakli/pakli/protocol/games/skat/value"
)

// contracts are those that can be announced.
func contracts() (list []value.Contract) {
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

// A value that differs from what the referee makes of SK-R-47 to SK-R-53 in any combination of
// game, bid, matadors and tricks, at every bound of points, and one that is no value of the list
// (SK-R-14, SK-R-43, SK-R-45).
func TestEveryGame(t *testing.T) {
	values, chosen := map[int]bool{}, thorough.Some(t, len(auction.Values), 12)
	for _, c := range contracts() {
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
						won, val, score := worth(string(c.Game), bid, n, c.Hand, c.Ann, c.Ouvert, pts, tricks)
						if r.Value != val || r.Won != won || r.Score != score || r.Overbid != (r.Reached < bid) {
							t.Fatalf("%+v at %d, %d matadors, %d points, %d tricks: %+v, the referee says %d %v %d", c, bid, n, pts, tricks, r, val, won, score)
						}
						values[r.Reached] = true
					}
				}
			}
		}
	}
	for v := range values {
		testmust.Have(auction.Parse(auction.Call(v).String()))(t, "a game of", v, "cannot be bid")
	}
}
