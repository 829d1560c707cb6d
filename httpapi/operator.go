package httpapi

// This is what the operator of a server sees of it, apart from
// everybody else's surface: metrics in the format of Prometheus, and whether the
// server lives and is ready, with the reasons.
//
// It knows nothing of logs and tables: who starts the server tells [OperatorMetrics]
// what happens, and names the checks of [Health]. Labels have few values, all of
// them the server's own words: nothing that a caller sent becomes one.
//
// What it shows is no secret of players, but is for the operator alone: [OperatorHandler] may
// want a token.

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/pakli/pakli/httpapi/limit"
)

// OperatorHandler serves /metrics, /readyz and /livez, and as /webhooks what attempts are, unless it is nil. With a token all but /livez want it
// as a bearer token (RFC 6750). Without one they are for this machine, and have to
// be asked for under a name of it: a page whose name was made to lead here has
// another.
func OperatorHandler(m *OperatorMetrics, h Health, token string, attempts func() any) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", requireToken(token, promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})))
	mux.Handle("GET /readyz", requireToken(token, http.HandlerFunc(h.serveReady)))
	if attempts != nil {
		mux.Handle("GET /webhooks", requireToken(token, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Cache-Control", "no-store")
			_ = json.NewEncoder(w).Encode(attempts()) // the caller may have gone
		})))
	}
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "alive\n") })
	return mux
}

// requireToken compares hashes, in constant time: neither the token nor its length
// can be found by trying.
func requireToken(token string, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		got := sha256.Sum256([]byte(said))
		if token != "" && (subtle.ConstantTimeCompare(got[:], want[:]) != 1 || !bearer) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the operator's token is needed", http.StatusUnauthorized)
			return
		}
		if token == "" && !limit.IsLoopback(r.Host) {
			http.Error(w, "this is for programs of its own machine", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// HealthCheck is one reason why a server is ready, or is not.
type HealthCheck struct {
	Name   string `json:"name"`
	Ready  bool   `json:"ready"`
	Detail string `json:"detail"`
}

// Health looks at everything that has to be well. It must not wait for long.
type Health func(context.Context) []HealthCheck

// readyReport is the body of /readyz.
type readyReport struct {
	Ready  bool          `json:"ready"`
	Checks []HealthCheck `json:"checks"`
}

// serveReady answers 200 if every check is, otherwise 503, and says why.
func (h Health) serveReady(w http.ResponseWriter, r *http.Request) {
	d := readyReport{Ready: true, Checks: h(r.Context())}
	for _, c := range d.Checks {
		d.Ready = d.Ready && c.Ready
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if !d.Ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(d) // the caller may have gone
}

// namespace begins the name of every metric of ours.
const namespace = "pakli"

// OperatorMetrics counts what happens. All methods may be called at the same time.
type OperatorMetrics struct {
	registry *prometheus.Registry

	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	refused  *prometheus.CounterVec
	appended prometheus.Counter
	batches  prometheus.Histogram
	commits  prometheus.Histogram
	stages   *prometheus.HistogramVec
}

// NewOperatorMetrics returns metrics of a process in which nothing has happened yet.
func NewOperatorMetrics() *OperatorMetrics {
	m := &OperatorMetrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "http_requests_total", Help: "Requests that were answered."}, []string{"route", "method", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "http_request_seconds", Help: "Time from the header of a request to the end of its answer.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 16)}, []string{"route"}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "refused_total", Help: "Requests that were refused, by the limit or else the type of problem."}, []string{"reason"}),
		appended: prometheus.NewCounter(prometheus.CounterOpts{
			Namespace: namespace, Name: "log_appended_total", Help: "Entries appended by this process."}),
		batches: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: namespace, Name: "log_batch_entries", Help: "Entries in a batch.", Buckets: prometheus.ExponentialBuckets(1, 2, 12)}),
		commits: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: namespace, Name: "log_batch_seconds", Help: "Time from the first entry of a batch to its checkpoint.",
			Buckets: prometheus.ExponentialBuckets(0.00025, 2, 16)}),
		stages: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "cluster_stage_seconds", Help: "Time of an entry on a cluster: to hand it in (queue), until it is integrated and here (integrate), from there until it is promised (promise).",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 14)}, []string{"stage"}),
	}
	m.Register(m.stages, m.requests, m.seconds, m.refused, m.appended, m.batches, m.commits,
		collectors.NewBuildInfoCollector(), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Register adds what others count: cosigners have their own collectors. It
// panics if a name is taken.
func (m *OperatorMetrics) Register(c ...prometheus.Collector) { m.registry.MustRegister(c...) }

// AddGauge adds a value that is asked for when somebody looks.
func (m *OperatorMetrics) AddGauge(name, help string, value func() float64) {
	m.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, value))
}

// CountAnswer counts a request. Route is a pattern, not a path; what waits to be
// woken has no route, since its time says nothing.
func (m *OperatorMetrics) CountAnswer(route, method string, status int, took time.Duration, waited bool) {
	m.requests.WithLabelValues(route, knownMethod(method), strconv.Itoa(status)).Inc()
	if !waited {
		m.seconds.WithLabelValues(route).Observe(took.Seconds())
	}
}

// knownMethod keeps made-up methods from becoming labels.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions:
		return method
	}
	return "other"
}

// CountRefusal counts a refusal.
func (m *OperatorMetrics) CountRefusal(reason string) { m.refused.WithLabelValues(reason).Inc() }

// CountBatch counts a batch of the log.
func (m *OperatorMetrics) CountBatch(entries int, took time.Duration) {
	m.appended.Add(float64(entries))
	m.batches.Observe(float64(entries))
	m.commits.Observe(took.Seconds())
}

// ObserveStage tells how long an entry took for a stage of its way through a cluster.
func (m *OperatorMetrics) ObserveStage(stage string, took time.Duration) {
	m.stages.WithLabelValues(stage).Observe(took.Seconds())
}
