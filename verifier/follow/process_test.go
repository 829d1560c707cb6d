package follow_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/verifier/follow"
)

// built is the folder of pakli-verify, if a test needed it.
var built string

// command builds pakli-verify, once.
var command = sync.OnceValues(func() (path string, err error) {
	if built, err = os.MkdirTemp("", "pakli-follow-"); err != nil {
		return "", err
	}
	path = filepath.Join(built, "pakli-verify")
	out, err := exec.Command("go", "build", "-o", path, "../../cmd/pakli-verify").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return path, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(built)
	os.Exit(code)
}

// site shows logs at a URL, each under a prefix.
type site struct {
	mu    sync.Mutex
	logs  map[string]*log
	seen  atomic.Int64
	at    int64 // when alarm is to be closed
	alarm chan struct{}
}

// await returns a channel that is closed at the n-th request, before its answer.
func (s *site) await(n int64) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at, s.alarm = n, make(chan struct{})
	if s.seen.Load() >= n {
		close(s.alarm)
	}
	return s.alarm
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen.Add(1) == s.at {
		close(s.alarm)
	}
	view, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	l := s.logs[view]
	if path == "checkpoint" && l != nil {
		w.Write(l.shows.Note)
		return
	}
	tile, err := tlog.ParseTilePath(path)
	if err == nil && l != nil {
		var data []byte
		if data, err = l.tile(tile); err == nil {
			w.Write(data)
			return
		}
	}
	http.NotFound(w, r)
}

func (s *site) show(view string, l *log) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.logs[view] = l
}

func serve(t *testing.T) (*site, string) {
	t.Helper()
	s := &site{logs: map[string]*log{}}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return s, web.URL
}

// run runs pakli-verify to its end and returns the exit code and what it said.
func run(t *testing.T, args ...string) (code int, out string) {
	t.Helper()
	path, err := command()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, path, args...)
	both, err := cmd.CombinedOutput()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(both)
}

// A server that shows two followers two histories, by turn, at one URL. The second
// finds out from the first one's file. The evidence convinces others offline.
func TestProcessesGossipByFile(t *testing.T) {
	k := newKey(t, "log.example")
	s, url := serve(t)
	vkey := k.key.String()
	anna, bela := t.TempDir(), t.TempDir()
	s.show("log", newLog(k, filler("a", 300)...))
	if code, out := run(t, "follow", url+"/log", "--log", vkey, "--state", anna, "--once"); code != 0 {
		t.Fatalf("anna: %d %s", code, out)
	}
	s.show("log", newLog(k, filler("b", 400)...))
	if code, out := run(t, "follow", "--log", vkey, "--state", bela, "--once", "--gossip", anna, url+"/log"); code != 5 || !strings.Contains(out, "Log broken") {
		t.Fatalf("bela: %d %s", code, out)
	}
	s.show("log", nil)
	file := filepath.Join(bela, "evidence.txt")
	if code, out := run(t, "evidence", file, "--log", vkey); code != 5 || !strings.Contains(out, "Both cannot be true") {
		t.Errorf("evidence: %d %s", code, out)
	}
	if code, out := run(t, "evidence", file, "--log", newKey(t, "log.example").key.String()); code != 1 || !strings.Contains(out, "proves nothing") {
		t.Errorf("with another key: %d %s", code, out)
	}
	if code, out := run(t, "follow", url+"/log", "--log", vkey, "--state", bela, "--once"); code != 5 {
		t.Errorf("bela again: %d %s", code, out)
	}
}

// The same by URL, with a follower that runs and is told to stop.
func TestProcessesGossipByURL(t *testing.T) {
	k := newKey(t, "log.example")
	s, url := serve(t)
	s.show("a", newLog(k, filler("a", 300)...))
	s.show("b", newLog(k, filler("b", 300)...))
	path, err := command()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "follow", url+"/a", "--log", k.key.String(), "--state", t.TempDir(), "--interval", "1s", "--listen", "127.0.0.1:0")
	said := &lockedBuffer{}
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	peer := said.after(t, "shown at ")
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		resp, err := http.Get(peer)
		if err == nil {
			resp.Body.Close()
		}
		if err == nil && resp.StatusCode == http.StatusOK {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("nothing is shown at %q: %v", peer, err)
		}
	}
	if code, out := run(t, "follow", url+"/b", "--log", k.key.String(), "--state", t.TempDir(), "--once", "--gossip", peer); code != 5 {
		t.Errorf("%d %s", code, out)
	}
	cmd.Process.Signal(os.Interrupt)
	if err := cmd.Wait(); err != nil {
		t.Errorf("the one that ran: %v", err)
	}
}

// lockedBuffer has no way to write but one: a buffer's ReadFrom would not lock.
type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

// after waits for the line with a word, and returns what follows it there.
func (b *lockedBuffer) after(t *testing.T, word string) string {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		b.mu.Lock()
		_, rest, _ := strings.Cut(b.buffer.String(), word)
		b.mu.Unlock()
		if line, _, ok := strings.Cut(rest, "\n"); ok {
			return line
		}
	}
	t.Fatalf("no %q was said", word)
	return ""
}

// A follower that is killed, again and again, at a request or a little later, while
// the log grows. Every table is told, nobody is accused, and the state is always one
// that the next run goes on from; at the end the log forks, and that is found, also if
// the one who first heard of it is killed. PAKLI_FOLLOW_KILLS is how often; 40 unless
// told.
func TestKilled(t *testing.T) {
	kills := 40
	if n, err := strconv.Atoi(os.Getenv("PAKLI_FOLLOW_KILLS")); err == nil {
		kills = n
	}
	real, _ := suite.Lookup(suite.Default)
	a, b, c := play(t, real, 1), play(t, real, 2), play(t, real, 3)
	all := append(filler("before", 250), interleave(a.Entries, b.Entries, cheat(t, c))...)
	k := newKey(t, "log.example")
	s, url := serve(t)
	dir := t.TempDir()
	args := []string{"follow", url + "/log", "--log", k.key.String(), "--state", dir, "--once", "--keep-going"}
	told := ""
	for i := range kills {
		size := 1 + (len(all)-1)*(i+1)/kills
		s.show("log", newLog(k, all[:size]...))
		told += s.killed(t, int64(rand.N(8)), time.Duration(rand.N(20))*time.Millisecond, args)
	}
	code, out := run(t, args...)
	if told += out; code != 0 && code != 4 {
		t.Fatalf("after %d kills: %d %s", kills, code, out)
	}
	for _, p := range []string{a.State.ID().String(), b.State.ID().String()} {
		if !strings.Contains(told, "table "+p+"  Sound.") {
			t.Errorf("table %s was not told: %s", p, told)
		}
	}
	if !strings.Contains(told, "table "+c.State.ID().String()+"  Foul by seat") || strings.Contains(told, "Log broken") {
		t.Errorf("the foul was not told, or the log was accused: %s", told)
	}

	forked := append(filler("other", 250), all[250:]...)
	s.show("log", newLog(k, append(forked, []byte("one more"))...))
	for i := range int64(10) {
		s.killed(t, i%6, time.Duration(rand.N(10))*time.Millisecond, args)
	}
	if code, out := run(t, args...); code != 5 {
		t.Errorf("the fork: %d %s", code, out)
	}
}

// killed runs the command, kills it some time after its n-th request, and returns the
// whole lines that it said.
func (s *site) killed(t *testing.T, n int64, later time.Duration, args []string) string {
	t.Helper()
	path, err := command()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	over := make(chan error)
	go func() { over <- cmd.Wait() }()
	asked := s.await(s.seen.Load() + n)
	for {
		select {
		case <-asked:
			asked = nil
			time.AfterFunc(later, func() { cmd.Process.Kill() })
		case <-over:
			return out.String()
		}
	}
}

// patientSource is the client with bounds that a test can wait for.
type patientSource struct{ *client.Client }

func (s patientSource) Checkpoint(ctx context.Context, above uint64) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, 200*time.Millisecond)
	defer stop()
	return s.Shown(ctx, above, 0)
}

func (s patientSource) Tile(ctx context.Context, tile tlog.Tile) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, 200*time.Millisecond)
	defer stop()
	return s.Client.Tile(ctx, tile)
}

// A server that trickles, never ends, answers with garbage, or with errors, at
// checkpoints and at tiles: the log is not accused, and nothing is believed.
func TestHostileServer(t *testing.T) {
	k := newKey(t, "log.example")
	honest := &site{logs: map[string]*log{"log": newLog(k, filler("a", 300)...)}}
	small := k.key
	hostile := map[string]http.HandlerFunc{
		"trickles": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				w.Write([]byte("x"))
				w.(http.Flusher).Flush()
				time.Sleep(10 * time.Millisecond)
			}
		},
		"never ends": func(w http.ResponseWriter, r *http.Request) {
			for err := error(nil); err == nil; _, err = w.Write(make([]byte, 1<<16)) {
			}
		},
		"garbage": func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("\x00\xff—\n\n— ")) },
		"500":     func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500) },
		"404":     http.NotFound,
		"silent":  func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	}
	for name, lie := range hostile {
		for _, at := range []string{"/log/checkpoint", "/log/tile/"} {
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, at) {
					lie(w, r)
					return
				}
				honest.ServeHTTP(w, r)
			}))
			c, err := client.New(web.URL+"/log", small, nil)
			if err != nil {
				t.Fatal(err)
			}
			told := []string{}
			dir := t.TempDir()
			f, err := follow.Open(t.Context(), patientSource{c}, dir, follow.Options{
				Log: []*tlog.VerifierKey{k.key}, Catalogue: catalogue(), Now: time.Now, Patience: time.Hour,
				Tell: func(e follow.Event) { told = append(told, e.Text) },
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Step(t.Context()); err != nil || !f.Doubtful() || f.Foul() {
				t.Errorf("%s at %s: %v %q", name, at, err, told)
			}
			if read, _ := f.Read(); read != 0 {
				t.Errorf("%s at %s: %d entries read", name, at, read)
			}
			f.Close()
			web.CloseClientConnections()
			web.Close()
		}
	}
}

// A foul stops the follower, unless it is to keep going; the next run goes on behind
// it. What it leaves gives the verdict offline.
func TestProcessStopsAtAFoul(t *testing.T) {
	real, _ := suite.Lookup(suite.Default)
	p := play(t, real, 4)
	k := newKey(t, "log.example")
	s, url := serve(t)
	s.show("log", newLog(k, cheat(t, p)...))
	dir := t.TempDir()
	args := []string{"follow", url + "/log", "--log", k.key.String(), "--state", dir}
	if code, out := run(t, args...); code != 4 || !strings.Contains(out, "Foul by seat") {
		t.Fatalf("%d %s", code, out)
	}
	if code, out := run(t, append(args, "--once")...); code != 0 || strings.Contains(out, "Foul") {
		t.Errorf("the next run: %d %s", code, out)
	}
	again := []string{"follow", url + "/log", "--log", k.key.String(), "--state", t.TempDir(), "--once", "--keep-going"}
	if code, out := run(t, again...); code != 4 {
		t.Errorf("with --keep-going: %d %s", code, out)
	}
	file := filepath.Join(dir, "foul-"+p.State.ID().String()+".pakli")
	if code, out := run(t, "evidence", file, "--log", k.key.String()); code != 4 || !strings.Contains(out, "E1-body") {
		t.Errorf("the evidence: %d %s", code, out)
	}
	if code, out := run(t, "evidence", file, "--log", newKey(t, "log.example").key.String()); code != 1 {
		t.Errorf("the evidence, under another key: %d %s", code, out)
	}
}

// A server that shows checkpoints, and takes all other questions and never answers. The
// program complains, and goes on asking others. The minute only ends the test.
func TestProcessAndSilentServer(t *testing.T) {
	k := newKey(t, "log.example")
	l := newLog(k, filler("a", 300)...)
	asked := make(chan struct{}, 1)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/checkpoint") || strings.HasPrefix(r.URL.Path, "/log/v1/") {
			<-r.Context().Done()
			return
		}
		w.Write(l.shows.Note)
		if strings.HasPrefix(r.URL.Path, "/peer") {
			select {
			case asked <- struct{}{}:
			default:
			}
		}
	}))
	defer web.Close()
	path, err := command()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	dir := t.TempDir()
	cmd := exec.CommandContext(ctx, path, "follow", web.URL+"/log", "--log", k.key.String(), "--state", dir, "--gossip", web.URL+"/peer", "--interval", "1s", "--patience", "1s")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		select {
		case <-asked:
		case <-ctx.Done():
			t.Fatal("others are asked no more")
		}
	}
	complaints := func() []string { files, _ := filepath.Glob(filepath.Join(dir, "complaint-*")); return files }
	for ; len(complaints()) == 0 && ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
	}
	cmd.Process.Signal(os.Interrupt)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if files := complaints(); len(files) != 1 {
		t.Errorf("complaints %q", files)
	}
}

// A log that does not show what it signed: a complaint, which is no verdict.
func TestProcessComplains(t *testing.T) {
	k := newKey(t, "log.example")
	s, url := serve(t)
	l := newLog(k, filler("a", 20)...)
	l.entries = l.entries[:10]
	s.show("log", l)
	dir := t.TempDir()
	code, out := run(t, "follow", url+"/log", "--log", k.key.String(), "--state", dir, "--once")
	files, _ := filepath.Glob(filepath.Join(dir, "complaint-*"))
	if code != 1 || len(files) != 1 || strings.Contains(out, "broken") {
		t.Fatalf("%d %q %s", code, files, out)
	}
	if code, out := run(t, "evidence", files[0], "--log", k.key.String()); code != 1 || !strings.Contains(out, "ask the log") {
		t.Errorf("%d %s", code, out)
	}
}

// A run with --once that is told to stop before the log has answered: nothing was
// verified, and that is no success. The minute only ends the test.
func TestProcessStoppedBeforeItsEnd(t *testing.T) {
	k := newKey(t, "log.example")
	asked := make(chan struct{}, 1)
	web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case asked <- struct{}{}:
		default:
		}
		<-r.Context().Done()
	}))
	defer web.Close()
	path, err := command()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, path, "follow", web.URL, "--log", k.key.String(), "--state", t.TempDir(), "--once")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-asked:
	case <-ctx.Done():
		t.Fatal("nothing is asked")
	}
	cmd.Process.Signal(os.Interrupt)
	if cmd.Wait(); cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
}
