package httpapi_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// viaLoopback lets tests name the caller in X-Forwarded-For.
func viaLoopback(o *httpapi.Options) {
	o.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
}

// A stranger who has a processor, and asks for a table that is not replayed or
// posts long rubbish to it, must wait alone: not before the seats of the table.
func TestStrangersStopNoTable(t *testing.T) {
	const away, here = "203.0.113.9", "198.51.100.1"
	p := newTable(t, wire.RefuseFouls)
	gate := httpapi.NewGate(httpapi.Limits{ChecksPerAddress: 1}, nil)
	h := newHouse(t, func(o *httpapi.Options) {
		log := o.Log.(tlog.Log)
		testmust.Have(log.Append(t.Context(), p.Entries[0]))(t)
		a := testmust.Have(admission.Open(t.Context(), log, catalogue, admission.Options{Gate: gate}))(t)
		o.Admission = a
		viaLoopback(o)
	})
	leave, err := gate.Enter(limit.With(t.Context(), limit.Prefix(away)), admission.Work{Bytes: 5000}) // and it takes its time
	testmust.Do(t, err)
	path := "/v1/tables/" + p.State.ID().String()
	due := key(t, p, 0)
	done := make(chan answer)
	go func() { done <- h.get(path, "X-Forwarded-For", away) }()
	for gate.Waiting() == 0 {
		time.Sleep(time.Millisecond)
	}
	for i := range 70 {
		junk := forge(t, p, due, func(m *wire.Message) { m.Proofs = append(m.Proofs, bytes.Repeat([]byte{byte(i)}, 6000)) })
		junk = testmust.Have(wire.Sign(parseMessage(t, junk), p.Organiser))(t)
		go func() {
			done <- h.call("POST", path+"/messages", junk, "Content-Type", "text/plain", "X-Forwarded-For", away)
		}()
	}
	h.expect(http.StatusCreated, h.call("POST", path+"/messages", due, "Content-Type", "text/plain", "X-Forwarded-For", here))
	leave(admission.Unsigned)
	seen := map[string]bool{}
	for range 71 {
		seen[fmt.Sprint((<-done).status)] = true
	}
	for _, status := range []string{"201", "500"} {
		if seen[status] {
			t.Errorf("a stranger got %s", status)
		}
	}
}

// A page from elsewhere, or under a name from elsewhere that leads here, must not use
// a server that is for its own machine alone.
func TestPagesFromElsewhere(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Private = true })
	p := newTable(t, wire.RefuseFouls)
	post := func(path, host string, origins ...string) int {
		r := httptest.NewRequest("POST", path, bytes.NewReader(p.Entries[0]))
		r.Host = host
		r.Header["Origin"] = origins
		w := httptest.NewRecorder()
		h.server.ServeHTTP(w, r)
		return w.Code
	}
	for _, path := range ways(p.State.ID().String()) {
		for _, host := range []string{"evil.example", "evil.example:8080", "localhost.evil.example", "", "192.0.2.1:8080", "127.0.0.1.evil.example", "[2001:db8::1]:1"} {
			if got := post(path, host); got != http.StatusForbidden {
				t.Errorf("%s under %q: %d", path, host, got)
			}
		}
		for _, origin := range []string{"https://evil.example", "null", "", "http://127.0.0.1.evil.example", "http://localhost@evil.example"} {
			if got := post(path, "127.0.0.1:8080", origin); got != http.StatusForbidden {
				t.Errorf("%s from %q: %d", path, origin, got)
			}
		}
	}
	testmust.Equal(t, post("/v1/tables", "localhost", "http://localhost", "https://evil.example"), http.StatusForbidden, "from two")
	for _, host := range []string{"127.0.0.1:8080", "[::1]:8080", "[::1]", "localhost", "LOCALHOST:1"} {
		if got := post("/v1/tables", host, "http://"+host); got != http.StatusCreated && got != http.StatusOK {
			t.Errorf("from %s itself: %d", host, got)
		}
	}
	testmust.Equal(t, post("/v1/tables", "127.0.0.1:8080"), http.StatusOK, "a program")
	h.expect(http.StatusOK, h.get("/checkpoint", "Origin", "https://evil.example"))
}

// Who ends its own side of the connection while it waits must not read that all is
// well: nothing was stored.
func TestHalfClosed(t *testing.T) {
	waits := make(chan struct{})
	var told []httpapi.Answered
	h := newHouse(t, func(o *httpapi.Options) {
		gated(func(ctx context.Context, _ []byte) (admission.Posted, error) {
			close(waits)
			<-ctx.Done()
			return admission.Posted{}, fmt.Errorf("outcome unknown: %w", errors.New("gone"))
		})(o)
		o.Answered = func(a httpapi.Answered) { told = append(told, a) }
	})
	c := dial(t, h.url)
	fmt.Fprint(c, "POST /v1/entries HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx")
	<-waits
	testmust.Do(t, c.(*net.TCPConn).CloseWrite())
	got := testmust.Have(http.ReadResponse(bufio.NewReader(c), nil))(t)
	h.refusal(client.Busy, answer{"half closed", got.StatusCode, got.Header, testmust.Have(io.ReadAll(got.Body))(t)})
	testmust.Equal(t, told[0].Status, 0, "told of", told[0])
}
