package httpapi_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/wire"
)

// gate is an admission whose Post is somebody else's.
type gate struct {
	httpapi.Admission
	post func(ctx context.Context, e *bulletin.Entry) (admission.PostedEntry, error)
}

func (g gate) Post(ctx context.Context, e *bulletin.Entry) (admission.PostedEntry, error) {
	return g.post(ctx, e)
}

func gated(post func(ctx context.Context, e *bulletin.Entry) (admission.PostedEntry, error)) func(*httpapi.Options) {
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
		{tlog.ErrUnconfirmed, 503, client.Unconfirmed, true},
		{errors.New("secret path /var/lib"), 500, client.Internal, false},
	} {
		h := newHouse(t, gated(func(context.Context, *bulletin.Entry) (admission.PostedEntry, error) {
			return admission.PostedEntry{}, c.err
		}))
		a := h.post("/v1/entries", stray(t))
		got := h.problem(a)
		if got.Status != c.status || got.Type != client.ProblemBase+c.slug || (a.header.Get("Retry-After") != "") != c.retry {
			t.Errorf("%v: %+v, Retry-After %q", c.err, got, a.header.Get("Retry-After"))
		}
		testmust.Hold(t, !strings.Contains(string(a.body), "secret"), "leaked", a.body)
	}
}

// A fault in one request must not take the server down.
func TestPanic(t *testing.T) {
	h := newHouse(t, gated(func(context.Context, *bulletin.Entry) (admission.PostedEntry, error) { panic("a fault of ours") }))
	for range 3 {
		got := h.problem(h.post("/v1/entries", stray(t)))
		testmust.Holdf(t, got.Status == http.StatusInternalServerError && !strings.Contains(got.Detail, "fault of ours"), "%+v", got)
	}
	h.expect(http.StatusOK, h.get("/livez"))
}

// One address that posts too much must be slowed down, must not get round it by
// claiming to be others, and must still be able to read.
func TestRateLimit(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) {
		o.Limits = httpapi.Limits{PostRate: 0.001, PostBurst: 3, TableRate: 0.001, TableBurst: 1, Posts: 1}
	})
	p, _ := h.newTable(wire.RefuseFouls)
	post := func(entry []byte) answer {
		return h.call("POST", "/v1/entries", entry, "X-Forwarded-For", "192.0.2.7", "X-Real-Ip", "192.0.2.8", "Forwarded", "for=192.0.2.9")
	}
	h.refusal(client.RateLimited, post(newTable(t, wire.RefuseFouls).Entries[0])) // a second table
	h.expect(http.StatusCreated, post(key(t, p, 0)))
	h.refusal(client.RateLimited, post(key(t, p, 1))) // a fourth post
	h.expect(http.StatusOK, h.get("/v1/tables"))
}

// More requests at once than allowed must be turned away, not piled up.
func TestRequestsAreBounded(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	h := newHouse(t, func(o *httpapi.Options) {
		o.Limits.Posts = 1
		gated(func(context.Context, *bulletin.Entry) (admission.PostedEntry, error) {
			close(entered)
			<-release
			return admission.PostedEntry{}, tlog.ErrBusy
		})(o)
	})
	done := make(chan answer)
	go func() { done <- h.post("/v1/entries", stray(t)) }()
	<-entered
	h.refusal(client.Busy, h.post("/v1/entries", stray(t)))
	h.expect(http.StatusOK, h.get("/checkpoint"))
	close(release)
	<-done
}

// A client that sends its entry byte by byte must keep nobody from posting.
func TestTricklingBodies(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Limits.Posts = 1 })
	for range 4 {
		fmt.Fprint(dial(t, h.url), "POST /v1/entries HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nx")
	}
	h.newTable(wire.RefuseFouls)
}

// A server that goes down must answer what it accepted, and not wait for those
// who only wait.
func TestShutdown(t *testing.T) {
	entered, release, begun := make(chan struct{}), make(chan struct{}), false
	h := newHouse(t, func(o *httpapi.Options) {
		o.Limits.PollsPerAddress = 1
		tables := o.Admission
		gated(func(ctx context.Context, e *bulletin.Entry) (admission.PostedEntry, error) {
			if begun {
				close(entered)
				<-release
			}
			begun = true
			return tables.Post(ctx, e)
		})(o)
	})
	p, path := h.newTable(wire.RefuseFouls)
	url, stop := h.serve()
	poll, _ := polling(t, url, path+"/messages?from=9")
	post, stopped := make(chan answer), make(chan error)
	go func() { post <- call(t, url, "POST", path+"/messages", key(t, p, 0)) }()
	<-entered
	go func() { stopped <- stop() }()
	h.expect(http.StatusOK, <-poll)
	close(release)
	h.expect(http.StatusCreated, <-post)
	testmust.Do(t, <-stopped)
	testmust.Fail(t, testmust.ErrorOf(net.Dial("tcp", strings.TrimPrefix(url, "http://"))), "it still listens")
}

// An orchestrator must not send players to a log that takes nothing.
func TestHealth(t *testing.T) {
	var fault error
	h := newHouse(t, func(o *httpapi.Options) { o.Ready = func(context.Context) error { return fault } })
	h.expect(http.StatusOK, h.get("/readyz"))
	testmust.Hold(t, strings.HasPrefix(string(h.expect(http.StatusOK, h.get("/v1/health")).body), `{"status":"ready","version":"`), "no version")
	for slug, cause := range map[string]error{client.NotReady: errors.New("sequencer stopped"), client.ReadOnlyDisk: tlog.ErrReadOnly, client.Unconfirmed: tlog.ErrUnconfirmed} {
		fault = fmt.Errorf("/geheim/store: %w", cause)
		for _, path := range []string{"/readyz", "/v1/health"} {
			got := h.refusal(slug, h.get(path))
			testmust.Holdf(t, !strings.Contains(got.Detail, "geheim"), "%s: %+v", path, got)
		}
	}
	h.expect(http.StatusOK, h.get("/livez"))
	h.log.Close()
	fault = nil
	got := h.refusal(client.NotReady, h.get("/readyz"))
	testmust.Holdf(t, got.Detail == "the log cannot be read", "closed: %+v", got)
}

// Who the log is, while its key changes too.
func TestLogInfo(t *testing.T) {
	next := testmust.Have(ledger.CreateKey(t.TempDir(), "log.example", rand.Reader))(t)
	h := newHouse(t, func(o *httpapi.Options) { o.Also = []string{next.Public} })
	info := read[client.LogInfo](h, "/v1/log")
	testmust.Holdf(t, info.Key == h.key.Public && info.Origin == "log.example" && slices.Equal(info.Keys, []string{h.key.Public, next.Public}), "%+v", info)
}

// A browser that has been here by TLS and can be led here without it.
func TestStrictTransport(t *testing.T) {
	h := newHouse(t, nil)
	for scheme, want := range map[string]bool{"https": true, "http": false} {
		w := httptest.NewRecorder()
		h.server.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, scheme+"://log.example/livez", nil))
		got := w.Header().Get("Strict-Transport-Security") != ""
		testmust.Holdf(t, w.Code == http.StatusOK && got == want, "%s: %d %v", scheme, w.Code, w.Header())
	}
}

// An operator's list that is served without being one, or anew each time; and a log that is
// closed and takes an entry, or does not say where the others are.
func TestClosedLog(t *testing.T) {
	testmust.Equal(t, newHouse(t, nil).get("/v1/logs").status, http.StatusNotFound, "no list")
	const list = "signed by the operator\n"
	var closed atomic.Bool
	h := newHouse(t, func(o *httpapi.Options) {
		o.Logs, o.Closed = func() []byte { return []byte(list) }, closed.Load
	})
	a := h.expect(http.StatusOK, h.get("/v1/logs"))
	testmust.Holdf(t, string(a.body) == list, "the list: %s", a.body)
	h.unchanged("/v1/logs")
	p, _ := h.newTable(wire.RefuseFouls)
	size := h.size()
	closed.Store(true)
	for _, way := range ways(p.State.ID().String())[:6] { // to the log
		h.refusal(client.LogClosed, h.expect(http.StatusGone, h.post(way, p.Entries[0])))
	}
	testmust.Equal(t, h.size(), size, "a log that is closed has grown")
}

func (h *house) size() uint64 {
	h.t.Helper()
	return testmust.Have(h.log.Checkpoint(h.t.Context()))(h.t).Size
}

func get(h http.Handler, path string, header ...string) *httptest.ResponseRecorder {
	return getAt(h, "127.0.0.1:8081", path, header...)
}

func getAt(h http.Handler, host, path string, header ...string) *httptest.ResponseRecorder {
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil)
	r.Host = host
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	h.ServeHTTP(w, r)
	return w
}

func well(context.Context) []httpapi.HealthCheck { return nil }

// Figures that do not count, or that others could fill with labels of theirs.
func TestMetrics(t *testing.T) {
	m := httpapi.NewOperatorMetrics()
	tables := 7.0
	m.AddGauge("tables", "Tables in the log.", func() float64 { return tables })
	m.CountAnswer("/v1/tables/:id", "GET", 200, 3*time.Millisecond, false)
	m.CountAnswer("/v1/tables/:id", "BREW-7", 405, time.Millisecond, false)
	m.CountAnswer("/v1/tables/:id/messages", "GET", 200, time.Minute, true)
	m.CountRefusal("stale-parent")
	m.CountBatch(12, 4*time.Millisecond)
	m.CountBatch(1, time.Millisecond)
	w := get(httpapi.OperatorHandler(m, well, "", nil), "/metrics")
	body := w.Body.String()
	for _, line := range []string{
		`pakli_http_requests_total{code="200",method="GET",route="/v1/tables/:id"} 1`,
		`pakli_http_requests_total{code="405",method="other",route="/v1/tables/:id"} 1`,
		`pakli_http_requests_total{code="200",method="GET",route="/v1/tables/:id/messages"} 1`,
		`pakli_http_request_seconds_count{route="/v1/tables/:id"} 2`,
		`pakli_refused_total{reason="stale-parent"} 1`,
		`pakli_log_appended_total 13`,
		`pakli_log_batch_entries_bucket{le="8"} 1`,
		`pakli_log_batch_entries_count 2`,
		`pakli_tables 7`,
	} {
		testmust.Hold(t, strings.Contains(body, line+"\n"), line, "is missing")
	}
	testmust.Hold(t, !strings.Contains(body, `pakli_http_request_seconds_count{route="/v1/tables/:id/messages"}`) && strings.Contains(body, "\ngo_goroutines "),
		"a long poll counts as slow, or the runtime does not show")
	problems, err := promlint.New(strings.NewReader(body)).Lint()
	for _, p := range problems {
		testmust.Hold(t, !strings.HasPrefix(p.Metric, "pakli_"), p.Metric, p.Text)
	}
	testmust.Do(t, err)
}

// A server that says it is ready where one thing is not, or keeps the reason.
func TestReady(t *testing.T) {
	checks := []httpapi.HealthCheck{{Name: "space", Ready: true, Detail: "3 GiB free"}, {Name: "sequencer", Ready: true}}
	h := httpapi.OperatorHandler(httpapi.NewOperatorMetrics(), func(context.Context) []httpapi.HealthCheck { return checks }, "", nil)
	if w := get(h, "/readyz"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "3 GiB free") {
		t.Errorf("ready: %d %s", w.Code, w.Body)
	}
	checks[1] = httpapi.HealthCheck{Name: "sequencer", Detail: "stands still for 1m0s"}
	w := get(h, "/readyz")
	var got struct {
		Ready  bool
		Checks []httpapi.HealthCheck
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusServiceUnavailable || got.Ready || len(got.Checks) != 2 || got.Checks[1] != checks[1] {
		t.Errorf("not ready: %d %s (%v)", w.Code, w.Body, err)
	}
}

// What is the operator's must not be shown without the token, if there is one.
func TestToken(t *testing.T) {
	h := httpapi.OperatorHandler(httpapi.NewOperatorMetrics(), well, "secret", nil)
	for _, c := range []struct {
		path, authorization string
		want                int
	}{
		{"/metrics", "", 401}, {"/metrics", "Bearer secre", 401}, {"/metrics", "secret", 401}, {"/metrics", "Bearer secret ", 401},
		{"/metrics", "Bearer secret", 200}, {"/readyz", "", 401}, {"/readyz", "Bearer secret", 200},
		{"/livez", "", 200}, {"/", "Bearer secret", 404},
	} {
		w := get(h, c.path, "Authorization", c.authorization)
		testmust.Holdf(t, w.Code == c.want && (w.Code != 401 || w.Header().Get("WWW-Authenticate") != ""),
			"%s with %q: %d, want %d", c.path, c.authorization, w.Code, c.want)
	}
}

// A page whose name was made to lead to this machine must not read what is the
// operator's; with a token there is another guard.
func TestRebinding(t *testing.T) {
	open, guarded := httpapi.OperatorHandler(httpapi.NewOperatorMetrics(), well, "", nil), httpapi.OperatorHandler(httpapi.NewOperatorMetrics(), well, "secret", nil)
	for host, want := range map[string]int{"evil.example:8081": 421, "": 421, "localhost:8081": 200, "[::1]:8081": 200} {
		for _, path := range []string{"/metrics", "/readyz"} {
			testmust.Equal(t, getAt(open, host, path).Code, want, path, "under", host)
			testmust.Equal(t, getAt(guarded, host, path, "Authorization", "Bearer secret").Code, 200, path, "under", host, "with the token")
		}
	}
}
