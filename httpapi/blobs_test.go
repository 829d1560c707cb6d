package httpapi_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// blobHouse is a server with a table that waits for a message with a blob; both
// together are longer than an entry may be.
type blobHouse struct {
	*house
	*tabletest.Table
	shuffle []byte // honest, with its blob
	path    string // where it is to be posted
}

func newBlobHouse(t *testing.T) *blobHouse {
	t.Helper()
	bulky := table.Catalogue{Game: games.Lookup, Suite: func(name string) (proof.Suite, bool) { return clear.Bulky{}, name == clear.BulkyName }}
	b := &blobHouse{}
	b.house = newHouse(t, func(o *httpapi.Options) {
		log := o.Log.(interface {
			tlog.Log
			tlog.Blobs
		})
		tables, err := admission.Open(t.Context(), log, bulky, admission.Options{Blobs: log})
		if err != nil {
			t.Fatal(err)
		}
		o.Admission, o.Blobs = tables, log
	})
	game, _ := games.Lookup("schwarzer-peter/v1")
	var err error
	// With 52 cards under eight keys, entry and blob are longer than an entry.
	b.Table, err = tabletest.New(game, tabletest.Config{Seats: 8, Suite: clear.Bulky{}, Options: map[string]string{"pack": "52", "odd": "queen"}}, seed.Add(1))
	if err != nil {
		t.Fatal(err)
	}
	d, err := b.PlayUntil(table.Shuffle)
	if err != nil {
		t.Fatal(err)
	}
	b.posted("/v1/tables", b.Entries[0])
	b.path = "/v1/tables/" + b.State.ID().String() + "/messages"
	for _, e := range b.Entries[1:] {
		b.posted(b.path, e)
	}
	if b.shuffle, err = b.Message(d.Seats[0], d, nil); err != nil {
		t.Fatal(err)
	}
	return b
}

func blobPath(blob []byte) string {
	return "/" + tlog.BlobPath(sha256.Sum256(blob))
}

// A blob is posted with its message, and is there for everybody after that and
// not before.
func TestBlobs(t *testing.T) {
	b := newBlobHouse(t)
	entry, blob := wire.Cut(b.shuffle)
	if a := b.get(blobPath(blob)); a.status != http.StatusNotFound {
		t.Errorf("before the message: %d %s", a.status, a.body)
	}
	b.posted(b.path, b.shuffle)
	a := b.get(blobPath(blob))
	if a.status != http.StatusOK || !bytes.Equal(a.body, blob) || !strings.Contains(a.header.Get("Cache-Control"), "immutable") {
		t.Errorf("%d, %d bytes, %v", a.status, len(a.body), a.header)
	}
	if a := b.get(blobPath(blob), "If-None-Match", a.header.Get("ETag")); a.status != http.StatusNotModified {
		t.Errorf("asked again: %d", a.status)
	}
	if a := b.post(b.path, entry); a.status != http.StatusOK {
		t.Errorf("the entry again, without its blob: %d %s", a.status, a.body)
	}
	for _, path := range []string{"/v1/blobs/", "/v1/blobs/00", "/v1/blobs/" + strings.ToUpper(blobPath(blob)[10:]), blobPath(blob) + "0", blobPath(entry), "/v1/blobs/..%2f..%2flog.vkey"} {
		if a := b.get(path); a.status != http.StatusNotFound && a.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	got, err := b.client().Blob(t.Context(), sha256.Sum256(blob))
	if err != nil || !bytes.Equal(got, blob) {
		t.Errorf("client: %d bytes, %v", len(got), err)
	}
	if _, err := b.client().Blob(t.Context(), sha256.Sum256(entry)); !errors.Is(err, tlog.ErrNoBlob) {
		t.Errorf("client: a blob that is not there: %v", err)
	}
	if parcel, err := b.client().Complete(t.Context(), entry); err != nil || !bytes.Equal(parcel, b.shuffle) {
		t.Errorf("complete: %d bytes, %v", len(parcel), err)
	}
}

// endless counts what is read of it.
type endless struct {
	head io.Reader
	read int
}

func (e *endless) Read(b []byte) (int, error) {
	if n, err := e.head.Read(b); err == nil {
		e.read += n
		return n, nil
	}
	e.read += len(b)
	return len(b), nil
}

// Bodies that are longer than an entry, and not due: the server reads no more of
// them than of any entry. Those that are due it reads to the end of their blobs.
func TestLongBodies(t *testing.T) {
	b := newBlobHouse(t)
	long := func(change func(*wire.Message)) []byte {
		return forge(t, b.Table, b.shuffle, func(m *wire.Message) {
			m.Proofs = [][]byte{make([]byte, 300_000)}
			change(m)
		})
	}
	due := long(func(*wire.Message) {})
	stranger, err := wire.Sign(parseMessage(t, due), b.Organiser)
	if err != nil {
		t.Fatal(err)
	}
	entry, _ := wire.Cut(due)
	for _, c := range []struct {
		name   string
		body   []byte
		status int
		most   int // bytes read, about
	}{
		{"no entry", bytes.Repeat([]byte("x"), 200_000), http.StatusRequestEntityTooLarge, 70_000},
		{"an entry too long", append([]byte(`{"pakli":"message/v1",`), make([]byte, 200_000)...), http.StatusRequestEntityTooLarge, 70_000},
		{"stale", long(func(m *wire.Message) { m.Parent[0] ^= 1 }), http.StatusConflict, 70_000},
		{"not due", long(func(m *wire.Message) { m.Kind = table.Give }), http.StatusUnprocessableEntity, 70_000},
		{"a stranger's", stranger, http.StatusUnprocessableEntity, 70_000},
		{"of no table", long(func(m *wire.Message) { m.Table[0] ^= 1 }), http.StatusNotFound, 70_000},
		{"genesis with a tail", append(bytes.Clone(b.Entries[0]), make([]byte, 200_000)...), http.StatusRequestEntityTooLarge, 70_000},
		{"due, cut short", due[:len(due)-1], http.StatusBadRequest, len(due)},
		{"due, and a tail", append(bytes.Clone(due), make([]byte, 200_000)...), http.StatusBadRequest, len(due) + 1},
		{"due, with other bytes", append(bytes.Clone(entry), make([]byte, 299_999)...), http.StatusBadRequest, len(due)},
		{"due, and wrong", due, http.StatusUnprocessableEntity, len(due)},
		{"due, and known to be wrong", due, http.StatusUnprocessableEntity, 70_000},
	} {
		body := &endless{head: bytes.NewReader(c.body)}
		r, err := http.NewRequest("POST", b.path, io.LimitReader(body, int64(len(c.body))))
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		b.server.ServeHTTP(w, r)
		if w.Code != c.status {
			t.Errorf("%s: %d %s, want %d", c.name, w.Code, w.Body, c.status)
		}
		if body.read > c.most {
			t.Errorf("%s: %d bytes were read, want at most about %d", c.name, body.read, c.most)
		}
	}
	if left, err := filepath.Glob(filepath.Join(b.dir, "blobs", "*")); err != nil || len(left) > 0 {
		t.Errorf("blobs of refused messages are kept: %v (%v)", left, err)
	}
	b.posted(b.path, b.shuffle)
	if left, err := os.ReadDir(filepath.Join(b.dir, "blobs")); err != nil || len(left) != 1 {
		t.Errorf("%d blobs kept (%v), want 1", len(left), err)
	}
}

func parseMessage(t *testing.T, parcel []byte) *wire.Message {
	t.Helper()
	e, err := wire.Parse(parcel)
	if err != nil {
		t.Fatal(err)
	}
	return e.Message
}

// A server that answers other bytes for a blob.
func TestClientChecksBlobs(t *testing.T) {
	b := newBlobHouse(t)
	b.posted(b.path, b.shuffle)
	entry, blob := wire.Cut(b.shuffle)
	for name, lie := range map[string][]byte{"altered": append([]byte{0}, blob[1:]...), "short": blob[1:], "empty": {}, "endless": make([]byte, tlog.MaxBlob+1)} {
		url := liar(t, b.server, lie)
		c, err := client.New(url, b.key.Verifier, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Blob(t.Context(), sha256.Sum256(blob)); !errors.Is(err, tlog.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := c.Complete(t.Context(), entry); err == nil {
			t.Errorf("%s: completed", name)
		}
	}
}

// liar serves b, but for blobs, which are all this one.
func liar(t *testing.T, b http.Handler, blob []byte) (url string) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/blobs/") {
			_, _ = w.Write(blob)
			return
		}
		b.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}
