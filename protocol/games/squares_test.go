package games_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// Games that can be played with the suite of everybody's machine alone: a deal of each over
// squares, with all its proofs, which every seat verifies.
func TestSquares(t *testing.T) {
	if os.Getenv("PAKLI_SUITES") != "all" {
		t.Skip("NOT RUN without PAKLI_SUITES=all: minutes of arithmetic for the code that plays with the default suite")
	}
	for game, c := range map[string]tabletest.Config{
		"schwarzer-peter/v1": {Seats: 2, Options: map[string]string{"rules": "article"}},
		"five-card-draw/v1":  {Seats: 2, Options: map[string]string{"rules": "by-email"}},
		"skat/v1":            {Seats: 3},
		"tarokk/v1":          {Seats: 4},
	} {
		t.Run(game, func(t *testing.T) {
			t.Parallel()
			g, ok := games.Lookup(game)
			if !ok {
				t.Fatal("no such game")
			}
			c.Suite, _ = suite.Lookup("qr2048-bayergroth/v1")
			c.Deals = 1
			played := testmust.Have(tabletest.Play(g, c, 3))(t)
			if _, over := played.State.Result(); !over {
				t.Errorf("the table is not over after %d entries", len(played.Entries))
			}
			t.Logf("%d entries, %d bytes", len(played.Entries), size(played))
		})
	}
}

// size is that of all entries with what is attached to them.
func size(t *tabletest.Table) (n int) {
	for _, entry := range t.Entries {
		n += len(entry)
	}
	return n
}

// A table that opens although its first shuffle fits no entry, or its proof no message: 31.1.8.
func TestLargeDecksAreRefused(t *testing.T) {
	g, _ := games.Lookup("toolbox/v1")
	for suiteName, most := range map[string]int{"qr3072-bayergroth/v1": 63, "qr2048-bayergroth/v1": 94, "qr2048-cutandchoose/v1": 70} {
		for _, n := range []int{most, most + 1} {
			c := tabletest.Config{Seats: 2, Options: map[string]string{"faces": fmt.Sprint(n)}}
			c.Suite, _ = suite.Lookup(suiteName)
			_, err := tabletest.New(g, c, 1)
			if refused := err != nil && strings.Contains(err.Error(), "choose another suite"); refused != (n > most) {
				t.Errorf("%s, %d cards: %v", suiteName, n, err)
			}
		}
	}
}
