package cup_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/trials/load/serving"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/events"
)

// programs is the folder of pakli and pakli-verify.
var programs string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "pakli-cup-")
		if err == nil {
			defer os.RemoveAll(dir)
			programs, err = dir, build(dir)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// build builds both in pakli's own module, with the versions of the libraries that are named there.
func build(dir string) error {
	cmd := exec.Command("go", "build", "-C", filepath.Join("..", "..", ".."), "-o", dir+string(os.PathSeparator), "./cmd/pakli", "./cmd/pakli-verify")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// patience limits every wait. It does not measure speed.
const patience = 4 * time.Minute

// world is a server with an event, whose files are in a directory.
type world struct {
	t      *testing.T
	dir    string
	addr   string
	server *serving.Server
	key    note.Verifier
	client *client.Client
	event  wire.Hash
}

// newWorld starts a server and announces the event that conf describes.
func newWorld(t *testing.T, conf string) *world {
	w := &world{t: t, dir: t.TempDir()}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	w.check(err)
	w.addr = l.Addr().String()
	w.check(l.Close())
	w.serve()
	t.Cleanup(func() { _ = w.server.Kill() })
	vkey, err := os.ReadFile(filepath.Join(w.dir, "log", "log.vkey"))
	w.check(err)
	w.key, err = note.NewVerifier(strings.TrimSpace(string(vkey)))
	w.check(err)
	w.client, err = client.New(w.server.URL, w.key, nil)
	w.check(err)
	w.check(os.WriteFile(filepath.Join(w.dir, "cup.conf"), []byte(conf), 0o600))
	out, err := w.command("event", "create", "cup.conf").Output()
	w.check(err)
	w.event, err = wire.ParseHash(strings.TrimSpace(string(out)))
	w.check(err)
	return w
}

func (w *world) check(err error) {
	w.t.Helper()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		w.t.Fatalf("%v: %s", err, exit.Stderr)
	}
	testmust.Do(w.t, err)
}

// serve starts the server at its address, where it may have been before.
func (w *world) serve() {
	w.t.Helper()
	var err error
	w.server, err = serving.Start([]string{filepath.Join(programs, "pakli")}, filepath.Join(w.dir, "log"), "--listen", w.addr, "--operator-addr", "none")
	w.check(err)
}

// command returns a command of pakli for the server.
func (w *world) command(args ...string) *exec.Cmd { return w.commandAt("http://"+w.addr, args...) }

func (w *world) commandAt(url string, args ...string) *exec.Cmd {
	at := []string{"--server", url, "--log", strings.TrimSpace(w.logKey())}
	cmd := exec.CommandContext(w.t.Context(), filepath.Join(programs, "pakli"), append(args, at...)...)
	cmd.Dir = w.dir
	return cmd
}

func (w *world) logKey() string {
	b, err := os.ReadFile(filepath.Join(w.dir, "log", "log.vkey"))
	w.check(err)
	return string(b)
}

// runner is a command that is repeated after each kill until it ends by itself.
type runner struct {
	name string
	kill chan struct{} // each value kills the process
	done chan struct{}
	err  error
	said bytes.Buffer // of all its processes; to be read when it is done
}

// run starts it.
func (w *world) run(name string, command func() *exec.Cmd) *runner {
	r := &runner{name: name, kill: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(r.done)
		for again := true; again; {
			again, r.err = r.once(command())
		}
	}()
	return r
}

// once runs a process, and reports whether it was killed.
func (r *runner) once(cmd *exec.Cmd) (killed bool, err error) {
	cmd.Stdout, cmd.Stderr = &r.said, &r.said
	if err := cmd.Start(); err != nil {
		return false, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-r.kill:
		err := cmd.Process.Kill()
		<-ended
		return true, err
	case err := <-ended:
		return false, err
	}
}

// strike kills the process that runs now, unless all of it is done.
func (r *runner) strike() {
	select {
	case r.kill <- struct{}{}:
	case <-r.done:
	}
}

// wait returns when it has ended by itself, which must be well.
func (w *world) wait(r *runner) {
	w.t.Helper()
	select {
	case <-r.done:
		testmust.Requiref(w.t, r.err == nil, "%s: %v\n%s", r.name, r.err, r.said.String())
	case <-time.After(patience):
		w.t.Fatalf("%s has not ended in %v", r.name, patience)
	}
}

// size returns the number of entries in the log, or the last known one.
func (w *world) size() uint64 {
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Second)
	defer cancel()
	c, err := w.client.Checkpoint(ctx)
	if err != nil {
		return 0
	}
	return c.Size
}

// judge verifies the event from outside, by the library and by the program.
func (w *world) judge(code int) *events.VerifiedEvent {
	w.t.Helper()
	o := events.Options{Event: w.event}
	o.Log, o.Catalogue = []note.Verifier{w.key}, table.Catalogue{Game: games.Lookup, Suite: suite.Lookup}
	v, err := events.Verify(w.t.Context(), w.client, o)
	w.check(err)
	cmd := exec.CommandContext(w.t.Context(), filepath.Join(programs, "pakli-verify"), "--log", strings.TrimSpace(w.logKey()), "--event", w.event.String(), "http://"+w.addr)
	out, _ := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != code || v.ExitCode() != code {
		w.t.Errorf("pakli-verify exits with %d, and the library says %d; want %d: %s", got, v.ExitCode(), code, out)
	}
	return v
}

// once requires that each place has one table, and each decision one that follows.
func (w *world) once(v *events.VerifiedEvent) {
	w.t.Helper()
	places := map[[2]int]int{}
	for _, s := range v.Sheets {
		if places[[2]int{s.Terms.Round, s.Terms.Number}]++; s.Terms.Round > 0 && places[[2]int{s.Terms.Round, s.Terms.Number}] > 1 {
			w.t.Errorf("place %d/%d was begun twice", s.Terms.Round, s.Terms.Number)
		}
	}
	for _, e := range v.History.Void {
		w.t.Errorf("entry %d by %s is void: %v", e.Index, e.By, e.Err)
	}
	testmust.Holdf(w.t, len(v.Departures) == 0, "departures: %v", v.Departures)
}

// gallows is a proxy to the server that kills somebody at every write: when a post arrives for the
// first time, before or while the server has it; and when it arrives again, after the server has
// answered and before the answer reaches anybody.
type gallows struct {
	*httputil.ReverseProxy
	inHands bool
	kill    func()

	mu    sync.Mutex
	posts map[[sha256.Size]byte]int // how often each arrived, by its bytes
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

// met requires that all posts of an organiser arrived: a roster, a plan, two draws, two rounds, their
// four tables, the final standings.
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

// An organiser's program is killed before each of its entries reaches the log, and again before it
// gets the receipt. It must not begin a second table for a place, or decide twice.
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

// A server is killed while each entry of the organiser is on its way to the disk, and when it is
// there and nobody has the receipt.
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

// crowds are the players of TestCup: processes with a number of bots each, and their behaviour.
var crowds = [][]string{
	{"9", "--leave", "1"},
	{"8"},
	{"8", "--late", "2"},
	{"8"},
}

// kills is the number of kills of each process. They happen below a size of the log that the event
// always exceeds.
const (
	kills   = 9
	killsTo = 1200
)

// TestCup plays a cup of 34 at 16 tables in three rounds. Two come late, one leaves a table in
// mid-play, one vanishes from it and withdraws, and the server, the organiser and the players'
// programs are killed at random. The cup must still end as its method says, and only those who left
// lack deals.
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
	vanishing := w.run("who vanishes", func() *exec.Cmd { // which types nothing when asked for a move
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
	testmust.Holdf(t, strings.Contains(run.said.String(), "\nclosed ") && len(v.Standings) == 34 && len(v.Judgement.Tables) == 48,
		"%d players and %d tables\n%s", len(v.Standings), len(v.Judgement.Tables), run.said.String())
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
