package httpapi_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

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

// house is a server over a log on disk.
type house struct {
	t      testing.TB
	dir    string // of the log
	key    ledger.Key
	log    *ledger.Ledger
	server *httpapi.Server
	url    string
}

// newHouse opens a server; edit may change what it is made of.
func newHouse(t testing.TB, edit func(*httpapi.Options)) *house {
	t.Helper()
	dir := t.TempDir()
	h := &house{t: t, dir: dir}
	h.key = testmust.Have(ledger.CreateKey(dir, "log.example", rand.Reader))(t)
	o := ledger.Options{Signer: h.key.Signer, Store: new(ledgertest.Stores)}
	testmust.Do(t, ledger.Create(dir, o))
	h.log = testmust.Have(ledger.Open(dir, o))(t)
	t.Cleanup(func() { h.log.Close() })
	tables := testmust.Have(admission.Open(t.Context(), h.log, catalogue, admission.Options{}))(t)
	options := httpapi.Options{Log: h.log, Tiles: h.log, Admission: tables, Key: h.key.Public}
	if edit != nil {
		edit(&options)
	}
	h.server = newServer(t, options)
	s := httptest.NewServer(h.server)
	t.Cleanup(s.Close)
	h.url = s.URL
	return h
}

var catalogue = table.Catalogue{Game: games.Lookup, Suite: clear.Lookup}

var seed atomic.Uint64

// newTable makes a table with all of its players.
func newTable(t testing.TB, fouls wire.FoulRule) *tabletest.Table {
	t.Helper()
	game, _ := games.Lookup("schwarzer-peter/v1")
	return testmust.Have(tabletest.New(game, tabletest.Config{Seats: 2, Fouls: fouls}, seed.Add(1)))(t)
}

// newTable begins a table, and returns where it is.
func (h *house) newTable(fouls wire.FoulRule) (p *tabletest.Table, path string) {
	h.t.Helper()
	p = newTable(h.t, fouls)
	h.posted("/v1/tables", p.Entries[0])
	return p, "/v1/tables/" + p.State.ID().String()
}

// admitting lets tables admit entries as with says.
func admitting(t testing.TB, o *httpapi.Options, with admission.Options) {
	t.Helper()
	o.Admission = testmust.Have(admission.Open(t.Context(), o.Log.(tlog.Log), catalogue, with))(t)
}

// next makes the message that comes next at a table, and goes on after it.
func next(t testing.TB, p *tabletest.Table) []byte {
	t.Helper()
	entry := testmust.Have(p.Next())(t)
	testmust.Do(t, p.Add(entry))
	return entry
}

// key returns the card key of a seat, due at the beginning.
func key(t testing.TB, p *tabletest.Table, seat table.Seat) []byte {
	t.Helper()
	return testmust.Have(p.HonestMessage(seat, p.State.DutiesOf(seat)[0], nil))(t)
}

// stray is a message of a table that nobody knows.
func stray(t testing.TB) []byte { return key(t, newTable(t, wire.RefuseFouls), 0) }

func forge(t testing.TB, p *tabletest.Table, entry []byte, change func(*wire.Message)) []byte {
	t.Helper()
	return testmust.Have(p.Forge(entry, change))(t)
}

func foul(m *wire.Message) { m.Proofs[0][0] ^= 1 }

// client returns a client that trusts the log's key.
func (h *house) client() *client.Client {
	h.t.Helper()
	v := testmust.Have(note.NewVerifier(h.key.Public))(h.t)
	return testmust.Have(client.New(h.url, v, nil))(h.t)
}

// answer is a response that was read.
type answer struct {
	asked  string // method and path
	status int
	header http.Header
	body   []byte
}

// call sends a request; header is a list of names and values.
func (h *house) call(method, path string, body []byte, header ...string) answer {
	h.t.Helper()
	return call(h.t, h.url, method, path, body, header...)
}

// asker looks at what leads elsewhere, and does not follow it.
var asker = http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

func call(t testing.TB, url, method, path string, body []byte, header ...string) answer {
	t.Helper()
	req := testmust.Have(http.NewRequestWithContext(context.Background(), method, url+path, bytes.NewReader(body)))(t)
	// Named here, the transport leaves gzip to the caller.
	req.Header.Set("Accept-Encoding", "identity")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp := testmust.Have(asker.Do(req))(t)
	defer resp.Body.Close()
	got := testmust.Have(io.ReadAll(resp.Body))(t)
	return answer{method + " " + path, resp.StatusCode, resp.Header, got}
}

// dial opens a connection, until the end of the test.
func dial(t testing.TB, url string) net.Conn {
	t.Helper()
	c := testmust.Have(net.Dial("tcp", strings.TrimPrefix(url, "http://")))(t)
	t.Cleanup(func() { c.Close() })
	return c
}

func (h *house) get(path string, header ...string) answer {
	h.t.Helper()
	return h.call(http.MethodGet, path, nil, header...)
}

func (h *house) post(path string, entry []byte) answer {
	h.t.Helper()
	return h.call(http.MethodPost, path, entry, "Content-Type", "application/octet-stream")
}

// posted posts what must be taken.
func (h *house) posted(path string, entry []byte) client.PostedEntry {
	h.t.Helper()
	var p client.PostedEntry
	got := h.post(path, entry)
	testmust.Requiref(h.t, got.status == http.StatusCreated || got.status == http.StatusOK, "POST %s: %d %s", path, got.status, got.body)
	h.decode(got, &p)
	return p
}

// decode reads a document and allows nothing that is not documented.
func (h *house) decode(a answer, into any) {
	h.t.Helper()
	d := json.NewDecoder(bytes.NewReader(a.body))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	testmust.Requiref(h.t, err == nil, "%v in %s", err, a.body)
}

// expect checks the status of an answer.
func (h *house) expect(status int, a answer) answer {
	h.t.Helper()
	testmust.Equal(h.t, a.status, status, a.asked, a.body)
	return a
}

// unchanged checks that who has what is at a path is not sent it again.
func (h *house) unchanged(paths ...string) {
	h.t.Helper()
	for _, path := range paths {
		again := h.expect(http.StatusNotModified, h.get(path, "If-None-Match", h.get(path).header.Get("ETag")))
		testmust.Holdf(h.t, len(again.body) == 0, "%s: %d bytes for who has it", path, len(again.body))
	}
}

// refusal reads a refusal of a type.
func (h *house) refusal(slug string, a answer) client.Problem {
	h.t.Helper()
	p := h.problem(a)
	testmust.Equal(h.t, p.Type, client.ProblemBase+slug, a.asked, p)
	return p
}

// refuses checks what is said of paths at which there is nothing.
func (h *house) refuses(slugs map[string]string) {
	h.t.Helper()
	for path, slug := range slugs {
		h.refusal(slug, h.get(path))
	}
}

// read reads the document at a path.
func read[D any](h *house, path string, header ...string) (d D) {
	h.t.Helper()
	h.decode(h.get(path, header...), &d)
	return d
}

// problem reads a refusal, and checks what all of them have.
func (h *house) problem(a answer) client.Problem {
	h.t.Helper()
	var p client.Problem
	got := a.header.Get("Content-Type")
	testmust.Requiref(h.t, got == "application/problem+json", "%d with Content-Type %q: %s", a.status, got, a.body)
	h.decode(a, &p)
	testmust.Holdf(h.t, p.Status == a.status && p.Title != "", "status %d, problem %+v", a.status, p)
	testmust.Equal(h.t, a.header.Get("Cache-Control"), "no-store", p.Type, "may be cached")
	later := a.status == http.StatusTooManyRequests || a.status == http.StatusServiceUnavailable
	testmust.Holdf(h.t, !later || a.header.Get("Retry-After") != "", "%s: when to come again is not said", p.Type)
	if !strings.HasPrefix(p.Type, client.ProblemBase) {
		h.t.Errorf("type %q", p.Type)
	} else if about := h.get(p.Type); about.status != http.StatusOK || len(about.body) == 0 {
		h.t.Errorf("%s is not explained: %d", p.Type, about.status)
	}
	return p
}
