package follow_test

import (
	"testing"

	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// A claim that names marks which the log does not have, and that keeps whoever follows it from
// a verdict that everybody else comes to: from its start on, and after another one.
func TestClaimByNoMarks(t *testing.T) {
	game, _ := games.Lookup("schwarzer-peter/v1")
	p := markstest.New(t, game, tabletest.Config{Seats: 3, Suite: clear.Suite{}}, 70, nil)
	p.Moves(4, 0)
	late, other := p.Late()
	entries := append(p.Entries, p.Act(other, wire.KindTimeout, p.Clock(late).Claim), p.ByOrganiser(wire.KindClose, wire.CloseBody{}))
	for _, first := range []int{len(entries), 3} {
		l, dir := newLog(newKey(t, "log.example"), entries[:first]...), t.TempDir()
		w := open(t, l, dir)
		w.calm()
		if first < len(entries) {
			w.Close()
			l.grow(entries[first:]...)
			w = open(t, l, dir)
			w.calm()
		}
		w.calm()
		w.wantVerdicts("Adjudicated.")
		w.Close()
	}
}
