package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/internal/testmust"
)

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
