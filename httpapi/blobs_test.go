package httpapi_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
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
	shuffle []byte        // honest, with its blob
	path    string        // where it is to be posted
	taken   *atomic.Int64 // bytes of bodies that were read
}

// metered is a body whose bytes are counted.
type metered struct {
	io.ReadCloser
	n *atomic.Int64
}

func (c metered) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.n.Add(int64(n))
	return n, err
}

func newBlobHouse(t *testing.T) *blobHouse {
	t.Helper()
	b := &blobHouse{house: &house{t: t}, taken: new(atomic.Int64)}
	b.house = newHouse(t, b.reopen)
	b.server.Watch(func(inner http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Body = metered{r.Body, b.taken}
			inner.ServeHTTP(w, r)
		})
	})
	b.begin(wire.RefuseFouls)
	return b
}

// reopen makes o have the tables of its log as they are after a restart.
func (b *blobHouse) reopen(o *httpapi.Options) {
	log := o.Log.(*ledger.Ledger)
	o.Admission, o.Blobs = testmust.Have(admission.Open(context.Background(), log, catalogue, admission.Options{Blobs: log}))(b.t), log
}

// begin begins the table.
func (b *blobHouse) begin(fouls wire.FoulRule) {
	b.t.Helper()
	game, _ := games.Lookup("schwarzer-peter/v1")
	// With 52 cards under eight keys, entry and blob are longer than an entry.
	b.Table = testmust.Have(tabletest.New(game, tabletest.Config{Seats: 8, Suite: clear.BulkySuite{}, Fouls: fouls, Options: map[string]string{"pack": "52", "odd": "queen"}}, seed.Add(1)))(b.t)
	d := testmust.Have(b.PlayUntil(table.Shuffle))(b.t)
	b.posted("/v1/tables", b.Entries[0])
	b.path = "/v1/tables/" + b.State.ID().String() + "/messages"
	for _, e := range b.Entries[1:] {
		b.posted(b.path, e)
	}
	b.shuffle = testmust.Have(b.HonestMessage(d.Seats[0], d, nil))(b.t)
}

// long is a message that is due, and wrong, with a blob of n bytes.
func (b *blobHouse) long(n int) []byte {
	return forge(b.t, b.Table, b.shuffle, func(m *wire.Message) { m.Proofs = [][]byte{make([]byte, n)} })
}

// lose removes a blob from the disk.
func (b *blobHouse) lose(blob []byte) {
	b.t.Helper()
	testmust.Do(b.t, os.Remove(filepath.Join(b.dir, "blobs", filepath.Base(blobPath(blob)))))
}

func blobPath(blob []byte) string {
	return "/" + tlog.BlobPath(sha256.Sum256(blob))
}

// A blob is posted with its message, and is there for everybody after that and
// not before.
func TestBlobs(t *testing.T) {
	b := newBlobHouse(t)
	entry, blob := wire.CutParcel(b.shuffle)
	b.expect(http.StatusNotFound, b.get(blobPath(blob)))
	b.posted(b.path, b.shuffle)
	a := b.get(blobPath(blob))
	testmust.Holdf(t, a.status == http.StatusOK && bytes.Equal(a.body, blob) && strings.Contains(a.header.Get("Cache-Control"), "immutable"),
		"%d, %d bytes, %v", a.status, len(a.body), a.header)
	b.expect(http.StatusNotModified, b.get(blobPath(blob), "If-None-Match", a.header.Get("ETag")))
	b.expect(http.StatusOK, b.post(b.path, entry))
	for _, path := range []string{"/v1/blobs/", "/v1/blobs/00", "/v1/blobs/" + strings.ToUpper(blobPath(blob)[10:]), blobPath(blob) + "0", blobPath(entry), "/v1/blobs/..%2f..%2flog.vkey"} {
		a := b.get(path)
		testmust.Holdf(t, a.status == http.StatusNotFound || a.status == http.StatusBadRequest, "%s: %d %s", path, a.status, a.body)
	}
	got, err := b.client().Blob(t.Context(), sha256.Sum256(blob))
	testmust.Holdf(t, err == nil && bytes.Equal(got, blob), "client: %d bytes, %v", len(got), err)
	_, err = b.client().Blob(t.Context(), sha256.Sum256(entry))
	testmust.FailBy(t, err, tlog.ErrNoBlob, "client: a blob that is not there")
	parcel, err := b.client().CompleteEntry(t.Context(), entry)
	testmust.Holdf(t, err == nil && bytes.Equal(parcel, b.shuffle), "complete: %d bytes, %v", len(parcel), err)
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
	stranger := testmust.Have(wire.Sign(parseMessage(t, due), b.Organiser))(t)
	entry, _ := wire.CutParcel(due)
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
		r := testmust.Have(http.NewRequest("POST", b.path, io.LimitReader(body, int64(len(c.body)))))(t)
		w := httptest.NewRecorder()
		b.server.ServeHTTP(w, r)
		testmust.Equal(t, w.Code, c.status, c.name, w.Body)
		testmust.Hold(t, body.read <= c.most, c.name, body.read, "bytes were read, want at most about", c.most)
	}
	left, err := filepath.Glob(filepath.Join(b.dir, "blobs", "*"))
	testmust.Holdf(t, err == nil && len(left) == 0, "blobs of refused messages are kept: %v (%v)", left, err)
	b.posted(b.path, b.shuffle)
	if left, err := os.ReadDir(filepath.Join(b.dir, "blobs")); err != nil || len(left) != 1 {
		t.Errorf("%d blobs kept (%v), want 1", len(left), err)
	}
}

// Whoever has a message that is public, its blob included, must not take room from
// the seat that is due; and that seat itself must not be in its own way.
func TestRoomForBlobs(t *testing.T) {
	b := newBlobHouse(t)
	due := b.long(300_000)
	old := *b
	old.begin(wire.RecordFouls)
	public := old.long(300_000)
	old.posted(old.path, public)
	for range 16 {
		old.halfSent(public)
	}
	older := []net.Conn{b.halfSent(due), b.halfSent(due)}
	b.refusal(client.FoulMessage, b.post(b.path, due))
	for _, c := range older {
		if got := testmust.Have(http.ReadResponse(bufio.NewReader(c), nil))(t); got.StatusCode != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
			t.Errorf("an older body of the seat: %d", got.StatusCode)
		}
	}
	// What a disk has lost is wanted again.
	_, blob := wire.CutParcel(public)
	for _, there := range []bool{true, false} {
		if !there {
			b.lose(blob)
		}
		old.expect(http.StatusOK, old.post(old.path, public))
		b.expect(http.StatusOK, b.get(blobPath(blob)))
	}
}

// A table that cannot be replayed, since a disk has lost a blob of it, must get it
// back from whoever posts the message again, however long.
func TestLostBlobAfterRestart(t *testing.T) {
	b := newBlobHouse(t)
	b.begin(wire.RecordFouls)
	long := b.long(300_000)
	b.posted(b.path, long)
	_, blob := wire.CutParcel(long)
	b.lose(blob)
	o := httpapi.Options{Log: b.log, Tiles: b.log, Key: b.key.Public}
	b.reopen(&o)
	s := httptest.NewServer(newServer(t, o))
	t.Cleanup(s.Close)
	b.url = s.URL
	b.expect(http.StatusInternalServerError, b.post(b.path, b.long(300_001)))
	b.expect(http.StatusOK, b.post(b.path, long))
	b.expect(http.StatusOK, b.get(blobPath(blob)))
}

// halfSent posts all but the end of a body, and waits until the server has read that.
func (b *blobHouse) halfSent(body []byte) net.Conn {
	b.t.Helper()
	c := dial(b.t, b.url)
	want := b.taken.Load() + int64(len(body)-1)
	fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", b.path, len(body), body[:len(body)-1])
	testmust.Until(b.t, "reading all but the end of a body", func() bool { return b.taken.Load() >= want })
	return c
}

// Of what is full the address that has most must make room, with its oldest.
func TestAttachmentsMakeRoom(t *testing.T) {
	a := httpapi.NewAttachments(4)
	var cut []int
	leave := map[int]func() bool{}
	enter := func(seat int, address string) {
		leave[seat] = a.Enter(seat, address, func() { cut = append(cut, seat) })
	}
	for i, address := range []string{"192.0.2.1", "192.0.2.2", "192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.4", "192.0.2.5"} {
		enter(i, address)
	}
	testmust.Equal(t, fmt.Sprint(cut), "[1 0 4]", "cut")
	for seat, leave := range leave {
		stood := leave()
		testmust.Holdf(t, stood != slices.Contains(cut, seat), "seat %d: stood %v", seat, stood)
	}
	cut = nil
	for i := range 4 {
		enter(i, "192.0.2.1")
	}
	testmust.Hold(t, len(cut) == 0, "room that was left is not used", cut)
	enter(2, "192.0.2.1")
	testmust.Equal(t, fmt.Sprint(cut), "[2]", "a seat's second body: cut")
}

func parseMessage(t *testing.T, parcel []byte) *wire.Message {
	t.Helper()
	return testmust.Have(wire.Parse(parcel))(t).Message
}

// A server that answers other bytes for a blob.
func TestClientChecksBlobs(t *testing.T) {
	b := newBlobHouse(t)
	b.posted(b.path, b.shuffle)
	entry, blob := wire.CutParcel(b.shuffle)
	for name, lie := range map[string][]byte{"altered": append([]byte{0}, blob[1:]...), "short": blob[1:], "empty": {}, "endless": make([]byte, tlog.MaxBlob+1)} {
		url := liar(t, b.server, lie)
		c := testmust.Have(client.New(url, b.key.Verifier, nil))(t)
		testmust.FailBy(t, testmust.ErrorOf(c.Blob(t.Context(), sha256.Sum256(blob))), tlog.ErrMalformed, name)
		testmust.Fail(t, testmust.ErrorOf(c.CompleteEntry(t.Context(), entry)), name, "completed")
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

// A bundle that the server makes must be, byte for byte, the one that is made from
// the whole log, with the table's blobs and nothing of other tables.
func TestServedBundle(t *testing.T) {
	b := newBlobHouse(t)
	b.posted(b.path, b.shuffle)
	_, blob := wire.CutParcel(b.shuffle)
	id := b.State.ID()
	path := "/v1/tables/" + id.String() + "/bundle"
	a := b.get(path)
	testmust.Requiref(t, a.status == http.StatusOK && a.header.Get("Cache-Control") == "no-cache", "%d %v %s", a.status, a.header, a.body)
	served := testmust.Have(bundle.Parse(a.body))(t)
	testmust.Holdf(t, len(served.Entries) == len(b.Entries)+1 && len(served.Blobs) == 1 && sha256.Sum256(served.Blobs[0]) == sha256.Sum256(blob),
		"%d entries, %d blobs", len(served.Entries), len(served.Blobs))
	key := testmust.Have(tlog.ParseVerifierKey(b.key.Public))(t)
	made, err := bundle.Collect(t.Context(), b.client(), id, bundle.Keys{Log: []*tlog.VerifierKey{key}})
	testmust.Holdf(t, err == nil && bytes.Equal(made.Marshal(), a.body), "from the whole log it is another one (%v)", err)
	b.expect(http.StatusNotModified, b.get(path, "If-None-Match", a.header.Get("ETag")))
	file, err := b.client().Bundle(t.Context(), id)
	testmust.Holdf(t, err == nil && bytes.Equal(file, a.body), "client: %d bytes, %v", len(file), err)
}

// asked counts how often the entries of a table are read.
type asked struct {
	httpapi.Admission
	n *atomic.Int64
}

func (a asked) Entries(ctx context.Context, of admission.Subject, n int) iter.Seq2[admission.LoggedEntry, error] {
	a.n.Add(1)
	return a.Admission.Entries(ctx, of, n)
}

// Many addresses that ask for one bundle, each of which has it made, or who is shown one without what he has posted.
func TestBundleIsKeptForASecond(t *testing.T) {
	var n atomic.Int64
	h := newHouse(t, func(o *httpapi.Options) { o.Admission = asked{o.Admission, &n} })
	p, path := h.newTable(wire.RefuseFouls)
	begun := time.Now()
	for range 20 {
		h.expect(http.StatusOK, h.get(path+"/bundle"))
	}
	most := int64(time.Since(begun)/time.Second) + 2
	testmust.Holdf(t, n.Load() <= most, "made %d times, want at most %d", n.Load(), most)
	h.posted(path+"/messages", key(t, p, 0))
	testmust.Equal(t, len(testmust.Have(bundle.Parse(h.get(path+"/bundle").body))(t).Entries), 2, "entries, after a post")
}

// A bundle that takes long to make must not be made again and again.
func TestBundleAge(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{0: time.Second, 500 * time.Millisecond: 10 * time.Second, time.Hour: time.Minute} {
		testmust.Equal(t, httpapi.BundleAge(took), want, "one of", took, "is kept")
	}
}

// A table under a cosigned checkpoint takes that; one that has gone on does not.
func TestBundleIsCosigned(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Cosigned = o.Log.(*ledger.Ledger).CosignedReader() })
	p, _ := h.newTable(wire.RefuseFouls)
	h.cosign()
	path := "/v1/tables/" + p.State.ID().String() + "/bundle"
	sizeOf := func() uint64 {
		return testmust.Have(bundle.Parse(h.get(path).body))(t).Checkpoint.Size
	}
	before := sizeOf()
	h.posted("/v1/tables", newTable(t, wire.RefuseFouls).Entries[0])
	testmust.Equal(t, sizeOf(), before, "the log grew, and the bundle is not of the cosigned size")
	h.posted("/v1/tables/"+p.State.ID().String()+"/messages", key(t, p, 0))
	testmust.Equal(t, sizeOf(), before+2, "the table went on: size")
}
