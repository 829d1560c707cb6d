package httpapi_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/protocol/wire"
)

const greedy, other = "192.0.2.1", "192.0.2.2"

// Whoever has used up its share must wait, whatever it asks for and however little that
// is, if it is not a post that it has a token for; and nobody else must.
func TestEverythingTakesATurn(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) {
		o.Limits = httpapi.Limits{ReadShare: 1e-9, PostRate: 0.001, PostBurst: 2, ConnectionsPerAddress: 8}
	})
	_, table := h.newTable(wire.RefuseFouls)
	hurried, giveUp := context.WithCancel(t.Context())
	giveUp() // who would have to wait is told to come again
	ask := func(ctx context.Context, address, method, path string) int {
		r := httptest.NewRequestWithContext(ctx, method, path, nil)
		r.RemoteAddr = address + ":1"
		w := httptest.NewRecorder()
		h.server.ServeHTTP(w, r)
		return w.Code
	}
	h.server.Spend(greedy, time.Hour)
	for i, c := range []struct {
		method, path string
		want         int
	}{
		{"GET", "/nothing", 404}, {"BREW", "/v1/tables", 405}, {"OPTIONS", "/v1/tables", 204}, {"GET", "/v1/tables?limit=256", 200}, {"GET", "/v1/tables?limit=x", 400},
		{"HEAD", "/checkpoint", 200}, {"GET", "/tile/0/000.p/1", 200}, {"GET", "/tile/x", 404}, {"GET", table, 200}, {"GET", table + "/messages", 200},
		{"GET", table + "/bundle", 200}, {"GET", "/v1/entries/0/receipt", 200}, {"GET", "/docs", 200}, {"GET", "/v1/openapi.json", 200}, {"GET", "/livez", 200},
		{"POST", "/nothing", 404},
	} {
		if got := ask(hurried, greedy, c.method, c.path); got != http.StatusServiceUnavailable {
			t.Errorf("%s %s of who has used too much: %d", c.method, c.path, got)
		}
		if got := ask(t.Context(), fmt.Sprintf("198.51.100.%d", i), c.method, c.path); got != c.want {
			t.Errorf("%s %s of somebody else: %d, want %d", c.method, c.path, got, c.want)
		}
	}
	// Who sends more of them than may wait is turned away.
	ctx, giveUp := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	defer waiting.Wait()
	defer giveUp()
	for range 20 {
		waiting.Go(func() { h.server.ServeHTTP(httptest.NewRecorder(), from(greedy, "/livez").WithContext(ctx)) })
	}
	for ask(hurried, greedy, "GET", "/livez") != http.StatusTooManyRequests {
		time.Sleep(time.Millisecond)
	}
	for path, item := range reads(t) {
		if got := ask(hurried, greedy, "GET", path); got != http.StatusTooManyRequests {
			t.Errorf("%s of who has a full line: %d", item, got)
		}
	}
	for i, want := range []int{400, 400, 429} { // two tokens
		if got := ask(hurried, greedy, "POST", "/v1/entries"); got != want {
			t.Errorf("post %d: %d, want %d", i, got, want)
		}
	}
}

// reads are paths of all that is read, by how they are described.
func reads(t *testing.T) map[string]string {
	t.Helper()
	paths := map[string]string{}
	var d struct{ Paths map[string]map[string]any }
	testmust.Do(t, json.Unmarshal(httpapi.OpenAPI(), &d))
	for path, methods := range d.Paths {
		if methods["get"] != nil {
			paths[strings.NewReplacer("{level}", "0", "{tile}", "000", "{index}", "0", "{slug}", "busy", "{id}", strings.Repeat("0", 64), "{hash}", strings.Repeat("0", 64)).Replace(path)] = path
		}
	}
	return paths
}

// What an answer takes must count, also what is not work: its bytes.
func TestAnswersAreCharged(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Limits.ReadShare = 1e-9 })
	testmust.Have(h.log.Append(t.Context(), bytes.Repeat([]byte("x"), 60_000)))(t)
	for range 20_000 {
		ctx, giveUp := context.WithCancel(t.Context())
		giveUp()
		w := httptest.NewRecorder()
		h.server.ServeHTTP(w, from(other, "/tile/entries/000.p/1").WithContext(ctx))
		if w.Code == http.StatusServiceUnavailable {
			return
		}
	}
	t.Error("1.2 GB cost nothing")
}

// New connections of who has used too much must wait before anything is read.
func TestConnectionsTakeATurn(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Limits.ReadShare = 1e-9 })
	h.server.Spend(greedy, time.Hour)
	h.server.End() // nobody waits any longer
	for address, want := range map[string]error{greedy: io.EOF, other: nil} {
		here, there := net.Pipe()
		go func() { _, _ = there.Write([]byte("G")) }()
		n, err := h.server.Guest(here, address).Read(make([]byte, 1))
		if err != want || (err == nil) != (n == 1) {
			t.Errorf("%s: %d bytes, %v, want %v", address, n, err, want)
		}
		here.Close()
	}
}

// An address that has used too much by reading must still be able to post, which takes no
// turn: over a new connection too.
func TestConnectionsAreLetInAtLast(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Limits.ReadShare = 1e-9 })
	synctest.Test(t, func(t *testing.T) {
		h.server.Spend(greedy, time.Hour)
		here, there := net.Pipe()
		defer here.Close()
		go func() { _, _ = there.Write([]byte("P")) }()
		if n, err := h.server.Guest(here, greedy).Read(make([]byte, 1)); n != 1 || err != nil {
			t.Errorf("%d bytes, %v", n, err)
		}
	})
}

// A connection that goes on although it was told to come again later must be closed,
// and no sooner; and a request that net/http could answer itself must have our answer.
func TestImpatientConnections(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Limits.PostRate, o.Limits.PostBurst = 0.001, 1 })
	url, _ := h.serve()
	c := dial(t, url)
	answers := bufio.NewReader(c)
	const post, options = "POST /v1/entries HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"
	for i, step := range []struct {
		request string
		want    int
		closed  bool
	}{{options, 204, false}, {post, 400, false}, {post, 429, false}, {options, 204, false}, {post, 429, true}} {
		fmt.Fprint(c, step.request)
		got := testmust.Have(http.ReadResponse(answers, nil))(t)
		_, _ = io.Copy(io.Discard, got.Body)
		if got.StatusCode != step.want || got.Close != step.closed || got.Header.Get("X-Request-Id") == "" {
			t.Errorf("request %d: %d, closed %v, want %+v", i, got.StatusCode, got.Close, step)
		}
	}
}

// On one processor a long check must keep nobody from a short one.
func TestLongCheckOnOneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	gate := httpapi.NewGate(httpapi.Limits{}, nil)
	testmust.Have(gate.Enter(t.Context(), admission.Work{Bytes: 100_000}))(t)
	hurried, giveUp := context.WithCancel(t.Context())
	giveUp()
	for range 20 { // a turn that has come is not always taken by who has given up
		if _, err := gate.Enter(hurried, admission.Work{Bytes: 500}); err == nil {
			return
		}
	}
	t.Error("a short one waits for a long one")
}

// counted counts the lists that are made.
type counted struct {
	httpapi.Admission
	lists atomic.Int64
}

func (c *counted) Tables(from uint64, limit int) []admission.Summary {
	c.lists.Add(1)
	return c.Admission.Tables(from, limit)
}

// The same list must not be made for everybody who asks, nor sent to who has it; and
// never an old one after a post.
func TestListsAreKept(t *testing.T) {
	c := new(counted)
	h := newHouse(t, func(o *httpapi.Options) { c.Admission, o.Admission = o.Admission, c })
	for n := range 3 {
		before := c.lists.Load()
		first, again := h.get("/v1/tables?limit=2"), h.get("/v1/tables?limit=2")
		same := h.get("/v1/tables?limit=2", "If-None-Match", first.header.Get("ETag"))
		if got := bytes.Count(first.body, []byte(`"id"`)); got != min(n, 2) || !bytes.Equal(first.body, again.body) {
			t.Errorf("after %d tables, listed: %s", n, first.body)
		}
		if same.status != http.StatusNotModified || len(same.body) > 0 || first.header.Get("Cache-Control") != "no-cache" {
			t.Errorf("known already: %d, %v", same.status, first.header)
		}
		if made := c.lists.Load() - before; made != 1 {
			t.Errorf("made %d times", made)
		}
		p, _ := h.newTable(wire.RefuseFouls)
		for _, path := range []string{"", "/messages"} {
			path = "/v1/tables/" + p.State.ID().String() + path
			h.unchanged(path)
		}
	}
}
