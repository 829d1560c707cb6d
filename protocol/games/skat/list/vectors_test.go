package list_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pakli/pakli/protocol/games/skat/list"
	"github.com/pakli/pakli/protocol/games/skat/ruleset"
	"github.com/pakli/pakli/protocol/games/skat/skattest"
)

// A bonus of the wrong height, for the wrong seat, or for a seat's own lost game
// (SK-R-62 to SK-R-65, OPT-SCORE).
func TestLists(t *testing.T) {
	skattest.Each(t, "lists", func(t *testing.T, v struct {
		skattest.Vector
		Seats             int
		Points, Won, Lost []int
		Seeger            []int
		Fabian            []int `json:"seeger-fabian"`
	}) {
		l := list.Tally{Points: v.Points, Won: v.Won, Lost: v.Lost}
		for system, want := range map[string][]int{ruleset.Classic: v.Points, ruleset.Bierlachs: v.Points, ruleset.Seeger: v.Seeger, ruleset.SeegerFabian: v.Fabian} {
			if got := l.Sums(system); !slices.Equal(got, want) || len(got) != v.Seats {
				t.Errorf("%s: %v, want %v", system, got, want)
			}
		}
	})
}

// A place that depends on the seat, or on fewer games won (SK-R-68, AMB-S-10).
func TestRanking(t *testing.T) {
	skattest.Each(t, "ranking", func(t *testing.T, v struct {
		skattest.Vector
		Sums, Won, Lost, Expect []int
	}) {
		l := list.Tally{Points: v.Sums, Won: v.Won, Lost: v.Lost}
		if got := l.Ranking(v.Sums); !slices.Equal(got, v.Expect) {
			t.Errorf("%v, want %v", got, v.Expect)
		}
	})
}

// A table of Bierlachs that goes on after its end, or on which the sitting dealer pays
// nothing (SK-R-66, AMB-S-09).
func TestBierlachs(t *testing.T) {
	skattest.Each(t, "bierlachs", func(t *testing.T, v struct {
		skattest.Vector
		Seats, Limit int
		Deals        [][2]int
		Expect       struct {
			Over   int
			Totals []int
		}
	}) {
		l := list.New(v.Seats)
		for i, d := range v.Deals {
			l = l.Game(d[0], d[1] > 0, list.Minus(v.Seats, d[0], d[1]))
			if over := l.MinusOver(v.Limit); over != (i+1 == v.Expect.Over) {
				t.Fatalf("after deal %d, %v: over %v", i+1, l.Points, over)
			}
		}
		if !slices.Equal(l.Points, v.Expect.Totals) {
			t.Errorf("%v, want %v", l.Points, v.Expect.Totals)
		}
	})
}

// A doubling that is lost, or that lasts a deal too long (SK-R-75, SK-R-77, SK-R-79).
func TestFactors(t *testing.T) {
	for _, v := range skattest.Read[[]struct {
		ID                      string
		Bid, NullValue          int
		Score, Kontra, Re, Bock int
		Seats                   int
		Events                  []int
		Expect                  any
	}](t, "options") {
		var got any
		switch {
		case v.NullValue != 0:
			continue // package value reads those
		case v.Seats == 0:
			got = v.Score * list.Factor(v.Kontra == 1, v.Re == 1, list.Bock(v.Bock))
		default:
			var factors []any
			bock := list.Bock(0)
			for _, events := range v.Events {
				factors = append(factors, list.Factor(false, false, bock))
				bock = bock.After(events, v.Seats)
			}
			got = factors
		}
		if fmt.Sprint(got) != fmt.Sprint(v.Expect) {
			t.Errorf("%s: %v, want %v", v.ID, got, v.Expect)
		}
	}
}
