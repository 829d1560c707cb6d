package notify_test

import (
	"context"
	"crypto/ecdh"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi/notify"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/wire"
)

var secret = []byte("a secret of more than 24 bytes")

// receiver answers each request as the test says, and keeps the requests.
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

// sender tells a receiver about a log with these happenings. Its pauses between tries take no time,
// and are sent to pauses.
func sender(url, file string, pauses chan time.Duration, list ...notify.Happening) *notify.HookSender {
	now := time.Unix(1_900_000_000, 0)
	return notify.NewHook(url, secret, 100*time.Millisecond, &notify.Feed{
		File: file, Logger: slog.New(slog.DiscardHandler),
		Clock: func() time.Time { return now }, Chance: func() float64 { return 0 },
		After: func(d time.Duration) <-chan time.Time {
			if d == notify.Look {
				return nil // all happenings are there at the first look
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

// A receiver that fails, redirects, disconnects, hangs or leaves must lose nothing, get nothing twice
// under two ids, and get nothing for others. A restart must not forget what was not told, and must
// not tell what was told or was there before the receiver was.
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

// A message that the receiver always refuses must not block the others, even if the receiver was away
// at first.
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
	for range 5 { // nobody has given it its address yet
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

// While a log cannot be read further, a receiver is told the same again at every look.
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

// Receivers' libraries must accept the signature: the example of Standard Webhooks.
func TestSignature(t *testing.T) {
	key := testmust.Have(notify.ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n"))(t)
	testmust.Equal(t, notify.Sign(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`)), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", "the signature")
	for _, wrong := range []string{"", "whsec_c2hvcnQ=", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS*"} {
		_, err := notify.ParseSecret(wrong)
		testmust.Fail(t, err, wrong)
	}
}

func unbase(t *testing.T, text string) []byte {
	return testmust.Have(base64.RawURLEncoding.DecodeString(text))(t)
}

// Browsers must be able to read a message: the example of RFC 8291, 5.
func TestExampleOfTheRFC(t *testing.T) {
	own := testmust.Have(ecdh.P256().NewPrivateKey(unbase(t, "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")))(t)
	theirs := unbase(t, "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4")
	body := testmust.Have(notify.Encrypt([]byte("When I grow up, I want to be a watermelon"), theirs, unbase(t, "BTBZMqHH6r4Tts7J_aSIgg"), own, unbase(t, "DGv6ra1nlYgDCS1FRnbzlw")))(t)
	testmust.Equal(t, base64.RawURLEncoding.EncodeToString(body),
		"DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN", "the body")
	theirs[64] ^= 1
	testmust.Fail(t, testmust.ErrorOf(notify.Encrypt(nil, theirs, nil, own, nil)), "a key that is no point of the curve")
}

// A name leads the server to machines that only it can reach.
func TestNothingInside(t *testing.T) {
	for _, address := range []string{"127.0.0.1:443", "[::1]:443", "10.1.2.3:443", "172.16.0.1:443", "192.168.1.1:443", "169.254.169.254:443", "[fe80::1]:443", "[fd00::1]:443", "100.64.0.1:443", "0.0.0.0:443", "0.1.2.3:443",
		"224.0.0.1:443", "255.255.255.255:443", "[::]:443", "[::ffff:127.0.0.1]:443", "[64:ff9b::7f00:1]:443", "[2002:7f00:1::]:443", "[64:ff9b:1::1]:443", "[64:ff9b::a00:1%.push.example]:443", "[2a00:1450:4001::5f%.push.example]:443", "[2001:0:7f00:1::]:443", "[::127.0.0.1]:443", "[fec0::1]:443", "192.0.0.8:443", "198.18.0.1:443", "142.250.1.95:80", "142.250.1.95:22", "name:443"} {
		testmust.Fail(t, notify.RefuseInside("tcp", address, nil), address)
	}
	for _, address := range []string{"142.250.1.95:443", "[2a00:1450:4001::5f]:443"} {
		testmust.Do(t, notify.RefuseInside("tcp", address, nil))
	}
}

// opened returns a sender as after a start, for these push services.
func opened(t *testing.T, dir string, services ...string) *notify.PushSender {
	key := testmust.Have(notify.LoadKey(filepath.Join(dir, "key"), rand.Reader))(t)
	return testmust.Have(notify.NewPush(notify.PushOptions{Feed: &notify.Feed{Logger: slog.New(slog.DiscardHandler)}, Key: key, Services: services, List: filepath.Join(dir, "list"), Random: rand.Reader}))(t)
}

// anna returns a function that signs subscriptions of her seat, and her key.
func anna(t *testing.T) (at func(endpoint string) (*bulletin.Push, error), key string) {
	secret, key, err := note.GenerateKey(rand.Reader, "anna")
	testmust.Do(t, err)
	signer := testmust.Have(note.NewSigner(secret))(t)
	browser := testmust.Have(ecdh.P256().GenerateKey(rand.Reader))(t).PublicKey().Bytes()
	return func(endpoint string) (*bulletin.Push, error) {
		doc, err := bulletin.Push{Event: wire.Hash{1}, By: key, Endpoint: endpoint, Key: browser, Auth: make([]byte, 16), Language: "en"}.Sign(signer)
		if err != nil {
			return nil, err
		}
		return bulletin.ParsePush(doc)
	}, key
}

// hosts maps host names to their answers.
type hosts map[string]func(*http.Request) (*http.Response, error)

func (h hosts) RoundTrip(r *http.Request) (*http.Response, error) { return h[r.URL.Hostname()](r) }

// A push service that answers nobody must not block messages to browsers of another.
func TestDeadPushService(t *testing.T) {
	at, key := anna(t)
	s := opened(t, t.TempDir(), "dead.example", "push.example")
	s.Clock, s.After, s.Chance, s.Link = time.Now, time.After, func() float64 { return 0 }, func(wire.Hash) string { return "/" }
	taken := make(chan struct{})
	s.Client = &http.Client{Transport: hosts{
		"dead.example": func(r *http.Request) (*http.Response, error) { <-r.Context().Done(); return nil, r.Context().Err() },
		"push.example": func(*http.Request) (*http.Response, error) {
			taken <- struct{}{}
			return &http.Response{StatusCode: http.StatusCreated, Body: http.NoBody}, nil
		},
	}}
	for _, endpoint := range []string{"https://dead.example/", "https://push.example/"} {
		testmust.Have(s.Subscribe(testmust.Have(at(endpoint))(t)))(t)
	}
	for i := range notify.MaxFlying + 1 {
		notify.Tell(s, t.Context(), notify.Happening{Kind: notify.RoundDrawn, Event: wire.Hash{1}, Index: uint64(i), Keys: []string{key}})
		<-taken
	}
}

// A seat is told again and again that its table waits, since the server could not look for a while.
func TestTurnIsToldOnce(t *testing.T) {
	at, key := anna(t)
	dir := t.TempDir()
	s := opened(t, dir, "push.example")
	var taken, looks atomic.Int64
	s.Client = &http.Client{Transport: hosts{"push.example": func(*http.Request) (*http.Response, error) {
		taken.Add(1)
		return &http.Response{StatusCode: http.StatusCreated, Body: http.NoBody}, nil
	}}}
	s.Clock, s.Link, s.Chance = func() time.Time { return time.Unix(0, 0).Add(time.Duration(looks.Load()) * notify.TurnLook) }, func(wire.Hash) string { return "/" }, func() float64 { return 0 }
	s.File, s.Read = filepath.Join(dir, "told"), func(context.Context, uint64) ([]notify.Happening, uint64, error) { return nil, 0, nil }
	s.After = func(time.Duration) <-chan time.Time { return time.After(time.Millisecond) }
	s.Owed = func(context.Context, wire.Hash) ([]notify.Happening, error) {
		if looks.Add(1)%8 == 0 {
			return nil, errors.New("too much to do")
		}
		return []notify.Happening{{Event: wire.Hash{1}, Index: 7, Round: 1, Table: 1, Keys: []string{key}}}, nil
	}
	testmust.Have(s.Subscribe(testmust.Have(at("https://push.example/"))(t)))(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Run(ctx) }()
	testmust.Until(t, "looks", func() bool { return looks.Load() > 40 })
	cancel()
	testmust.Do(t, <-done)
	testmust.Equal(t, taken.Load(), 1, "messages for one entry")
}

// A restart forgets subscriptions, or has another key, which browsers do not know; others on the
// machine can read secrets; a seat fills the list; an address is none of a push service.
func TestSubscriptions(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir, "push.example")
	at, _ := anna(t)
	for _, wrong := range []string{"http://push.example/1", "https://anna@push.example/1", "push.example", "https:///1", "https://push.example/" + string(make([]byte, 1024))} {
		testmust.Fail(t, testmust.ErrorOf(at(wrong)), wrong)
	}
	for _, other := range []string{"https://example/1", "https://evilpush.example/1", "https://push.example.evil/1", "https://127.0.0.1/1", "https://[2a00:1450:4001::5f%25.push.example]/1"} {
		testmust.Fail(t, testmust.ErrorOf(s.Subscribe(testmust.Have(at(other))(t))), other)
	}
	for i := range 6 {
		for _, again := range []bool{false, true} {
			testmust.Equal(t, testmust.Have(s.Subscribe(testmust.Have(at(fmt.Sprint("https://eu.push.example/", i)))(t)))(t), again, "kept before")
		}
	}
	testmust.Equal(t, s.Count(), 4, "subscriptions of a seat")
	for _, name := range []string{"key", "list"} {
		testmust.Equal(t, testmust.Have(os.Stat(filepath.Join(dir, name)))(t).Mode().Perm(), os.FileMode(0o600), name)
	}
	later := opened(t, dir, "push.example")
	testmust.Holdf(t, later.Count() == 4 && later.Key.Public() == s.Key.Public(), "after a start there are %d, and the key is %s", later.Count(), later.Key.Public())
	testmust.Holdf(t, testmust.Have(later.Subscribe(testmust.Have(at("https://eu.push.example/5"))(t)))(t), "the newest was forgotten")
	testmust.Equal(t, opened(t, dir, "other.example").Count(), 0, "subscriptions at a service that the operator names no more")
	for kind, of := range notify.Words() {
		testmust.Equal(t, len(of), 3, "languages of", kind)
	}
	testmust.Do(t, os.WriteFile(filepath.Join(dir, "list"), []byte("[\"x\"]"), 0o600))
	testmust.Fail(t, testmust.ErrorOf(notify.NewPush(notify.PushOptions{Feed: &notify.Feed{}, List: filepath.Join(dir, "list")})), "a damaged list")
}
