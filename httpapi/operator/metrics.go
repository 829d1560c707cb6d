package operator

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// namespace begins the name of every metric of ours.
const namespace = "pakli"

// Metrics counts what happens. All methods may be called at the same time.
type Metrics struct {
	registry *prometheus.Registry

	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	refused  *prometheus.CounterVec
	appended prometheus.Counter
	batches  prometheus.Histogram
	commits  prometheus.Histogram
}

// NewMetrics returns metrics of a process in which nothing has happened yet.
func NewMetrics() *Metrics {
	m := &Metrics{
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
	}
	m.Register(m.requests, m.seconds, m.refused, m.appended, m.batches, m.commits,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Register adds what others count: cosigners have their own collectors. It
// panics if a name is taken.
func (m *Metrics) Register(c ...prometheus.Collector) { m.registry.MustRegister(c...) }

// Gauge adds a value that is asked for when somebody looks.
func (m *Metrics) Gauge(name, help string, value func() float64) {
	m.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, value))
}

// Answered counts a request. Route is a pattern, not a path; what waits to be
// woken has no route, since its time says nothing.
func (m *Metrics) Answered(route, method string, status int, took time.Duration, waited bool) {
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

// Refused counts a refusal.
func (m *Metrics) Refused(reason string) { m.refused.WithLabelValues(reason).Inc() }

// Batch counts a batch of the log.
func (m *Metrics) Batch(entries int, took time.Duration) {
	m.appended.Add(float64(entries))
	m.batches.Observe(float64(entries))
	m.commits.Observe(took.Seconds())
}

func (m *Metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}
