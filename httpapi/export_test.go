package httpapi

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/httpapi/notify"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// CountZips counts what is compressed from now on.
func (s *Server) CountZips() *atomic.Int64 {
	n := new(atomic.Int64)
	s.zip = func(b []byte) []byte { n.Add(1); return gzipBytes(b) }
	return n
}

// Problems returns the status of every type of problem by its slug.
func Problems() map[string]int {
	m := map[string]int{}
	for _, k := range kinds {
		m[k.slug] = k.status
	}
	return m
}

// Watch puts a handler around everything that is routed.
func (s *Server) Watch(around func(http.Handler) http.Handler) { s.router = around(s.router) }

// Routes lists methods and paths, parameters written as in OpenAPI.
func (s *Server) Routes() []string {
	e := s.routes(&postAPI{events: &eventAPI{tableAPI: &tableAPI{}}}).(*echo.Echo)
	var list []string
	for _, r := range e.Routes() {
		list = append(list, r.Method+" "+regexp.MustCompile(`:(\w+)`).ReplaceAllString(r.Path, "{$1}"))
	}
	return list
}

// OpenAPI returns the description.
func OpenAPI() []byte { return openAPI() }

// Hurry bounds the time for an answer.
func (s *Server) Hurry(d time.Duration) { s.answerTime = d }

// Hasten bounds the time to learn what is in the log by now, and returns what was the bound.
func (s *Server) Hasten(d time.Duration) (was time.Duration) {
	was, s.latestTime = s.latestTime, d
	return was
}

// Negotiate returns the media type chosen for headers Accept.
func Negotiate(accept []string, offers ...string) (string, error) {
	r := &http.Request{Header: http.Header{"Accept": accept}}
	return negotiate(httptest.NewRecorder(), r, offers...)
}

// Resumed returns where a stream goes on after an event.
func Resumed(id string) (int, error) {
	r := &http.Request{Header: http.Header{"Last-Event-Id": {id}}, URL: &url.URL{}}
	q := query{r: r}
	from := q.resumePoint("from", math.MaxInt32)
	return from, q.err
}

// Attachments are bodies that are read at the same time, no more than most.
type Attachments struct{ *attachments }

// NewAttachments returns none.
func NewAttachments(most int) Attachments { return Attachments{newAttachments(most)} }

// Enter begins one for the seat with a number.
func (a Attachments) Enter(seat int, address string, cut func()) (leave func() bool) {
	return a.makeRoom(seatID{seat: seat}, limit.Prefix(address), cut)
}

// Spend uses processor time for an address.
func (s *Server) Spend(address string, d time.Duration) { s.turns.Charge(limit.Prefix(address), d) }

// End is what shutting down begins with.
func (s *Server) End() { s.end() }

// Guest is a connection of an address.
func (s *Server) Guest(c net.Conn, address string) net.Conn {
	return &guest{Conn: c, s: s, address: limit.Prefix(address), leave: func() {}}
}

// Frames is a connection of HTTP/2.
func (s *Server) Frames(c *tls.Conn) net.Conn { return &frameConn{Conn: c, s: s} }

// Work has a turn of who asks in ctx, until it waits for something.
func (s *Server) Work(ctx context.Context) (context.Context, error) {
	ctx = context.WithValue(ctx, seenKey{}, new(observedAnswer))
	return ctx, s.awaitTurn(ctx)
}

// BundleAge is how long a bundle is kept that took so long to make.
func BundleAge(took time.Duration) time.Duration { return bundleAge(took) }

// An answer that denies what another front end has acknowledged; one that denies though it
// cannot know; a look at the register for each answer that denies nothing.
func TestLatest(t *testing.T) {
	at, stale := uint64(7), &table.Fault{Check: table.CheckParent, Class: table.Void, Err: errors.New("stale")}
	for name, c := range map[string]struct {
		first   error
		looks   int
		away    error
		answers error
	}{
		"there":                      {nil, 0, nil, nil},
		"not there yet":              {problem(client.UnknownTable, "none"), 1, nil, nil},
		"built on an older head":     {&admission.Conflict{Fault: stale}, 1, nil, nil},
		"void in the log":            {&admission.Conflict{Fault: stale, Index: &at}, 0, nil, &admission.Conflict{Fault: stale, Index: &at}},
		"malformed":                  {problem(client.MalformedRequest, "no"), 0, nil, problem(client.MalformedRequest, "no")},
		"nobody knows what is there": {problem(client.NotFound, "none"), 1, errors.New("away"), problem(client.Busy, "later")},
	} {
		looks, calls := 0, 0
		s := &Server{logger: slog.New(slog.DiscardHandler), catchUp: func(context.Context) error {
			looks++
			return c.away
		}}
		err := s.retryDenied(func(http.ResponseWriter, *http.Request) error {
			if calls++; calls == 1 {
				return c.first
			}
			return nil
		})(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
		testmust.Holdf(t, looks == c.looks && (err == nil) == (c.answers == nil) && (err == nil || problemOf(err).Status == problemOf(c.answers).Status),
			"%s: %d looks, answered %v; want %d and %v", name, looks, err, c.looks, c.answers)
	}
}

// A stranger who asks for the same short list under long names, each of which is another
// one, must not fill the memory.
func TestLongNamesAreNotKept(t *testing.T) {
	const most = 1 << 20
	k, filler := newKept(most), strings.Repeat("x", 12<<10)
	for i := range 300 {
		k.putForever(answerVersion{name: fmt.Sprint(i, filler)}, []byte("[]"), "")
	}
	held := 0
	for v := range k.known {
		held += len(v.name)
	}
	testmust.Holdf(t, held != 0 && held <= most, "%d bytes of names are kept, at most %d may be", held, most)
}

// What is kept for a while must not be shown later, nor keep what is newer out.
func TestKeptForAWhile(t *testing.T) {
	k := newKept(1 << 10)
	k.putUntil(answerVersion{name: "a"}, []byte("old"), "", time.Now().Add(-time.Second))
	data, _ := k.get(answerVersion{name: "a"})
	testmust.Holdf(t, data == nil, "%s is shown", data)
	k.putUntil(answerVersion{name: "a"}, []byte("new"), "", time.Now().Add(time.Hour))
	data, _ = k.get(answerVersion{name: "a"})
	testmust.Holdf(t, string(data) == "new", "%q is shown", data)
}

// SetPush has a server tell browsers of events.
func (s *Server) SetPush(p *notify.PushSender) { s.push = p }

// A seat that is shown as there long after its program was heard of, or by what it had said an hour ago; memory that grows.
func TestPresencePasses(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	p, id := newPresence(func() time.Time { return now }), wire.Hash{1}
	challenge := p.challenge(id, 0)
	p.note(id, "a")
	now = now.Add(heardFor)
	if p.note(id, "b"); fmt.Sprint(p.among(id, []string{"a", "b"})) != "[0 1]" || !p.isCurrent(id, challenge) || p.isCurrent(wire.Hash{}, challenge) {
		t.Errorf("after %v there are %v", heardFor, p.among(id, []string{"a", "b"}))
	}
	now = now.Add(time.Second)
	there := p.among(id, []string{"a", "b"})
	testmust.Holdf(t, fmt.Sprint(there) == "[1]", "after one more second there are %v", there)
	now = now.Add(2 * challengeFor)
	p.note(wire.Hash{2}, "c")
	testmust.Holdf(t, len(p.heard) == 1 && !p.isCurrent(id, challenge), "two minutes later %d tables are known", len(p.heard))
}
