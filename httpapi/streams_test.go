package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
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
		if err != nil || id != fmt.Sprint(size) || c.Size != size || open.Size != size || tlog.Hash(c.Root) != open.Root || c.Origin != open.Origin {
			t.Errorf("event %s is %+v (%v), want size %d", id, c, err, size)
		}
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
		if l.event(&m); m.Entry != string(entries[1]) {
			t.Errorf("%s: streamed %+v", l.resp.Proto, m)
		}
	}
	var list client.Messages
	h.decode(<-polled, &list)
	testmust.Holdf(t, len(list.Messages) == 1 && list.Messages[0].Entry == string(entries[1]), "polled %+v", list)
	testmust.Equal(t, testmust.Have(tlog.ParseCheckpoint((<-asked).body))(t, "asked for size 2").Size, 2, "asked for size 2")
	testmust.Do(t, stop())
	for _, l := range []*listener{stream, stream2} {
		if rest, err := io.ReadAll(l.lines); err != nil || len(rest) > 0 {
			t.Errorf("%s: at shutdown the stream ends with %q, %v", l.resp.Proto, rest, err)
		}
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
