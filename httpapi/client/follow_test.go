package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// entryTiles records the requests for entry tiles.
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
	testmust.Have(c.CreateTable(t.Context(), p.Entries[0]))(t)
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

// A client that follows a table among others must not read an entry tile again for every message, or
// read beyond the last one.
func TestFollowingReadsAnEntryTileOnce(t *testing.T) {
	t.Parallel()
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
	testmust.Requiref(t, err == nil && len(list) == 6, "%d messages, %v", len(list), err)
	got, want := asked(), []string{"/tile/entries/000.p/15"}
	testmust.Holdf(t, slices.Equal(got, want), "asked for %q, want %q", got, want)
	play(t, c, p)
	list, err = watcher.Messages(t.Context(), id, 6, 0)
	testmust.Requiref(t, err == nil && len(list) == 1, "%d messages, %v", len(list), err)
	got, want = asked(), []string{"/tile/entries/000.p/21"}
	testmust.Holdf(t, slices.Equal(got, want), "next message: asked for %q, want %q", got, want)
	for range 2 {
		testmust.Do(t, readAll(t, watcher, 21))
	}
	got = asked()
	testmust.Holdf(t, len(got) == 0, "read before, and asked for again: %q", got)
}

// A client must also follow a log that only has the tile widths of its checkpoints.
func TestFollowingWithoutNarrowEntryTiles(t *testing.T) {
	t.Parallel()
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
	testmust.Equal(t, len(testmust.Have(s.client(t).Messages(t.Context(), id, 0, 0))(t, "messages")), 2, "messages")
}

// gate holds long polls until open is called, and signals on came when one arrives.
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

// One caller's long poll must not block others beyond their own contexts, or withhold known entries.
func TestReadersDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	s := newSite(t, true)
	c, _, id := s.begin(t)
	testmust.Have(c.Messages(t.Context(), id, 0, 0))(t)
	came, open := s.gate()
	defer open()
	polled := make(chan error)
	go func() { _, err := c.Messages(t.Context(), id, 1, time.Millisecond); polled <- err }()
	<-came
	testmust.Equal(t, len(testmust.Have(c.Messages(t.Context(), id, 0, 0))(t, "what is known", "messages")), 1, "what is known", "messages")
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	testmust.FailBy(t, testmust.ErrorOf(c.Messages(ctx, id, 1, 0)), context.DeadlineExceeded, "what is not known")
	open()
	testmust.Do(t, <-polled)
}

// A caller that changes its list must not change the lists of others.
func TestMessagesAreTheCallers(t *testing.T) {
	t.Parallel()
	s := newSite(t, true)
	c, p, id := s.begin(t)
	for range 2 {
		list, err := c.Messages(t.Context(), id, 0, 0)
		testmust.Requiref(t, err == nil && len(list) == 1 && list[0].Entry == string(p.Entries[0]), "%+v, %v", list, err)
		list[0].Entry = "overwritten"
	}
}

// An entry that begins like a message of the table and does not parse belongs to no table, so a
// server that does not list it omits nothing.
func TestUnparsableEntriesAreOfNoTable(t *testing.T) {
	t.Parallel()
	s := newSite(t, true)
	c, p, id := s.begin(t)
	s.strange(t, fmt.Appendf(nil, `{"pakli":"message/v1","table":"%s","from":"elsewhere"}`, id))
	play(t, c, p)
	testmust.Equal(t, len(testmust.Have(s.client(t).Messages(t.Context(), id, 0, 0))(t, "messages")), 2, "messages")
}

// Requests for endless new tables must not fill the memory or drop the table in use.
func TestFollowedTablesAreBounded(t *testing.T) {
	t.Parallel()
	s := newSite(t, true)
	c, _, id := s.begin(t)
	_, _, idle := s.begin(t)
	testmust.Have(c.Messages(t.Context(), idle, 0, 0))(t)
	var anew atomic.Bool
	for i := range 300 {
		list, err := c.Messages(t.Context(), id, 0, 0)
		testmust.Requiref(t, err == nil && len(list) == 1, "%d messages, %v", len(list), err)
		if i == 0 {
			s.answer(func(w http.ResponseWriter, r *http.Request) {
				testmust.Hold(t, !strings.Contains(r.URL.Path, id.String()), "the table in use is read anew")
				if strings.Contains(r.URL.Path, idle.String()) {
					anew.Store(true)
				}
				w.WriteHeader(http.StatusNotFound)
			})
		}
		_, _ = c.Messages(t.Context(), wire.Hash{byte(i), byte(i >> 8), 1}, 0, 0)
	}
	_, _ = c.Messages(t.Context(), idle, 0, 0)
	testmust.Hold(t, anew.Load(), "a table is kept that nobody has asked for while 300 others were")
}

// among plays part of a table among other entries, and returns the table.
func (s *site) among(t *testing.T, messages, others int) (*client.Client, *tabletest.Table, wire.Hash) {
	t.Helper()
	s.fill(t, others)
	c, p, id := s.begin(t)
	for i := range messages {
		for j := range others {
			s.strange(t, ledgertest.Entry(1000+i*others+j))
		}
		play(t, c, p)
	}
	return c, p, id
}

// A reader of one table must get all of it, under a checkpoint, whatever lies between its entries,
// and whether it reads at once, in steps, or from a believed checkpoint on.
func TestThread(t *testing.T) {
	t.Parallel()
	for _, others := range []int{0, 1, 7, 40} {
		s := newSite(t, true)
		writer, p, id := s.among(t, 5, others)
		steps := s.client(t)
		late := s.client(t)
		cp := testmust.Have(s.log.Checkpoint(t.Context()))(t)
		testmust.Do(t, late.BelieveCheckpoint(t.Context(), cp.Note))
		thread := steps.Thread(id)
		for range 3 {
			list, err := thread.Messages(t.Context(), 0, 0)
			testmust.Requiref(t, err == nil && len(list) >= 6, "%d messages, %v", len(list), err)
			for i, entry := range p.Entries {
				m := list[i]
				testmust.Holdf(t, m.Entry == string(entry) && m.N == i, "message %d is %+v", i, m)
			}
			s.strange(t, ledgertest.Entry(int(seed.Add(1))+100_000))
			play(t, writer, p)
			testmust.Equal(t, len(testmust.Have(thread.Messages(t.Context(), len(p.Entries)-1, 0))(t, "the next", "messages")), 1, "the next", "messages")
		}
		for _, c := range []*client.Client{s.client(t), late} {
			list, err := c.Thread(id).Messages(t.Context(), 0, 0)
			testmust.Holdf(t, err == nil && len(list) == len(p.Entries) && c.BelievedCheckpoint().Size != 0, "at once: %d messages, %v", len(list), err)
		}
	}
}

// A player must not download its own posts again, or tiles, or entries of others.
func TestThreadReadsItsTableAlone(t *testing.T) {
	t.Parallel()
	s := newSite(t, true)
	_, p, id := s.among(t, 2, 20)
	c := s.client(t)
	thread := c.Thread(id)
	testmust.Have(thread.Messages(t.Context(), 0, 0))(t)
	var asked []string
	s.answer(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.Path)
		s.server.ServeHTTP(w, r)
	})
	for range 2 {
		s.strange(t, ledgertest.Entry(int(seed.Add(1))+200_000))
		entry := testmust.Have(p.Next())(t)
		posted := testmust.Have(thread.Post(t.Context(), entry))(t)
		again, err := thread.Post(t.Context(), entry)
		testmust.Holdf(t, err == nil && again.Index == posted.Index, "the same again: %+v, %v", again, err)
		testmust.Do(t, p.Add(entry))
		list, err := thread.Messages(t.Context(), posted.N, 0)
		testmust.Holdf(t, err == nil && len(list) == 1 && list[0].Entry == string(entry), "the own: %+v, %v", list, err)
	}
	got := strings.Join(asked, "\n")
	testmust.Holdf(t, !strings.Contains(got, "GET") && len(asked) == 4, "asked for\n%s", got)
}

// A server shows messages that are not in the log, or at wrong places, to a client that reads the
// table alone and to one that reads the log. It shows a page under a checkpoint that is not the
// log's, or does not extend the believed one.
func TestLyingMessages(t *testing.T) {
	t.Parallel()
	s := newSite(t, true)
	_, _, id := s.among(t, 3, 5)
	old := testmust.Have(s.log.Checkpoint(t.Context()))(t)
	s.strange(t, []byte("one more"))
	type page = client.Messages
	hashes := func(edit func([]tlog.Hash) []tlog.Hash) func(*page) {
		return func(m *page) {
			if list := testmust.Have(tlog.ParseHashes(m.Growth))(t); len(list) > 0 { // otherwise the page shows no growth to lie about
				m.Growth = tlog.MarshalHashes(edit(list))
			}
		}
	}
	signed := func(size uint64) func(*page) {
		return func(m *page) { m.Checkpoint = string(sign(t, size, tlog.Hash{1}, s.key.Signer)) }
	}
	for name, l := range map[string]struct {
		edit        func(*page)
		alone, with error // nil: the other entries read show nothing
	}{
		"altered":          {func(m *page) { m.Messages[2].Entry += " " }, tlog.ErrBroken, tlog.ErrBroken},
		"invented genesis": {func(m *page) { m.Messages[0].Entry = "hello" }, tlog.ErrMalformed, tlog.ErrBroken},
		"invented":         {func(m *page) { m.Messages[1].Entry = "hello" }, tlog.ErrBroken, tlog.ErrBroken},
		"moved":            {func(m *page) { m.Messages[3].Index++ }, tlog.ErrMalformed, tlog.ErrBroken},
		"exchanged":        {func(m *page) { a := m.Messages; a[1].Entry, a[2].Entry = a[2].Entry, a[1].Entry }, tlog.ErrBroken, tlog.ErrBroken},
		"out of order":     {func(m *page) { a := m.Messages; a[1].Index, a[2].Index = a[2].Index, a[1].Index }, tlog.ErrMalformed, tlog.ErrMalformed},
		"renumbered":       {func(m *page) { a := m.Messages; a[1], a[2] = a[2], a[1] }, tlog.ErrMalformed, tlog.ErrMalformed},
		"one left out":     {func(m *page) { m.Messages = append(m.Messages[:1], m.Messages[2:]...) }, tlog.ErrMalformed, tlog.ErrMalformed},
		"one left out, renumbered": {func(m *page) {
			m.Messages = append(m.Messages[:2:2], m.Messages[3:]...)
			m.Messages[2].N--
		}, tlog.ErrMalformed, tlog.ErrMalformed},
		"twice":               {func(m *page) { m.Messages[2] = m.Messages[1]; m.Messages[2].N++ }, tlog.ErrMalformed, tlog.ErrMalformed},
		"a later beginning":   {later, tlog.ErrMalformed, tlog.ErrMalformed},
		"absurd index":        {func(m *page) { m.Messages[3].Index = 1<<64 - 1 }, tlog.ErrRange, tlog.ErrRange},
		"large index":         {func(m *page) { m.Messages[3].Index = 1 << 62 }, tlog.ErrRange, tlog.ErrRange},
		"a hash too many":     {hashes(func(h []tlog.Hash) []tlog.Hash { return append(h, h[0]) }), tlog.ErrMalformed, nil},
		"a hash less":         {hashes(func(h []tlog.Hash) []tlog.Hash { return h[1:] }), tlog.ErrMalformed, nil},
		"another hash":        {hashes(func(h []tlog.Hash) []tlog.Hash { h[0][3] ^= 1; return h }), tlog.ErrBroken, nil},
		"no base64":           {func(m *page) { m.Growth += "\n" }, tlog.ErrMalformed, nil},
		"no growth":           {func(m *page) { m.Growth = "" }, tlog.ErrMalformed, nil},
		"no checkpoint":       {func(m *page) { m.Checkpoint = "" }, tlog.ErrMalformed, nil},
		"an older checkpoint": {func(m *page) { m.Checkpoint = string(old.Note) }, tlog.ErrMalformed, nil},
		"a forged checkpoint": {func(m *page) { // another root under the signature
			m.Checkpoint = strings.Replace(string(old.Note), old.Root.String(), tlog.LeafHash(nil).String(), 1)
		}, tlog.ErrUnsigned, nil},
		"of another tree":       {signed(old.Size + 1), tlog.ErrBroken, nil},
		"of an impossible size": {signed(1<<60 + 1), tlog.ErrMalformed, nil},
	} {
		s.lie("/v1/tables/", edited(t, l.edit))
		_, err := s.client(t).Messages(t.Context(), id, 0, 0)
		testmust.Holdf(t, l.with == nil || errors.Is(err, l.with), "%s: %v, want %v", name, err, l.with)
		c := s.client(t)
		thread := c.Thread(id)
		_, err = thread.Messages(t.Context(), 0, 0)
		testmust.Holdf(t, errors.Is(err, l.alone) && !errors.Is(err, tlog.ErrForked), "%s, alone: %v, want %v", name, err, l.alone)
		testmust.Equal(t, c.BelievedCheckpoint().Size, 0, name, "believes size")
		s.honest() // the client must not have kept anything false
		list, err := thread.Messages(t.Context(), 0, 0)
		testmust.Holdf(t, err == nil && len(list) == 4, "after %q: %d messages, %v", name, len(list), err)
	}
}

// later shows the table from its second entry on.
func later(m *client.Messages) {
	m.Messages = m.Messages[1:]
	for i := range m.Messages {
		m.Messages[i].N = i
	}
}

// A client that has seen both histories of a log must convict it. A log that shows less than before
// must not pass for one without news.
func TestThreadsOfTwoHistories(t *testing.T) {
	t.Parallel()
	s := newSite(t, true)
	_, _, id := s.among(t, 2, 3)
	size := testmust.Have(s.log.Checkpoint(t.Context()))(t).Size
	believing := func(size uint64) error {
		c := s.client(t)
		testmust.Do(t, c.BelieveCheckpoint(t.Context(), sign(t, size, tlog.LeafHash([]byte("fork")), s.key.Signer)))
		_, err := c.Thread(id).Messages(t.Context(), 0, 0)
		return err
	}
	for _, less := range []uint64{2, 0} {
		testmust.FailBy(t, believing(size-less), tlog.ErrForked, "another history of", less, "less")
	}
	err := believing(size + 2)
	r, ok := errors.AsType[*client.RollbackError](err)
	testmust.Holdf(t, ok && r.Shown.Size == size, "less than was believed: %v", err)
}

// A page's checkpoint cannot be compared with the one that another call believes meanwhile. The
// thread must not be ahead of the believed checkpoint, since no server would answer it any more, and
// an honest log could be accused of a fork.
func TestThreadIsNotAheadOfWhatIsBelieved(t *testing.T) {
	t.Parallel()
	s := newSite(t, true)
	early, err := s.log.Checkpoint(t.Context())
	for err == nil && early.Size == 0 {
		s.strange(t, []byte("the first"))
		early, err = s.log.Checkpoint(t.Context())
	}
	testmust.Do(t, err)
	_, _, id := s.among(t, 3, 5)
	c := s.client(t)
	s.answer(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/tile/") {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		err := c.BelieveCheckpoint(t.Context(), early.Note)
		testmust.Hold(t, err == nil, err)
		s.server.ServeHTTP(w, r)
	})
	thread := c.Thread(id)
	if list, err := thread.Messages(t.Context(), 0, 0); err == nil || c.BelievedCheckpoint().Size != early.Size {
		t.Fatalf("%d messages, %v, believes size %d: the test tests nothing", len(list), err, c.BelievedCheckpoint().Size)
	}
	s.honest()
	if list, err := thread.Messages(t.Context(), 0, 0); err != nil || len(list) != 4 || c.BelievedCheckpoint().Size <= early.Size {
		t.Errorf("%d messages, %v, believes size %d", len(list), err, c.BelievedCheckpoint().Size)
	}
}
