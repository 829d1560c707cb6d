package httpapi_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/wire"
)

// viaLoopback lets tests name the caller in X-Forwarded-For.
func viaLoopback(o *httpapi.Options) {
	o.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
}

// A stranger who has a processor, and asks for a table that is not replayed or
// posts long rubbish to it, must wait alone: not before the seats of the table.
func TestStrangersStopNoTable(t *testing.T) {
	const away, here = "203.0.113.9", "198.51.100.1"
	p := newTable(t, wire.RefuseFouls)
	gate := httpapi.NewGate(httpapi.Limits{ChecksPerAddress: 1}, nil)
	h := newHouse(t, func(o *httpapi.Options) {
		log := o.Log.(tlog.Log)
		testmust.Have(log.Append(t.Context(), p.Entries[0]))(t)
		a := testmust.Have(admission.Open(t.Context(), log, catalogue, admission.Options{Gate: gate}))(t)
		o.Admission = a
		viaLoopback(o)
	})
	leave, err := gate.Enter(limit.WithCaller(t.Context(), limit.Prefix(away)), admission.Work{Bytes: 5000}) // and it takes its time
	testmust.Do(t, err)
	path := "/v1/tables/" + p.State.ID().String()
	due := key(t, p, 0)
	done := make(chan answer)
	go func() { done <- h.get(path, "X-Forwarded-For", away) }()
	for gate.Waiting() == 0 {
		time.Sleep(time.Millisecond)
	}
	for i := range 70 {
		junk := forge(t, p, due, func(m *wire.Message) { m.Proofs = append(m.Proofs, bytes.Repeat([]byte{byte(i)}, 6000)) })
		junk = testmust.Have(wire.Sign(parseMessage(t, junk), p.Organiser))(t)
		go func() {
			done <- h.call("POST", path+"/messages", junk, "Content-Type", "text/plain", "X-Forwarded-For", away)
		}()
	}
	h.expect(http.StatusCreated, h.call("POST", path+"/messages", due, "Content-Type", "text/plain", "X-Forwarded-For", here))
	leave(admission.Unsigned)
	seen := map[string]bool{}
	for range 71 {
		seen[fmt.Sprint((<-done).status)] = true
	}
	for _, status := range []string{"201", "500"} {
		testmust.Holdf(t, !seen[status], "a stranger got %s", status)
	}
}

// A page from elsewhere, or under a name from elsewhere that leads here, must not use
// a server that is for its own machine alone.
func TestPagesFromElsewhere(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Private = true })
	p := newTable(t, wire.RefuseFouls)
	post := func(path, host string, origins ...string) int {
		r := httptest.NewRequest("POST", path, bytes.NewReader(p.Entries[0]))
		r.Host = host
		r.Header["Origin"] = origins
		w := httptest.NewRecorder()
		h.server.ServeHTTP(w, r)
		return w.Code
	}
	for _, path := range ways(p.State.ID().String()) {
		for _, host := range []string{"evil.example", "evil.example:8080", "localhost.evil.example", "", "192.0.2.1:8080", "127.0.0.1.evil.example", "[2001:db8::1]:1"} {
			testmust.Equal(t, post(path, host), http.StatusForbidden, path, "under", host)
		}
		for _, origin := range []string{"https://evil.example", "null", "", "http://127.0.0.1.evil.example", "http://localhost@evil.example"} {
			testmust.Equal(t, post(path, "127.0.0.1:8080", origin), http.StatusForbidden, path, "from", origin)
		}
	}
	testmust.Equal(t, post("/v1/tables", "localhost", "http://localhost", "https://evil.example"), http.StatusForbidden, "from two")
	for _, host := range []string{"127.0.0.1:8080", "[::1]:8080", "[::1]", "localhost", "LOCALHOST:1"} {
		got := post("/v1/tables", host, "http://"+host)
		testmust.Holdf(t, got == http.StatusCreated || got == http.StatusOK, "from %s itself: %d", host, got)
	}
	testmust.Equal(t, post("/v1/tables", "127.0.0.1:8080"), http.StatusOK, "a program")
	h.expect(http.StatusOK, h.get("/checkpoint", "Origin", "https://evil.example"))
}

// Who ends its own side of the connection while it waits must not read that all is
// well: nothing was stored.
func TestHalfClosed(t *testing.T) {
	waits := make(chan struct{})
	var told []httpapi.AnsweredRequest
	h := newHouse(t, func(o *httpapi.Options) {
		gated(func(ctx context.Context, _ *bulletin.Entry) (admission.PostedEntry, error) {
			close(waits)
			<-ctx.Done()
			return admission.PostedEntry{}, fmt.Errorf("outcome unknown: %w", errors.New("gone"))
		})(o)
		o.Answered = func(a httpapi.AnsweredRequest) { told = append(told, a) }
	})
	c := dial(t, h.url)
	entry := stray(t)
	fmt.Fprintf(c, "POST /v1/entries HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(entry), entry)
	<-waits
	testmust.Do(t, c.(*net.TCPConn).CloseWrite())
	got := testmust.Have(http.ReadResponse(bufio.NewReader(c), nil))(t)
	h.refusal(client.Busy, answer{"half closed", got.StatusCode, got.Header, testmust.Have(io.ReadAll(got.Body))(t)})
	testmust.Equal(t, told[0].Status, 0, "told of", told[0])
}

// A player's report must lead to the server's own log; and nobody may write
// into that log, or into answers, what is no name.
func TestRequestIDs(t *testing.T) {
	var logged testmust.Buffer
	h := newHouse(t, func(o *httpapi.Options) {
		o.Logger = slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	for _, id := range []string{"a", "my-request_7.b", strings.Repeat("x", 64)} {
		testmust.Equal(t, h.get("/v1/log", "X-Request-Id", id).header.Get("X-Request-Id"), id, "is answered as")
		p := h.problem(h.get("/v2", "X-Request-Id", id))
		testmust.Holdf(t, p.Request == id && strings.Contains(logged.String(), "request="+id), "%q is refused as %q", id, p.Request)
	}
	seen := map[string]bool{}
	for _, id := range []string{"", "a b", "a\tb", `"`, "ä", "<script>", "a,b", strings.Repeat("x", 65)} {
		got := h.get("/v2", "X-Request-Id", id).header.Get("X-Request-Id")
		testmust.Holdf(t, got != id && len(got) >= 20 && !seen[got], "%q is answered as %q", id, got)
		testmust.Holdf(t, id == "" || !strings.Contains(logged.String(), "request="+id), "%q is logged", id)
		seen[got] = true
	}
}

// A HEAD must say what the GET says, and nothing more.
func TestHead(t *testing.T) {
	h, _ := filled(t, 3)
	_, table := h.newTable(wire.RefuseFouls)
	for _, path := range []string{
		"/checkpoint", "/tile/0/000.p/3", "/tile/entries/000.p/3", "/v1/log", "/v1/checkpoint", "/v1/consistency?old=1", "/v1/entries/1/receipt",
		"/v1/entries/1/inclusion", "/v1/tables", table, table + "/messages", "/livez", "/readyz", "/v1/health", "/problems/busy", "/v1/openapi.json", "/docs",
		"/v1/entries/9/receipt", "/v2", "/tile/0/001", "/problems/nothing",
	} {
		get, head := h.get(path), h.call(http.MethodHead, path, nil)
		testmust.Holdf(t, head.status == get.status && len(head.body) == 0, "HEAD %s: %d with %d bytes, GET %d", path, head.status, len(head.body), get.status)
		for _, name := range []string{"Content-Type", "Cache-Control", "ETag", "Vary", "Retry-After"} {
			testmust.Equal(t, head.header.Get(name), get.header.Get(name), "HEAD", path, "has", name, "GET")
		}
	}
}

// A page from elsewhere must be able to send what it needs, and to see what it
// has to act on.
func TestForeignPages(t *testing.T) {
	h := newHouse(t, nil)
	preflight := h.expect(http.StatusNoContent, h.call("OPTIONS", "/v1/entries", nil, "Origin", "https://elsewhere.example", "Access-Control-Request-Method", "POST")).header
	testmust.Holdf(t, strings.Contains(preflight.Get("Access-Control-Allow-Methods"), "POST") && preflight.Get("Access-Control-Allow-Origin") == "*",
		"preflight: %v", preflight)
	allowed := preflight.Get("Access-Control-Allow-Headers")
	for _, name := range []string{"Accept", "Content-Type", "If-None-Match", "Last-Event-ID", "X-Request-Id"} {
		testmust.Hold(t, slices.Contains(strings.Split(allowed, ", "), name), name, "may not be sent", allowed)
	}
	for _, path := range []string{"/v1/log", "/checkpoint", "/v2", "/tile/0/000", "/docs"} {
		a := h.get(path, "Origin", "https://elsewhere.example")
		testmust.Holdf(t, a.header.Get("Access-Control-Allow-Origin") == "*" && a.header.Get("Access-Control-Allow-Credentials") == "",
			"%s: %v", path, a.header)
		for _, name := range []string{"ETag", "Retry-After", "X-Request-Id"} {
			testmust.Hold(t, slices.Contains(strings.Split(a.header.Get("Access-Control-Expose-Headers"), ", "), name), path, name, "may not be seen")
		}
	}
}

// ways are where documents are posted; id is that of a table, an event and an offer.
func ways(id string) []string {
	return []string{"/v1/tables", "/v1/entries", "/v1/tables/" + id + "/messages", "/v1/events", "/v1/events/" + id + "/entries", "/v1/marks",
		"/v1/offers", "/v1/offers/" + id + "/joins", "/v1/offers/" + id + "/leaves", "/v1/offers/" + id + "/present", "/v1/events/" + id + "/push", "/v1/present/" + id}
}

// A way in that is open where the others are shut: to what pages send, to long bodies, to
// organisers whom the operator does not know, or to as much as anybody likes. (Attack 36)
func TestEveryWayIn(t *testing.T) {
	known := newTable(t, wire.RefuseFouls)
	h := newHouse(t, func(o *httpapi.Options) {
		may := func(key string) bool { return key == known.State.Genesis().Organiser }
		admitting(t, o, admission.Options{Organiser: may})
		o.Offers.Organiser = may
		o.Limits.PostRate, o.Limits.PostBurst = 0.001, 29
	})
	h.posted("/v1/tables", known.Entries[0])
	all := ways(known.State.ID().String())
	for _, way := range all {
		h.refusal(client.MediaType, h.call(http.MethodPost, way, nil, "Content-Type", "text/html"))
		h.refusal(client.EntryTooLarge, h.post(way, make([]byte, wire.MaxEntry+1)))
	}
	stranger := newTable(t, wire.RefuseFouls).Entries[0]
	_, event := newOrganiser(t)
	for way, entry := range map[string][]byte{"/v1/tables": stranger, "/v1/entries": stranger, "/v1/events": event, "/v1/offers": h.offer(newPerson(t, "bela"), 2, nil).Text} {
		h.refusal(client.UnknownOrganiser, h.post(way, entry))
	}
	for _, way := range all {
		h.refusal(client.RateLimited, h.post(way, stranger))
	}
}

// Who has the newest must not be sent it again, and who has not must.
func TestRevalidation(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Cosigned = o.Log.(*ledger.Ledger).CosignedReader() })
	tags := map[string]string{}
	for i := range 3 {
		testmust.Have(h.log.Append(t.Context(), fmt.Append(nil, i)))(t)
		h.cosign()
		for _, path := range []string{
			"/checkpoint", "/cosigned/checkpoint", "/v1/checkpoint", "/v1/consistency?old=1", "/v1/entries/0/receipt", "/v1/entries/0/inclusion",
		} {
			a := h.get(path, "If-None-Match", tags[path])
			tags[path] = a.header.Get("ETag")
			testmust.Holdf(t, a.status == http.StatusOK, "%s, size %d: %d for who has the one before", path, i+1, a.status)
			same := h.get(path, "If-None-Match", tags[path])
			testmust.Holdf(t, same.status == http.StatusNotModified && len(same.body) == 0, "%s, size %d: %d for who has it", path, i+1, same.status)
		}
	}
}

// FuzzAccept: whatever is asked for, one of what is offered comes or nothing;
// the same in one header as in several; and what is named alone comes.
func FuzzAccept(f *testing.F) {
	for _, s := range []string{"", "*/*", "text/*;q=0.5, application/json", "application/json;q=0", "a/b;q=1.5,*/*;q=-1", ",;,q=", "*/*;q=NaN"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		offers := []string{"text/plain; charset=utf-8", "application/json"}
		one, err := httpapi.Negotiate([]string{accept}, offers...)
		testmust.Holdf(t, err != nil || slices.Contains(offers, one), "%q chooses %q", accept, one)
		many, again := httpapi.Negotiate(strings.Split(accept, ","), offers...)
		testmust.Holdf(t, many == one && (again == nil) == (err == nil), "%q chooses %q in one header and %q in several", accept, one, many)
		named, err := httpapi.Negotiate([]string{"*/*;q=0.5", "application/json"}, offers...)
		testmust.Holdf(t, named == offers[1], "JSON is named, and %q comes: %v", named, err)
	})
}

// FuzzLastEventID: an id has one spelling, and a stream goes on right after it.
func FuzzLastEventID(f *testing.F) {
	for _, s := range []string{"", "0", "1", "00", "+1", "-1", "2147483646", "2147483647", "1e3", "٣"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, id string) {
		next, err := httpapi.Resumed(id)
		testmust.Holdf(t, (err != nil || id == "" || strconv.Itoa(next-1) == id) && (id != "" || next == 0), "after %q comes %d", id, next)
	})
}
