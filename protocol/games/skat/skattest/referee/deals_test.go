package referee

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/skat/skattest"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

var game = play.Of(skat.Rules{})

// TestDeals plays lists under random options: every one ends, and the referee who sees
// all cards agrees with everything that was said, with every proof that was asked for,
// and with every score (SK-R-09 to SK-R-12, SK-R-16, SK-R-20, SK-R-22, OPT-SEATS-DRAW).
//
// It plays 300 deals, or 20 without PAKLI_TESTS=thorough. PAKLI_DEALS=10000 go test -run TestDeals ./protocol/games/skat/skattest/referee plays ten
// thousand.
func TestDeals(t *testing.T) {
	var mu sync.Mutex
	ways := map[string]int{}
	enough := tabletest.Deals(t, 300, 20, func(number int) (int, error) {
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
		if ways[how] == 0 && enough {
			t.Errorf("no deal was %s", how)
		}
	}
}

// playList plays a list that its number decides, and returns how its deals ended.
func playList(number int) ([]string, error) {
	choice := rand.New(rand.NewPCG(uint64(number), 90))
	c := randomConfig(number, choice)
	t, err := tabletest.New(game, c, uint64(number))
	for err == nil && len(t.State.Duties()) > 0 {
		var entry []byte
		if entry, err = skattest.Message(t, choice); err == nil {
			err = t.Add(entry)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%v: %w", c, err)
	}
	return Judge(t)
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
