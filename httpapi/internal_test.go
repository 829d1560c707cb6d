package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/protocol/table"
)

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
		err := s.latest(func(http.ResponseWriter, *http.Request) error {
			if calls++; calls == 1 {
				return c.first
			}
			return nil
		})(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
		if looks != c.looks || (err == nil) != (c.answers == nil) || err != nil && problemOf(err).Status != problemOf(c.answers).Status {
			t.Errorf("%s: %d looks, answered %v; want %d and %v", name, looks, err, c.looks, c.answers)
		}
	}
}

// A stranger who asks for the same short list under long names, each of which is another
// one, must not fill the memory.
func TestLongNamesAreNotKept(t *testing.T) {
	const most = 1 << 20
	k, filler := newKept(most), strings.Repeat("x", 12<<10)
	for i := range 300 {
		k.put(version{name: fmt.Sprint(i, filler)}, []byte("[]"), "")
	}
	held := 0
	for v := range k.known {
		held += len(v.name)
	}
	if held == 0 || held > most {
		t.Errorf("%d bytes of names are kept, at most %d may be", held, most)
	}
}

// What is kept for a while must not be shown later, nor keep what is newer out.
func TestKeptForAWhile(t *testing.T) {
	k := newKept(1 << 10)
	k.keep(version{name: "a"}, []byte("old"), "", time.Now().Add(-time.Second))
	if data, _ := k.get(version{name: "a"}); data != nil {
		t.Errorf("%s is shown", data)
	}
	k.keep(version{name: "a"}, []byte("new"), "", time.Now().Add(time.Hour))
	if data, _ := k.get(version{name: "a"}); string(data) != "new" {
		t.Errorf("%q is shown", data)
	}
}
