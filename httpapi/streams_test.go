package httpapi_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// listener reads a stream as browsers do.
type listener struct {
	t     testing.TB
	resp  *http.Response
	lines *bufio.Reader
	leave context.CancelFunc
}

// listen opens a stream of h.
func (h *house) listen(path string, header ...string) (*listener, answer) {
	h.t.Helper()
	return listen(h.t, http.DefaultClient, h.url+path, header...)
}

// listen opens a stream. What it gets instead of one is returned as well.
func listen(t testing.TB, c *http.Client, url string, header ...string) (*listener, answer) {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	t.Cleanup(leave)
	req := testmust.Have(http.NewRequestWithContext(ctx, http.MethodGet, url, nil))(t)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp := testmust.Have(c.Do(req))(t)
	t.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(resp.Body)
		return nil, answer{url, resp.StatusCode, resp.Header, body}
	}
	testmust.Requiref(t, resp.Header.Get("Content-Type") == "text/event-stream", "%s: %v", url, resp.Header)
	return &listener{t, resp, bufio.NewReader(resp.Body), leave}, answer{}
}

// block returns the lines up to the next empty one.
func (l *listener) block() (fields map[string]string, err error) {
	fields = map[string]string{}
	for {
		line, err := l.lines.ReadString('\n')
		if err != nil {
			return nil, err
		}
		if line == "\n" {
			return fields, nil
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		fields[name] = strings.TrimPrefix(value, " ")
	}
}

// event returns the next event's id and what it is called, and reads its data.
func (l *listener) event(into any) (id, name string) {
	l.t.Helper()
	for {
		f := testmust.Have(l.block())(l.t)
		if data, ok := f["data"]; ok {
			testmust.Do(l.t, json.Unmarshal([]byte(data), into))
			return f["id"], f["event"]
		}
	}
}

// table begins a table and plays on, without posting what is played; path is that of its events.
func (h *house) table() (path string, entries [][]byte) {
	h.t.Helper()
	p, path := h.newTable(wire.RefuseFouls)
	for range 5 {
		next(h.t, p)
	}
	return path + "/events", p.Entries
}

// A page that loses its connection must miss nothing and see nothing twice,
// wherever it was cut.
func TestMessageStream(t *testing.T) {
	h := newHouse(t, nil)
	url, entries := h.table()
	expect := func(l *listener, n int) {
		t.Helper()
		var m client.Message
		if id, _ := l.event(&m); id != fmt.Sprint(n) || m.N != n || m.Entry != string(entries[n]) || m.Class != client.Applied {
			t.Errorf("event %s is number %d with %.100q, want entry %d", id, m.N, m.Entry, n)
		}
	}
	first, _ := h.listen(url)
	expect(first, 0)
	last := len(entries) - 1
	for n := 1; n < last; n++ {
		h.posted("/v1/entries", entries[n])
		expect(first, n)
	}
	late, _ := h.listen(url + "?from=2")
	open := []*listener{first, late}
	for n := 2; n < last; n++ {
		expect(late, n)
	}
	for seen := range last {
		l, _ := h.listen(url+"?from=0", "Last-Event-ID", fmt.Sprint(seen))
		for n := seen + 1; n < last; n++ {
			expect(l, n)
		}
		open = append(open, l)
	}
	h.posted("/v1/entries", entries[last])
	for _, l := range open {
		expect(l, last)
	}
}

// Checkpoints of a stream must be signed, grow, and go on after the one that
// was seen.
func TestCheckpointStream(t *testing.T) {
	h := newHouse(t, nil)
	const url = "/v1/checkpoint/events"
	fresh, _ := h.listen(url)
	expect := func(l *listener, size uint64) {
		t.Helper()
		var c client.Checkpoint
		id, _ := l.event(&c)
		open, err := tlog.OpenCheckpoint([]byte(c.Note), h.key.Verifier)
		testmust.Holdf(t, err == nil && id == fmt.Sprint(size) && c.Size == size && open.Size == size && tlog.Hash(c.Root) == open.Root && c.Origin == open.Origin,
			"event %s is %+v (%v), want size %d", id, c, err, size)
	}
	expect(fresh, 0)
	resumed, _ := h.listen(url, "Last-Event-ID", "0")
	second, _ := h.listen(url + "?min_size=2")
	for size := range uint64(3) {
		testmust.Have(h.log.Append(t.Context(), fmt.Append(nil, size)))(t)
		expect(fresh, size+1)
		expect(resumed, size+1)
		if size >= 1 {
			expect(second, size+1)
		}
	}
}

// What is no id must not be taken for the beginning, nor for the end.
func TestStreamRefusals(t *testing.T) {
	h := newHouse(t, nil)
	url, _ := h.table()
	for _, id := range []string{"x", "-1", "01", "1.5", "0x1", " 1 2", "2147483647", "99999999999999999999"} {
		h.refusal(client.MalformedRequest, h.get(url, "Last-Event-ID", id))
	}
	h.refuses(map[string]string{
		"/v1/checkpoint/events?min_size=x":                  client.MalformedRequest,
		"/v1/tables/" + strings.Repeat("0", 64) + "/events": client.UnknownTable,
		"/v1/events/00/stream":                              client.MalformedRequest,
		"/v1/events/" + strings.Repeat("0", 64) + "/stream": client.UnknownEvent,
	})
	a := h.call(http.MethodHead, url, nil)
	testmust.Holdf(t, a.status == http.StatusOK && a.header.Get("Content-Type") == "text/event-stream", "HEAD: %d %v", a.status, a.header)
}

// A stream without news must show that it lives; one with news need not.
func TestHeartbeat(t *testing.T) {
	ticks, asked := make(chan time.Time), make(chan time.Duration, 1)
	h := newHouse(t, func(o *httpapi.Options) {
		o.After = func(d time.Duration) <-chan time.Time { asked <- d; return ticks }
	})
	url, entries := h.table()
	l, _ := h.listen(url + "?from=1")
	retry, err := l.block()
	testmust.Requiref(t, err == nil && retry["retry"] == "2000", "the stream begins with %v, %v", retry, err)
	for range 3 {
		testmust.Equal(t, <-asked, 15*time.Second, "a heartbeat after")
		ticks <- time.Time{}
		f, err := l.block()
		testmust.Holdf(t, err == nil && len(f) == 1 && f[""] == "", "a heartbeat is %v, %v", f, err)
	}
	<-asked
	h.posted("/v1/entries", entries[1])
	var m client.Message
	id, _ := l.event(&m)
	testmust.Holdf(t, id == "1" && m.Entry == string(entries[1]), "after heartbeats, event %s is %+v", id, m)
}

// One address must not keep all streams; its own place must be free again when
// it goes.
func TestStreamsAreBounded(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Limits.PollsPerAddress = 1 })
	url, _ := h.table()
	first, _ := h.listen(url)
	second, a := h.listen(url)
	testmust.Require(t, second == nil, "a second stream")
	h.refusal(client.Busy, a)
	first.leave()
	for third := (*listener)(nil); third == nil; { // until the server has seen it
		third, _ = h.listen(url)
	}
}

// serve lets a server answer on an address of its own until stop is called,
// which returns when it has ended.
func (h *house) serve() (url string, stop func() error) {
	h.t.Helper()
	l := testmust.Have(net.Listen("tcp", "127.0.0.1:0"))(h.t)
	ctx, cancel := context.WithCancel(h.t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- h.server.Serve(ctx, l) }()
	stop = sync.OnceValue(func() error { cancel(); return <-stopped })
	h.t.Cleanup(func() { stop() })
	return "http://" + l.Addr().String(), stop
}

// Who waits for long must not be cut off by the time that others have to take
// an answer; and a server that goes down ends streams as if they were complete,
// and does not wait for them.
func TestLongAnswers(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) {
		o.After = func(time.Duration) <-chan time.Time { return nil }
	})
	const hurry = 5 * time.Second // real time-outs of HTTP/1 and HTTP/2 take real time: the long form waits for them
	if testmust.Thorough() {
		h.server.Hurry(hurry)
	}
	path, entries := h.table()
	base, stop := h.serve()
	second := httptest.NewUnstartedServer(h.server)
	second.EnableHTTP2 = true
	if testmust.Thorough() {
		second.Config.WriteTimeout = hurry
	}
	second.StartTLS()
	t.Cleanup(second.Close)
	stream, _ := listen(t, http.DefaultClient, base+path+"?from=1")
	stream2, _ := listen(t, second.Client(), second.URL+path+"?from=1")
	testmust.Require(t, stream2.resp.ProtoMajor == 2, stream2.resp.Proto)
	polled := make(chan answer)
	go func() {
		polled <- call(t, base, "GET", strings.TrimSuffix(path, "events")+"messages?from=1&wait=60", nil)
	}()
	asked := make(chan answer)
	go func() {
		asked <- call(t, base, "GET", "/v1/checkpoint?min_size=2&wait=60", nil, "Accept", "text/plain")
	}()
	if testmust.Thorough() {
		time.Sleep(hurry + hurry/2)
	}
	h.posted("/v1/entries", entries[1])
	for _, l := range []*listener{stream, stream2} {
		var m client.Message
		l.event(&m)
		testmust.Holdf(t, m.Entry == string(entries[1]), "%s: streamed %+v", l.resp.Proto, m)
	}
	var list client.Messages
	h.decode(<-polled, &list)
	testmust.Holdf(t, len(list.Messages) == 1 && list.Messages[0].Entry == string(entries[1]), "polled %+v", list)
	testmust.Equal(t, testmust.Have(tlog.ParseCheckpoint((<-asked).body))(t, "asked for size 2").Size, 2, "asked for size 2")
	testmust.Do(t, stop())
	for _, l := range []*listener{stream, stream2} {
		rest, err := io.ReadAll(l.lines)
		testmust.Holdf(t, err == nil && len(rest) == 0, "%s: at shutdown the stream ends with %q, %v", l.resp.Proto, rest, err)
	}
}

// taker is a client that records by when it has to take each part of an answer. It may go in
// the middle.
type taker struct {
	*httptest.ResponseRecorder
	most      int // parts, if it goes
	deadline  time.Time
	parts     int
	late      bool
	unlimited int // times that the deadline was lifted
}

func (l *taker) SetWriteDeadline(d time.Time) error {
	l.deadline = d
	if d.IsZero() {
		l.unlimited++
	}
	return nil
}

func (l *taker) Write(b []byte) (int, error) {
	left := time.Until(l.deadline)
	l.late = l.late || left <= 0 || left > 15*time.Second
	l.deadline = time.Time{}.AddDate(9999, 0, 0)
	if l.parts++; l.parts == l.most {
		return 0, io.ErrClosedPipe
	}
	return l.ResponseRecorder.Write(b)
}

// A client that takes nothing more must be let go at the next part, be it a
// heartbeat, and must not be waited for between parts.
func TestStreamOfOneWhoLeaves(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) {
		o.After = func(time.Duration) <-chan time.Time { return time.After(20 * time.Millisecond) }
	})
	url, _ := h.table()
	l := &taker{ResponseRecorder: httptest.NewRecorder(), most: 3}
	h.server.ServeHTTP(l, from("192.0.2.1", url))
	testmust.Holdf(t, l.parts == 3 && !l.late && l.unlimited == 2,
		"%d parts; one with another deadline than a part has: %v; %d times without one", l.parts, l.late, l.unlimited)
}

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
