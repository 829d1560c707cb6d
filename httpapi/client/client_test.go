package client_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

var catalogue = table.Catalogue{Game: games.Lookup, Suite: clear.Lookup}

// site is a server over a log on disk, with a way to change its answers.
type site struct {
	url    string
	log    *ledger.Ledger
	key    ledger.Key
	handle atomic.Pointer[http.HandlerFunc] // if set, answers instead of the server
	server http.Handler
}

// newSite opens a server that accepts every post, or only what its tables accept.
func newSite(t testing.TB, tables bool) *site {
	t.Helper()
	s := &site{}
	dir := t.TempDir()
	s.key = testmust.Have(ledger.CreateKey(dir, "log.example", rand.Reader))(t)
	o := ledger.Options{Signer: s.key.Signer, Store: new(ledgertest.Stores)}
	testmust.Do(t, ledger.Create(dir, o))
	s.log = testmust.Have(ledger.Open(dir, o))(t)
	t.Cleanup(func() { s.log.Close() })
	s.server = httpapi.New(httpapi.Options{Log: s.log, Tiles: s.log, Key: s.key.Public,
		Admission: testmust.Have(admission.Open(t.Context(), s.log, catalogue, admission.Options{}))(t),
		Limits:    httpapi.Limits{PostRate: -1, TableRate: -1}})
	if !tables {
		s.server = everything{s.server, s.log}
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h := s.handle.Load(); h != nil {
			(*h)(w, r)
			return
		}
		s.server.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	s.url = web.URL
	return s
}

// everything logs every post. The server refuses posts that cannot be entries.
type everything struct {
	http.Handler
	log tlog.Log
}

func (e everything) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	entry, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(entry))
	if r.Method == http.MethodPost {
		if receipt, err := e.log.Append(r.Context(), entry); err == nil {
			json.NewEncoder(w).Encode(client.PostedEntry{Index: receipt.Index, Hash: wire.HashEntry(entry), Receipt: string(receipt.Marshal())})
			return
		}
	}
	e.Handler.ServeHTTP(w, r)
}

// answer makes h answer instead of the server.
func (s *site) answer(h http.HandlerFunc) { s.handle.Store(&h) }

// refuse makes the site refuse every request in one way.
func (s *site) refuse(status int, media, body string) {
	s.answer(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		w.WriteHeader(status)
		w.Write([]byte(body))
	})
}

const problemMedia = "application/problem+json"

func (s *site) client(t testing.TB) *client.Client {
	t.Helper()
	return testmust.Have(client.New(s.url, s.key.Verifier, nil))(t)
}

// A client must be as good a log as the server behind its URL.
func TestConformance(t *testing.T) {
	t.Parallel()
	ledgertest.Run(t, func(t *testing.T) (tlog.Log, note.Verifier) {
		s := newSite(t, false)
		return s.client(t), s.key.Verifier
	})
}

func init() { client.LongestPause = 100 * time.Millisecond }

var seed atomic.Uint64

func newTable(t testing.TB) *tabletest.Table {
	t.Helper()
	game, _ := games.Lookup("schwarzer-peter/v1")
	return testmust.Have(tabletest.New(game, tabletest.Config{Seats: 2}, seed.Add(1)))(t)
}

// A player must get through a game with the client alone.
func TestPlay(t *testing.T) {
	t.Parallel()
	s := newSite(t, true)
	c, watcher := s.client(t), s.client(t)
	p := newTable(t)
	id := p.State.ID()
	testmust.Have(c.CreateTable(t.Context(), p.Entries[0]))(t)
	for len(p.State.Duties()) > 0 {
		entry := testmust.Have(p.Next())(t)
		got, err := c.Post(t.Context(), id, entry)
		testmust.Requiref(t, err == nil && got.N == len(p.Entries), "posted %+v, %v", got, err)
		testmust.Do(t, p.Add(entry))
		list, err := watcher.Messages(t.Context(), id, got.N, time.Second)
		testmust.Requiref(t, err == nil && len(list) == 1 && list[0].Entry == string(entry) && list[0].Index == got.Index,
			"messages from %d: %+v, %v", got.N, list, err)
	}
	d, err := c.Table(t.Context(), id)
	testmust.Holdf(t, err == nil && d.Over && d.Head == p.State.Head(), "table %+v, %v", d, err)
	list, err := c.Tables(t.Context(), client.TableFilter{}, nil, 10)
	testmust.Holdf(t, err == nil && len(list.Tables) == 1 && list.Tables[0].ID == id, "tables %+v, %v", list, err)
	first := p.Entries[1]
	if again, err := c.Post(t.Context(), id, first); err != nil || again.N != 1 {
		t.Errorf("the same again: %+v, %v", again, err)
	}
	stale := testmust.Have(p.Forge(first, func(m *wire.Message) { m.Parent = wire.Hash{1} }))(t)
	_, err = c.Post(t.Context(), id, stale)
	conflict, ok := errors.AsType[*client.Conflict](err)
	testmust.Holdf(t, ok && conflict.Head == p.State.Head() && conflict.Problem.Check == "T4-parent", "stale: %v", err)
	_, err = c.Table(t.Context(), wire.Hash{})
	if p, ok := errors.AsType[*client.Problem](err); !ok || p.Status != http.StatusNotFound {
		t.Errorf("no table: %v", err)
	}
}

// A string that is no URL of a log must be refused before any request.
func TestNewRefuses(t *testing.T) {
	t.Parallel()
	s := newSite(t, false)
	for _, url := range []string{"", "log.example", "ftp://log.example", "http://", "http://log.example?x=1", "http://log.example#x", "://", "http://[::1"} {
		testmust.Fail(t, testmust.ErrorOf(client.New(url, s.key.Verifier, nil)), url, "was accepted")
	}
	testmust.Have(client.New(s.url+"/", s.key.Verifier, nil))(t, "with a trailing slash")
}

// A player must retry while a server is busy for a moment, but not if the server asks for a longer
// pause.
func TestRetries(t *testing.T) {
	t.Parallel()
	s := newSite(t, false)
	c := s.client(t)
	var calls atomic.Int64
	refuse := func(times int64, status int, after string) {
		calls.Store(0)
		s.answer(func(w http.ResponseWriter, r *http.Request) {
			if calls.Add(1) > times {
				s.server.ServeHTTP(w, r)
				return
			}
			if after != "" {
				w.Header().Set("Retry-After", after)
			}
			w.Header().Set("Content-Type", problemMedia)
			w.WriteHeader(status)
			w.Write([]byte(`{"type":"/problems/busy","title":"Busy"}`))
		})
	}
	refuse(3, http.StatusServiceUnavailable, "")
	_, err := c.Append(t.Context(), []byte("one"))
	testmust.Holdf(t, err == nil && calls.Load() >= 4, "after three refusals: %v, %d calls", err, calls.Load())
	refuse(1, http.StatusTooManyRequests, "0")
	testmust.Have(c.Append(t.Context(), []byte("two")))(t, "after one refusal")
	refuse(1000, http.StatusServiceUnavailable, "3600")
	_, err = c.Append(t.Context(), []byte("three"))
	testmust.Holdf(t, errors.Is(err, tlog.ErrBusy) && calls.Load() == 1, "asked to wait an hour: %v, %d calls", err, calls.Load())
	refuse(1000, http.StatusInternalServerError, "")
	_, err = c.Append(t.Context(), []byte("five"))
	testmust.Holdf(t, err != nil && !errors.Is(err, client.ErrNoAnswer) && calls.Load() == 1, "a fault of the server: %v, %d calls", err, calls.Load())
}

// busy is a carrier to a server that answers every request with a pause of ten seconds.
func busy(context.Context, client.Call) (client.Answer, error) {
	header := map[string]string{"Retry-After": "10", "Content-Type": "application/problem+json"}
	return client.Answer{
		Status: http.StatusServiceUnavailable,
		Header: func(name string) string { return header[name] },
		Body:   []byte(`{"type":"/problems/busy","title":"Busy"}`),
	}, nil
}

// A player whose deadline ends before a busy server's pause must get an error that says so, no later
// than the deadline.
func TestLittleTime(t *testing.T) {
	s := newSite(t, false)
	synctest.Test(t, func(t *testing.T) {
		c := testmust.Have(client.New(s.url, s.key.Verifier, busy))(t)
		const little = 5 * time.Second
		ctx, cancel := context.WithTimeout(t.Context(), little)
		defer cancel()
		begun := time.Now()
		_, err := c.Append(ctx, []byte("one"))
		took := time.Since(begun)
		testmust.Holdf(t, took <= little && errors.Is(err, tlog.ErrBusy) && errors.Is(err, context.DeadlineExceeded), "after %v: %v", took, err)
	})
}

// A request over a dead connection is retried, so that a game continues after the server restarts.
func TestBrokenConnection(t *testing.T) {
	t.Parallel()
	s := newSite(t, false)
	c := s.client(t)
	var calls atomic.Int64
	s.answer(func(w http.ResponseWriter, r *http.Request) {
		switch calls.Add(1) {
		case 1:
			panic(http.ErrAbortHandler)
		case 2:
			w.Header().Set("Content-Length", "1000")
			w.Write([]byte("cut short"))
		default:
			s.server.ServeHTTP(w, r)
		}
	})
	testmust.Have(c.Append(t.Context(), []byte("one")))(t)
}

// While the server behind a proxy restarts, the proxy answers 502, 503 or 504 with a page of its own.
// A player that takes this for the server's answer gives up its table (70.3.3).
func TestAProxysAnswerIsNone(t *testing.T) {
	t.Parallel()
	s := newSite(t, false)
	c := s.client(t)
	for i, status := range []int{http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout} {
		var calls atomic.Int64
		last := int64(2)
		s.answer(func(w http.ResponseWriter, r *http.Request) {
			if calls.Add(1) > last {
				s.server.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(status)
			w.Write([]byte("<h1>the server is away</h1>"))
		})
		if _, err := c.Append(t.Context(), []byte{byte('a' + i)}); err != nil || calls.Load() < 3 {
			t.Errorf("after %d, twice: %v, %d calls", status, err, calls.Load())
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		calls.Store(0)
		last = 1000
		testmust.FailBy(t, testmust.ErrorOf(c.Append(ctx, []byte("never"))), client.ErrNoAnswer, status, "for ever")
		cancel()
	}
}

// A truncated refusal is no answer of the server, since the table may have moved on. A player that
// took it for one gave up its table.
func TestHalfARefusal(t *testing.T) {
	t.Parallel()
	s := newSite(t, false)
	c := s.client(t)
	whole := `{"type":"` + client.ProblemBase + client.StaleParent + `","title":"stale parent","status":409,"head":"` + strings.Repeat("0", 64) + `"}`
	for _, length := range []int{0, 1, len(whole) / 2, len(whole) - 1, len(whole)} {
		s.refuse(http.StatusConflict, problemMedia+"; charset=utf-8", whole[:length])
		_, err := c.Append(t.Context(), []byte("x"))
		_, stale := errors.AsType[*client.Conflict](err)
		if half := length < len(whole); stale == half || client.IsPassing(err) != half || errors.Is(err, client.ErrNoAnswer) != half {
			t.Errorf("%d of %d bytes: %v", length, len(whole), err)
		}
	}
}

// A complete refusal that is no problem document, or has a member of another type, must still give
// the status. It is the server's final answer, and not retried for ever.
func TestOddRefusals(t *testing.T) {
	t.Parallel()
	s := newSite(t, false)
	c := s.client(t)
	for _, r := range []struct {
		status             int
		media, body, title string
	}{
		{403, problemMedia, `{"type":"about:blank","title":"Forbidden","status":"403"}`, "Forbidden"},
		{403, problemMedia, `{"title":"Forbidden","seat":"B"}`, "Forbidden"},
		{403, problemMedia, `{"class":7,"title":"Forbidden"}`, "Forbidden"},
		{403, problemMedia, `[]`, ""},
		{500, "text/html", "", ""},
		{500, "text/plain", strings.Repeat("x", 1<<20), ""},
		{500, problemMedia, "{", ""},
		{500, problemMedia, `{"status":200}`, ""},
		{500, problemMedia, `{"type":"/problems/stale-parent"}`, ""},
	} {
		s.refuse(r.status, r.media, r.body)
		_, err := c.Append(t.Context(), []byte("x"))
		if p, ok := errors.AsType[*client.Problem](err); !ok || r.status == 403 && client.IsPassing(err) || p.Status != r.status || r.title != "" && p.Title != r.title {
			t.Errorf("%d %.100s: %v", r.status, r.body, err)
		}
	}
}

// Keys with another name, duplicate keys and unknown kinds of keys must not be believed, and must not
// prevent the use of the others.
func TestLogInfoVerifiers(t *testing.T) {
	t.Parallel()
	key := func(name string, a tlog.Algorithm) string {
		_, k := ledgertest.NewKey(t, name, a)
		return k.Verifier().String()
	}
	main, next, lattice := key("log.example", tlog.Ed25519), key("log.example", tlog.Ed25519), key("log.example", tlog.MLDSA44)
	for what, c := range map[string]struct {
		info client.LogInfo
		want []string
	}{
		"an older server":   {client.LogInfo{Key: main}, []string{main}},
		"while keys change": {client.LogInfo{Key: main, Keys: []string{main, next, lattice}}, []string{main, next, lattice}},
		"a stranger's":      {client.LogInfo{Key: main, Keys: []string{main, key("other.example", tlog.Ed25519)}}, []string{main}},
		"an unknown kind":   {client.LogInfo{Key: main, Keys: []string{main, "log.example+00000000+/w==", next}}, []string{main, next}},
		"in another order":  {client.LogInfo{Key: main, Keys: []string{next, main}}, []string{main, next}},
		"no key":            {client.LogInfo{Keys: []string{next}}, nil},
		"main is not a key": {client.LogInfo{Key: "x", Keys: []string{next}}, nil},
		"nothing at all":    {client.LogInfo{}, nil},
	} {
		got, err := c.info.Verifiers()
		if (err == nil) != (c.want != nil) || len(got) != len(c.want) {
			t.Errorf("%s: %v, %v, want %v", what, got, err, c.want)
			continue
		}
		for i, k := range got {
			testmust.Equal(t, k.String(), c.want[i], what, "key", i)
		}
	}
}

// BenchmarkAppend measures durable, signed appends over loopback, each with its receipt verified and
// its checkpoint checked for consistency, by one client and by 64 callers of one client.
func BenchmarkAppend(b *testing.B) {
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			s := newSite(b, false)
			c := s.client(b)
			var n atomic.Int64
			entry := func() []byte { return fmt.Appendf(make([]byte, 0, 1024), "%0*d", 1000, n.Add(1)) }
			b.SetParallelism(max(1, callers/runtime.GOMAXPROCS(0)))
			if callers == 1 {
				for b.Loop() {
					testmust.Have(c.Append(b.Context(), entry()))(b)
				}
				return
			}
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := c.Append(b.Context(), entry()); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}

// A browser has no sockets. With its fetch the client must get the same answers, wait as long, read
// no more, and release requests as soon.
func TestFetch(t *testing.T) {
	t.Parallel()
	testmust.OnlyThorough(t, "builds a program")
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs Node")
	}
	module := filepath.Join(t.TempDir(), "fetch.wasm")
	build := exec.Command("go", "build", "-o", module, "./testdata/fetch")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := build.CombinedOutput()
	testmust.Requiref(t, err == nil, "%v\n%s", err, out)
	root := testmust.Have(exec.Command("go", "env", "GOROOT").Output())(t)
	s := newSite(t, false)
	var calls atomic.Int64
	s.answer(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case calls.Add(1) == 1:
			w.WriteHeader(http.StatusBadGateway)
		case strings.HasPrefix(r.URL.Path, "/endless"):
			for part := make([]byte, 1<<16); r.Context().Err() == nil; {
				w.Write(part)
			}
		case strings.HasPrefix(r.URL.Path, "/silent"):
			<-r.Context().Done()
		default:
			s.server.ServeHTTP(w, r)
		}
	})
	run := exec.CommandContext(t.Context(), node, filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js"), module, s.url, s.key.Public)
	run.Env = []string{"PATH=" + os.Getenv("PATH")} // all of it is copied into the module
	var complaint bytes.Buffer
	run.Stdout, run.Stderr = &complaint, &complaint
	err = run.Run()
	testmust.Holdf(t, err == nil, "%v\n%s", err, complaint.Bytes())
}

// A server that lags for a moment, as one of several behind one address does, accuses nobody
// (docs/spec/82-following.md, 82.2.2), and must not end a player's game. A malformed answer, or one
// that convicts the log, must.
func TestServerBehindIsWaitedFor(t *testing.T) {
	t.Parallel()
	behind := &client.Problem{Type: client.ProblemBase + client.BeyondLog, Status: 404}
	for _, c := range []struct {
		err  error
		want bool
	}{
		{&client.RollbackError{}, true},
		{errors.Join(behind, nil), true},
		{&client.Problem{Status: 503}, true},
		{&client.Problem{Type: client.ProblemBase + client.RateLimited, Status: 429}, true},
		{&client.Problem{Type: client.ProblemBase + client.UnknownTable, Status: 404}, false},
		{&tlog.ForkError{}, false},
		{tlog.ErrMalformed, false},
	} {
		testmust.Equal(t, client.IsPassing(c.err), c.want, c.err)
	}
}

// A connection that breaks during an answer must not end a player's game, nor must one that breaks
// before it.
func TestBrokenAnswerIsWaitedFor(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
		_ = c.(*net.TCPConn).SetLinger(0) // it is reset
		c.Close()
	}))
	defer s.Close()
	_, err := client.AskLog(t.Context(), s.URL, nil)
	testmust.Holdf(t, client.IsPassing(err), "play ends: %v", err)
}
