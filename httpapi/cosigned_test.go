package httpapi_test

import (
	"bytes"
	"crypto/rand"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/tlog"
)

// cosign publishes the newest checkpoint with a cosignature.
func (h *house) cosign() tlog.Checkpoint {
	h.t.Helper()
	c := testmust.Have(h.log.Checkpoint(h.t.Context()))(h.t)
	c = markstest.Cosign(h.t, c, h.key.Verifier, markstest.Keeper(h.t, "cosigner.example", time.Now))
	testmust.Do(h.t, h.log.PublishCosigned(c))
	return c
}

// A reader that wants cosigned checkpoints only must find one however busy the
// log is, and a whole log under it.
func TestCosigned(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Cosigned = o.Log.(*ledger.Ledger).Cosigned() })
	if a := h.get("/cosigned/checkpoint"); a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" {
		t.Errorf("before the first: %d, Retry-After %q", a.status, a.header.Get("Retry-After"))
	}
	fill := func(name string) {
		for _, n := range []string{"1", "2", "3"} {
			testmust.Have(h.log.Append(t.Context(), []byte(name+n)))(t)
		}
	}
	fill("before ")
	c := h.cosign()
	if a := h.get("/checkpoint"); !bytes.Equal(a.body, c.Note) {
		t.Errorf("at rest the newest checkpoint is\n%s, want the cosigned\n%s", a.body, c.Note)
	}
	fill("after ")
	if a := h.get("/checkpoint"); bytes.Equal(a.body, c.Note) {
		t.Error("the newest checkpoint is an old one")
	}
	if a := h.get("/cosigned/checkpoint"); a.status != http.StatusOK || !bytes.Equal(a.body, c.Note) {
		t.Errorf("cosigned: %d\n%s", a.status, a.body)
	}
	for path, cosigned := range map[string]bool{"/v1/entries/2/receipt": true, "/v1/entries/3/receipt": false} {
		r, err := tlog.ParseReceipt(h.get(path, "Accept", "text/plain").body)
		if err != nil || bytes.Equal(r.Checkpoint, c.Note) != cosigned {
			t.Errorf("%s: under the cosigned checkpoint: %v, %v", path, !cosigned, err)
		}
	}
	reader := testmust.Have(client.New(h.url+"/cosigned", h.key.Verifier, nil))(t)
	if cp, err := reader.Checkpoint(t.Context()); err != nil || cp.Size != 3 {
		t.Fatalf("size %d, %v", cp.Size, err)
	}
	n := 0
	for entry, err := range reader.Entries(t.Context(), 0, 3) {
		if err != nil || !strings.HasPrefix(string(entry), "before ") {
			t.Errorf("entry %q, %v", entry, err)
		}
		n++
	}
	if _, err := reader.Inclusion(t.Context(), 2, 3); err != nil || n != 3 {
		t.Errorf("%d entries, inclusion: %v", n, err)
	}
	for _, path := range []string{"/cosigned", "/cosigned/", "/cosigned/v1/log", "/cosigned/tile/0/0", "/cosigned/%74ile/0/000.p/3", "/cosigned/cosigned/tile/0/000.p/3", "/%63osigned/tile/0/000.p/3"} {
		h.expect(http.StatusNotFound, h.get(path))
	}
	if a := newHouse(t, nil).get("/cosigned/checkpoint"); a.status != http.StatusNotFound {
		t.Errorf("without cosigners: %d, want 404", a.status)
	}
}

// While a log changes keys, whoever has the old one or the new one reads on.
func TestClientWithSeveralKeys(t *testing.T) {
	dir := t.TempDir()
	old := testmust.Have(ledger.CreateKey(dir, "log.example", rand.Reader))(t)
	next := testmust.Have(ledger.NextKey(dir, rand.Reader))(t)
	h := newHouse(t, nil)
	for what, c := range map[string]struct {
		keys []note.Verifier
		ok   bool
	}{
		"ours":             {[]note.Verifier{h.key.Verifier}, true},
		"ours among more":  {[]note.Verifier{old.Verifier, h.key.Verifier, next.Verifier}, true},
		"two that are not": {[]note.Verifier{old.Verifier, next.Verifier}, false},
	} {
		reader := testmust.Have(client.New(h.url, c.keys[0], nil, c.keys[1:]...))(t)
		if _, err := reader.Checkpoint(t.Context()); c.ok != (err == nil) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
