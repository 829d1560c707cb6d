package httpapi_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// notes is a log that several requests write to.
type notes struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (n *notes) Write(b []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.b.Write(b)
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.b.String()
}

// A player's report must lead to the server's own log; and nobody may write
// into that log, or into answers, what is no name.
func TestRequestIDs(t *testing.T) {
	var logged notes
	h := newHouse(t, func(o *httpapi.Options) {
		o.Logger = slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	for _, id := range []string{"a", "my-request_7.b", strings.Repeat("x", 64)} {
		if got := h.get("/v1/log", "X-Request-Id", id).header.Get("X-Request-Id"); got != id {
			t.Errorf("%q is answered as %q", id, got)
		}
		if p := h.problem(h.get("/v2", "X-Request-Id", id)); p.Request != id || !strings.Contains(logged.String(), "request="+id) {
			t.Errorf("%q is refused as %q", id, p.Request)
		}
	}
	seen := map[string]bool{}
	for _, id := range []string{"", "a b", "a\tb", `"`, "ä", "<script>", "a,b", strings.Repeat("x", 65)} {
		got := h.get("/v2", "X-Request-Id", id).header.Get("X-Request-Id")
		if got == id || len(got) < 20 || seen[got] {
			t.Errorf("%q is answered as %q", id, got)
		}
		if id != "" && strings.Contains(logged.String(), "request="+id) {
			t.Errorf("%q is logged", id)
		}
		seen[got] = true
	}
}

// A refusal must say which entry it is about: a client may have sent several.
func TestRefusalsNameTheEntry(t *testing.T) {
	h := newHouse(t, nil)
	p := newTable(t, wire.RefuseFouls)
	h.posted("/v1/tables", p.Entries[0])
	messages := "/v1/tables/" + p.State.ID().String() + "/messages"
	due := key(t, p, 0)
	for name, entry := range map[string][]byte{
		"foul":  forge(t, p, due, foul),
		"stale": forge(t, p, due, func(m *wire.Message) { m.Parent = wire.Hash{1} }),
		"void":  forge(t, p, due, func(m *wire.Message) { m.Seat = 7 }),
		"lost":  forge(t, p, due, func(m *wire.Message) { m.Table = wire.Hash{1} }),
	} {
		for _, path := range []string{messages, "/v1/entries"} {
			if got := h.problem(h.post(path, entry)); got.Entry == nil || *got.Entry != wire.HashEntry(entry) {
				t.Errorf("%s to %s: %+v, want entry %s", name, path, got, wire.HashEntry(entry))
			}
		}
	}
	if got := h.problem(h.post(messages, []byte("x"))); got.Type != client.ProblemBase+client.MalformedEntry || got.Entry != nil {
		t.Errorf("what is no entry: %+v", got)
	}
}

// A HEAD must say what the GET says, and nothing more.
func TestHead(t *testing.T) {
	h, _, _ := filled(t, 3)
	p := newTable(t, wire.RefuseFouls)
	h.posted("/v1/tables", p.Entries[0])
	table := "/v1/tables/" + p.State.ID().String()
	for _, path := range []string{
		"/checkpoint", "/tile/0/000.p/3", "/tile/entries/000.p/3", "/v1/log", "/v1/checkpoint", "/v1/consistency?old=1", "/v1/entries/1/receipt",
		"/v1/entries/1/inclusion", "/v1/tables", table, table + "/messages", "/livez", "/readyz", "/problems/busy", "/v1/openapi.json", "/docs",
		"/v1/entries/9/receipt", "/v2", "/tile/0/001", "/problems/nothing",
	} {
		get, head := h.get(path), h.call(http.MethodHead, path, nil)
		if head.status != get.status || len(head.body) > 0 {
			t.Errorf("HEAD %s: %d with %d bytes, GET %d", path, head.status, len(head.body), get.status)
		}
		for _, name := range []string{"Content-Type", "Cache-Control", "ETag", "Vary", "Retry-After"} {
			if g, w := head.header.Get(name), get.header.Get(name); g != w {
				t.Errorf("HEAD %s has %s %q, GET %q", path, name, g, w)
			}
		}
	}
}

// A page from elsewhere must be able to send what it needs, and to see what it
// has to act on.
func TestForeignPages(t *testing.T) {
	h := newHouse(t, nil)
	allowed := h.call(http.MethodOptions, "/v1/entries", nil, "Origin", "https://elsewhere.example", "Access-Control-Request-Method", "POST").header.Get("Access-Control-Allow-Headers")
	for _, name := range []string{"Accept", "Content-Type", "If-None-Match", "Last-Event-ID", "X-Request-Id"} {
		if !slices.Contains(strings.Split(allowed, ", "), name) {
			t.Errorf("%s may not be sent: %q", name, allowed)
		}
	}
	for _, path := range []string{"/v1/log", "/checkpoint", "/v2", "/tile/0/000", "/docs"} {
		a := h.get(path, "Origin", "https://elsewhere.example")
		if a.header.Get("Access-Control-Allow-Origin") != "*" || a.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: %v", path, a.header)
		}
		for _, name := range []string{"ETag", "Retry-After", "X-Request-Id"} {
			if !slices.Contains(strings.Split(a.header.Get("Access-Control-Expose-Headers"), ", "), name) {
				t.Errorf("%s: %s may not be seen", path, name)
			}
		}
	}
}

// A way in that is open where the others are shut.
func TestEveryWayIn(t *testing.T) {
	known := newTable(t, wire.RefuseFouls)
	h := newHouse(t, func(o *httpapi.Options) {
		tables := testmust.Have(admission.Open(t.Context(), o.Log.(tlog.Log), catalogue, admission.Options{
			Organiser: func(key string) bool { return key == known.State.Genesis().Organiser }}))(t)
		o.Admission = tables
		o.Limits.PostRate, o.Limits.PostBurst = 0.001, 9
	})
	h.posted("/v1/tables", known.Entries[0])
	stranger := newTable(t, wire.RefuseFouls).Entries[0]
	ways := []string{"/v1/tables", "/v1/entries", "/v1/tables/" + known.State.ID().String() + "/messages"}
	for _, way := range ways {
		if a := h.call(http.MethodPost, way, stranger, "Content-Type", "text/html"); h.problem(a).Type != client.ProblemBase+client.MediaType {
			t.Errorf("%s as a page: %d", way, a.status)
		}
		if a := h.post(way, make([]byte, wire.MaxEntry+1)); h.problem(a).Type != client.ProblemBase+client.EntryTooLarge {
			t.Errorf("%s too long: %d", way, a.status)
		}
	}
	for _, way := range ways[:2] {
		if a := h.post(way, stranger); h.problem(a).Type != client.ProblemBase+client.UnknownOrganiser {
			t.Errorf("%s by a stranger: %d", way, a.status)
		}
	}
	for _, way := range ways {
		if a := h.post(way, stranger); h.problem(a).Type != client.ProblemBase+client.RateLimited || a.header.Get("Retry-After") == "" {
			t.Errorf("%s too often: %d, Retry-After %q", way, a.status, a.header.Get("Retry-After"))
		}
	}
}

// Who has the newest must not be sent it again, and who has not must.
func TestRevalidation(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Cosigned = o.Log.(*ledger.Ledger).Cosigned() })
	tags := map[string]string{}
	for i := range 3 {
		testmust.Have(h.log.Append(t.Context(), fmt.Append(nil, i)))(t)
		h.cosign()
		for _, path := range []string{
			"/checkpoint", "/cosigned/checkpoint", "/v1/checkpoint", "/v1/consistency?old=1", "/v1/entries/0/receipt", "/v1/entries/0/inclusion",
		} {
			a := h.get(path, "If-None-Match", tags[path])
			if tags[path] = a.header.Get("ETag"); a.status != http.StatusOK {
				t.Errorf("%s, size %d: %d for who has the one before", path, i+1, a.status)
			}
			if same := h.get(path, "If-None-Match", tags[path]); same.status != http.StatusNotModified || len(same.body) > 0 {
				t.Errorf("%s, size %d: %d for who has it", path, i+1, same.status)
			}
		}
	}
}
