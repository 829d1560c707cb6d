package referee

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/thorough"
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
	wanted := 300
	if !thorough.Tests() {
		wanted = 20
	}
	if n, err := strconv.Atoi(os.Getenv("PAKLI_DEALS")); err == nil {
		wanted = n
	}
	ways := map[string]int{}
	deals := 0
	for first := 0; deals < wanted; first += batch {
		for i, l := range playLists(first) {
			if l.err != nil {
				t.Fatalf("list %d, %v: %v", first+i, l.config, l.err)
			}
			for _, how := range l.ends {
				deals++
				ways[how]++
			}
		}
	}
	t.Logf("%d deals: %v", deals, ways)
	for _, how := range []string{"passed", "played", "ramsch", "claimed", "conceded by the declarer", "conceded by the defenders"} {
		if ways[how] == 0 && wanted >= 300 {
			t.Errorf("of %d deals none was %s", deals, how)
		}
	}
}

// batch is how many lists are played at a time.
const batch = 8

type played struct {
	config tabletest.Config
	ends   []string
	err    error
}

func playLists(first int) []played {
	lists := make([]played, batch)
	var wg sync.WaitGroup
	free := make(chan struct{}, runtime.NumCPU())
	for i := range lists {
		wg.Go(func() {
			free <- struct{}{}
			lists[i] = playList(first + i)
			<-free
		})
	}
	wg.Wait()
	return lists
}

// playList plays a list that its number decides.
func playList(number int) (l played) {
	choice := rand.New(rand.NewPCG(uint64(number), 90))
	l.config = randomConfig(number, choice)
	t, err := tabletest.New(game, l.config, uint64(number))
	if err != nil {
		return played{config: l.config, err: err}
	}
	for len(t.State.Duties()) > 0 {
		entry, err := skattest.Message(t, choice)
		if err == nil {
			err = t.Add(entry)
		}
		if err != nil {
			l.err = fmt.Errorf("after message %d: %w", t.State.Applied(), err)
			return l
		}
	}
	l.ends, l.err = Judge(t)
	return l
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
