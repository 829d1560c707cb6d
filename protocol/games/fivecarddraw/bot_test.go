package fivecarddraw_test

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// against plays a table in which the bot sits at one seat and any moves are made at the
// others; it returns what the bot won, in stacks.
func against(t *testing.T, c tabletest.Config, bot table.Seat, seed uint64) float64 {
	t.Helper()
	played, err := tabletest.New(game, c, seed)
	if err != nil {
		t.Fatal(err)
	}
	for len(played.State.Duties()) > 0 {
		d := played.State.Duties()[0]
		var entry []byte
		if d.Kind == table.Move && d.Seats[0] == bot {
			move, err := played.Choose(bot, played.Choice)
			if err != nil {
				t.Fatal(err)
			}
			entry, err = played.Message(bot, d, move)
			if err != nil {
				t.Fatal(err)
			}
		} else if entry, err = played.Next(); err != nil {
			t.Fatal(err)
		}
		if err := played.Add(entry); err != nil {
			t.Fatalf("the bot makes a move that is refused: %v", err)
		}
	}
	result, _ := played.State.Result()
	return float64(result[bot]) / float64(public(played).Rules.Stack)
}

// A bot that plays no better than chance, or makes a move that the rules refuse. Its mean
// must be three standard errors above 0. PAKLI_TABLES=200 plays more tables.
func TestBot(t *testing.T) {
	tables := 20
	if n, err := strconv.Atoi(os.Getenv("PAKLI_TABLES")); err == nil {
		tables = n
	}
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
			n := float64(tables)
			mean := sum / n
			deviation := math.Sqrt((squares/n - mean*mean) / n)
			t.Logf("%d tables of %d deals: %+.2f stacks a table, standard error %.2f", tables, c.Deals, mean, deviation)
			if mean < 3*deviation {
				t.Errorf("it wins %.2f stacks a table, with a standard error of %.2f", mean, deviation)
			}
		})
	}
}
