package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
)

// fill appends n entries, and returns them as the log has them.
func (h *house) fill(n int) (entries [][]byte) {
	h.t.Helper()
	var group errgroup.Group
	for i := range n {
		group.Go(func() error {
			_, err := h.log.Append(h.t.Context(), fmt.Appendf(nil, "entry %d", i))
			return err
		})
	}
	testmust.Do(h.t, group.Wait())
	for e, err := range h.log.Entries(h.t.Context(), 0, uint64(n)) {
		testmust.Do(h.t, err)
		entries = append(entries, e)
	}
	return entries
}

// filled returns a house whose log has n entries.
func filled(t *testing.T, n int) (*house, [][]byte) {
	t.Helper()
	h := newHouse(t, nil)
	return h, h.fill(n)
}

// Tiles that are others than the log's, which its own tests compare with another implementation's.
func TestTilesAreByteExact(t *testing.T) {
	const n = 300
	h, entries := filled(t, n)
	for _, tile := range []tlog.Tile{{Width: 256}, {Index: 1, Width: 44}, {Level: 1, Width: 1}, {Width: 1}, {Width: 255}, {Index: 1, Width: 7}} {
		want := testmust.Have(h.log.Tile(t.Context(), tile))(t)
		h.checkStatic("/"+tile.Path(), want, "application/octet-stream", "public, max-age=31536000, immutable")
	}
	for path, list := range map[string][][]byte{
		"/tile/entries/000":      entries[:256],
		"/tile/entries/001.p/44": entries[256:],
		"/tile/entries/000.p/3":  entries[:3],
	} {
		var want []byte
		for _, e := range list {
			want, _ = tlog.AppendEntry(want, e)
		}
		h.checkStatic(path, want, "application/octet-stream", "public, max-age=31536000, immutable")
		h.checkGzip(path, want)
	}
	c := testmust.Have(h.log.Checkpoint(t.Context()))(t)
	h.checkStatic("/checkpoint", c.Note, "text/plain; charset=utf-8", "no-cache")
	for i := range uint64(n) {
		if i%37 == 0 {
			h.checkReceipt(i, entries[i])
		}
	}
}

// checkStatic checks GET, HEAD and conditional GET of a resource.
func (h *house) checkStatic(path string, want []byte, media, caching string) {
	h.t.Helper()
	got := h.get(path)
	if got.status != http.StatusOK || !bytes.Equal(got.body, want) {
		h.t.Errorf("GET %s: %d, %d bytes; want %d bytes", path, got.status, len(got.body), len(want))
	}
	head := h.call(http.MethodHead, path, nil)
	if head.status != http.StatusOK || len(head.body) != 0 || head.header.Get("Content-Length") != fmt.Sprint(len(want)) {
		h.t.Errorf("HEAD %s: %d, Content-Length %q", path, head.status, head.header.Get("Content-Length"))
	}
	for _, a := range []answer{got, head} {
		for name, want := range map[string]string{
			"Content-Type": media, "Cache-Control": caching, "ETag": got.header.Get("ETag"),
			"Access-Control-Allow-Origin": "*", "X-Content-Type-Options": "nosniff",
		} {
			if a.header.Get(name) != want || want == "" {
				h.t.Errorf("%s: %s is %q, want %q", path, name, a.header.Get(name), want)
			}
		}
	}
	tag := got.header.Get("ETag")
	for _, sent := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
		if a := h.get(path, "If-None-Match", sent); a.status != http.StatusNotModified || len(a.body) != 0 || a.header.Get("ETag") != tag {
			h.t.Errorf("%s, If-None-Match %s: %d", path, sent, a.status)
		}
	}
	if a := h.get(path, "If-None-Match", `"other"`); a.status != http.StatusOK {
		h.t.Errorf("%s with another tag: %d", path, a.status)
	}
}

// checkGzip checks that an entry tile is compressed for those who accept it, and
// that caches can tell the two apart.
func (h *house) checkGzip(path string, want []byte) {
	h.t.Helper()
	plain := h.get(path)
	for _, accept := range []string{"gzip", "br, gzip", "gzip;q=0.5", "GZIP"} {
		got := h.get(path, "Accept-Encoding", accept)
		if got.header.Get("Content-Encoding") != "gzip" || got.header.Get("Vary") != "Accept-Encoding" || got.header.Get("ETag") == plain.header.Get("ETag") {
			h.t.Fatalf("%s, Accept-Encoding %s: headers %v", path, accept, got.header)
		}
		r := testmust.Have(gzip.NewReader(bytes.NewReader(got.body)))(h.t)
		if data, err := io.ReadAll(r); err != nil || !bytes.Equal(data, want) {
			h.t.Errorf("%s: %d bytes after decompression, %v", path, len(data), err)
		}
	}
	for _, accept := range []string{"identity", "br", "gzip;q=0", "gzip; q=0.0"} {
		if got := h.get(path, "Accept-Encoding", accept); got.header.Get("Content-Encoding") != "" || !bytes.Equal(got.body, want) {
			h.t.Errorf("%s, Accept-Encoding %s: Content-Encoding %q", path, accept, got.header.Get("Content-Encoding"))
		}
	}
}

func (h *house) checkReceipt(index uint64, entry []byte) {
	h.t.Helper()
	got := h.get(fmt.Sprintf("/v1/entries/%d/receipt", index), "Accept", "text/plain")
	r := testmust.Have(tlog.ParseReceipt(got.body))(h.t)
	if r.Index != index {
		h.t.Errorf("receipt of %d is for %d", index, r.Index)
	}
	testmust.Do(h.t, r.Verify(entry, h.key.Verifier))
}

// A path with two spellings would be cached and checked as two resources, and
// an empty or future tile would be cached for a year.
func TestTilePathsAreStrict(t *testing.T) {
	h, _ := filled(t, 300)
	for _, path := range []string{ // and those of TestTilePathStrict in ledger/tlog
		"/tile", "/tile/", "/tile/0", "/tile/0/", "/tile/0/0", "/tile/0/000/", "/tile/0/000.p/256", "/tile/64/000",
		"/tile/0//000", "//tile/0/000", "/tile/0/%30%30%30", "/tile/0/000%2ep/3", "/tile/0/000.p%2f3", "/tile/0/000.P/3",
		"/tile/entries", "/tile/entries/0", "/tile/entries/000.p/256", "/tile/Entries/000", "/TILE/0/000",
		"/tile/0/001", "/tile/0/001.p/45", "/tile/2/000.p/1", "/tile/entries/001", "/tile/entries/001.p/45",
		"/tile/0/" + strings.Repeat("x000/", 100) + "000", "/tile/0/000?x", "/checkpoint/",
	} {
		got := h.get(path)
		if path == "/tile/0/000?x" { // a query is not the path's
			if got.status != http.StatusOK {
				t.Errorf("%s: %d", path, got.status)
			}
			continue
		}
		if got.status != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", path, got.status)
			continue
		}
		if got := h.problem(got); got.Type != client.ProblemBase+client.NotFound && got.Type != client.ProblemBase+client.BeyondLog {
			t.Errorf("%s: %s", path, got.Type)
		}
	}
}

// An empty log must be readable: its checkpoint is the first thing a monitor
// sees.
func TestEmptyLog(t *testing.T) {
	h := newHouse(t, nil)
	c, err := tlog.OpenCheckpoint(h.get("/checkpoint").body, h.key.Verifier)
	if err != nil || c.Size != 0 {
		t.Errorf("size %d, %v", c.Size, err)
	}
	for _, path := range []string{"/tile/0/000", "/tile/0/000.p/1", "/tile/entries/000.p/1", "/v1/entries/0/receipt"} {
		h.refusal(client.BeyondLog, h.get(path))
	}
}
