package value_test

import (
	"fmt"
	"testing"

	"github.com/pakli/pakli/protocol/games/skat/deck"
	"github.com/pakli/pakli/protocol/games/skat/skattest"
	"github.com/pakli/pakli/protocol/games/skat/value"
)

// A run of matadors that ends too early or too late, or is counted from another jack
// (SK-R-38).
func TestMatadors(t *testing.T) {
	skattest.Each(t, "matadors", func(t *testing.T, v struct {
		skattest.Vector
		Game   deck.Game
		Twelve []deck.Face
		Expect string
	}) {
		m := value.Count(v.Game, deck.SetOf(v.Twelve...))
		got := fmt.Sprintf("without %d", m.N)
		if m.With {
			got = fmt.Sprintf("with %d", m.N)
		}
		if got != v.Expect {
			t.Errorf("%s, want %s", got, v.Expect)
		}
	})
}

// contract is the one that a vector's fields name: ouvert of a suit or grand contains
// Schwarz.
func contract(g deck.Game, hand bool, ann int, ouvert bool) value.Contract {
	if ouvert && g != deck.Null {
		ann = value.Schwarz
	}
	return value.Contract{Game: g, Hand: hand, Ann: ann, Ouvert: ouvert}
}

// A level that counts twice or not at all, an overbid that is won, a bound off by one
// (SK-R-40 to SK-R-54, AMB-S-16).
func TestGames(t *testing.T) {
	skattest.Each(t, "games", func(t *testing.T, v struct {
		skattest.Vector
		Game         deck.Game
		Bid, Mat     int
		Pts, Tr, Ann int
		Hand, Ouvert bool
		Expect       struct {
			Won          bool
			Value, Score int
		}
	}) {
		r := contract(v.Game, v.Hand, v.Ann, v.Ouvert).Played(v.Bid, value.Matadors{N: v.Mat}, v.Pts, v.Tr)
		if r.Won != v.Expect.Won || r.Value != v.Expect.Value || r.Score != v.Expect.Score {
			t.Errorf("%+v, want %+v", r, v.Expect)
		}
	})
}

// A conceded game that counts a level which nobody reached, or is won though it is
// excluded (SK-R-56, SK-R-58).
func TestConcessions(t *testing.T) {
	skattest.Each(t, "concessions", func(t *testing.T, v struct {
		skattest.Vector
		By            string
		Game          deck.Game
		Bid, Mat, Ann int
		Hand, Ouvert  bool
		Def           [2]int
		Expect        int
	}) {
		c, m := contract(v.Game, v.Hand, v.Ann, v.Ouvert), value.Matadors{N: v.Mat}
		r := c.Conceded(v.Bid, m)
		if v.By == "defenders" {
			r = c.GivenUp(v.Bid, m, value.Defence{Points: v.Def[0], Tricks: v.Def[1]})
		}
		if r.Score != v.Expect {
			t.Errorf("%+v, want %d", r, v.Expect)
		}
	})
}

// A claim that counts another level than was claimed (SK-R-59).
func TestClaims(t *testing.T) {
	skattest.Each(t, "claims", func(t *testing.T, v struct {
		skattest.Vector
		Game               deck.Game
		Bid, Mat, Hand     int
		Ann, Level, Expect int
	}) {
		c := contract(v.Game, v.Hand == 1, v.Ann, false)
		if r := c.Claimed(v.Bid, value.Matadors{N: v.Mat}, v.Level); r.Score != v.Expect {
			t.Errorf("%+v, want %d", r, v.Expect)
		}
	})
}

// A tie, a virgin or a march that is scored as none (SK-R-70 to SK-R-72).
func TestRamsch(t *testing.T) {
	skattest.Each(t, "ramsch", func(t *testing.T, v struct {
		skattest.Vector
		Pts, Tricks, Expect [3]int
		Pushes              int
	}) {
		if got := value.Ramsch(v.Pts, v.Tricks, v.Pushes); got != v.Expect {
			t.Errorf("%v, want %v", got, v.Expect)
		}
	})
	if got := value.Ramsch([3]int{0, 120, 0}, [3]int{0, 10, 0}, 3); got != [3]int{0, 960, 0} {
		t.Errorf("a march after three pushes: %v (AMB-S-11)", got)
	}
}

// A null below the bid that counts its own value (OPT-NULL-OVERBID).
func TestNullOverbid(t *testing.T) {
	contracts := map[int]value.Contract{}
	for _, c := range []value.Contract{{}, {Hand: true}, {Ouvert: true}, {Hand: true, Ouvert: true}} {
		c.Game = deck.Null
		contracts[c.OfNull()] = c
	}
	for _, v := range skattest.Read[[]struct {
		ID                      string
		Bid, NullValue          int
		Score, Kontra, Re, Bock int
		Seats                   int
		Events                  []int
		Expect                  any
	}](t, "options") {
		if v.NullValue == 0 {
			continue // package list reads the others
		}
		if r := contracts[v.NullValue].NullOverbid(v.Bid); r.Score != int(v.Expect.(float64)) || r.Won {
			t.Errorf("%s: %+v, want %v", v.ID, r, v.Expect)
		}
	}
}
