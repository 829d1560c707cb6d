package httpapi_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/testwait"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/protocol/wire"
)

// A player's report must lead to the server's own log; and nobody may write
// into that log, or into answers, what is no name.
func TestRequestIDs(t *testing.T) {
	var logged testwait.Buffer
	h := newHouse(t, func(o *httpapi.Options) {
		o.Logger = slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	for _, id := range []string{"a", "my-request_7.b", strings.Repeat("x", 64)} {
		testmust.Equal(t, h.get("/v1/log", "X-Request-Id", id).header.Get("X-Request-Id"), id, "is answered as")
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

// A HEAD must say what the GET says, and nothing more.
func TestHead(t *testing.T) {
	h, _ := filled(t, 3)
	_, table := h.newTable(wire.RefuseFouls)
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
			testmust.Equal(t, head.header.Get(name), get.header.Get(name), "HEAD", path, "has", name, "GET")
		}
	}
}

// A page from elsewhere must be able to send what it needs, and to see what it
// has to act on.
func TestForeignPages(t *testing.T) {
	h := newHouse(t, nil)
	preflight := h.expect(http.StatusNoContent, h.call("OPTIONS", "/v1/entries", nil, "Origin", "https://elsewhere.example", "Access-Control-Request-Method", "POST")).header
	if !strings.Contains(preflight.Get("Access-Control-Allow-Methods"), "POST") || preflight.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("preflight: %v", preflight)
	}
	allowed := preflight.Get("Access-Control-Allow-Headers")
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

// ways are where documents are posted; id is that of a table, an event and an offer.
func ways(id string) []string {
	return []string{"/v1/tables", "/v1/entries", "/v1/tables/" + id + "/messages", "/v1/events", "/v1/events/" + id + "/entries", "/v1/marks",
		"/v1/offers", "/v1/offers/" + id + "/joins", "/v1/offers/" + id + "/leaves", "/v1/offers/" + id + "/present"}
}

// A way in that is open where the others are shut: to what pages send, to long bodies, to
// organisers whom the operator does not know, or to as much as anybody likes. (Attack 36)
func TestEveryWayIn(t *testing.T) {
	known := newTable(t, wire.RefuseFouls)
	h := newHouse(t, func(o *httpapi.Options) {
		may := func(key string) bool { return key == known.State.Genesis().Organiser }
		admitting(t, o, admission.Options{Organiser: may})
		o.Offers.Organiser = may
		o.Limits.PostRate, o.Limits.PostBurst = 0.001, 25
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

// FuzzAccept: whatever is asked for, one of what is offered comes or nothing;
// the same in one header as in several; and what is named alone comes.
func FuzzAccept(f *testing.F) {
	for _, s := range []string{"", "*/*", "text/*;q=0.5, application/json", "application/json;q=0", "a/b;q=1.5,*/*;q=-1", ",;,q=", "*/*;q=NaN"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		offers := []string{"text/plain; charset=utf-8", "application/json"}
		one, err := httpapi.Negotiate([]string{accept}, offers...)
		if err == nil && !slices.Contains(offers, one) {
			t.Errorf("%q chooses %q", accept, one)
		}
		if many, again := httpapi.Negotiate(strings.Split(accept, ","), offers...); many != one || (again == nil) != (err == nil) {
			t.Errorf("%q chooses %q in one header and %q in several", accept, one, many)
		}
		if named, err := httpapi.Negotiate([]string{"*/*;q=0.5", "application/json"}, offers...); named != offers[1] {
			t.Errorf("JSON is named, and %q comes: %v", named, err)
		}
	})
}

// FuzzLastEventID: an id has one spelling, and a stream goes on right after it.
func FuzzLastEventID(f *testing.F) {
	for _, s := range []string{"", "0", "1", "00", "+1", "-1", "2147483646", "2147483647", "1e3", "٣"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, id string) {
		next, err := httpapi.Resumed(id)
		if err == nil && id != "" && strconv.Itoa(next-1) != id || id == "" && next != 0 {
			t.Errorf("after %q comes %d", id, next)
		}
	})
}
