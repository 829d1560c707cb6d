package httpapi_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// formed checks that a proof has these hashes in text, one a line, and in JSON.
func (h *house) formed(path string, want []tlog.Hash, inJSON []wire.Hash) {
	h.t.Helper()
	var text strings.Builder
	for _, hash := range want {
		fmt.Fprintln(&text, hash)
	}
	got := string(h.get(path, "Accept", "text/plain").body)
	if got != text.String() || !slices.EqualFunc(want, inJSON, func(a tlog.Hash, b wire.Hash) bool { return a == tlog.Hash(b) }) {
		h.t.Errorf("%s: %q and %v, want %v", path, got, inJSON, want)
	}
}

// A proof of any two sizes must be the log's in both forms. The log's own tests compare it with
// another implementation's.
func TestInclusionAndConsistency(t *testing.T) {
	const n = 11
	h, _ := filled(t, n)
	for size := range uint64(n + 1) {
		for i := range size {
			path := fmt.Sprintf("/v1/entries/%d/inclusion?size=%d", i, size)
			d := read[client.Inclusion](h, path, "Accept", "application/json")
			want := testmust.Have(h.log.Inclusion(t.Context(), i, size))(t)
			if h.formed(path, want.Hashes, d.Hashes); d.Index != i || d.Size != size {
				t.Errorf("%s: %+v", path, d)
			}
		}
		for old := range size + 1 {
			path := fmt.Sprintf("/v1/consistency?old=%d&size=%d", old, size)
			d := read[client.Consistency](h, path, "Accept", "application/json")
			want := testmust.Have(h.log.Consistency(t.Context(), old, size))(t)
			if h.formed(path, want.Hashes, d.Hashes); d.Old != old || d.Size != size {
				t.Errorf("%s: %+v", path, d)
			}
		}
	}
	for short, long := range map[string]string{
		"/v1/consistency?old=3":    fmt.Sprintf("/v1/consistency?old=3&size=%d", n),
		"/v1/entries/3/inclusion?": fmt.Sprintf("/v1/entries/3/inclusion?size=%d", n),
	} {
		if a, b := h.get(short), h.get(long); !bytes.Equal(a.body, b.body) || len(a.body) == 0 {
			t.Errorf("%s is not of the newest tree", short)
		}
	}
}

// A receipt in JSON must be the one in text.
func TestReceiptForms(t *testing.T) {
	h, entries := filled(t, 5)
	var d client.Receipt
	a := h.get("/v1/entries/3/receipt", "Accept", "application/json")
	h.decode(a, &d)
	r := tlog.Receipt{Index: d.Index, Checkpoint: []byte(d.Checkpoint)}
	for _, hash := range d.Hashes {
		r.Hashes = append(r.Hashes, tlog.Hash(hash))
	}
	if err := r.Verify(entries[3], h.key.Verifier); err != nil || !bytes.Equal(r.Marshal(), h.get("/v1/entries/3/receipt", "Accept", "text/plain").body) {
		t.Errorf("%+v: %v", d, err)
	}
	if vary := a.header.Get("Vary"); vary != "Accept" {
		t.Errorf("Vary %q: a cache would show text to who wants JSON", vary)
	}
	h.expect(http.StatusOK, h.get("/v1/entries/3/receipt", "Accept", "text/plain", "If-None-Match", a.header.Get("ETag")))
	h.expect(http.StatusNotModified, h.get("/v1/entries/3/receipt", "Accept", "application/json", "If-None-Match", a.header.Get("ETag")))
}

// What is preferred must be what comes, and what is excluded must not.
func TestNegotiation(t *testing.T) {
	h, _ := filled(t, 1)
	const text, json, none = "text/plain; charset=utf-8", "application/json", "application/problem+json"
	for accept, want := range map[string]string{
		"": json, "*/*": json, "text/*": text, "application/json": json, "APPLICATION/JSON": json,
		"application/*": json, "application/json;q=0.5, text/plain": text, "text/plain;q=0.5,application/json;q=0.6": json,
		"*/*;q=0.1, application/json;q=0.2": json, "*/*, text/plain;q=0": json, "*/*;q=0.5, application/json;q=0": text, "text/plain;q=0": none,
		"application/json;q=0.9, */*;q=0.1, text/plain;q=0.5": json, "text/plain, text/*;q=0.1, application/json;q=0.5": text,
		"image/png": none, "image/png, */*;q=0.1": json, "application/json;q=0": none, "application/json;q=x": none,
		"application/json;q=0.0, */*": text, "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": json,
		"application/json; indent=2; q=0.9, text/plain;q=0.8": json, ",": none,
	} {
		for _, path := range []string{"/v1/checkpoint", "/v1/entries/0/receipt", "/v1/entries/0/inclusion", "/v1/consistency?old=0"} {
			a := h.get(path, "Accept", accept)
			if got := a.header.Get("Content-Type"); got != want {
				t.Errorf("%s with Accept %q comes as %q, want %q", path, accept, got, want)
			}
			if want == none && h.problem(a).Type != client.ProblemBase+client.NotAcceptable {
				t.Errorf("%s with Accept %q: %s", path, accept, a.body)
			}
		}
	}
	h.expect(http.StatusOK, h.get("/v1/log", "Accept", "image/png"))
}

// Questions without an answer must be told from answers, and from questions
// that have one later.
func TestProofRefusals(t *testing.T) {
	h, _ := filled(t, 3)
	for path, want := range map[string]string{
		"/v1/entries/3/inclusion":         client.BeyondLog,
		"/v1/entries/0/inclusion?size=4":  client.BeyondLog,
		"/v1/entries/2/inclusion?size=2":  client.BeyondLog,
		"/v1/entries/0/inclusion?size=0":  client.BeyondLog,
		"/v1/entries/00/inclusion":        client.MalformedRequest,
		"/v1/entries/-1/inclusion":        client.MalformedRequest,
		"/v1/entries/0/inclusion?size=x":  client.MalformedRequest,
		"/v1/entries/0/inclusion?size=-1": client.MalformedRequest,
		"/v1/consistency":                 client.MalformedRequest,
		"/v1/consistency?size=3":          client.MalformedRequest,
		"/v1/consistency?old=x":           client.MalformedRequest,
		"/v1/consistency?old=4":           client.BeyondLog,
		"/v1/consistency?old=1&size=4":    client.BeyondLog,
		"/v1/consistency?old=3&size=2":    client.BeyondLog,
		"/v1/checkpoint?min_size=-1":      client.MalformedRequest,
		"/v1/checkpoint?wait=x":           client.MalformedRequest,
		"/v1/entries/9/receipt":           client.BeyondLog,
		"/tile/0/000.p/4":                 client.BeyondLog,
	} {
		a := h.get(path)
		if p := h.problem(a); p.Type != client.ProblemBase+want || (a.header.Get("Retry-After") != "") != (want == client.BeyondLog) {
			t.Errorf("%s: %+v, Retry-After %q", path, p, a.header.Get("Retry-After"))
		}
	}
}

// Who waits for the log to grow must wake when it has, and not be held for
// longer than asked for.
func TestAwaitCheckpoint(t *testing.T) {
	h, _ := filled(t, 1)
	for _, path := range []string{"/v1/checkpoint", "/v1/checkpoint?min_size=1&wait=60", "/v1/checkpoint?min_size=2", "/v1/checkpoint?min_size=2&wait=0.01"} {
		if a := h.get(path, "Accept", "text/plain"); !bytes.Equal(a.body, h.get("/checkpoint").body) {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	woken := make(chan answer)
	go func() { woken <- h.get("/v1/checkpoint?min_size=3&wait=60", "Accept", "application/json") }()
	for i := range 2 {
		select {
		case a := <-woken:
			t.Fatalf("woken after %d of 2: %s", i, a.body)
		case <-time.After(20 * time.Millisecond):
		}
		testmust.Have(h.log.Append(t.Context(), fmt.Append(nil, "more", i)))(t)
	}
	var c client.Checkpoint
	h.decode(<-woken, &c)
	open, err := tlog.OpenCheckpoint([]byte(c.Note), h.key.Verifier)
	if err != nil || c.Size != 3 || open.Size != 3 || tlog.Hash(c.Root) != open.Root {
		t.Errorf("%+v, %v", c, err)
	}
}
