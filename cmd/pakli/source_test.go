package main

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/tlog"
)

// A server that is behind for a moment, as one of several behind one address is, accuses
// nobody (docs/spec/82-following.md, 82.2.2), and must not end a player's game. What is
// malformed, or convicts the log, must.
func TestServerBehindIsWaitedFor(t *testing.T) {
	behind := &client.Problem{Type: client.ProblemBase + client.BeyondLog, Status: 404}
	for _, c := range []struct {
		err  error
		want bool
	}{
		{&client.RollbackError{}, true},
		{errors.Join(behind, nil), true},
		{&client.Problem{Status: 503}, true},
		{&client.Problem{Type: client.ProblemBase + client.RateLimited, Status: 429}, true},
		{&client.Problem{Type: client.ProblemBase + client.UnknownTable, Status: 404}, false},
		{&tlog.ForkError{}, false},
		{tlog.ErrMalformed, false},
	} {
		if client.Away(c.err) != c.want {
			t.Errorf("%v: %v, want %v", c.err, !c.want, c.want)
		}
	}
}

// A connection that breaks in the middle of an answer must not end a player's game, no
// more than one that breaks before.
func TestBrokenAnswerIsWaitedFor(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
		_ = c.(*net.TCPConn).SetLinger(0) // it is reset
		c.Close()
	}))
	defer s.Close()
	if _, err := client.Ask(t.Context(), s.URL, nil); !client.Away(err) {
		t.Errorf("play ends: %v", err)
	}
}
