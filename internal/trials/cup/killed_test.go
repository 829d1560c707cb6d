package cup_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/event"
)

// gallows is a way to the server on which somebody is killed at every write: when a post comes
// for the first time before the server has it, or while the server has it in hands; and when it comes
// again after the server has answered, so that the answer reaches nobody.
type gallows struct {
	*httputil.ReverseProxy
	inHands bool
	kill    func()

	mu    sync.Mutex
	posts map[[sha256.Size]byte]int // how often each came, by its bytes
}

func newGallows(t *testing.T, server string, inHands bool, kill func()) (*gallows, string) {
	u := testmust.Have(url.Parse(server))(t)
	g := &gallows{ReverseProxy: httputil.NewSingleHostReverseProxy(u), inHands: inHands, kill: kill, posts: map[[sha256.Size]byte]int{}}
	g.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	s := httptest.NewServer(g)
	t.Cleanup(s.Close)
	return g, s.URL
}

// ServeHTTP implements http.Handler.
func (g *gallows) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		g.ReverseProxy.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	forward := func(w http.ResponseWriter) {
		again := r.Clone(context.WithoutCancel(r.Context()))
		again.Body = io.NopCloser(bytes.NewReader(body))
		g.ReverseProxy.ServeHTTP(w, again)
	}
	switch times := g.came(body); {
	case times > 2:
		forward(w)
		return
	case times == 2:
		forward(httptest.NewRecorder())
	case g.inHands:
		go forward(httptest.NewRecorder())
		time.Sleep(rand.N(3 * time.Millisecond))
	}
	g.kill()
	panic(http.ErrAbortHandler)
}

// came counts how often a post has come.
func (g *gallows) came(body []byte) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := sha256.Sum256(body)
	g.posts[key]++
	return g.posts[key]
}

// met requires that the posts of an organiser were met: a roster, a plan, two draws, two rounds,
// their four tables, the final standings.
func (g *gallows) met(t *testing.T) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := len(g.posts)
	testmust.Holdf(t, n >= 11, "%d posts of the organiser were met", n)
}

const small = `
name    = Small cup
game    = schwarzer-peter
deals   = 1
rounds  = 2
sizes   = 2
draw    = commit
seating = plan, ranked
players = 4
`

// An organiser's program that is killed before each of its entries reaches the log, and again
// before it knows that it did: it must not begin a second table of a place, nor decide twice.
func TestOrganiserKilledAtEveryWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t, small)
	var run *runner
	begun := make(chan struct{})
	g, url := newGallows(t, w.server.URL, false, func() {
		<-begun
		run.strike()
	})
	crowd := w.run("the crowd", func() *exec.Cmd {
		return w.command("play", "--event", w.event.String(), "--seat", "crowd", "--bots", "4")
	})
	run = w.run("the organiser", func() *exec.Cmd {
		return w.commandAt(url, "event", "run", w.event.String(), "--players", "4")
	})
	close(begun)
	w.wait(run)
	w.wait(crowd)
	w.once(w.judge(event.Confirmed.ExitCode()))
	g.met(t)
}

// A server that is killed while each entry of the organiser is on its way to the disk, or when
// it is there and nobody was told.
func TestServerKilledAtEveryWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t, small)
	var mu sync.Mutex // one kill at a time
	again := func() {
		mu.Lock()
		defer mu.Unlock()
		testmust.Do(t, w.server.Kill())
		w.serve()
	}
	g, url := newGallows(t, w.server.URL, true, again)
	run := w.run("the organiser", func() *exec.Cmd {
		return w.commandAt(url, "event", "run", w.event.String(), "--players", "4")
	})
	crowd := w.run("the crowd", func() *exec.Cmd {
		return w.command("play", "--event", w.event.String(), "--seat", "crowd", "--bots", "4")
	})
	w.wait(run)
	w.wait(crowd)
	w.once(w.judge(event.Confirmed.ExitCode()))
	g.met(t)
}

// crowds are the players of TestCup: each a process with so many bots, and what they do.
var crowds = [][]string{
	{"9", "--leave", "1"},
	{"8"},
	{"8", "--late", "2"},
	{"8"},
}

// kills is how often one of the processes is killed, and until which size of the log, which is
// below what the event takes whatever happens.
const (
	kills   = 9
	killsTo = 1200
)

// A cup of 34 at 16 tables, in three rounds: two come late, one leaves a table in mid-play, one
// vanishes from it and withdraws, and the server, the organiser and the players'
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
	seat := exec.Command(filepath.Join(programs, "pakli"), "seat", "vanishing")
	seat.Dir = w.dir
	w.check(seat.Run())
	w.check(w.command("event", "register", w.event.String(), "--seat", "vanishing.seat").Run())
	vanishing := w.run("who vanishes", func() *exec.Cmd { // with nothing typed where a move is asked for
		return w.command("play", "--event", w.event.String(), "--seat", "vanishing.seat", "--stdin")
	})
	withdrawn := w.run("who vanished", func() *exec.Cmd {
		<-vanishing.done
		return w.command("event", "withdraw", w.event.String(), "--seat", "vanishing.seat")
	})
	w.strikes(rand.New(rand.NewPCG(1, 1)), victims, run)
	w.wait(run)
	w.wait(withdrawn)
	for _, crowd := range victims[3:] {
		w.wait(crowd)
	}
	v := w.judge(event.VerdictAdjusted.ExitCode())
	w.once(v)
	if !strings.Contains(run.said.String(), "\nclosed ") || len(v.Standings) != 34 || len(v.Judgement.Tables) != 48 {
		t.Errorf("%d players and %d tables\n%s", len(v.Standings), len(v.Judgement.Tables), run.said.String())
	}
	for _, s := range v.Judgement.Tables {
		testmust.Holdf(t, s.Table.State.IsOver() && s.Table.State != event.Foul, "table %d/%d is %s", s.Round, s.Number, s.Table.State)
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
