package skat_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// A condition that is missing: somebody whose cards are others than he says would make a
// move that the referee, who sees them, calls illegal.
func TestLies(t *testing.T) {
	var configs []tabletest.Config
	chosen := testmust.SomeOf(t, 4, 2)
	for i, o := range []map[string]string{
		{},
		{"concede": "off", "claim": "off", "ramsch": "schieber"},
		{"early": "prove", "kontra": "any", "null-overbid": "lose", "concede": "one"},
		{"score": "bierlachs", "bock": "lost60+grandhand+kontra+re", "kontra": "bid18", "ramsch": "simple", "seats-draw": "on"},
	} {
		if !chosen(i) {
			continue
		}
		c := tabletest.Config{Seats: 3, Deals: 3, Options: o, AnySum: true, Playouts: 6}
		c.Invariant, c.Legal = watchTable()
		configs = append(configs, c)
	}
	tabletest.Run(t, game, configs...)
}

// only offers some of the moves.
type only struct {
	skat.Rules
	offer func(skat.Move) bool
}

func (o only) Moves(s skat.State, v table.View) []skat.Move {
	return slices.DeleteFunc(o.Rules.Moves(s, v), func(m skat.Move) bool { return !o.offer(m) })
}

// Moves that lead to what is seldom met by chance: a null at a low bid, a Ramsch.
func anything(skat.Move) bool { return true }

func nulls(m skat.Move) bool {
	return (m.Call == nil || *m.Call <= 18) && (m.Announce == nil || m.Announce.Game == skat.Null)
}

func grands(m skat.Move) bool {
	return (m.Call == nil || *m.Call <= 18) && (m.Announce == nil || m.Announce.Game == skat.Grand)
}

func passes(m skat.Move) bool { return m.Call == nil || *m.Call == skat.PassCall }

// A referee who looks away: rules that forget one of the proofs, or ask for one that is
// not due, must be noticed.
func TestForgottenProofs(t *testing.T) {
	forget := func(ids ...string) func(table.Terms) table.Terms {
		return func(terms table.Terms) table.Terms {
			terms.Prove = slices.DeleteFunc(slices.Clone(terms.Prove), func(c table.Condition) bool { return slices.Contains(ids, c.Claim) })
			return terms
		}
	}
	played := map[string]string{"concede": "off", "claim": "off"}
	chosen := testmust.SomeOf(t, 9, 4)
	for i, m := range []struct {
		name    string
		offer   func(skat.Move) bool
		options map[string]string
		change  func(table.Terms) table.Terms
	}{
		{"P-VOID", anything, played, forget("P-VOID")},
		{"P-NOTRUMP", anything, played, forget("P-NOTRUMP")},
		{"P-NOJACK", grands, played, forget("P-NOJACK")},
		{"P-VOIDN", nulls, played, forget("P-VOIDN")},
		{"D-NOJACK", passes, map[string]string{"ramsch": "schieber", "concede": "off"}, forget("D-NOJACK")},
		{"M-WITH", anything, map[string]string{"early": "prove"}, forget("M-WITH")},
		{"M-WITHOUT", anything, map[string]string{"early": "prove"}, forget("M-WITHOUT")},
		{"asked twice", anything, played, func(terms table.Terms) table.Terms {
			terms.Prove = append(slices.Clone(terms.Prove), terms.Prove...)
			return terms
		}},
		{"a card not turned up", anything, played, func(terms table.Terms) table.Terms {
			terms.Open = nil
			return terms
		}},
	} {
		if !chosen(i) {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			c := tabletest.Config{Seats: 3, Deals: 4, Options: m.options, AnySum: true, Playouts: 40}
			c.Invariant, c.Legal = watchTable()
			tabletest.CheckNoticed(t, tabletest.MutantGame(only{skat.Rules{}, m.offer}, m.change), c)
		})
	}
}

// TestDeals plays lists under random options: every one ends, and the referee who sees
// all cards agrees with everything that was said, with every proof that was asked for,
// and with every score (SK-R-09 to SK-R-12, SK-R-16, SK-R-20, SK-R-22, OPT-SEATS-DRAW).
//
// It plays 300 deals, or 20 without PAKLI_TESTS=thorough. PAKLI_DEALS=10000 go test -run TestDeals ./protocol/games/skat plays ten
// thousand.
func TestDeals(t *testing.T) {
	var mu sync.Mutex
	ways := map[string]int{}
	enough := tabletest.PlayDeals(t, 300, 20, func(number int) (int, error) {
		ends, err := playList(number)
		mu.Lock()
		defer mu.Unlock()
		for _, how := range ends {
			ways[how]++
		}
		return len(ends), err
	})
	t.Logf("deals: %v", ways)
	for _, how := range []string{"passed", "played", "ramsch", "claimed", "conceded by the declarer", "conceded by the defenders"} {
		testmust.Holdf(t, ways[how] != 0 || !enough, "no deal was %s", how)
	}
}

// playList plays a list that its number decides, and returns how its deals ended.
func playList(number int) ([]string, error) {
	choice := rand.New(rand.NewPCG(uint64(number), 90))
	c := randomConfig(number, choice)
	t, err := tabletest.New(game, c, uint64(number))
	for err == nil && len(t.State.Duties()) > 0 {
		var entry []byte
		if entry, err = drawnMessage(t, choice); err == nil {
			err = t.Add(entry)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%v: %w", c, err)
	}
	return judgeTable(t)
}

// values are those of the options, by name.
var values = map[string][]string{
	"score": {"classic", "seeger", "seeger-fabian", "bierlachs"}, "limit": {"301", "401", "501"}, "concede": {"both", "one", "off"},
	"claim": {"ask", "off"}, "early": {"open", "prove"}, "null-overbid": {"refuse", "lose"}, "ramsch": {"off", "simple", "schieber"},
	"kontra": {"off", "any", "bid18"}, "bock": {"off", "lost60", "grandhand+kontra", "lost60+grandhand+kontra+re"}, "seats-draw": {"off", "on"},
}

// seats are the numbers of seats that are played.
var seats = []int{3, 4}

// randomConfig draws every option, so that ten thousand deals meet all of their values
// together with all others.
func randomConfig(number int, choice *rand.Rand) tabletest.Config {
	c := tabletest.Config{Seats: seats[number%len(seats)], Deals: 2 + choice.IntN(4), Options: map[string]string{}}
	for _, name := range []string{"score", "limit", "concede", "claim", "early", "null-overbid", "ramsch", "kontra", "bock", "seats-draw"} {
		if v := values[name][choice.IntN(len(values[name]))]; v != values[name][0] && (name != "limit" || c.Options["score"] == "bierlachs") {
			c.Options[name] = v
		}
	}
	return c
}

// contracts are those that can be announced.
func contracts() (list []skat.Contract) {
	for _, g := range skat.Games {
		for _, hand := range []bool{false, true} {
			list = append(list, skat.Contract{Game: g, Hand: hand})
			switch {
			case g == skat.Null:
				list = append(list, skat.Contract{Game: g, Hand: hand, Ouvert: true})
			case hand:
				list = append(list, skat.Contract{Game: g, Hand: hand, Ann: 1}, skat.Contract{Game: g, Hand: hand, Ann: 2}, skat.Contract{Game: g, Hand: hand, Ann: 2, Ouvert: true})
			}
		}
	}
	return list
}

// A value that differs from what the referee makes of SK-R-47 to SK-R-53 in any combination of
// game, bid, matadors and tricks, at every bound of points, and one that is no value of the list
// (SK-R-14, SK-R-43, SK-R-45).
func TestEveryGame(t *testing.T) {
	values, chosen := map[int]bool{}, testmust.SomeOf(t, len(skat.BidValues), 12)
	for _, c := range contracts() {
		most := len(c.Game.Trumps())
		for n := 1; n <= most; n++ {
			for i, bid := range skat.BidValues {
				if !chosen(i) {
					continue
				}
				for _, pts := range []int{0, 1, 21, 29, 30, 31, 32, 58, 59, 60, 61, 62, 88, 89, 90, 91, 119, 120} {
					for _, tricks := range []int{0, 1, 9, 10} {
						if tricks == 10 && pts < 120 || tricks == 0 && pts > 21 {
							continue // no such deal
						}
						r := c.PlayedResult(bid, skat.Matadors{With: true, N: n}, pts, tricks)
						won, val, score := playedScore(string(c.Game), bid, n, c.Hand, c.Ann, c.Ouvert, pts, tricks)
						testmust.Requiref(t, r.Value == val && r.Won == won && r.Score == score && r.Overbid == (r.Reached < bid),
							"%+v at %d, %d matadors, %d points, %d tricks: %+v, the referee says %d %v %d", c, bid, n, pts, tricks, r, val, won, score)
						values[r.Reached] = true
					}
				}
			}
		}
	}
	for v := range values {
		testmust.Have(skat.ParseCall(skat.Call(v).String()))(t, "a game of", v, "cannot be bid")
	}
}
