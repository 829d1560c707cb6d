package cup_test

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/protocol/event"
)

// crowds are the players of TestCup: each a process with so many bots, and what they do.
var crowds = [][]string{
	{"9", "--leave", "1", "--kill", "2"},
	{"9", "--vanish", "1", "--kill", "1"},
	{"8", "--late", "2"},
	{"8", "--kill", "3"},
}

// kills is how often one of the processes is killed, and until which size of the log, which is
// below what the event takes whatever happens.
const (
	kills   = 9
	killsTo = 1200
)

// A cup of 34 at 16 tables, in three rounds: two come late, one leaves a table in mid-play, one
// vanishes from it, six bots break off and go on, and the server, the organiser and the players'
// programs are killed at random. It ends all the same, and whoever verifies it finds that it was
// played as the method says; nobody but those who left is without their deals.
func TestCup(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
name    = Crowded cup
game    = schwarzer-peter
deals   = 1
rounds  = 3
sizes   = 2
seating = random, random, ranked
players = 40
late    = 3
`)
	run := w.run("the organiser", func() *exec.Cmd {
		return w.command("event", "run", w.event.String(), "--players", "32", "--close", "15s")
	})
	victims := []*runner{run, run, nil}
	for i, does := range crowds {
		victims = append(victims, w.run(fmt.Sprintf("crowd %d", i+1), func() *exec.Cmd {
			args := []string{"play", "--event", w.event.String(), "--seat", fmt.Sprintf("crowd%d", i+1), "--chance", fmt.Sprint(i + 1), "--bots"}
			return w.command(append(args, does...)...)
		}))
	}
	w.strikes(rand.New(rand.NewPCG(1, 1)), victims, run)
	w.wait(run)
	for _, crowd := range victims[3:] {
		w.wait(crowd)
	}
	v := w.judge(event.VerdictAdjusted.ExitCode())
	w.once(v)
	if !strings.Contains(run.said.String(), "\nclosed ") || len(v.Standings) != 34 || len(v.Judgement.Tables) != 48 {
		t.Errorf("%d players and %d tables\n%s", len(v.Standings), len(v.Judgement.Tables), run.said.String())
	}
	for _, s := range v.Judgement.Tables {
		if !s.Table.State.Over() || s.Table.State == event.Foul {
			t.Errorf("table %d/%d is %s", s.Round, s.Number, s.Table.State)
		}
	}
}

// strikes kills the programs at random sizes of the log; nil is the server. It returns when all
// are done, or the event is over.
func (w *world) strikes(r *rand.Rand, victims []*runner, run *runner) {
	for i := range kills {
		at := uint64(40 + (killsTo-40)*i/kills + r.IntN((killsTo-40)/kills))
		for w.size() < at {
			select {
			case <-run.done:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
		if victim := victims[r.IntN(len(victims))]; victim != nil {
			victim.strike()
			w.t.Logf("%s was killed at %d entries", victim.name, at)
			continue
		}
		w.check(w.server.Kill())
		w.serve()
		w.t.Logf("the server was killed at %d entries", at)
	}
}
