package main

import (
	"errors"
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
		{&client.Problem{Type: client.ProblemBase + client.UnknownTable, Status: 404}, false},
		{&tlog.ForkError{}, false},
		{tlog.ErrMalformed, false},
	} {
		if away(c.err) != c.want {
			t.Errorf("%v: %v, want %v", c.err, !c.want, c.want)
		}
	}
}
