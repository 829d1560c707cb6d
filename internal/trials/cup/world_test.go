package cup_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/trials/load/serving"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/events"
)

// programs is where pakli and pakli-verify are.
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

// patience bounds every wait; it is no measure of speed.
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

// command is one of pakli's at the server.
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

// runner is a command that is run until it ends by itself, however often it is killed.
type runner struct {
	name string
	kill chan struct{} // takes one whenever the process is to be killed
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

// size is how many entries the log has, as far as somebody answers.
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
