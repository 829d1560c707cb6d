package httpapi_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// gate is an admission whose Post is somebody else's.
type gate struct {
	httpapi.Admission
	post func(ctx context.Context, entry []byte) (admission.Posted, error)
}

func (g gate) Post(ctx context.Context, entry []byte) (admission.Posted, error) {
	return g.post(ctx, entry)
}

func gated(post func(ctx context.Context, entry []byte) (admission.Posted, error)) func(*httpapi.Options) {
	return func(o *httpapi.Options) { o.Admission = gate{o.Admission, post} }
}

// What the log cannot do must be said in a way that clients can act on, and
// without telling strangers about the inside.
func TestLogFailures(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		slug   string
		retry  bool
	}{
		{tlog.ErrBusy, 503, client.Busy, true},
		{context.DeadlineExceeded, 503, client.Busy, true},
		{tlog.ErrReadOnly, 503, client.ReadOnlyDisk, true},
		{errors.New("secret path /var/lib"), 500, client.Internal, false},
	} {
		h := newHouse(t, gated(func(context.Context, []byte) (admission.Posted, error) { return admission.Posted{}, c.err }))
		a := h.post("/v1/entries", []byte("x"))
		got := h.problem(a)
		if got.Status != c.status || got.Type != client.ProblemBase+c.slug || (a.header.Get("Retry-After") != "") != c.retry {
			t.Errorf("%v: %+v, Retry-After %q", c.err, got, a.header.Get("Retry-After"))
		}
		if strings.Contains(string(a.body), "secret") {
			t.Errorf("leaked: %s", a.body)
		}
	}
}

// A fault in one request must not take the server down.
func TestPanic(t *testing.T) {
	h := newHouse(t, gated(func(context.Context, []byte) (admission.Posted, error) { panic("a fault of ours") }))
	for range 3 {
		if got := h.problem(h.post("/v1/entries", []byte("x"))); got.Status != http.StatusInternalServerError || strings.Contains(got.Detail, "fault of ours") {
			t.Errorf("%+v", got)
		}
	}
	if got := h.get("/livez"); got.status != http.StatusOK {
		t.Errorf("livez: %d", got.status)
	}
}

// One address that posts too much must be slowed down, must not get round it by
// claiming to be others, and must still be able to read.
func TestRateLimit(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) {
		o.Limits = httpapi.Limits{PostRate: 0.001, PostBurst: 3, TableRate: 0.001, TableBurst: 1}
	})
	p, q := newTable(t, wire.RefuseFouls), newTable(t, wire.RefuseFouls)
	h.posted("/v1/tables", p.Entries[0])
	for _, c := range []struct {
		name  string
		entry []byte
		want  int
	}{
		{"a second table", q.Entries[0], http.StatusTooManyRequests},
		{"a message", key(t, p, 0), http.StatusCreated},
		{"a fourth post", key(t, p, 1), http.StatusTooManyRequests},
	} {
		a := h.call("POST", "/v1/entries", c.entry, "X-Forwarded-For", "192.0.2.7", "X-Real-Ip", "192.0.2.8", "Forwarded", "for=192.0.2.9")
		if a.status != c.want || c.want == http.StatusTooManyRequests && a.header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %s, want %d", c.name, a.status, a.body, c.want)
		}
	}
	if got := h.get("/v1/tables"); got.status != http.StatusOK {
		t.Errorf("reading: %d", got.status)
	}
}

// More requests at once than allowed must be turned away, not piled up.
func TestRequestsAreBounded(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	h := newHouse(t, func(o *httpapi.Options) {
		o.Limits.Posts = 1
		gated(func(context.Context, []byte) (admission.Posted, error) {
			close(entered)
			<-release
			return admission.Posted{}, tlog.ErrBusy
		})(o)
	})
	done := make(chan answer)
	go func() { done <- h.post("/v1/entries", []byte("x")) }()
	<-entered
	if got := h.problem(h.post("/v1/entries", []byte("y"))); got.Type != client.ProblemBase+client.Busy {
		t.Errorf("%+v", got)
	}
	if got := h.get("/checkpoint"); got.status != http.StatusOK {
		t.Errorf("reading beside posts: %d", got.status)
	}
	close(release)
	<-done
}

// A client that sends its entry byte by byte must keep nobody from posting.
func TestTricklingBodies(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Limits.Posts = 1 })
	for range 4 {
		c := testmust.Have(net.Dial("tcp", strings.TrimPrefix(h.url, "http://")))(t)
		defer c.Close()
		testmust.Have(c.Write([]byte("POST /v1/entries HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nx")))(t)
	}
	p := newTable(t, wire.RefuseFouls)
	h.posted("/v1/tables", p.Entries[0])
}

// A server that goes down must answer what it accepted, and not wait for those
// who only wait.
func TestShutdown(t *testing.T) {
	entered := make(chan struct{})
	release := make(chan struct{})
	h := newHouse(t, nil)
	p := newTable(t, wire.RefuseFouls)
	h.posted("/v1/tables", p.Entries[0])
	tables := testmust.Have(admission.Open(t.Context(), h.log, catalogue, admission.Options{}))(t)
	server := newServer(t, httpapi.Options{Limits: httpapi.Limits{PollsPerAddress: 1}, Log: h.log, Tiles: h.log, Key: h.key.Public, Admission: gate{tables, func(ctx context.Context, entry []byte) (admission.Posted, error) {
		close(entered)
		<-release
		return tables.Post(ctx, entry)
	}}})
	l := testmust.Have(net.Listen("tcp", "127.0.0.1:0"))(t)
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error)
	go func() { stopped <- server.Serve(ctx, l) }()
	url := "http://" + l.Addr().String()
	messages := "/v1/tables/" + p.State.ID().String() + "/messages"
	poll, _ := polling(t, url, messages+"?from=9")
	post := make(chan answer)
	go func() { post <- call(t, url, "POST", messages, key(t, p, 0)) }()
	<-entered
	stop()
	if a := <-poll; a.status != http.StatusOK {
		t.Errorf("poll: %d %s", a.status, a.body)
	}
	close(release)
	if a := <-post; a.status != http.StatusCreated {
		t.Errorf("post: %d %s", a.status, a.body)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if _, err := net.DialTimeout("tcp", l.Addr().String(), time.Second); err == nil {
		t.Error("it still listens")
	}
}

// An orchestrator must not send players to a log that takes nothing.
func TestHealth(t *testing.T) {
	var fault error
	h := newHouse(t, func(o *httpapi.Options) { o.Ready = func(context.Context) error { return fault } })
	if got := h.get("/readyz"); got.status != http.StatusOK {
		t.Errorf("ready: %d", got.status)
	}
	fault = errors.New("open /geheim/store: sequencer stopped")
	if got := h.problem(h.get("/readyz")); got.Type != client.ProblemBase+client.NotReady || strings.Contains(got.Detail, "geheim") {
		t.Errorf("%+v", got)
	}
	fault = fmt.Errorf("/geheim/store: %w", tlog.ErrReadOnly)
	if got := h.problem(h.get("/readyz")); got.Type != client.ProblemBase+client.ReadOnlyDisk || strings.Contains(got.Detail, "geheim") {
		t.Errorf("%+v", got)
	}
	if got := h.get("/livez"); got.status != http.StatusOK {
		t.Errorf("live: %d", got.status)
	}
	h.log.Close()
	fault = nil
	if got := h.problem(h.get("/readyz")); got.Type != client.ProblemBase+client.NotReady || got.Detail != "the log cannot be read" {
		t.Errorf("closed: %+v", got)
	}
}

// Who the log is, and how a page from elsewhere may ask.
func TestLogAndPreflight(t *testing.T) {
	next := testmust.Have(ledger.CreateKey(t.TempDir(), "log.example", rand.Reader))(t)
	h := newHouse(t, func(o *httpapi.Options) { o.Also = []string{next.Public} })
	var info client.LogInfo
	h.decode(h.get("/v1/log"), &info)
	if info.Key != h.key.Public || info.Origin != "log.example" || !slices.Equal(info.Keys, []string{h.key.Public, next.Public}) {
		t.Errorf("%+v", info)
	}
	a := h.call("OPTIONS", "/v1/entries", nil, "Origin", "https://elsewhere.example", "Access-Control-Request-Method", "POST")
	if a.status != http.StatusNoContent || !strings.Contains(a.header.Get("Access-Control-Allow-Methods"), "POST") || a.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("preflight: %d %v", a.status, a.header)
	}
}
