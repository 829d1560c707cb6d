package verification

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// childEnv makes this test binary run as pakli-verify, for tests that need a process.
const childEnv = "PAKLI_VERIFY_CHILD"

func TestMain(m *testing.M) {
	pause = time.Millisecond
	if os.Getenv(childEnv) != "" {
		Main()
	}
	testmust.InMemory()
	os.Exit(m.Run())
}

// child runs pakli-verify as a process of its own.
func child(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), childEnv+"=1")
	return cmd
}

// site shows logs at a URL, each under a prefix.
type site struct {
	mu    sync.Mutex
	logs  map[string]ledgertest.FixedLog
	left  int           // requests until alarm is closed
	alarm chan struct{} // nil: none
}

// await returns a channel that is closed at the n-th request from now, before its answer. For n = 0
// the channel is already closed.
func (s *site) await(n int) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left, s.alarm = n, make(chan struct{})
	if n == 0 {
		close(s.alarm)
	}
	return s.alarm
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left--; s.left == 0 {
		close(s.alarm)
	}
	view, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	l := s.logs[view]
	if path == "checkpoint" && l.Signed.Note != nil {
		w.Write(l.Signed.Note)
		return
	}
	if tile, err := tlog.ParseTilePath(path); err == nil {
		if data, err := l.Tile(r.Context(), tile); err == nil {
			w.Write(data)
			return
		}
	}
	http.NotFound(w, r)
}

func (s *site) show(view string, l ledgertest.FixedLog) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.logs[view] = l
}

func serve(t *testing.T) (*site, string) {
	t.Helper()
	s := &site{logs: map[string]ledgertest.FixedLog{}}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return s, web.URL
}

// filler returns n entries that belong to no table and contain a word.
func filler(word string, n int) (list [][]byte) {
	for i := range n {
		list = append(list, fmt.Appendf(nil, "%s %d", word, i))
	}
	return list
}

// cheat returns the history of a table up to a message that breaks a rule.
func cheat(t *testing.T, p *tabletest.Table) [][]byte {
	t.Helper()
	at := len(p.Entries) / 2
	forged := testmust.Have(p.Forge(p.Entries[at], func(m *wire.Message) { m.Body = []byte(`{}`) }))(t)
	return append(slices.Clone(p.Entries[:at]), forged)
}

// said runs the command to its end, and returns its exit code and output.
func said(t *testing.T, args ...string) (code int, out string) {
	t.Helper()
	var both bytes.Buffer
	code = Run(t.Context(), args, &both, &both)
	return code, both.String()
}

// A server shows two histories by turns to two followers at one URL. The second follower detects this
// with the first one's file, and the evidence convinces others offline.
func TestGossipByFile(t *testing.T) {
	skey, vkey := newKey(t)
	_, other := newKey(t)
	s, url := serve(t)
	anna, bela := t.TempDir(), t.TempDir()
	s.show("log", signed(t, filler("a", 300), skey))
	code, out := said(t, "follow", url+"/log", "--log", vkey, "--state", anna, "--once")
	testmust.Requiref(t, code == 0, "anna: %d %s", code, out)
	s.show("log", signed(t, filler("b", 400), skey))
	code, out = said(t, "follow", "--log", vkey, "--state", bela, "--once", "--gossip", anna, url+"/log")
	testmust.Requiref(t, code == 5 && strings.Contains(out, "Log broken"), "bela: %d %s", code, out)
	s.show("log", ledgertest.FixedLog{})
	file := filepath.Join(bela, "evidence.txt")
	code, out = said(t, "evidence", file, "--log", vkey)
	testmust.Holdf(t, code == 5 && strings.Contains(out, "Both cannot be true"), "evidence: %d %s", code, out)
	code, out = said(t, "evidence", file, "--log", other)
	testmust.Holdf(t, code == 1 && strings.Contains(out, "proves nothing"), "with another key: %d %s", code, out)
	code, out = said(t, "follow", url+"/log", "--log", vkey, "--state", bela, "--once")
	testmust.Holdf(t, code == 5, "bela again: %d %s", code, out)
}

// running is a follower that runs until it is stopped.
type running struct {
	stop context.CancelFunc
	code chan int
	errs *bufio.Reader
}

func follows(t *testing.T, args ...string) running {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	r := running{stop: stop, code: make(chan int, 1)}
	from, to := io.Pipe()
	r.errs = bufio.NewReader(from)
	t.Cleanup(func() { stop(); from.Close() })
	go func() { r.code <- Run(ctx, append([]string{"follow"}, args...), io.Discard, to) }()
	return r
}

// The followers exchange checkpoints by URL, and one runs until it is stopped.
func TestGossipByURL(t *testing.T) {
	skey, vkey := newKey(t)
	s, url := serve(t)
	s.show("a", signed(t, filler("a", 300), skey))
	s.show("b", signed(t, filler("b", 300), skey))
	anna := follows(t, url+"/a", "--log", vkey, "--state", t.TempDir(), "--interval", "1ms", "--listen", "127.0.0.1:0")
	line, err := anna.errs.ReadString('\n')
	_, peer, ok := strings.Cut(strings.TrimSpace(line), "shown at ")
	testmust.Requiref(t, ok, "said %q, %v", line, err)
	go io.Copy(io.Discard, anna.errs)
	testmust.Until(t, "what anna believes", func() bool {
		resp, err := http.Get(peer)
		if err == nil {
			resp.Body.Close()
		}
		return err == nil && resp.StatusCode == http.StatusOK
	})
	code, out := said(t, "follow", url+"/b", "--log", vkey, "--state", t.TempDir(), "--once", "--gossip", peer)
	testmust.Holdf(t, code == 5, "%d %s", code, out)
	anna.stop()
	testmust.Equal(t, <-anna.code, 0, "the one that ran")
}

// TestKilled kills a follower repeatedly at a request while the log grows. Every table is told,
// nobody is accused, and the next run always continues from the state. At the end the log forks,
// which is found even if the follower that first heard of it is killed. PAKLI_FOLLOW_KILLS sets the
// number of kills; the default is 20.
func TestKilled(t *testing.T) {
	kills := 20
	if n, err := strconv.Atoi(os.Getenv("PAKLI_FOLLOW_KILLS")); err == nil {
		kills = n
	}
	a, b, c := played(t, 1), played(t, 2), played(t, 3)
	all := slices.Concat(filler("before", 250), a.Entries, b.Entries, cheat(t, c))
	skey, vkey := newKey(t)
	s, url := serve(t)
	args := []string{"follow", url + "/log", "--log", vkey, "--state", t.TempDir(), "--once", "--keep-going"}
	told := ""
	for i := range kills {
		size := 1 + (len(all)-1)*(i+1)/kills
		s.show("log", signed(t, all[:size], skey))
		told += s.killed(t, rand.N(10), args)
	}
	code, out := said(t, args...)
	told += out
	testmust.Requiref(t, code == 0 || code == 4, "after %d kills: %d %s", kills, code, out)
	for _, p := range []string{a.State.ID().String(), b.State.ID().String()} {
		testmust.Hold(t, strings.Contains(told, "table "+p+"  Sound."), "table", p, "was not told", told)
	}
	testmust.Holdf(t, strings.Contains(told, "table "+c.State.ID().String()+"  Foul by seat") && !strings.Contains(told, "Log broken"),
		"the foul was not told, or the log was accused: %s", told)

	forked := slices.Concat(filler("other", 250), all[250:], filler("more", 1))
	s.show("log", signed(t, forked, skey))
	for i := range 6 {
		s.killed(t, i, args)
	}
	code, out = said(t, args...)
	testmust.Holdf(t, code == 5, "the fork: %d %s", code, out)
}

// killed runs the command, kills it at its n-th request, and returns its complete lines of output.
func (s *site) killed(t *testing.T, n int, args []string) string {
	t.Helper()
	cmd := child(args...)
	var out bytes.Buffer
	cmd.Stdout = &out
	asked := s.await(n)
	testmust.Do(t, cmd.Start())
	over := make(chan struct{})
	go func() {
		cmd.Wait()
		close(over)
	}()
	select {
	case <-asked:
		cmd.Process.Kill()
		<-over
	case <-over:
	}
	return out.String()
}

// A foul stops the follower, unless it has --keep-going; the next run continues after it. Its files
// give the verdict offline.
func TestStopsAtAFoul(t *testing.T) {
	p := played(t, 4)
	skey, vkey := newKey(t)
	_, other := newKey(t)
	s, url := serve(t)
	s.show("log", signed(t, cheat(t, p), skey))
	dir := t.TempDir()
	file := filepath.Join(dir, "foul-"+p.State.ID().String()+".pakli")
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"the first run", []string{"follow", url + "/log", "--log", vkey, "--state", dir}, 4, "Foul by seat"},
		{"the next run", []string{"follow", url + "/log", "--log", vkey, "--state", dir, "--once"}, 0, ""},
		{"with --keep-going", []string{"follow", url + "/log", "--log", vkey, "--state", t.TempDir(), "--once", "--keep-going"}, 4, "Foul by seat"},
		{"the evidence", []string{"evidence", file, "--log", vkey}, 4, "E1-body"},
		{"the evidence, under another key", []string{"evidence", file, "--log", other}, 1, ""},
	} {
		code, out := said(t, c.args...)
		testmust.Holdf(t, code == c.code && strings.Contains(out, c.says) && (c.says != "" || !strings.Contains(out, "Foul")), "%s: %d %s", c.name, code, out)
	}
}

// A server shows checkpoints but never answers any other request. The program complains, and keeps
// asking others.
func TestSilentServer(t *testing.T) {
	skey, vkey := newKey(t)
	l := signed(t, filler("a", 300), skey)
	asked := make(chan struct{}, 1)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/checkpoint") || strings.HasPrefix(r.URL.Path, "/log/v1/") {
			<-r.Context().Done()
			return
		}
		w.Write(l.Signed.Note)
		if strings.HasPrefix(r.URL.Path, "/peer") {
			select {
			case asked <- struct{}{}:
			default:
			}
		}
	}))
	defer web.Close()
	dir := t.TempDir()
	f := follows(t, web.URL+"/log", "--log", vkey, "--state", dir, "--gossip", web.URL+"/peer", "--interval", "1ms", "--patience", "50ms")
	go io.Copy(io.Discard, f.errs)
	for range 2 {
		<-asked
	}
	complaints := func() []string { files, _ := filepath.Glob(filepath.Join(dir, "complaint-*")); return files }
	testmust.Until(t, "a complaint", func() bool { return len(complaints()) > 0 })
	f.stop()
	code, files := <-f.code, complaints()
	testmust.Holdf(t, code == 0 && len(files) == 1, "code %d, complaints %q", code, files)
}

// A log does not show what it signed, which is a complaint and no verdict.
func TestComplains(t *testing.T) {
	skey, vkey := newKey(t)
	s, url := serve(t)
	l := signed(t, filler("a", 20), skey)
	l.List = l.List[:10]
	s.show("log", l)
	dir := t.TempDir()
	code, out := said(t, "follow", url+"/log", "--log", vkey, "--state", dir, "--once")
	files, _ := filepath.Glob(filepath.Join(dir, "complaint-*"))
	testmust.Requiref(t, code == 1 && len(files) == 1 && !strings.Contains(out, "broken"), "%d %q %s", code, files, out)
	code, out = said(t, "evidence", files[0], "--log", vkey)
	testmust.Holdf(t, code == 1 && strings.Contains(out, "ask the log"), "%d %s", code, out)
}

// A run with --once is stopped before the log has answered. It verified nothing, and must not exit
// with success.
func TestStoppedBeforeItsEnd(t *testing.T) {
	_, vkey := newKey(t)
	asked := make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	}))
	defer web.Close()
	cmd := child("follow", web.URL, "--log", vkey, "--state", t.TempDir(), "--once")
	testmust.Do(t, cmd.Start())
	<-asked
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	testmust.Holdf(t, cmd.ProcessState.ExitCode() == 1, "it ended with %v", cmd.ProcessState)
}

// Two contradictory statements convict a keeper by name, and no log or seat. Evidence that proves
// nothing exits as what cannot be checked.
func TestEvidenceAgainstAKeeper(t *testing.T) {
	s, vkey := markstest.LineSigner(t, "anna.example")
	at := keeper.Place{Table: wire.Hash{1}, Parent: wire.Hash{2}, Seat: 1}
	file := func(since, silent int64) string {
		e := exchange.Evidence{Key: vkey, Place: at, Entry: wire.Hash{3}}
		e.Hold = testmust.Have(keeper.SignHold(s, since, at, e.Entry))(t)
		e.Silence = testmust.Have(keeper.SignSilence(s, silent, at))(t)
		name := filepath.Join(t.TempDir(), "evidence")
		testmust.Do(t, os.WriteFile(name, e.Marshal(), 0o600))
		return name
	}
	policy := filepath.Join(t.TempDir(), "policy")
	text := "witness anna " + markstest.NewKeeper(t, "anna.example", nil).String() + "\n# pakli keeper anna " + vkey + "\nquorum none\n"
	testmust.Do(t, os.WriteFile(policy, []byte(text), 0o600))
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{file(1_900_000_000, 1_900_000_060)}, exitKeeper, "The keeper with the key " + vkey + " has broken its word"},
		{[]string{file(1_900_000_000, 1_900_000_060), "--policy", policy}, exitKeeper, "Keeper anna has broken its word"},
		{[]string{file(1_900_000_060, 1_900_000_000)}, exitCannot, "proves nothing"},
	} {
		var out, errs bytes.Buffer
		code := Run(t.Context(), append([]string{"evidence"}, c.args...), &out, &errs)
		testmust.Holdf(t, code == c.code && strings.Contains(out.String()+errs.String(), c.says), "%v: %d, %s%s", c.args, code, &out, &errs)
	}
}
