package httpapi_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/wire"
)

// Who the caller is decides whose bounds count. A header must be believed from
// a proxy alone, and then no further than to where the caller's own words begin.
func TestCaller(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("2001:db8:ffff::/48")}
	var seen []netip.Prefix
	serve := func(proxies []netip.Prefix) *httpapi.Server {
		h := newHouse(t, func(o *httpapi.Options) {
			o.Proxies = proxies
			o.Answered = func(a httpapi.AnsweredRequest) { seen = append(seen, a.Caller) }
		})
		return h.server
	}
	bare, behind := serve(nil), serve(proxies)
	for _, c := range []struct {
		server    *httpapi.Server
		remote    string
		forwarded []string
		want      string
	}{
		{bare, "192.0.2.1:1", []string{"198.51.100.7"}, "192.0.2.1/32"},
		{bare, "10.1.2.3:1", []string{"198.51.100.7"}, "10.1.2.3/32"},
		{bare, "127.0.0.1:1", []string{"198.51.100.7"}, "127.0.0.1/32"},
		{behind, "192.0.2.1:1", []string{"198.51.100.7"}, "192.0.2.1/32"},
		{behind, "127.0.0.1:1", []string{"198.51.100.7"}, "127.0.0.1/32"},     // not named as a proxy
		{behind, "192.168.0.1:1", []string{"198.51.100.7"}, "192.168.0.1/32"}, // nor is this
		{behind, "10.1.2.3:1", nil, "10.1.2.3/32"},
		{behind, "10.1.2.3:1", []string{"198.51.100.7"}, "198.51.100.7/32"},
		{behind, "10.1.2.3:1", []string{"203.0.113.9, 198.51.100.7"}, "198.51.100.7/32"}, // the left one is the caller's word
		{behind, "10.1.2.3:1", []string{"10.1.9.9, 198.51.100.7"}, "198.51.100.7/32"},
		{behind, "10.1.2.3:1", []string{"203.0.113.9", "198.51.100.7, 10.1.4.4"}, "198.51.100.7/32"}, // two proxies
		{behind, "10.1.2.3:1", []string{"nonsense, 198.51.100.7"}, "198.51.100.7/32"},
		{behind, "10.1.2.3:1", []string{"198.51.100.7, nonsense"}, "10.1.2.3/32"},
		{behind, "10.1.2.3:1", []string{"::ffff:198.51.100.7"}, "198.51.100.7/32"},
		{behind, "10.1.2.3:1", []string{"198.51.100.7:4711"}, "198.51.100.7/32"},
		{behind, "10.1.2.3:1", []string{"203.0.113.9:1, 198.51.100.7:4711, 10.1.4.4:9"}, "198.51.100.7/32"},
		{behind, "10.1.2.3:1", []string{"[2001:db8:1:2:3::4]:443"}, "2001:db8:1:2::/64"},
		{behind, "10.1.2.3:1", []string{"[2001:db8:1:2:3::4]"}, "2001:db8:1:2::/64"},
		{behind, "10.1.2.3:1", []string{"198.51.100.7:nonsense"}, "10.1.2.3/32"},
		{behind, "10.1.2.3:1", []string{"2001:db8:1:2:3::4"}, "2001:db8:1:2::/64"},
		{behind, "[2001:db8:ffff::1]:1", []string{"2001:db8:1:2:9::9"}, "2001:db8:1:2::/64"},
		{behind, "[2001:db8:1:2:5::5]:1", []string{"198.51.100.7"}, "2001:db8:1:2::/64"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/livez", nil)
		r.RemoteAddr = c.remote
		for _, f := range c.forwarded {
			r.Header.Add("X-Forwarded-For", f)
		}
		r.Header.Set("X-Real-Ip", "203.0.113.1")
		r.Header.Set("Forwarded", "for=203.0.113.2")
		seen = nil
		c.server.ServeHTTP(httptest.NewRecorder(), r)
		testmust.Holdf(t, len(seen) == 1 && seen[0].String() == c.want, "from %s for %q: %v, want %s", c.remote, c.forwarded, seen, c.want)
	}
}

// Many addresses together must not do what one may not, and one that is over
// its own bound must take nothing from the rest.
func TestGlobalRate(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) {
		o.Limits = httpapi.Limits{PostRate: 0.001, PostBurst: 2, GlobalRate: 0.001, GlobalBurst: 4}
	})
	var got []int
	for _, a := range []string{"192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.2", "192.0.2.3"} {
		r := from(a, "/v1/entries")
		r.Method = http.MethodPost
		w := httptest.NewRecorder()
		h.server.ServeHTTP(w, r)
		got = append(got, w.Code)
		if after, err := strconv.Atoi(w.Header().Get("Retry-After")); w.Code != 400 && (err != nil || after < 1) {
			t.Errorf("%d with Retry-After %q", w.Code, w.Header().Get("Retry-After"))
		}
	}
	testmust.Holdf(t, slices.Equal(got, []int{400, 400, 429, 429, 400, 400, 503}), "answers %v", got)
}

// Those turned away together must not be told to return together.
func TestRetryAfterIsJittered(t *testing.T) {
	h := newHouse(t, gated(func(context.Context, *bulletin.Entry) (admission.PostedEntry, error) {
		return admission.PostedEntry{}, &limit.Error{Reason: limit.CheckQueue}
	}))
	times, entry := map[string]bool{}, stray(t)
	for range 100 {
		a := h.expect(http.StatusServiceUnavailable, h.post("/v1/entries", entry))
		times[a.header.Get("Retry-After")] = true
	}
	testmust.Holdf(t, len(times) >= 2 && !times["0"] && !times[""], "all come back after %v", times)
}

// A seat that posts wrong proofs, one after the other, must be slowed down; what
// strangers post in its name must cost it nothing; and time heals.
func TestKeyRate(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	h := newHouse(t, func(o *httpapi.Options) {
		gate := httpapi.NewGate(httpapi.Limits{KeyRate: 1, KeyBurst: 2}, func() time.Time { return now })
		admitting(t, o, admission.Options{Gate: gate})
	})
	p, path := h.newTable(wire.RefuseFouls)
	path += "/messages"
	good := key(t, p, 0)
	entry := testmust.Have(wire.Sign(parseMessage(t, good), p.Hands[1].Signer))(t)
	for range 5 {
		h.refusal(client.RefusedMessage, h.post(path, entry))
	}
	wrong := func(i int) []byte {
		return forge(t, p, good, func(m *wire.Message) { m.Proofs[0][i] ^= 1 })
	}
	for i := range 2 {
		got := h.problem(h.post(path, wrong(i)))
		testmust.Requiref(t, got.Type == client.ProblemBase+client.FoulMessage, "a foul: %+v", got)
	}
	h.refusal(client.RateLimited, h.post(path, wrong(2)))
	other := key(t, p, 1)
	h.expect(http.StatusUnprocessableEntity, h.post(path, forge(t, p, other, foul)))
	now = now.Add(time.Second)
	h.posted(path, good)
}

// A wrong proof must cost its seat what it cost to check; a right one of the
// same seat, and what others forge in its name, must not.
func TestWrongProofsCostTime(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	gate := httpapi.NewGate(httpapi.Limits{KeyRate: 50, KeyBurst: 500}, func() time.Time { return now })
	check := func(key string, o admission.Outcome) error {
		leave, err := gate.Enter(t.Context(), admission.Work{Key: key, Bytes: 100_000})
		if err == nil {
			now = now.Add(110 * time.Millisecond)
			leave(o)
		}
		return err
	}
	for range 50 {
		testmust.Do(t, errors.Join(check("right", admission.Right), check("forged", admission.Unsigned)))
	}
	begin, done := now, 0
	for now.Sub(begin) < time.Minute {
		if check("wrong", admission.Wrong) == nil {
			done++
		} else {
			now = now.Add(10 * time.Millisecond)
		}
	}
	// 500 tokens and 50 a second pay for 111 a time.
	testmust.Holdf(t, done >= 30 && done <= 34, "%d wrong proofs were checked in a minute, want about 32", done)
}

// One address with many keys must not get more checks of wrong proofs than it
// would with few, and must not shut out who plays honestly behind it.
func TestWrongProofsOfManyKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const checkTime, span = 100 * time.Millisecond, 5 * time.Minute
		ctx, end := context.WithTimeout(t.Context(), span)
		defer end()
		gate := httpapi.NewGate(httpapi.Limits{KeyRate: -1, ChecksPerAddress: 1}, nil)
		check := func(seat, table, address string, o admission.Outcome) error {
			w := admission.Work{Key: seat, Bytes: 100_000}
			copy(w.Table[:], table)
			leave, err := gate.Enter(limit.WithCaller(ctx, limit.Prefix(address)), w)
			if err != nil {
				return err
			}
			time.Sleep(checkTime)
			leave(o)
			return nil
		}
		const x, y = "192.0.2.1", "192.0.2.2"
		testmust.Do(t, check("known", "honest", x, admission.Right))
		var wasted atomic.Int64
		var wg sync.WaitGroup
		defer wg.Wait()
		for i := range 60 {
			wg.Go(func() {
				for ctx.Err() == nil {
					if check(fmt.Sprint("bad ", i), fmt.Sprint("table ", i), x, admission.Wrong) == nil {
						wasted.Add(int64(checkTime))
					}
					time.Sleep(50 * time.Millisecond)
				}
			})
		}
		time.Sleep(5 * time.Second)
		took := func(seat, table, address string) time.Duration {
			begin := time.Now()
			for check(seat, table, address, admission.Right) != nil && ctx.Err() == nil {
				time.Sleep(time.Second)
			}
			return time.Since(begin)
		}
		for _, c := range [][3]string{{"known", "new table", x}, {"beside the known", "honest", x}, {"elsewhere", "new table", y}} {
			if got := took(c[0], c[1], c[2]); got > 2*checkTime { // another one may be at it
				t.Errorf("%s waited %v", c, got)
			}
		}
		got := took("new", "newest table", x)
		testmust.Holdf(t, got <= 2*time.Minute, "a seat of which nothing is known waited %v", got)
		got = took("new", "newest table", x)
		testmust.Holdf(t, got <= 2*checkTime, "and %v for its second", got)
		<-ctx.Done()
		got = time.Duration(wasted.Load())
		testmust.Holdf(t, got <= span/20+2*time.Second, "%v went into wrong proofs", got)
	})
}

// A full table must say so.
func TestFullTables(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { admitting(t, o, admission.Options{TableEntries: 1}) })
	p, _ := h.newTable(wire.RefuseFouls)
	got := h.problem(h.post("/v1/entries", key(t, p, 0)))
	testmust.Holdf(t, got.Type == client.ProblemBase+client.TableFull && *got.Table == p.State.ID(), "a full table: %+v", got)
}

// What is told of requests must be true, and hold nothing that a caller keeps
// for itself.
func TestAnswered(t *testing.T) {
	var list []httpapi.AnsweredRequest
	fail := errors.New("inside")
	h := newHouse(t, func(o *httpapi.Options) {
		gated(func(context.Context, *bulletin.Entry) (admission.PostedEntry, error) {
			return admission.PostedEntry{}, fail
		})(o)
		o.Answered = func(a httpapi.AnsweredRequest) { list = append(list, a) }
	})
	for _, c := range []struct {
		method, path string
		want         httpapi.AnsweredRequest
	}{
		{"GET", "/livez?token=geheim", httpapi.AnsweredRequest{Route: "/livez", Status: 200, Bytes: 6}},
		{"HEAD", "/checkpoint", httpapi.AnsweredRequest{Route: "/checkpoint", Status: 200}},
		{"GET", "/v1/tables/12", httpapi.AnsweredRequest{Route: "/v1/tables/:id", Status: 400, Reason: client.MalformedRequest}},
		{"GET", "/geheim", httpapi.AnsweredRequest{Status: 404, Reason: client.NotFound}},
		{"POST", "/v1/entries", httpapi.AnsweredRequest{Route: "/v1/entries", Status: 500, Reason: client.Internal}},
		{"OPTIONS", "/v1/entries", httpapi.AnsweredRequest{Status: 204}},
	} {
		list = nil
		r := httptest.NewRequest(c.method, c.path, bytes.NewReader(stray(t)))
		r.Header.Set("Authorization", "Bearer geheim")
		h.server.ServeHTTP(httptest.NewRecorder(), r)
		testmust.Requiref(t, len(list) == 1, "%s %s: told %d times", c.method, c.path, len(list))
		got := list[0]
		testmust.Holdf(t, got.Route == c.want.Route && got.Status == c.want.Status && got.Reason == c.want.Reason && got.Method == c.method && got.Took > 0,
			"%s %s: %+v", c.method, c.path, got)
		testmust.Holdf(t, (c.want.Bytes <= 0 || got.Bytes == c.want.Bytes) && (c.method != "HEAD" || got.Bytes == 0),
			"%s %s: %d bytes", c.method, c.path, got.Bytes)
		testmust.Holdf(t, c.path == "/geheim" || !strings.Contains(got.Path, "geheim"), "%s: told of %s", c.path, got.Path)
	}
}

// A client that is not told what it has left finds the bound by running into it.
func TestRateLimitHeaders(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Limits.PostRate, o.Limits.PostBurst = 0.01, 3 })
	for i, left := range []string{"2", "1", "0", "0"} {
		a := h.post("/v1/entries", []byte("x"))
		if got := a.header.Get("RateLimit-Remaining"); got != left || a.header.Get("RateLimit-Limit") != "3" || a.header.Get("RateLimit-Reset") == "0" {
			t.Errorf("post %d: %d %v", i, a.status, a.header)
		}
	}
	free := newHouse(t, func(o *httpapi.Options) { o.Limits.PostRate = -1 })
	a := free.post("/v1/entries", []byte("x"))
	testmust.Holdf(t, a.header.Get("RateLimit-Limit") == "", "without a bound: %v", a.header)
}

const greedy, other = "192.0.2.1", "192.0.2.2"

// Whoever has used up its share must wait, whatever it asks for and however little that
// is, if it is not a post that it has a token for; and nobody else must.
func TestEverythingTakesATurn(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) {
		o.Limits = httpapi.Limits{ReadShare: 1e-9, PostRate: 0.001, PostBurst: 2, ConnectionsPerAddress: 8}
	})
	_, table := h.newTable(wire.RefuseFouls)
	hurried, giveUp := context.WithCancel(t.Context())
	giveUp() // who would have to wait is told to come again
	ask := func(ctx context.Context, address, method, path string) int {
		r := httptest.NewRequestWithContext(ctx, method, path, nil)
		r.RemoteAddr = address + ":1"
		w := httptest.NewRecorder()
		h.server.ServeHTTP(w, r)
		return w.Code
	}
	h.server.Spend(greedy, time.Hour)
	for i, c := range []struct {
		method, path string
		want         int
	}{
		{"GET", "/nothing", 404}, {"BREW", "/v1/tables", 405}, {"OPTIONS", "/v1/tables", 204}, {"GET", "/v1/tables?limit=256", 200}, {"GET", "/v1/tables?limit=x", 400},
		{"HEAD", "/checkpoint", 200}, {"GET", "/tile/0/000.p/1", 200}, {"GET", "/tile/x", 404}, {"GET", table, 200}, {"GET", table + "/messages", 200},
		{"GET", table + "/bundle", 200}, {"GET", "/v1/entries/0/receipt", 200}, {"GET", "/docs", 200}, {"GET", "/v1/openapi.json", 200}, {"GET", "/livez", 200},
		{"POST", "/nothing", 404},
	} {
		testmust.Equal(t, ask(hurried, greedy, c.method, c.path), http.StatusServiceUnavailable, c.method, c.path, "of who has used too much")
		testmust.Equal(t, ask(t.Context(), fmt.Sprintf("198.51.%d.1", i), c.method, c.path), c.want, c.method, c.path, "of somebody else")
	}
	// Who sends more of them than may wait is turned away.
	ctx, giveUp := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	defer waiting.Wait()
	defer giveUp()
	for range 20 {
		waiting.Go(func() { h.server.ServeHTTP(httptest.NewRecorder(), from(greedy, "/livez").WithContext(ctx)) })
	}
	for ask(hurried, greedy, "GET", "/livez") != http.StatusTooManyRequests {
		time.Sleep(time.Millisecond)
	}
	for path, item := range reads(t) {
		testmust.Equal(t, ask(hurried, greedy, "GET", path), http.StatusTooManyRequests, item, "of who has a full line")
	}
	for i, want := range []int{400, 400, 429} { // two tokens
		testmust.Equal(t, ask(hurried, greedy, "POST", "/v1/entries"), want, "post", i)
	}
}

// What anybody can sign must take a turn before it is verified.
func TestDocumentsTakeATurn(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Limits.ReadShare = 1e-9 })
	h.server.Spend(greedy, time.Hour)
	ctx, giveUp := context.WithCancel(t.Context())
	giveUp()
	notice := `{"pakli":"` + bulletin.NoticeFormat + `","event":"` + strings.Repeat("0", 64)
	fresh := 0
	for path, body := range map[string]string{"/v1/offers": "x", "/v1/offers/" + strings.Repeat("0", 64) + "/joins": "x", "/v1/entries": notice} {
		fresh++ // of another range each time, which has used nothing
		for address, want := range map[string]int{greedy: http.StatusServiceUnavailable, fmt.Sprintf("198.51.%d.1", fresh): http.StatusBadRequest} {
			r := from(address, path).WithContext(ctx)
			r.Method, r.Body = http.MethodPost, io.NopCloser(strings.NewReader(body))
			w := httptest.NewRecorder()
			h.server.ServeHTTP(w, r)
			testmust.Equal(t, w.Code, want, path, "from", address)
		}
	}
}

// Lines of a header are work that is done before any turn.
func TestHeadersAreCharged(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Limits.ReadShare = 1e-9 })
	r := from(other, "/livez")
	r.Header["A"] = make([]string, 100_000)
	for _, want := range []int{http.StatusOK, http.StatusServiceUnavailable} {
		ctx, giveUp := context.WithCancel(t.Context())
		giveUp()
		w := httptest.NewRecorder()
		h.server.ServeHTTP(w, r.WithContext(ctx))
		testmust.Holdf(t, w.Code == want, "%d, want %d", w.Code, want)
		h.server.Spend(greedy, time.Hour) // and all owe
	}
}

// Frames of a connection of HTTP/2 that reach no handler, as those of streams that are reset, must
// wait for the turn of their address.
func TestFramesTakeATurn(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Limits.ReadShare = 1e-9 })
	here, _ := net.Pipe()
	defer here.Close()
	testmust.Do(t, here.SetDeadline(time.Unix(0, 0)))
	c := h.server.Frames(tls.Client(here, &tls.Config{ServerName: "x"}))
	h.server.Spend("", time.Hour) // a pipe has no address
	h.server.End()                // nobody waits any longer
	for i := range 256 {
		_, err := c.Read(make([]byte, 1))
		testmust.Requiref(t, (i == 255) == (err == io.EOF), "read %d: %v", i, err)
	}
}

// A read that waits at the gate, or for an entry, must hold up no other read.
func TestWhoWaitsHasNoTurn(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Limits.ReadShare = 1 })
	synctest.Test(t, func(t *testing.T) {
		gate := httpapi.NewGate(httpapi.Limits{}, nil)
		replay := admission.Work{Bytes: -1}
		first := testmust.Have(gate.Enter(limit.WithCaller(t.Context(), limit.Prefix(other)), replay))(t)
		go func() {
			ctx := testmust.Have(h.server.Work(limit.WithCaller(t.Context(), limit.Prefix(greedy))))(t)
			testmust.Have(gate.Enter(ctx, replay))(t)(admission.Unsigned)
		}()
		synctest.Wait()
		begin := time.Now()
		testmust.Have(h.server.Work(limit.WithCaller(t.Context(), limit.Prefix(other))))(t)
		took := time.Since(begin)
		testmust.Holdf(t, took <= 0, "waited %v for a read that waits", took)
		first(admission.Unsigned)
	})
}

// reads are paths of all that is read, by how they are described.
func reads(t *testing.T) map[string]string {
	t.Helper()
	paths := map[string]string{}
	var d struct{ Paths map[string]map[string]any }
	testmust.Do(t, json.Unmarshal(httpapi.OpenAPI(), &d))
	for path, methods := range d.Paths {
		if methods["get"] != nil {
			paths[strings.NewReplacer("{level}", "0", "{tile}", "000", "{index}", "0", "{slug}", "busy", "{id}", strings.Repeat("0", 64), "{hash}", strings.Repeat("0", 64)).Replace(path)] = path
		}
	}
	return paths
}

// What an answer takes must count, also what is not work: its bytes.
func TestAnswersAreCharged(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Limits.ReadShare = 1e-9 })
	testmust.Have(h.log.Append(t.Context(), bytes.Repeat([]byte("x"), 60_000)))(t)
	for range 20_000 {
		ctx, giveUp := context.WithCancel(t.Context())
		giveUp()
		w := httptest.NewRecorder()
		h.server.ServeHTTP(w, from(other, "/tile/entries/000.p/1").WithContext(ctx))
		if w.Code == http.StatusServiceUnavailable {
			return
		}
	}
	t.Error("1.2 GB cost nothing")
}

// New connections of who has used too much must wait before anything is read.
func TestConnectionsTakeATurn(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Limits.ReadShare = 1e-9 })
	h.server.Spend(greedy, time.Hour)
	h.server.End() // nobody waits any longer
	for address, want := range map[string]error{greedy: io.EOF, other: nil} {
		here, there := net.Pipe()
		go func() { _, _ = there.Write([]byte("G")) }()
		n, err := h.server.Guest(here, address).Read(make([]byte, 1))
		testmust.Holdf(t, err == want && (err == nil) == (n == 1), "%s: %d bytes, %v, want %v", address, n, err, want)
		here.Close()
	}
}

// An address that has used too much by reading must still be able to post, which takes no
// turn: over a new connection too.
func TestConnectionsAreLetInAtLast(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Limits.ReadShare = 1e-9 })
	synctest.Test(t, func(t *testing.T) {
		h.server.Spend(greedy, time.Hour)
		here, there := net.Pipe()
		defer here.Close()
		go func() { _, _ = there.Write([]byte("P")) }()
		n, err := h.server.Guest(here, greedy).Read(make([]byte, 1))
		testmust.Holdf(t, n == 1 && err == nil, "%d bytes, %v", n, err)
	})
}

// A connection that goes on although it was told to come again later must be closed,
// and no sooner; and a request that net/http could answer itself must have our answer.
func TestImpatientConnections(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Limits.PostRate, o.Limits.PostBurst = 0.001, 1 })
	url, _ := h.serve()
	c := dial(t, url)
	answers := bufio.NewReader(c)
	const post, options = "POST /v1/entries HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"
	for i, step := range []struct {
		request string
		want    int
		closed  bool
	}{{options, 204, false}, {post, 400, false}, {post, 429, false}, {options, 204, false}, {post, 429, true}} {
		fmt.Fprint(c, step.request)
		got := testmust.Have(http.ReadResponse(answers, nil))(t)
		_, _ = io.Copy(io.Discard, got.Body)
		testmust.Holdf(t, got.StatusCode == step.want && got.Close == step.closed && got.Header.Get("X-Request-Id") != "",
			"request %d: %d, closed %v, want %+v", i, got.StatusCode, got.Close, step)
	}
}

// On one processor a long check must keep nobody from a short one.
func TestLongCheckOnOneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	gate := httpapi.NewGate(httpapi.Limits{}, nil)
	testmust.Have(gate.Enter(t.Context(), admission.Work{Bytes: 100_000}))(t)
	hurried, giveUp := context.WithCancel(t.Context())
	giveUp()
	for range 20 { // a turn that has come is not always taken by who has given up
		if _, err := gate.Enter(hurried, admission.Work{Bytes: 500}); err == nil {
			return
		}
	}
	t.Error("a short one waits for a long one")
}

// counted counts the lists that are made.
type counted struct {
	httpapi.Admission
	lists atomic.Int64
}

func (c *counted) Tables(from uint64, limit int) []admission.Summary {
	c.lists.Add(1)
	return c.Admission.Tables(from, limit)
}

// The same list must not be made for everybody who asks, nor sent to who has it; and
// never an old one after a post.
func TestListsAreKept(t *testing.T) {
	c := new(counted)
	h := newHouse(t, func(o *httpapi.Options) { c.Admission, o.Admission = o.Admission, c })
	for n := range 3 {
		before := c.lists.Load()
		first, again := h.get("/v1/tables?limit=2"), h.get("/v1/tables?limit=2")
		same := h.get("/v1/tables?limit=2", "If-None-Match", first.header.Get("ETag"))
		got := bytes.Count(first.body, []byte(`"id"`))
		testmust.Holdf(t, got == min(n, 2) && bytes.Equal(first.body, again.body), "after %d tables, listed: %s", n, first.body)
		testmust.Holdf(t, same.status == http.StatusNotModified && len(same.body) == 0 && first.header.Get("Cache-Control") == "no-cache",
			"known already: %d, %v", same.status, first.header)
		testmust.Equal(t, c.lists.Load()-before, 1, "how often it was made")
		p, _ := h.newTable(wire.RefuseFouls)
		for _, path := range []string{"", "/messages"} {
			path = "/v1/tables/" + p.State.ID().String() + path
			h.unchanged(path)
		}
	}
}
