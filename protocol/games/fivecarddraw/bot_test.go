package fivecarddraw_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// against plays a table in which the bot sits at one seat and any moves are made at the
// others; it returns what the bot won, in stacks.
func against(t *testing.T, c tabletest.Config, bot table.Seat, seed uint64) float64 {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	b := begin(t, c.Seats, c.Deals, c.Options, random(r))
	b.plays(t, func(seat table.Seat, v table.View) (fivecarddraw.Move, bool) {
		if seat == bot {
			return b.Choose(b.s, v, r)
		}
		return play.Any(b.Moves(b.s, v), r)
	}, func() {})
	return float64(b.Result(b.s)[bot]) / float64(b.s.Rules.Stack)
}

// A bot that plays no better than chance, or makes a move that the rules refuse. Its mean
// must be three standard errors above 0.
func TestBot(t *testing.T) {
	const tables = 20
	for _, c := range []tabletest.Config{
		{Seats: 2, Deals: 10, Options: options{"limit": "fixed"}},
		{Seats: 3, Deals: 10, Options: options{"limit": "pot", "small-blind": "1", "big-blind": "2"}},
		{Seats: 4, Deals: 10, Options: options{"openers": "jacks"}},
		{Seats: 6, Deals: 6, Options: options{"limit": "none", "draw": "one-by-one"}},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			sum, squares := 0.0, 0.0
			for seed := range tables {
				won := against(t, c, table.Seat(seed%c.Seats), uint64(seed))
				sum, squares = sum+won, squares+won*won
			}
			mean := sum / tables
			deviation := math.Sqrt((squares/tables - mean*mean) / tables)
			t.Logf("%d tables of %d deals: %+.2f stacks a table, standard error %.2f", tables, c.Deals, mean, deviation)
			if mean < 3*deviation {
				t.Errorf("it wins %.2f stacks a table, with a standard error of %.2f", mean, deviation)
			}
		})
	}
}
