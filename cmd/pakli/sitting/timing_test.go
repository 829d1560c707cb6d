package sitting

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/timing"
	"github.com/pakli/pakli/protocol/wire"
)

// A player whose time runs out without a word, or who is told again and again; and one who has moved, and is told to hurry.
func TestTimeIsTold(t *testing.T) {
	game, _ := games.Lookup("schwarzer-peter/v1")
	w := markstest.New(t, game, tabletest.Config{Seats: 3}, 80, func(g *wire.Genesis) { g.Ends.Late, g.Ends.Forfeit = wire.LateForfeit, 20 })
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var told []string
		c := NewClockTeller("en", w.State, 0, func(text string) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, text)
		})
		tells := func(after time.Duration, want ...string) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			ok := len(told) == len(want) && !slices.ContainsFunc(want, func(s string) bool { return !strings.Contains(told[slices.Index(want, s)], s) })
			testmust.Holdf(t, ok, "told %q, want %q", told, want)
			told = nil
		}
		at := func(own, other int64) []timing.Clock {
			return []timing.Clock{{Seat: 0, Left: own, Limited: true}, {Seat: 1, Left: other, Limited: true}}
		}
		c.Take(wire.Hash{1}, at(95, 100))
		tells(0, "you have 95 seconds left")
		c.Take(wire.Hash{1}, at(95, 100))
		tells(34 * time.Second)
		testmust.Holdf(t, strings.Contains(c.Line(), "1:01"), "%s", c.Line())
		tells(2*time.Second, "you have 60 seconds left")
		tells(30*time.Second, "you have 30 seconds left")
		tells(10*time.Second, "seat-1 has 30 seconds left")
		tells(12*time.Second, "you have 10 seconds left")
		tells(9*time.Second, "your time is up: you are late as soon as somebody claims it. Then the deal is undone, you pay 20 to every other seat")
		c.Take(wire.Hash{2}, at(20, 100))
		tells(0, "you have 20 seconds left")
		c.Stop()
		tells(time.Hour)
	})
}
