package serve

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/admission"
)

// operatorOptions say what the operator sees, and where.
type operatorOptions struct {
	address   string        // "" or none: nowhere
	tokenFile string        // with the bearer token
	patience  time.Duration // how long an entry may wait for the log; 0: for ever
}

const noAddress = "none"

// office serves the operator.
type office struct {
	server *http.Server
	file   string // has the address
}

// openOffice serves metrics and health if the operator wants any. A front end that waits for its
// cluster has opened it already.
func (s *Server) openOffice(o Options, p *preparedServer) error {
	if p.office == nil || s.office != nil {
		return nil
	}
	token, err := o.operator.madeToken(o.Data)
	if err != nil {
		return err
	}
	var attempts func() any
	if p.hook != nil {
		attempts = func() any { return p.hook.Attempts() }
	}
	s.office = &office{
		server: &http.Server{Handler: httpapi.OperatorHandler(s.metrics, logHealth(s.health, o.logger), token, attempts), ReadTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second,
			ErrorLog: slog.NewLogLogger(o.logger.Handler(), slog.LevelDebug)},
		file: filepath.Join(o.Data, operatorFile),
	}
	go s.office.server.Serve(p.office)
	return os.WriteFile(s.office.file, []byte("http://"+p.office.Addr().String()+"\n"), 0o644)
}

// token reads the token from its file or, if none is named, from the log's directory. The first start
// at an address that others can reach makes that file; before, the error is fs.ErrNotExist.
func (o operatorOptions) token(data string) (string, error) {
	if o.tokenFile == "" && loopback(o.address) {
		return "", nil
	}
	file := cmp.Or(o.tokenFile, filepath.Join(data, tokenFile))
	b, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(b))
	if len(token) < 16 {
		return "", fmt.Errorf("%s: the token has %d characters, must have at least 16", file, len(token))
	}
	return token, nil
}

// madeToken returns the token, and makes it if it belongs into the log's directory and is missing.
func (o operatorOptions) madeToken(data string) (string, error) {
	token, err := o.token(data)
	if o.tokenFile != "" || !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	token = rand.Text()
	return token, durable.Replace(filepath.Join(data, tokenFile), []byte(token+"\n"), 0o600)
}

// Ready asks the server or cosigner of this machine whether it is ready.
func Ready(f *command.Flags) command.Body {
	var o Options
	set := newSettings(f, o.sections())
	cosigner := f.String("cosigner", "", "`directory` of a cosigner or keeper of this machine, which is asked in place of the server")
	return func(ctx context.Context, e command.Env) error {
		if *cosigner != "" {
			return askReady(ctx, filepath.Join(*cosigner, urlFile), "")
		}
		if _, err := set.readSettings(os.Environ()); err != nil {
			return command.ExitWith(command.ExitUsage, err)
		}
		token, err := o.operator.token(o.Data)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // a server that has not started has no token
			return err
		}
		return askReady(ctx, filepath.Join(o.Data, operatorFile), token)
	}
}

// healthClient asks this machine directly: a proxy would get the token and could answer in the
// server's place. A server that listens on all addresses is asked at loopback, to which [net.Dial]
// connects for an unspecified address.
var healthClient = http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Timeout:       5 * time.Second,
}

// askReady returns every failing check. The file has the address as long as something answers there.
func askReady(ctx context.Context, file, token string) error {
	url, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("nothing runs on %s that could be asked: %w", filepath.Dir(file), err)
	}
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSpace(string(url))+"/readyz", nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := healthClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	said, err := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
	return errors.Join(fmt.Errorf("not ready: it answers %s %s", resp.Status, bytes.TrimSpace(said)), err)
}

func (of *office) close() error {
	if of == nil {
		return nil
	}
	os.Remove(of.file)
	return of.server.Close()
}

// measure registers metrics of the log and its tables.
func (s *Server) measure(tables *admission.Admission, gate *httpapi.Gate) {
	health := func(of func(h ledger.Health) float64) func() float64 {
		return func() float64 { return of(s.log.Health()) }
	}
	m := s.metrics
	m.AddGauge("log_entries", "Entries under the published checkpoint.", health(func(h ledger.Health) float64 { return float64(h.Size) }))
	m.AddGauge("log_waiting", "Entries that wait for the sequencer.", health(func(h ledger.Health) float64 { return float64(h.Waiting) }))
	m.AddGauge("log_delay_seconds", "Age of the oldest entry that is not answered.", health(func(h ledger.Health) float64 { return h.Delay.Seconds() }))
	m.AddGauge("checkpoint_age_seconds", "Age of the published checkpoint.", health(func(h ledger.Health) float64 { return h.Published.Seconds() }))
	m.AddGauge("disk_free_bytes", "Free on the disk of the log.", health(func(h ledger.Health) float64 { return float64(h.Free) }))
	m.AddGauge("disk_needed_bytes", "Free bytes without which the log takes no entries.", health(func(h ledger.Health) float64 { return float64(h.Needed) }))
	m.AddGauge("store_tables", "Tables of the store on disk; looking for an entry asks them all.", health(func(h ledger.Health) float64 { return float64(h.StoreTables) }))
	m.AddGauge("tables", "Tables in the log.", func() float64 { n, _ := tables.Count(); return float64(n) })
	m.AddGauge("tables_live", "Tables replayed in memory.", func() float64 { _, n := tables.Count(); return float64(n) })
	m.AddGauge("checks_waiting", "Callers that wait for a processor to check their proofs.", func() float64 { return float64(gate.Waiting()) })
}

// health returns the checks that decide whether the server is ready.
func (s *Server) health(ctx context.Context) []httpapi.HealthCheck {
	if !s.opened.Load() {
		return s.waitingCheck()
	}
	h := s.log.Health()
	mib := func(n uint64) uint64 { return n >> 20 }
	late := s.checkDelay(h)
	checks := []httpapi.HealthCheck{
		{Name: "log", Ready: s.log.Err() == nil, Detail: fmt.Sprintf("%d entries", h.Size)},
		{Name: "space", Ready: h.Free >= h.Needed, Detail: fmt.Sprintf("%d MiB free, %d MiB needed", mib(h.Free), mib(h.Needed))},
		{Name: "sequencer", Ready: late == nil, Detail: fmt.Sprintf("%d entries wait, the oldest for %v", h.Waiting, h.Delay.Round(time.Millisecond))},
		{Name: "checkpoint", Ready: late == nil, Detail: fmt.Sprintf("published %v ago", h.Published.Round(time.Millisecond))},
	}
	checks = append(checks, s.cosignersCheck()...)
	checks = append(checks, s.clusterChecks()...)
	if err := s.log.Err(); err != nil {
		checks[0].Detail = err.Error()
	} else if h.Err != nil && h.Free >= h.Needed {
		checks[0].Ready, checks[0].Detail = false, h.Err.Error()
	}
	return checks
}

// logHealth logs changes of the checks, as often as somebody asks for them: a health check does so
// all the time.
func logHealth(health httpapi.Health, logger *slog.Logger) httpapi.Health {
	var mu sync.Mutex
	ill := map[string]bool{}
	return func(ctx context.Context) []httpapi.HealthCheck {
		checks := health(ctx)
		mu.Lock()
		defer mu.Unlock()
		for _, c := range checks {
			if ill[c.Name] != c.Ready {
				continue
			}
			if ill[c.Name] = !c.Ready; c.Ready {
				logger.InfoContext(ctx, "well again", "check", c.Name, "detail", c.Detail)
			} else {
				logger.WarnContext(ctx, "not ready", "check", c.Name, "detail", c.Detail)
			}
		}
		return checks
	}
}

// checkDelay returns an error if the log stands still while an entry waits. An old checkpoint of an
// idle log is no error.
func (s *Server) checkDelay(h ledger.Health) error {
	if s.patience > 0 && h.Delay > s.patience {
		return fmt.Errorf("an entry has waited %v for the log", h.Delay.Round(time.Second))
	}
	return nil
}

// ready returns the same as one error for callers other than the operator.
func (s *Server) ready(ctx context.Context) error {
	return errors.Join(s.log.Ready(ctx), s.checkDelay(s.log.Health()), s.clusterReady())
}

type logging struct{ format, level, requests string }

func (l logging) logger(w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(l.level)) // only valid levels can be chosen
	o := &slog.HandlerOptions{Level: level}
	if l.format == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

// Bounds of log lines about requests, so that a flood does not fill the disk.
const (
	maxLines     = 100 // a second
	maxLineBurst = 1000
	maxPath      = 200 // bytes of a path in a line
)

// answerLogger returns a function that counts and logs requests.
func (s *Server) answerLogger(o Options) func(httpapi.AnsweredRequest) {
	lines := rate.NewLimiter(maxLines, maxLineBurst)
	var skipped atomic.Int64
	return func(a httpapi.AnsweredRequest) {
		route := a.Route
		if route == "" {
			route = "none"
		}
		s.metrics.CountAnswer(route, a.Method, a.Status, a.Took, a.Waited)
		if a.Reason != "" {
			s.metrics.CountRefusal(a.Reason)
		}
		if o.logging.requests == "" || o.logging.requests == "none" || o.logging.requests == "refused" && a.Reason == "" {
			return
		}
		if !lines.Allow() {
			skipped.Add(1)
			return
		}
		level := slog.LevelInfo
		if a.Status >= http.StatusInternalServerError {
			level = slog.LevelWarn
		}
		o.logger.LogAttrs(context.Background(), level, "request", lineOf(a, skipped.Swap(0))...)
	}
}

func lineOf(a httpapi.AnsweredRequest, skipped int64) []slog.Attr {
	line := []slog.Attr{
		slog.String("request", a.Request), slog.String("method", a.Method), slog.String("path", a.Path[:min(len(a.Path), maxPath)]),
		slog.String("caller", a.Caller.String()), slog.Int("status", a.Status), slog.Int64("bytes", a.Bytes),
		slog.Float64("ms", float64(a.Took.Microseconds())/1000),
	}
	if a.Reason != "" {
		line = append(line, slog.String("reason", a.Reason))
	}
	if skipped > 0 {
		line = append(line, slog.Int64("skipped", skipped)) // lines skipped before this one
	}
	return line
}
