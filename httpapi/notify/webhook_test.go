package notify_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/pakli/pakli/httpapi/notify"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/wire"
)

var secret = []byte("a secret of more than 24 bytes")

// receiver answers each request as it is told to, and keeps what it was asked.
type receiver struct {
	*httptest.Server
	answers chan http.HandlerFunc
	heard   chan request
}

type request struct {
	id, kind string
	body     string
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{answers: make(chan http.HandlerFunc, 64), heard: make(chan request, 64)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		id, stamp := q.Header.Get("webhook-id"), q.Header.Get("webhook-timestamp")
		m := hmac.New(sha256.New, secret)
		fmt.Fprintf(m, "%s.%s.%s", id, stamp, body)
		testmust.Equal(t, q.Header.Get("webhook-signature"), "v1,"+base64.StdEncoding.EncodeToString(m.Sum(nil)), "the signature")
		var said struct{ Type string }
		testmust.Do(t, json.Unmarshal(body, &said))
		r.heard <- request{id, said.Type, string(body)}
		(<-r.answers)(w, q)
	}))
	t.Cleanup(r.Close)
	return r
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// sender tells a receiver of a log in which these happen; its pauses between tries pass at once, and are told.
func sender(url, file string, pauses chan time.Duration, list ...notify.Happening) *notify.HookSender {
	now := time.Unix(1_900_000_000, 0)
	return notify.NewHook(url, secret, 100*time.Millisecond, &notify.Feed{
		File: file, Logger: slog.New(slog.DiscardHandler),
		Clock: func() time.Time { return now }, Chance: func() float64 { return 0 },
		After: func(d time.Duration) <-chan time.Time {
			if d == notify.Look {
				return nil // all that happens is there at the first look
			}
			now = now.Add(d)
			pauses <- d
			passed := make(chan time.Time, 1)
			passed <- now
			return passed
		},
		Link: func(id wire.Hash) string { return "https://cards.example/events/" + id.Code()[:wire.MinCode] },
		Read: func(_ context.Context, from uint64) (found []notify.Happening, _ uint64, _ error) {
			if from > 100 {
				return nil, 5, nil // the log has 5 entries when it is first read
			}
			for _, h := range list {
				if h.Index >= from {
					found = append(found, h)
				}
			}
			return found, 100, nil
		},
	})
}

// run runs a sender until its test is over.
func run(t *testing.T, s *notify.HookSender) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		testmust.Do(t, s.Run(ctx))
	}()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return stop
}

// A receiver that errs, redirects, breaks off, hangs or goes, and loses something by it, has it twice under two names, or has what is not
// for it; a start that forgets what was not told, or tells what was told or was there before anybody asked.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	elsewhere := newReceiver(t)
	r := newReceiver(t)
	file, pauses := filepath.Join(t.TempDir(), "told"), make(chan time.Duration, 1024)
	drawn, called := notify.Happening{Kind: notify.RoundDrawn, Index: 7, Name: "Kupa", Round: 1}, notify.Happening{Kind: notify.ArbiterCalled, Index: 9, Round: 1, Table: 2}
	before := notify.Happening{Kind: notify.RulingMade, Index: 3}
	stop := run(t, sender(r.URL, file, pauses, before, drawn, called))
	r.answers <- status(http.StatusInternalServerError)
	r.answers <- func(w http.ResponseWriter, q *http.Request) {
		http.Redirect(w, q, elsewhere.URL, http.StatusTemporaryRedirect)
	}
	r.answers <- func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	r.answers <- func(_ http.ResponseWriter, q *http.Request) { <-q.Context().Done() } // it hangs
	r.answers <- status(http.StatusNoContent)
	ids := map[string]bool{}
	for range 5 {
		q := <-r.heard
		ids[q.id] = true
		testmust.Equal(t, q.kind, notify.RoundDrawn, "what was told")
		testmust.Equal(t, q.body, `{"type":"round.drawn","data":{"event":"`+wire.Hash{}.String()+`","name":"Kupa","index":7,"round":1,"link":"https://cards.example/events/00000000"}}`, "the body")
	}
	testmust.Equal(t, len(ids), 1, "ids of one message")
	for _, want := range []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second, 40 * time.Second} {
		testmust.Equal(t, <-pauses, want, "the pause")
	}
	testmust.Equal(t, (<-r.heard).kind, notify.ArbiterCalled, "what came next") // and waits for an answer
	stop()
	r.answers <- status(http.StatusOK) // to who has gone
	testmust.Until(t, "the receiver", func() bool { return len(r.answers) == 0 })
	s := sender(r.URL, file, pauses, before, drawn, called)
	stop = run(t, s)
	r.answers <- status(http.StatusGone)
	testmust.Equal(t, (<-r.heard).kind, notify.ArbiterCalled, "what was told after a start")
	testmust.Until(t, "the tries in the list", func() bool { return len(s.Attempts()) == 1 })
	stop()
	list := s.Attempts()
	testmust.Holdf(t, len(list) == 1 && list[0].Status == http.StatusGone && list[0].Next != "", "the list is %+v", list)
	testmust.Equal(t, len(r.heard)+len(elsewhere.heard), 0, "requests after the receiver wanted none, and to where it led")
}

// A message that the receiver will never take, and that keeps all others from it; also when the receiver was away at first.
func TestRefusedMessage(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	pauses := make(chan time.Duration, 1024)
	s := sender(r.URL, filepath.Join(t.TempDir(), "told"), pauses, notify.Happening{Kind: notify.RoundDrawn, Index: 7}, notify.Happening{Kind: notify.RoundOver, Index: 8})
	run(t, s)
	for range 4 {
		r.answers <- status(http.StatusUnprocessableEntity)
	}
	r.answers <- status(http.StatusBadGateway)
	for range 5 { // nobody has told it of its address yet
		r.answers <- status(http.StatusNotFound)
	}
	for range 5 {
		r.answers <- status(http.StatusUnprocessableEntity)
	}
	r.answers <- status(http.StatusOK)
	for range 15 {
		testmust.Equal(t, (<-r.heard).kind, notify.RoundDrawn, "what is refused")
	}
	testmust.Equal(t, (<-r.heard).kind, notify.RoundOver, "what comes then")
	testmust.Until(t, "the tries in the list", func() bool { return len(s.Attempts()) == 16 })
	testmust.Equal(t, len(pauses), 14, "pauses")
}

// A log that cannot be read on for a while, and a receiver who is told the same again at every look.
func TestToldOnceWhileTheLogFails(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	r.answers <- status(http.StatusOK)
	s := sender(r.URL, filepath.Join(t.TempDir(), "told"), nil)
	looks, asked := make(chan time.Time), make(chan uint64)
	s.After = func(time.Duration) <-chan time.Time { return looks }
	s.Read = func(ctx context.Context, from uint64) ([]notify.Happening, uint64, error) {
		if from > 100 {
			return nil, 5, nil
		}
		asked <- from
		return []notify.Happening{{Kind: notify.RoundDrawn, Index: 7}}[min(from/8, 1):], 8, io.ErrUnexpectedEOF
	}
	run(t, s)
	testmust.Equal(t, <-asked, 5, "where the first look began")
	looks <- time.Time{}
	testmust.Equal(t, <-asked, 8, "where the next one began")
}

// A signature that receivers' libraries refuse: the example of Standard Webhooks.
func TestSignature(t *testing.T) {
	key := testmust.Have(notify.ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n"))(t)
	testmust.Equal(t, notify.Sign(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`)), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", "the signature")
	for _, wrong := range []string{"", "whsec_c2hvcnQ=", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS*"} {
		_, err := notify.ParseSecret(wrong)
		testmust.Fail(t, err, wrong)
	}
}
