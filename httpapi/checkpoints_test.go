package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/sync/errgroup"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/ledger/marks/markstest"
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
	testmust.Holdf(h.t, got == text.String() && slices.EqualFunc(want, inJSON, func(a tlog.Hash, b wire.Hash) bool { return a == tlog.Hash(b) }),
		"%s: %q and %v, want %v", path, got, inJSON, want)
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
			h.formed(path, want.Hashes, d.Hashes)
			testmust.Holdf(t, d.Index == i && d.Size == size, "%s: %+v", path, d)
		}
		for old := range size + 1 {
			path := fmt.Sprintf("/v1/consistency?old=%d&size=%d", old, size)
			d := read[client.Consistency](h, path, "Accept", "application/json")
			want := testmust.Have(h.log.Consistency(t.Context(), old, size))(t)
			h.formed(path, want.Hashes, d.Hashes)
			testmust.Holdf(t, d.Old == old && d.Size == size, "%s: %+v", path, d)
		}
	}
	for short, long := range map[string]string{
		"/v1/consistency?old=3":    fmt.Sprintf("/v1/consistency?old=3&size=%d", n),
		"/v1/entries/3/inclusion?": fmt.Sprintf("/v1/entries/3/inclusion?size=%d", n),
	} {
		a, b := h.get(short), h.get(long)
		testmust.Holdf(t, bytes.Equal(a.body, b.body) && len(a.body) != 0, "%s is not of the newest tree", short)
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
	err := r.Verify(entries[3], h.key.Verifier)
	testmust.Holdf(t, err == nil && bytes.Equal(r.Marshal(), h.get("/v1/entries/3/receipt", "Accept", "text/plain").body), "%+v: %v", d, err)
	testmust.Equal(t, a.header.Get("Vary"), "Accept", "Vary: a cache would show text to who wants JSON")
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
			testmust.Equal(t, a.header.Get("Content-Type"), want, path, "with Accept", accept, "comes as")
			testmust.Holdf(t, want != none || h.problem(a).Type == client.ProblemBase+client.NotAcceptable, "%s with Accept %q: %s", path, accept, a.body)
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
		a := h.get(path, "Accept", "text/plain")
		testmust.Holdf(t, bytes.Equal(a.body, h.get("/checkpoint").body), "%s: %d %s", path, a.status, a.body)
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
	testmust.Holdf(t, err == nil && c.Size == 3 && open.Size == 3 && tlog.Hash(c.Root) == open.Root, "%+v, %v", c, err)
}

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
	testmust.Holdf(h.t, got.status == http.StatusOK && bytes.Equal(got.body, want),
		"GET %s: %d, %d bytes; want %d bytes", path, got.status, len(got.body), len(want))
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
	testmust.Equal(h.t, h.get(path, "If-None-Match", `"other"`).status, http.StatusOK, path, "with another tag")
}

// checkGzip checks that an entry tile is compressed for those who accept it, and
// that caches can tell the two apart.
func (h *house) checkGzip(path string, want []byte) {
	h.t.Helper()
	plain := h.get(path)
	for _, accept := range []string{"gzip", "br, gzip", "gzip;q=0.5", "GZIP"} {
		got := h.get(path, "Accept-Encoding", accept)
		testmust.Requiref(h.t, got.header.Get("Content-Encoding") == "gzip" && got.header.Get("Vary") == "Accept-Encoding" && got.header.Get("ETag") != plain.header.Get("ETag"),
			"%s, Accept-Encoding %s: headers %v", path, accept, got.header)
		r := testmust.Have(gzip.NewReader(bytes.NewReader(got.body)))(h.t)
		data, err := io.ReadAll(r)
		testmust.Holdf(h.t, err == nil && bytes.Equal(data, want), "%s: %d bytes after decompression, %v", path, len(data), err)
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
	testmust.Equal(h.t, r.Index, index, "receipt")
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
			testmust.Equal(t, got.status, http.StatusOK, path)
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
	testmust.Holdf(t, err == nil && c.Size == 0, "size %d, %v", c.Size, err)
	for _, path := range []string{"/tile/0/000", "/tile/0/000.p/1", "/tile/entries/000.p/1", "/v1/entries/0/receipt"} {
		h.refusal(client.BeyondLog, h.get(path))
	}
}

// cosign publishes the newest checkpoint with a cosignature.
func (h *house) cosign() tlog.Checkpoint {
	h.t.Helper()
	c := testmust.Have(h.log.Checkpoint(h.t.Context()))(h.t)
	c = markstest.Cosign(h.t, c, h.key.Verifier, markstest.NewKeeper(h.t, "cosigner.example", time.Now))
	testmust.Do(h.t, h.log.PublishCosigned(c))
	return c
}

// A reader that wants cosigned checkpoints only must find one however busy the
// log is, and a whole log under it.
func TestCosigned(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Cosigned = o.Log.(*ledger.Ledger).CosignedReader() })
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
	a := h.get("/checkpoint")
	testmust.Holdf(t, bytes.Equal(a.body, c.Note), "at rest the newest checkpoint is\n%s, want the cosigned\n%s", a.body, c.Note)
	fill("after ")
	a = h.get("/checkpoint")
	testmust.Hold(t, !bytes.Equal(a.body, c.Note), "the newest checkpoint is an old one")
	a = h.get("/cosigned/checkpoint")
	testmust.Holdf(t, a.status == http.StatusOK && bytes.Equal(a.body, c.Note), "cosigned: %d\n%s", a.status, a.body)
	for path, cosigned := range map[string]bool{"/v1/entries/2/receipt": true, "/v1/entries/3/receipt": false} {
		r, err := tlog.ParseReceipt(h.get(path, "Accept", "text/plain").body)
		testmust.Holdf(t, err == nil && bytes.Equal(r.Checkpoint, c.Note) == cosigned, "%s: under the cosigned checkpoint: %v, %v", path, !cosigned, err)
	}
	reader := testmust.Have(client.New(h.url+"/cosigned", h.key.Verifier, nil))(t)
	cp, err := reader.Checkpoint(t.Context())
	testmust.Requiref(t, err == nil && cp.Size == 3, "size %d, %v", cp.Size, err)
	n := 0
	for entry, err := range reader.Entries(t.Context(), 0, 3) {
		testmust.Holdf(t, err == nil && strings.HasPrefix(string(entry), "before "), "entry %q, %v", entry, err)
		n++
	}
	_, err = reader.Inclusion(t.Context(), 2, 3)
	testmust.Holdf(t, err == nil && n == 3, "%d entries, inclusion: %v", n, err)
	for _, path := range []string{"/cosigned", "/cosigned/", "/cosigned/v1/log", "/cosigned/tile/0/0", "/cosigned/%74ile/0/000.p/3", "/cosigned/cosigned/tile/0/000.p/3", "/%63osigned/tile/0/000.p/3"} {
		h.expect(http.StatusNotFound, h.get(path))
	}
	testmust.Equal(t, newHouse(t, nil).get("/cosigned/checkpoint").status, http.StatusNotFound, "without cosigners")
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
		_, err := reader.Checkpoint(t.Context())
		testmust.Holdf(t, c.ok == (err == nil), "%s: %v", what, err)
	}
}

// clocked is a server whose log has a keeper, with a clock of the test's.
type clocked struct {
	*house
	now    time.Time
	keeper *tlog.SignerKey
}

func newClocked(t *testing.T) *clocked {
	w := &clocked{now: time.Unix(2_000_000, 0)}
	clock := func() time.Time { return w.now }
	w.keeper = markstest.NewKeeper(t, "anna.example", clock)
	w.house = newHouse(t, func(o *httpapi.Options) {
		key := testmust.Have(note.NewVerifier(o.Key))(t)
		admitting(t, o, admission.Options{Keys: []note.Verifier{key}, Now: clock})
	})
	return w
}

// begin makes a table whose clock has the keeper.
func (w *clocked) begin() []byte {
	w.t.Helper()
	p := newTable(w.t, wire.RefuseFouls)
	e := testmust.Have(wire.Parse(p.Entries[0]))(w.t)
	g := *e.Table
	g.Format, g.Arbiters, g.Names = wire.TableFormat2, []string{}, make([]wire.Text, len(g.Seats))
	g.Ends = wire.Ends{Late: wire.LateUndo}
	g.Clock = wire.Clock{Keepers: []string{w.keeper.String()}, Lines: []string{}, Quorum: 1, Tick: 5, Start: 60, Move: 30, Grace: 5}
	return testmust.Have(wire.Sign(&g, p.Organiser))(w.t)
}

// mark is a mark of the newest checkpoint, now.
func (w *clocked) mark(by ...*tlog.SignerKey) []byte {
	w.t.Helper()
	c := testmust.Have(w.log.Checkpoint(w.t.Context()))(w.t)
	key := testmust.Have(note.NewVerifier(w.key.Public))(w.t)
	return markstest.SignMark(w.t, markstest.Cosign(w.t, c, key, by...))
}

// A player who is shown less time than marks prove, or more, or whose claim the server makes
// up; and marks that nobody can get, or prove.
func TestMarksAndClock(t *testing.T) {
	w := newClocked(t)
	table := w.posted("/v1/tables", w.begin())
	var list client.MarkList
	again := w.mark(w.keeper)
	w.decode(w.get("/v1/marks"), &list)
	testmust.Holdf(t, len(list.Marks) == 0, "marks of a log without: %+v", list)
	var hashes []wire.Hash
	for range 3 {
		var posted client.MarkPosted
		w.decode(w.post("/v1/marks", w.mark(w.keeper)), &posted)
		testmust.Holdf(t, posted.Index == uint64(1+len(hashes)), "posted %+v", posted)
		hashes, w.now = append(hashes, posted.Hash), w.now.Add(20*time.Second)
	}
	w.decode(w.get("/v1/marks?after=1&limit=1"), &list)
	testmust.Holdf(t, len(list.Marks) == 1 && list.Marks[0].Hash == hashes[1] && list.Next != nil, "one mark after 1: %+v", list)
	clock := read[client.Clock](w.house, "/v1/tables/"+table.Table.String()+"/clock")
	testmust.Requiref(t, len(clock.Seats) == 2 && clock.Terms.Start == 60, "clock %+v", clock)
	for _, c := range clock.Seats {
		testmust.Holdf(t, c.Used == 39 && c.Left != nil && *c.Left == 21 && c.Claim.Spans[0].From == hashes[0] && c.Claim.Spans[0].To == hashes[2] && c.Claim.Seen == hashes[0] && c.Claim.Spans[0].Since == table.Table,
			"clock of seat %d: %+v", c.Seat, c)
	}
	w.expect(http.StatusOK, w.post("/v1/marks", again))
	var proven client.ProvenMark
	w.unchanged("/v1/marks/" + hashes[1].String())
	w.decode(w.get("/v1/marks/"+hashes[1].String()), &proven)
	c := testmust.Have(tlog.ParseCheckpoint([]byte(proven.Checkpoint)))(t)
	p := tlog.Inclusion{Index: proven.Index, Size: c.Size}
	for _, h := range proven.Inclusion {
		p.Hashes = append(p.Hashes, tlog.Hash(h))
	}
	testmust.Do(t, p.Verify(tlog.LeafHash([]byte(proven.Entry)), c.Root))
	before := w.now.Unix() - 20 // the last mark's
	second := w.posted("/v1/tables", w.begin())
	w.decode(w.post("/v1/marks", w.mark(w.keeper)), &client.MarkPosted{})
	rows := read[client.TableList](w.house, "/v1/tables")
	testmust.Holdf(t, len(rows.Tables) == 2 && rows.Tables[0].Begun.By == 0 && rows.Tables[1].ID == second.Table && rows.Tables[1].Begun.After == before && rows.Tables[1].Last.By == w.now.Unix(),
		"times of tables: %+v", rows.Tables)
}

// A mark that is refused and not said why, or taken where entries of tables go.
func TestRefusedMarks(t *testing.T) {
	w := newClocked(t)
	plain := newTable(t, wire.RefuseFouls)
	table := w.posted("/v1/tables", plain.Entries[0]) // which has no clock: nobody's time counts
	for name, c := range map[string]struct {
		path string
		body []byte
		slug string
		want int
	}{
		"no clock in play": {"/v1/marks", w.mark(w.keeper), client.RefusedMark, 422},
		"no mark":          {"/v1/marks", plain.Entries[0], client.MalformedEntry, 400},
		"elsewhere":        {"/v1/entries", w.mark(w.keeper), client.MalformedEntry, 400},
	} {
		p := w.problem(w.post(c.path, c.body))
		testmust.Holdf(t, p.Type == client.ProblemBase+c.slug && p.Status == c.want, "%s: %+v", name, p)
	}
	var clock client.Clock
	w.decode(w.get("/v1/tables/"+table.Table.String()+"/clock"), &clock)
	testmust.Holdf(t, len(clock.Seats) == 0 && len(clock.Terms.Keepers) == 0, "a clock that there is not: %+v", clock)
	for path, want := range map[string]int{"/v1/marks/x": 400, "/v1/marks/" + strings.Repeat("0", 64): 404, "/v1/marks?after=x": 400,
		"/v1/tables/x/clock": 400, fmt.Sprintf("/v1/tables/%064d/clock", 0): 404} {
		w.expect(want, w.get(path))
	}
	w.unchanged("/v1/marks", "/v1/tables/"+table.Table.String()+"/clock")
}

// BenchmarkFirstMarks is what a server that was just started does about marks for the first
// bundle, or page, of an event: it looks for those around an entry of a log of many (PAKLI_MARKS,
// or 2,000; a long day of events has some 20,000). all is to verify each of them.
func BenchmarkFirstMarks(b *testing.B) {
	many, err := strconv.Atoi(os.Getenv("PAKLI_MARKS"))
	if err != nil {
		many = 2000
	}
	now := time.Unix(2_000_000, 0)
	keeper := markstest.NewKeeper(b, "anna.example", func() time.Time { return now })
	h := newHouse(b, nil)
	key := testmust.Have(note.NewVerifier(h.key.Public))(b)
	for range many / 200 {
		c := testmust.Have(h.log.Checkpoint(b.Context()))(b)
		var group errgroup.Group
		for range 200 {
			now = now.Add(time.Second)
			mark := markstest.SignMark(b, markstest.Cosign(b, c, key, keeper))
			group.Go(func() error { _, err := h.log.Append(b.Context(), mark); return err })
		}
		testmust.Do(b, group.Wait())
	}
	for name, look := range map[string]func(started){
		"all": func(m started) {
			for _, p := range m.Places() {
				_, _ = m.Mark(p.Hash)
			}
		},
		"around": func(m started) { bundle.NewTimes(m, []string{keeper.String()}).MarksAround(uint64(many) / 2) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				a := testmust.Have(admission.Open(b.Context(), h.log, catalogue, admission.Options{Keys: []note.Verifier{key}}))(b)
				b.StartTimer()
				look(started{a})
			}
		})
	}
}

// started is a server of which nobody has asked anything.
type started struct{ *admission.Admission }

func (s started) Places() []marks.Place { return s.Marks(0, math.MaxInt) }
