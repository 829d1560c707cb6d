package referee

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
)

var game = play.Of(fivecarddraw.Rules{})

// TestDeals plays tables under random options: every one ends, and the referee who sees all
// cards agrees with every move, every hand, every pot, what may be bet, and every result (FD-R-03,
// FD-R-04, FD-R-10 to FD-R-12, FD-R-31 to FD-R-33, FD-R-55, FD-A-02, FD-A-04, FD-A-17, FD-A-20).
//
// It plays 300 deals, or 30 without PAKLI_TESTS=thorough. PAKLI_DEALS=10000 go test -run TestDeals
// ./protocol/games/fivecarddraw/drawtest/referee plays ten thousand. PAKLI_SUITE names a suite to
// play all of them with, in place of one that hides nothing.
func TestDeals(t *testing.T) {
	met := map[string]int{}
	var mu sync.Mutex
	enough := tabletest.Deals(t, 300, 30, func(number int) (int, error) {
		c, w, err := playTable(number)
		if err != nil {
			err = fmt.Errorf("%v: %w", c, err)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, told := range w.past {
			count(met, told)
		}
		return len(w.past), err
	})
	t.Logf("deals: %v", met)
	for _, what := range []string{"shown", "mucked", "unseen", "folded", "side pots", "passed in", "opened", "forfeited", "returned", "out", "mixed again"} {
		if met[what] == 0 && enough && os.Getenv("PAKLI_SUITE") == "" {
			t.Errorf("no deal was %s", what)
		}
	}
}

// count notes what a deal had.
func count(met map[string]int, t *tale) {
	text := strings.Join(t.lines, "\n")
	for what, had := range map[string]bool{
		"shown": len(t.shown) > 0, "mucked": strings.Contains(text, " mucks"), "unseen": t.alive() > 1 && len(t.shown) == 0 && !t.passed,
		"folded": t.alive() == 1, "side pots": len(t.heaps) > 1, "passed in": t.passed, "opened": len(t.given) > 0,
		"forfeited": strings.Contains(text, "opens ?"), "returned": strings.Contains(text, "back "), "mixed again": len(t.again) > 0,
	} {
		if had {
			met[what]++
		}
	}
	for _, h := range t.heaps {
		if n := len(t.winners(h)); n > 1 && h.chips%n > 0 {
			met["odd chips"]++
		}
	}
	for _, s := range t.in {
		if t.stack[s] == 0 {
			met["out"]++
		}
	}
}

// playTable plays a table that its number decides.
func playTable(number int) (tabletest.Config, *watcher, error) {
	choice := rand.New(rand.NewPCG(uint64(number), 92))
	c := randomConfig(choice)
	t, err := tabletest.New(game, c, uint64(number))
	if err != nil {
		return c, &watcher{}, err
	}
	w := newWatcher(t)
	for len(t.State.Duties()) > 0 {
		entry, err := message(t, choice)
		if err == nil {
			err = t.Add(entry)
		}
		if err == nil {
			err = w.catchUp()
		}
		if err != nil {
			return c, w, fmt.Errorf("after message %d: %w", t.State.Applied(), err)
		}
	}
	return c, w, nil
}

// message is an honest message of who is due. Folding is rarer than other moves, so that most
// deals are played; where the stock is to run out, a seat mostly puts away all it may.
func message(t *tabletest.Table, choice *rand.Rand) ([]byte, error) {
	d := t.State.Duties()[0]
	if d.Kind != table.Move {
		return t.Next()
	}
	moves := t.Moves(d.Seats[0])
	for {
		m := moves[choice.IntN(len(moves))]
		if t.Config.Options["reshuffle"] == "discards" && strings.HasPrefix(string(m), `{"discard"`) && choice.IntN(8) > 0 {
			m = slices.MaxFunc(moves, func(a, b json.RawMessage) int { return len(a) - len(b) })
		}
		if !strings.HasPrefix(string(m), `{"fold"`) || choice.IntN(4) == 0 {
			return t.Message(d.Seats[0], d, json.RawMessage(m))
		}
	}
}

// randomConfig draws every option that fits the others.
func randomConfig(choice *rand.Rand) tabletest.Config {
	any := func(values ...string) string { return values[choice.IntN(len(values))] }
	c := tabletest.Config{Seats: 2 + choice.IntN(5), Deals: 1 + choice.IntN(6)}
	o := map[string]string{
		"stack": any("3", "7", "20", "41", "200"), "limit": any("fixed", "pot", "none"), "exchange": any("5", "5", "3", "0"),
		"draw": any("together", "one-by-one"), "second-betting": any("true", "true", "false"), "showdown": any("muck", "all"),
		"wheel": any("true", "false"), "payout": any("chips", "places"), "ante": any("0", "1", "3"),
	}
	switch any("blinds", "openers", "") {
	case "blinds":
		o["bet"], o["big-blind"], o["small-blind"] = "3", "3", any("1", "2", "3")
	case "openers":
		o["openers"], o["bet"] = "jacks", any("1", "2", "3")
	}
	if o["limit"] == "fixed" {
		o["reopen"], o["cap"] = any("full", "half"), any("0", "1", "4")
	}
	if o["payout"] == "places" {
		o["prizes"] = any("100", "60,40")
	}
	if c.Seats == 2 {
		o["pick"] = any("order", "opponent")
		if choice.IntN(6) == 0 {
			o = map[string]string{"rules": "by-email", "stack": o["stack"]}
		}
	}
	if c.Seats == 6 {
		o["reshuffle"] = any("no", "discards")
	}
	if choice.IntN(4) == 0 && o["reshuffle"] != "discards" {
		c.Suite = clear.Deferred{}
		if o["rules"] == "" {
			o["disclose"], o["silent"] = any("table", "deal"), any("waits", "forfeits")
		}
	}
	if s, ok := suite.Lookup(os.Getenv("PAKLI_SUITE")); ok {
		c.Suite = s
	}
	if c.Suite != nil && !proof.Proves(c.Suite, "transfer") {
		delete(o, "reshuffle")
	}
	if c.Suite != nil && !proof.Proves(c.Suite, proof.Disclosure) {
		delete(o, "disclose")
		delete(o, "silent")
	}
	c.Options = o
	return c
}
