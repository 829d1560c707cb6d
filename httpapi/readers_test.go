package httpapi_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// reader is a client that takes an answer when it is released.
type reader struct {
	*httptest.ResponseRecorder
	begun, released chan struct{}
}

func newReader() *reader {
	return &reader{httptest.NewRecorder(), make(chan struct{}, 1000), make(chan struct{})}
}

func (r *reader) Write(b []byte) (int, error) {
	r.begun <- struct{}{}
	<-r.released
	return r.ResponseRecorder.Write(b)
}

// from returns a GET that comes from an address.
func from(address, path string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.RemoteAddr = address + ":1"
	return r
}

func (h *house) from(address, path string) int {
	w := httptest.NewRecorder()
	h.server.ServeHTTP(w, from(address, path))
	return w.Code
}

// A stranger who asks for tiles and does not read them keeps nobody from
// reading anything, and cannot make the server keep more than its share.
func TestSlowReaders(t *testing.T) {
	const stranger, other = "192.0.2.1", "192.0.2.2"
	h := newHouse(t, func(o *httpapi.Options) {
		o.Limits.Unsent, o.Limits.UnsentPerAddress = 25_000, 15_000
	})
	p, _ := h.newTable(wire.RefuseFouls)
	testmust.Have(h.log.Append(t.Context(), bytes.Repeat([]byte("x"), 10_000)))(t)
	const entryTile = "/tile/entries/000.p/2" // 10,000 bytes and some more
	slow := newReader()
	done := make(chan struct{})
	go func() { h.server.ServeHTTP(slow, from(stranger, entryTile)); close(done) }()
	<-slow.begun
	messages := "/v1/tables/" + p.State.ID().String() + "/messages"
	for _, c := range []struct {
		address, path string
		want          int
	}{
		{stranger, entryTile, http.StatusServiceUnavailable}, // it has enough to read
		{stranger, messages, http.StatusOK},
		{stranger, "/tile/0/000.p/2", http.StatusOK},
		{other, entryTile, http.StatusOK},
		{other, messages, http.StatusOK},
		{other, "/v1/entries/0/receipt", http.StatusOK},
	} {
		testmust.Equal(t, h.from(c.address, c.path), c.want, c.path, "from", c.address)
	}
	close(slow.released)
	<-done
	testmust.Equal(t, h.from(stranger, entryTile), http.StatusOK, "after it has read")
}

// A client that stops reading must be let go soon, however long the answer is.
func TestEveryPieceHasADeadline(t *testing.T) {
	h := newHouse(t, nil)
	for i := range 4 {
		testmust.Have(h.log.Append(t.Context(), bytes.Repeat(fmt.Append(nil, i), 60_000)))(t)
	}
	w := &taker{ResponseRecorder: httptest.NewRecorder()}
	h.server.ServeHTTP(w, from("192.0.2.1", "/tile/entries/000.p/4"))
	testmust.Holdf(t, w.Code == http.StatusOK && w.parts >= 3 && !w.late,
		"%d, written in %d pieces, one of them without a deadline of its own: %v", w.Code, w.parts, w.late)
}

// One address must not take all connections, and must get new ones when it
// closes old ones.
func TestConnectionsOfOneAddress(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Limits.ConnectionsPerAddress = 2 })
	url, _ := h.serve()
	answers := func() (net.Conn, bool) {
		c := dial(t, url)
		_, _ = c.Write([]byte("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"))
		b := make([]byte, 15)
		_, err := c.Read(b)
		return c, err == nil && strings.HasPrefix(string(b), "HTTP/1.1 200")
	}
	one, first := answers()
	_, second := answers()
	three, third := answers()
	testmust.Holdf(t, first && second && !third, "answered: %v, %v, %v; want the first two alone", first, second, third)
	one.Close()
	three.Close()
	for ok := false; !ok; { // until the server has seen it
		_, ok = answers()
	}
}

// Who only asks whether there is something new must not make the server
// compress it, nor must a hundred readers of the same full entry tile.
func TestCompressedOnlyToBeSent(t *testing.T) {
	h, _ := filled(t, 257)
	zips := h.server.CountZips()
	for _, path := range []string{"/tile/entries/000", "/tile/entries/001.p/1"} {
		head := h.call(http.MethodHead, path, nil, "Accept-Encoding", "gzip")
		tag := head.header.Get("ETag")
		same := h.get(path, "Accept-Encoding", "gzip", "If-None-Match", tag)
		if same.status != http.StatusNotModified || zips.Load() != 0 {
			t.Fatalf("%s: %d, compressed %d times", path, same.status, zips.Load())
		}
		for range 3 {
			got := h.get(path, "Accept-Encoding", "gzip")
			for _, name := range []string{"ETag", "Content-Encoding", "Vary", "Content-Type", "Cache-Control"} {
				g, w := head.header.Get(name), got.header.Get(name)
				testmust.Holdf(t, g == w && w != "", "%s: HEAD says %s: %q, GET %q", path, name, g, w)
			}
		}
		testmust.Equal(t, head.header.Get("Content-Length"), "", path, "HEAD says that bytes follow")
		h.checkGzip(path, h.get(path).body)
		if path == "/tile/entries/000" && zips.Load() != 1 {
			t.Errorf("%s was compressed %d times", path, zips.Load())
		}
		zips.Store(0)
	}
}

// tilesRead counts what is read from the log.
type tilesRead struct {
	tlog.TileReader
	n atomic.Int64
}

func (c *tilesRead) Tile(ctx context.Context, t tlog.Tile) ([]byte, error) {
	c.n.Add(1)
	return c.TileReader.Tile(ctx, t)
}

// Who asks for the same full entry tile again and again must not make the server read
// and hash it each time, whatever it is sent as; and never get one for the other.
func TestFullEntryTilesAreKept(t *testing.T) {
	var reads *tilesRead
	h := newHouse(t, func(o *httpapi.Options) {
		reads = &tilesRead{TileReader: o.Tiles}
		o.Tiles = reads
	})
	h.fill(257)
	for _, c := range []struct {
		path string
		want int64
	}{{"/tile/entries/000", 2}, {"/tile/entries/000.p/7", 6}, {"/tile/entries/001.p/1", 6}} {
		before := reads.n.Load()
		for range 3 {
			h.get(c.path)
			h.get(c.path, "Accept-Encoding", "gzip")
		}
		testmust.Equal(t, reads.n.Load()-before, c.want, c.path, "how often it was read")
		h.checkGzip(c.path, h.get(c.path).body)
	}
}

// trickle is a body that stops in the middle of its blobs.
type trickle struct {
	head    *bytes.Reader
	stopped chan struct{}
	resume  chan struct{}
}

func (b *trickle) Read(into []byte) (int, error) {
	if b.head.Len() > 0 {
		return b.head.Read(into)
	}
	b.stopped <- struct{}{}
	<-b.resume
	return 0, io.ErrUnexpectedEOF
}

// hurried records until when the body is read.
type hurried struct {
	*httptest.ResponseRecorder
	deadlines chan time.Time
}

func (w *hurried) SetReadDeadline(d time.Time) error { w.deadlines <- d; return nil }

// One address that sends its blobs byte by byte must keep no other from posting
// blobs, and must not be waited for long.
func TestTricklingBlobs(t *testing.T) {
	b := newBlobHouse(t)
	long := b.long(300_000)
	post := func(address string, body io.Reader) (int, time.Time) {
		r := httptest.NewRequest(http.MethodPost, b.path, body)
		r.RemoteAddr = address + ":1"
		w := &hurried{httptest.NewRecorder(), make(chan time.Time, 8)}
		b.server.ServeHTTP(w, r)
		w.deadlines <- time.Time{}
		return w.Code, <-w.deadlines
	}
	resume := make(chan struct{})
	ended := make(chan int, 64)
	for range 64 {
		body := &trickle{bytes.NewReader(long[:len(long)-1]), make(chan struct{}), resume}
		go func() { code, _ := post("192.0.2.1", body); ended <- code }()
		<-body.stopped
	}
	code, deadline := post("192.0.2.2", bytes.NewReader(long))
	if left := time.Until(deadline); code != http.StatusUnprocessableEntity || left > 15*time.Second || left <= 0 {
		t.Errorf("another address: %d, with %v to send its blobs", code, left)
	}
	close(resume)
	for range 64 {
		if code := <-ended; code != http.StatusServiceUnavailable { // each made room for the next
			t.Errorf("cut off: %d", code)
		}
	}
}

// cutting is a connection whose body is cut off by a later one of the same seat,
// at one moment.
type cutting struct {
	*httptest.ResponseRecorder
	body   *bytes.Reader
	moment string
	cut    func()
	late   bool // it was cut off, and then given time
	past   bool
}

func (c *cutting) at(moment string) {
	if c.moment == moment {
		c.moment = ""
		c.cut()
	}
}

func (c *cutting) SetReadDeadline(d time.Time) error {
	c.at("before it has a deadline")
	c.late = c.late || c.past && time.Until(d) > 0
	c.past = time.Until(d) <= 0
	c.at("when it has a deadline")
	return nil
}

func (c *cutting) Read(into []byte) (int, error) {
	if c.body.Len() == 1 {
		c.at("before its last byte")
	}
	return c.body.Read(into)
}

// A body that has been cut off must not get its time back, whenever that was: it
// would be in memory besides all that there is room for.
func TestCutStaysCut(t *testing.T) {
	for _, moment := range []string{"before it has a deadline", "when it has a deadline", "before its last byte"} {
		b := newBlobHouse(t)
		c := &cutting{ResponseRecorder: httptest.NewRecorder(), moment: moment, cut: func() { b.post(b.path, b.long(300_001)) }}
		first := b.long(300_000)
		c.body = bytes.NewReader(first)
		b.server.ServeHTTP(c, httptest.NewRequest(http.MethodPost, b.path, io.MultiReader(io.LimitReader(c, int64(len(first)-1)), c)))
		testmust.Holdf(t, !c.late, "cut off %s: it got time after that", moment)
		last := moment == "before its last byte"
		testmust.Holdf(t, last == (c.Code == http.StatusServiceUnavailable), "cut off %s: %d %s", moment, c.Code, c.Body)
	}
}
