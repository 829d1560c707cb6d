package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// entryTiles records which entry tiles are asked for.
func (s *site) entryTiles() (asked func() []string) {
	var mu sync.Mutex
	var paths []string
	s.answer(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/tile/entries/") {
			mu.Lock()
			paths = append(paths, r.URL.Path)
			mu.Unlock()
		}
		s.server.ServeHTTP(w, r)
	})
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		list := paths
		paths = nil
		return list
	}
}

// begin begins a table.
func (s *site) begin(t *testing.T) (*client.Client, *tabletest.Table, wire.Hash) {
	t.Helper()
	p := newTable(t)
	c := s.client(t)
	testmust.Have(c.Create(t.Context(), p.Entries[0]))(t)
	return c, p, p.State.ID()
}

// play posts the next message of a table.
func play(t *testing.T, c *client.Client, p *tabletest.Table) {
	t.Helper()
	entry := testmust.Have(p.Next())(t)
	testmust.Have(c.Post(t.Context(), p.State.ID(), entry))(t)
	testmust.Do(t, p.Add(entry))
}

func (s *site) strange(t *testing.T, entry []byte) {
	t.Helper()
	testmust.Have(s.log.Append(t.Context(), entry))(t)
}

// Who follows a table among others must not read an entry tile anew for every
// message, nor what comes after the last one.
func TestFollowingReadsAnEntryTileOnce(t *testing.T) {
	s := newSite(t, true)
	c, p, id := s.begin(t)
	for i := range 5 {
		s.strange(t, ledgertest.Entry(2*i))
		s.strange(t, ledgertest.Entry(2*i+1))
		play(t, c, p)
	}
	for i := range 5 {
		s.strange(t, ledgertest.Entry(100+i))
	}
	asked := s.entryTiles()
	watcher := s.client(t)
	testmust.Have(watcher.Checkpoint(t.Context()))(t)
	list, err := watcher.Messages(t.Context(), id, 0, 0)
	if err != nil || len(list) != 6 {
		t.Fatalf("%d messages, %v", len(list), err)
	}
	if got, want := asked(), []string{"/tile/entries/000.p/15"}; !slices.Equal(got, want) {
		t.Errorf("asked for %q, want %q", got, want)
	}
	play(t, c, p)
	if list, err := watcher.Messages(t.Context(), id, 6, 0); err != nil || len(list) != 1 {
		t.Fatalf("%d messages, %v", len(list), err)
	}
	if got, want := asked(), []string{"/tile/entries/000.p/21"}; !slices.Equal(got, want) {
		t.Errorf("next message: asked for %q, want %q", got, want)
	}
	for range 2 {
		testmust.Do(t, readAll(t, watcher, 21))
	}
	if got := asked(); len(got) > 0 {
		t.Errorf("read before, and asked for again: %q", got)
	}
}

// A log that has only the widths of its checkpoints must be followed too.
func TestFollowingWithoutNarrowEntryTiles(t *testing.T) {
	s := newSite(t, true)
	c, p, id := s.begin(t)
	s.strange(t, ledgertest.Entry(0))
	play(t, c, p)
	s.strange(t, ledgertest.Entry(1))
	s.answer(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/tile/entries/") && r.URL.Path != "/tile/entries/000.p/4" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		s.server.ServeHTTP(w, r)
	})
	if list, err := s.client(t).Messages(t.Context(), id, 0, 0); err != nil || len(list) != 2 {
		t.Errorf("%d messages, %v", len(list), err)
	}
}

// gate holds requests of long polls until it is opened, and says when one came.
func (s *site) gate() (came <-chan struct{}, open func()) {
	held, opened := make(chan struct{}, 10), make(chan struct{})
	s.answer(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("wait") {
			held <- struct{}{}
			<-opened
		}
		s.server.ServeHTTP(w, r)
	})
	return held, sync.OnceFunc(func() { close(opened) })
}

// One caller's long poll must not hold others beyond their own contexts, nor
// keep what is known from anybody.
func TestReadersDoNotWaitForEachOther(t *testing.T) {
	s := newSite(t, true)
	c, _, id := s.begin(t)
	testmust.Have(c.Messages(t.Context(), id, 0, 0))(t)
	came, open := s.gate()
	defer open()
	polled := make(chan error)
	go func() { _, err := c.Messages(t.Context(), id, 1, time.Millisecond); polled <- err }()
	<-came
	if list, err := c.Messages(t.Context(), id, 0, 0); err != nil || len(list) != 1 {
		t.Errorf("what is known: %d messages, %v", len(list), err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := c.Messages(ctx, id, 1, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("what is not known: %v", err)
	}
	open()
	testmust.Do(t, <-polled)
}

// What a caller does to its list must not change what others are told.
func TestMessagesAreTheCallers(t *testing.T) {
	s := newSite(t, true)
	c, p, id := s.begin(t)
	for range 2 {
		list, err := c.Messages(t.Context(), id, 0, 0)
		if err != nil || len(list) != 1 || list[0].Entry != string(p.Entries[0]) {
			t.Fatalf("%+v, %v", list, err)
		}
		list[0].Entry = "overwritten"
	}
}

// An entry that begins like a message of the table and does not parse is of no
// table: a server that does not list it leaves nothing out.
func TestUnparsableEntriesAreOfNoTable(t *testing.T) {
	s := newSite(t, true)
	c, p, id := s.begin(t)
	s.strange(t, fmt.Appendf(nil, `{"pakli":"message/v1","table":"%s","from":"elsewhere"}`, id))
	play(t, c, p)
	if list, err := s.client(t).Messages(t.Context(), id, 0, 0); err != nil || len(list) != 2 {
		t.Errorf("%d messages, %v; want 2", len(list), err)
	}
}

// Who asks for ever new tables must not fill the memory, nor lose the one that
// is in use.
func TestFollowedTablesAreBounded(t *testing.T) {
	s := newSite(t, true)
	c, _, id := s.begin(t)
	for i := range 300 {
		if list, err := c.Messages(t.Context(), id, 0, 0); err != nil || len(list) != 1 {
			t.Fatalf("%d messages, %v", len(list), err)
		}
		if i == 0 {
			s.answer(func(w http.ResponseWriter, r *http.Request) {
				if strings.Contains(r.URL.Path, id.String()) {
					t.Error("the table in use is read anew")
				}
				w.WriteHeader(http.StatusNotFound)
			})
		}
		_, _ = c.Messages(t.Context(), wire.Hash{byte(i), byte(i >> 8), 1}, 0, 0)
	}
	if n := c.Followed(); n > 256 {
		t.Errorf("%d tables are kept", n)
	}
}
