package cosign_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/cosign"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
)

// fakeLog is a log in memory, as a Submitter sees it.
type fakeLog struct {
	*logHistory

	mu       sync.Mutex
	grown    chan struct{} // closed when there are more entries
	cosigned *tlog.Checkpoint
	stopped  error
}

func newLog(h *logHistory) *fakeLog {
	return &fakeLog{logHistory: h, grown: make(chan struct{})}
}

func (l *fakeLog) append(n int) {
	l.Grow(n)
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.grown)
	l.grown = make(chan struct{})
}

func (l *fakeLog) Checkpoint(context.Context) (tlog.Checkpoint, error) {
	return l.CheckpointAt(l.Size()), nil
}

func (l *fakeLog) Consistency(_ context.Context, old, size uint64) (tlog.Consistency, error) {
	return tlog.Consistency{Old: old, Size: size, Hashes: l.Proof(old, size)}, nil
}

func (l *fakeLog) Await(ctx context.Context, size uint64) (tlog.Checkpoint, error) {
	for {
		l.mu.Lock()
		grown := l.grown
		l.mu.Unlock()
		if l.Size() > size {
			return l.Checkpoint(ctx)
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return tlog.Checkpoint{}, ctx.Err()
		}
	}
}

func (l *fakeLog) CosignedReader() tlog.Reader { return cosigned{log: l} }

type cosigned struct {
	tlog.Reader
	log *fakeLog
}

func (r cosigned) Checkpoint(context.Context) (tlog.Checkpoint, error) {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	if r.log.cosigned == nil {
		return tlog.Checkpoint{}, tlog.ErrNotCosigned
	}
	return *r.log.cosigned, nil
}

func (l *fakeLog) PublishCosigned(c tlog.Checkpoint) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cosigned = &c
	return nil
}

func (l *fakeLog) Stop(reason error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopped = errors.Join(l.stopped, reason)
}

// submitWorld is a log with cosigners anna, bela and csilla at their URLs, any of whom can be made to
// misbehave. Its time is that of testing/synctest.
type submitWorld struct {
	t      *testing.T
	log    *fakeLog
	policy *tlog.Policy
	skeys  map[string]string
	logs   bytes.Buffer
	start  time.Time

	mu        sync.Mutex
	offset    time.Duration           // of the log's clock
	cosigners map[string]http.Handler // by host
	bent      map[string]func(http.Handler) http.Handler
	requests  map[string][]time.Time
}

var names = []string{"anna", "bela", "csilla"}

func newSubmitWorld(t *testing.T, rest string) *submitWorld {
	t.Helper()
	_, logKey := ledgertest.NewKey(t, logOrigin, tlog.Ed25519)
	w := &submitWorld{
		t: t, log: newLog(newHistory(t, logKey)), start: time.Now(), skeys: map[string]string{},
		cosigners: map[string]http.Handler{}, bent: map[string]func(http.Handler) http.Handler{}, requests: map[string][]time.Time{},
	}
	text := "log " + logKey.Verifier().String() + "\n"
	for _, name := range names {
		skey, s := ledgertest.NewKey(t, name+".example", tlog.Ed25519Cosignature)
		c := testmust.Have(cosign.OpenCosigner(t.TempDir(), cosign.CosignerOptions{Signers: []string{skey}, Logs: []tlog.PolicyLog{{Key: logKey.Verifier()}}}))(t)
		t.Cleanup(func() { c.Close() })
		w.cosigners[name+".example"], w.skeys[name] = c, skey
		text += fmt.Sprintf("witness %s %s https://%s.example/\n", name, s.Verifier(), name)
	}
	w.policy = testmust.Have(tlog.ParsePolicy([]byte(text + rest)))(t)
	return w
}

// inWorld runs a test in a world of its own, whose time is that of testing/synctest.
func inWorld(t *testing.T, rest string, test func(t *testing.T, w *submitWorld)) {
	synctest.Test(t, func(t *testing.T) { test(t, newSubmitWorld(t, rest)) })
}

// asked is how often a cosigner has been.
func (w *submitWorld) asked(name string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.requests[name+".example"])
}

// RoundTrip answers for the cosigners, without a network.
func (w *submitWorld) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.requests[r.URL.Host] = append(w.requests[r.URL.Host], time.Now())
	h := w.cosigners[r.URL.Host]
	if bend := w.bent[r.URL.Host]; bend != nil {
		h = bend(h)
	}
	w.mu.Unlock()
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, r)
	if r.Context().Err() != nil {
		return nil, r.Context().Err()
	}
	return answer.Result(), nil
}

// bend changes what a cosigner does; nil lets it be well again.
func (w *submitWorld) bend(name string, f func(http.Handler) http.Handler) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bent[name+".example"] = f
}

func (w *submitWorld) submitter() *cosign.Submitter {
	w.t.Helper()
	return testmust.Have(cosign.NewSubmitter(w.log, cosign.SubmitterOptions{
		Policy: w.policy, Client: &http.Client{Transport: w}, Logger: slog.New(slog.NewTextHandler(&w.logs, nil)),
		Clock: func() time.Time {
			w.mu.Lock()
			defer w.mu.Unlock()
			return time.Now().Add(w.offset)
		},
	}))(w.t)
}

// run runs a submitter until the returned function is called.
func (w *submitWorld) run() (s *cosign.Submitter, stop func()) {
	s = w.submitter()
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.Run(ctx) }()
	return s, func() { cancel(); <-done }
}

// want checks who has cosigned which published checkpoint, with one line each.
func (w *submitWorld) want(size uint64, by ...string) {
	w.t.Helper()
	synctest.Wait()
	c, err := w.log.CosignedReader().Checkpoint(w.t.Context())
	testmust.Requiref(w.t, err == nil, "after %v: %v\n%s", time.Since(w.start), err, w.logs.String())
	testmust.Do(w.t, c.Verify(w.policy.Logs[0].Key))
	seen, err := w.policy.Cosignatures(c)
	var got []string
	for _, s := range seen {
		got = append(got, s.Cosigner)
	}
	slices.Sort(got)
	testmust.Holdf(w.t, err == nil && c.Size == size && fmt.Sprint(got) == fmt.Sprint(by) && w.policy.IsSatisfied(seen),
		"after %v: size %d cosigned by %v, %v, want size %d by %v", time.Since(w.start), c.Size, got, err, size, by)
	testmust.Equal(w.t, strings.Count(string(c.Note), "\n— "), 1+len(by), "signature lines, beside the log's those of", by)
}

const (
	twoOfThree = "group two 2 anna bela csilla\nquorum two\n"
	allThree   = "group all-three all anna bela csilla\nquorum all-three\n"
)

// answers answers with fixed bytes.
func submitAnswers(status int, media, body string) func(http.Handler) http.Handler {
	return func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", media)
			w.WriteHeader(status)
			io.WriteString(w, body)
		})
	}
}

// atFirst answers the first request with the size that was cosigned last.
func atFirst(size string) func(http.Handler) http.Handler {
	first := true
	return func(h http.Handler) http.Handler {
		if !first {
			return h
		}
		first = false
		return submitAnswers(409, "text/x.tlog.size", size)(h)
	}
}

// hangs accepts the request and never answers.
func hangs(http.Handler) http.Handler {
	return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // otherwise a server does not notice that the client has gone
		<-r.Context().Done()
	})
}

// slow answers after d.
func slow(d time.Duration) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(d)
			h.ServeHTTP(w, r)
		})
	}
}

// signs answers with a cosignature of text, or of the requested checkpoint if text is empty, with
// this time.
func (w *submitWorld) signs(name string, text string, at time.Time) func(http.Handler) http.Handler {
	return func(http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			testmust.Hold(w.t, err == nil, err)
			signed := text
			if signed == "" {
				_, cp, _ := strings.Cut(string(body), "\n\n")
				signed, _, _ = strings.Cut(cp, "\n\n")
				signed += "\n"
			}
			s, err := tlog.ParseSignerKey(w.skeys[name], func() time.Time { return at })
			testmust.Hold(w.t, err == nil, err)
			n, err := note.Sign(&note.Note{Text: signed}, s)
			testmust.Hold(w.t, err == nil, err)
			rw.Write(bytes.TrimPrefix(n, []byte(signed+"\n")))
		})
	}
}

// On a busy log with three cosigners everything is cosigned about once a second, and no cosigner is
// asked more often.
func TestBusyLog(t *testing.T) {
	inWorld(t, allThree, func(t *testing.T, w *submitWorld) {
		_, stop := w.run()
		for range 100 {
			w.log.append(7)
			time.Sleep(97 * time.Millisecond)
		}
		time.Sleep(2 * time.Second)
		w.want(700, names...)
		stop()
		for host, at := range w.requests {
			testmust.Holdf(t, len(at) >= 9 && len(at) <= 12, "%s was asked %d times in %v", host, len(at), time.Since(w.start))
			for i := 1; i < len(at); i++ {
				d := at[i].Sub(at[i-1])
				testmust.Holdf(t, d >= time.Second, "%s was asked again after %v", host, d)
			}
		}
	})
}

// overtaken makes a stranger show a cosigner each of our checkpoints before our request arrives, the
// first n times.
func (w *submitWorld) overtaken(n int) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			w.mu.Lock()
			n--
			first := n >= 0
			w.mu.Unlock()
			if first {
				w.overtake(h)
			}
			h.ServeHTTP(rw, r)
		})
	}
}

// overtake lets the log grow, and shows a cosigner its new checkpoint.
func (w *submitWorld) overtake(h http.Handler) {
	w.t.Helper()
	w.log.append(1)
	show := func(old uint64) *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		body := w.log.RequestSince(old, w.log.Size()).Marshal()
		h.ServeHTTP(answer, httptest.NewRequest("POST", "/add-checkpoint", bytes.NewReader(body)))
		return answer
	}
	answer := show(0)
	if answer.Code == http.StatusConflict {
		var size uint64
		fmt.Sscan(answer.Body.String(), &size)
		answer = show(size)
	}
	testmust.Equal(w.t, answer.Code, http.StatusOK, "the stranger is answered", answer.Body)
}

// A stranger without a key shows the log's public checkpoints to its cosigners before the log does.
// Their signatures must still be published, and they must not look unwell.
func TestStrangerIsFaster(t *testing.T) {
	inWorld(t, allThree, func(t *testing.T, w *submitWorld) {
		w.log.append(5)
		s, stop := w.run()
		w.want(5, names...)
		for round := range 21 {
			for _, name := range names {
				w.bend(name, w.overtaken(1+round%3))
			}
			w.log.append(1)
			time.Sleep(1100 * time.Millisecond)
			_, list := s.State()
			testmust.Requiref(t, list[0].Err == nil && list[1].Err == nil && list[2].Err == nil, "round %d: state %v\n%s", round, list, w.logs.String())
		}
		time.Sleep(3 * time.Second)
		w.want(w.log.Size(), names...)
		stop()
		testmust.Holdf(t, w.log.stopped == nil, "the log was stopped: %v", w.log.stopped)
	})
}

// A stranger that is faster every time is reported to the operator, costs a cosigner a bounded number
// of requests, and cannot use longer pauses to win.
func TestStrangerIsAlwaysFaster(t *testing.T) {
	inWorld(t, "quorum anna\n", func(t *testing.T, w *submitWorld) {
		w.log.append(5)
		w.bend("anna", w.overtaken(1<<30))
		s, stop := w.run()
		time.Sleep(time.Minute + time.Second/2)
		_, list := s.State()
		testmust.Holdf(t, list[0].Err != nil && strings.Contains(w.logs.String(), "faster"), "state %v\n%s", list, w.logs.String())
		asked := w.asked("anna")
		testmust.Holdf(t, asked >= 290 && asked <= 310, "asked %d times in a minute", asked)
		w.bend("anna", nil)
		time.Sleep(1100 * time.Millisecond)
		w.want(w.log.Size(), names...)
		_, list = s.State()
		testmust.Holdf(t, list[0].Err == nil, "state %v after the stranger has gone", list)
		stop()
	})
}

// A log at rest does not ask its cosigners.
func TestIdleLog(t *testing.T) {
	inWorld(t, twoOfThree, func(t *testing.T, w *submitWorld) {
		w.log.append(5)
		_, stop := w.run()
		time.Sleep(time.Hour)
		w.want(5, names...)
		stop()
		for host, at := range w.requests {
			testmust.Equal(t, len(at), 1, host, "how often it was asked")
		}
	})
}

// One cosigner of three fails in every possible way. The other two are a quorum at once, and the
// third catches up when it is well again.
func TestOneCosignerFails(t *testing.T) {
	for what, bend := range map[string]func(*submitWorld) func(http.Handler) http.Handler{
		"400": func(*submitWorld) func(http.Handler) http.Handler { return submitAnswers(400, "text/plain", "bad") },
		"403": func(*submitWorld) func(http.Handler) http.Handler { return submitAnswers(403, "text/plain", "no key") },
		"404": func(*submitWorld) func(http.Handler) http.Handler { return submitAnswers(404, "text/html", "<html>") },
		"429": func(*submitWorld) func(http.Handler) http.Handler { return submitAnswers(429, "text/plain", "") },
		"500": func(*submitWorld) func(http.Handler) http.Handler { return submitAnswers(500, "text/plain", "oh") },
		"503": func(*submitWorld) func(http.Handler) http.Handler { return submitAnswers(503, "", "") },
		"302": func(*submitWorld) func(http.Handler) http.Handler { return submitAnswers(302, "", "") },
		"307 to where it would be cosigned": func(w *submitWorld) func(http.Handler) http.Handler {
			w.cosigners["elsewhere.example"] = w.cosigners["csilla.example"]
			return func(http.Handler) http.Handler {
				return http.RedirectHandler("https://elsewhere.example/add-checkpoint", http.StatusTemporaryRedirect)
			}
		},
		"200 without a line": func(*submitWorld) func(http.Handler) http.Handler { return submitAnswers(200, "text/plain", "") },
		"200 with garbage": func(*submitWorld) func(http.Handler) http.Handler {
			return submitAnswers(200, "text/plain", "— x y\n")
		},
		"200, two megabytes": func(*submitWorld) func(http.Handler) http.Handler {
			return submitAnswers(200, "text/plain", strings.Repeat("x\n", 1<<20))
		},
		"409 without a size": func(*submitWorld) func(http.Handler) http.Handler {
			return submitAnswers(409, "text/x.tlog.size", "x\n")
		},
		"409 from a proxy": func(*submitWorld) func(http.Handler) http.Handler { return submitAnswers(409, "text/html", "conflict") },
		"409, a size of ours": func(*submitWorld) func(http.Handler) http.Handler {
			return submitAnswers(409, "text/x.tlog.size", "3\n")
		},
		"422 from nothing": func(*submitWorld) func(http.Handler) http.Handler { return submitAnswers(422, "text/plain", "") },
		"hang":             func(*submitWorld) func(http.Handler) http.Handler { return hangs },
		"a cosignature of another size": func(w *submitWorld) func(http.Handler) http.Handler {
			return w.signs("csilla", fmt.Sprintf("%s\n6\n%v\n", logOrigin, tlog.LeafHash(nil)), time.Now())
		},
		"a cosignature of another root": func(w *submitWorld) func(http.Handler) http.Handler {
			return w.signs("csilla", fmt.Sprintf("%s\n5\n%v\n", logOrigin, tlog.LeafHash(nil)), time.Now())
		},
		"a cosignature of tomorrow": func(w *submitWorld) func(http.Handler) http.Handler {
			return w.signs("csilla", "", time.Now().Add(24*time.Hour))
		},
		"a cosignature of yesterday": func(w *submitWorld) func(http.Handler) http.Handler {
			return w.signs("csilla", "", time.Now().Add(-24*time.Hour))
		},
		"a cosignature of no time": func(w *submitWorld) func(http.Handler) http.Handler { return w.signs("csilla", "", time.Unix(0, 0)) },
	} {
		t.Run(what, func(t *testing.T) {
			inWorld(t, twoOfThree, func(t *testing.T, w *submitWorld) {
				w.log.append(5)
				w.bend("csilla", bend(w))
				s, stop := w.run()
				w.want(5, "anna", "bela")
				time.Sleep(10 * time.Second)
				w.log.append(1)
				time.Sleep(1100 * time.Millisecond)
				w.want(6, "anna", "bela")
				_, list := s.State()
				testmust.Holdf(t, list[0].Err == nil && list[1].Err == nil && list[2].Err != nil, "state %v: only csilla fails", list)
				time.Sleep(10 * time.Minute)
				asked := w.asked("csilla")
				testmust.Holdf(t, asked >= 10 && asked <= 40, "asked %d times in ten minutes", asked)
				w.bend("csilla", nil)
				time.Sleep(time.Minute)
				w.want(6, names...)
				q, list := s.State()
				testmust.Holdf(t, list[2].Err == nil && q.Size == 6 && len(q.Seen) == 3, "state %v, %v after all are well", q, list)
				stop()
				testmust.Holdf(t, w.log.stopped == nil, "the log was stopped: %v", w.log.stopped)
				n := strings.Count(w.logs.String(), "no cosignature")
				testmust.Holdf(t, n == 1, "warned %d times\n%s", n, w.logs.String())
			})
		})
	}
}

// A cosigner needs longer than a second to answer, when all are needed.
func TestSlowCosigner(t *testing.T) {
	inWorld(t, allThree, func(t *testing.T, w *submitWorld) {
		w.bend("bela", slow(2500*time.Millisecond))
		_, stop := w.run()
		for range 200 {
			w.log.append(1)
			time.Sleep(100 * time.Millisecond)
		}
		c, err := w.log.CosignedReader().Checkpoint(t.Context())
		testmust.Holdf(t, err == nil && c.Size >= 140, "of 200 entries %d are cosigned, %v", c.Size, err)
		time.Sleep(10 * time.Second)
		w.want(200, names...)
		stop()
	})
}

// Any answer that says that a cosigner has seen another history stops the log.
func TestOtherHistory(t *testing.T) {
	show := func(w *submitWorld, h *logHistory, size uint64) {
		body := h.RequestSince(0, size).Marshal()
		answer := httptest.NewRecorder()
		w.cosigners["bela.example"].ServeHTTP(answer, httptest.NewRequest("POST", "/add-checkpoint", bytes.NewReader(body)))
		testmust.Requiref(w.t, answer.Code == http.StatusOK, "status %d: %s", answer.Code, answer.Body)
	}
	for what, prepare := range map[string]func(w *submitWorld){
		"it is longer":              func(w *submitWorld) { show(w, w.log.BranchAt(20).Grow(10), 30) },
		"it is shorter":             func(w *submitWorld) { show(w, w.log.BranchAt(5).Grow(10), 15) },
		"it is as long":             func(w *submitWorld) { show(w, w.log.BranchAt(5).Grow(15), 20) },
		"an earlier draft says 409": func(w *submitWorld) { w.bend("bela", earlierDraft) },
		"it is as long, and says 409 and how long": func(w *submitWorld) {
			w.bend("bela", submitAnswers(409, "text/x.tlog.size", "20\n"))
		},
		"so it says of what is cosigned": func(w *submitWorld) {
			c := w.log.CheckpointAt(20)
			w.log.cosigned = &c // the log first asks the cosigner from there
			w.bend("bela", submitAnswers(409, "text/x.tlog.size", "20\n"))
		},
	} {
		t.Run(what, func(t *testing.T) {
			for name, run := range map[string]func(*submitWorld) error{
				"run": func(w *submitWorld) error {
					_, stop := w.run()
					time.Sleep(3 * time.Second)
					stop()
					return nil
				},
				"probe": func(w *submitWorld) error { return w.submitter().Probe(w.t.Context()) },
			} {
				inWorld(t, twoOfThree, func(t *testing.T, w *submitWorld) {
					w.log.append(20)
					prepare(w)
					err := run(w)
					other, ok := errors.AsType[*cosign.OtherHistoryError](w.log.stopped)
					testmust.Holdf(t, ok && strings.Contains(other.Cosigner, "bela"), "%s: the log was stopped for %v", name, w.log.stopped)
					testmust.Holdf(t, name != "probe" || errors.As(err, &other), "probe: %v", err)
					testmust.Holdf(t, strings.Contains(w.logs.String(), "level=ERROR"), "%s: not a loud word:\n%s", name, w.logs.String())
				})
			}
		})
	}
}

// elsewhere is a log that another front end has made larger than this front end knows.
type elsewhere struct {
	*fakeLog
	entries int
}

func (e elsewhere) CatchUp(ctx context.Context) (tlog.Checkpoint, error) {
	if e.entries == 0 {
		return tlog.Checkpoint{}, errors.New("nobody knows")
	}
	e.append(e.entries)
	return e.Checkpoint(ctx)
}

// A log stops because a cosigner has seen more of it through another front end, or continues although
// it cannot find out.
func TestCosignedElsewhere(t *testing.T) {
	for entries, stops := range map[int]bool{10: false, 5: true, 0: false} {
		inWorld(t, twoOfThree, func(t *testing.T, w *submitWorld) {
			w.log.append(20)
			w.bend("bela", atFirst("30\n"))
			s := testmust.Have(cosign.NewSubmitter(elsewhere{w.log, entries}, cosign.SubmitterOptions{Policy: w.policy, Client: &http.Client{Transport: w}}))(t)
			if err := s.Probe(t.Context()); (err != nil) != stops || (w.log.stopped != nil) != stops {
				t.Errorf("with %d entries elsewhere: %v, stopped: %v", entries, err, w.log.stopped)
			}
		})
	}
}

// earlierDraft answers as the first draft of c2sp.org/tlog-witness did: 409 for another root of the
// same size.
func earlierDraft(http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !bytes.HasPrefix(body, []byte("old 20\n")) {
			w.Header().Set("Content-Type", "text/x.tlog.size")
			w.WriteHeader(http.StatusConflict)
			io.WriteString(w, "20\n")
			return
		}
		w.WriteHeader(http.StatusConflict)
	})
}

// A cosigner that refuses a size, and then reports that size because somebody else has just shown it,
// is slow and has no other history.
func TestConflictOvertaken(t *testing.T) {
	inWorld(t, allThree, func(t *testing.T, w *submitWorld) {
		w.log.append(20)
		testmust.Do(t, w.submitter().Probe(t.Context()))
		w.bend("bela", atFirst("20\n"))
		err := w.submitter().Probe(t.Context())
		testmust.Holdf(t, err == nil && w.log.stopped == nil, "probe: %v; the log was stopped for %v", err, w.log.stopped)
		w.want(20, names...)
	})
}

// At the start nobody answers a probe, or all cosigners know more than the log remembers.
func TestProbe(t *testing.T) {
	inWorld(t, twoOfThree, func(t *testing.T, w *submitWorld) {
		w.log.append(20)
		testmust.Do(t, w.submitter().Probe(t.Context()))
		w.want(20, names...)
		w.log.append(20)
		w.log.cosigned = nil
		testmust.Do(t, w.submitter().Probe(t.Context())) // asks for the size first
		w.want(40, names...)
		for _, name := range names {
			w.bend(name, hangs)
		}
		before := time.Now()
		w.log.append(1)
		err := w.submitter().Probe(t.Context())
		testmust.Holdf(t, err == nil && time.Since(before) <= 10*time.Second, "nobody answers: %v after %v", err, time.Since(before))
	})
}

// Ways to fail at a start: the log continues from an old copy, since one of two sufficient cosigners
// was away when the log grew and the other does not answer; or it waits for cosigners that do not
// matter.
func TestCosignedAtTheStart(t *testing.T) {
	for policy, known := range map[string]bool{"group one any anna bela csilla\nquorum one\n": false, twoOfThree: true, allThree: false, "quorum none\n": true} {
		synctest.Test(t, func(t *testing.T) {
			w := newSubmitWorld(t, policy)
			w.log.append(20)
			w.bend("bela", hangs)
			s := w.submitter()
			is := func() bool {
				select {
				case <-s.StartCosigned():
					return true
				default:
					return false
				}
			}
			testmust.Do(t, s.Probe(t.Context()))
			testmust.Equal(t, is(), known, policy, "while one does not answer")
			w.bend("bela", nil)
			time.Sleep(time.Minute)
			testmust.Do(t, s.Probe(t.Context()))
			testmust.Hold(t, is(), policy, "when all have answered: not yet")
		})
	}
}

// A clock that is set back or forward must not stop the log from asking.
func TestClockJumps(t *testing.T) {
	inWorld(t, twoOfThree, func(t *testing.T, w *submitWorld) {
		_, stop := w.run()
		for i, jump := range []time.Duration{0, -59 * time.Minute, 59 * time.Minute, 0} {
			w.mu.Lock()
			w.offset = jump
			w.mu.Unlock()
			w.log.append(1)
			time.Sleep(3 * time.Second)
			w.want(uint64(i+1), names...)
		}
		stop()
	})
}

// One cosigner with two keys is asked once and answers for both.
func TestTwoKeysOneURL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, logKey := ledgertest.NewKey(t, logOrigin, tlog.Ed25519)
		skey, ed := ledgertest.NewKey(t, "anna.example", tlog.Ed25519Cosignature)
		latticeKey, lattice := ledgertest.NewKey(t, "anna.example", tlog.MLDSA44)
		w := newSubmitWorld(t, twoOfThree)
		w.log = newLog(newHistory(t, logKey))
		c := testmust.Have(cosign.OpenCosigner(t.TempDir(), cosign.CosignerOptions{Signers: []string{skey, latticeKey}, Logs: []tlog.PolicyLog{{Key: logKey.Verifier()}}}))(t)
		defer c.Close()
		w.cosigners["anna.example"] = c
		w.policy = testmust.Have(tlog.ParsePolicy(fmt.Appendf(nil, "log %s\nwitness anna %s https://anna.example\nwitness anna-lattice %s https://anna.example/\ngroup both all anna anna-lattice\nquorum both\n", logKey.Verifier(), ed.Verifier(), lattice.Verifier())))(t)
		w.log.append(3)
		testmust.Do(t, w.submitter().Probe(t.Context()))
		w.want(3, "anna", "anna-lattice")
		testmust.Equal(t, w.asked("anna"), 1, "how often anna was asked")
	})
}

// A cosigner lacks one of the keys that the policy has for its URL. The signatures of its other keys
// count at once every time; the missing one is reported, and requested ever more seldom while nothing
// is new. The other signatures are published once, and again with the one that comes after hours.
func TestOneKeyOfTwo(t *testing.T) {
	inWorld(t, "quorum anna\n", func(t *testing.T, w *submitWorld) {
		latticeKey, lattice := ledgertest.NewKey(t, "anna.example", tlog.MLDSA44)
		own := w.policy.Cosigners[0]
		w.policy = testmust.Have(tlog.ParsePolicy(fmt.Appendf(nil, "log %s\nwitness anna-lattice %s %s\nwitness anna %s %s\nquorum anna\n",
			w.policy.Logs[0].Key, lattice.Verifier(), own.URL, own.Key, own.URL)))(t)
		w.log.append(1)
		s, stop := w.run()
		for size := uint64(1); size < 20; size++ {
			w.want(size, "anna")
			w.log.append(1)
			time.Sleep(1100 * time.Millisecond)
		}
		w.want(20, "anna")
		if _, list := s.State(); len(list) != 1 || list[0].Err == nil || !strings.Contains(list[0].Err.Error(), "anna-lattice") {
			t.Errorf("state %v: the other key is missing", list)
		}
		w.mu.Lock()
		w.requests = map[string][]time.Time{}
		w.mu.Unlock()
		time.Sleep(10 * time.Minute)
		w.want(20, "anna")
		n := w.asked("anna")
		testmust.Holdf(t, n >= 10 && n <= 40, "asked %d times in ten minutes", n)
		time.Sleep(2 * time.Hour)
		w.want(20, "anna")
		c := testmust.Have(cosign.OpenCosigner(t.TempDir(), cosign.CosignerOptions{Signers: []string{latticeKey}, Logs: w.policy.Logs}))(t)
		defer c.Close()
		w.bend("anna", func(http.Handler) http.Handler { return c })
		time.Sleep(time.Minute)
		w.want(20, "anna", "anna-lattice")
		_, list := s.State()
		testmust.Holdf(t, list[0].Err == nil, "state %v: both keys have signed", list)
		stop()
		n = strings.Count(w.logs.String(), "no cosignature")
		testmust.Holdf(t, n == 1, "warned %d times\n%s", n, w.logs.String())
	})
}

// Policies under which nothing would ever be cosigned.
func TestNewRefuses(t *testing.T) {
	w := newSubmitWorld(t, twoOfThree)
	_, s := ledgertest.NewKey(t, "x.example", tlog.Ed25519Cosignature)
	for what, text := range map[string]string{
		"no URL":        "witness x " + s.Verifier().String() + "\nquorum x\n",
		"no such URL":   "witness x " + s.Verifier().String() + " ftp://x.example\nquorum x\n",
		"no host":       "witness x " + s.Verifier().String() + " https://\nquorum x\n",
		"no URL at all": "witness x " + s.Verifier().String() + " \x80\nquorum x\n",
	} {
		p := testmust.Have(tlog.ParsePolicy([]byte(text)))(t)
		testmust.Fail(t, testmust.ErrorOf(cosign.NewSubmitter(w.log, cosign.SubmitterOptions{Policy: p})), what, "accepted")
	}
}
