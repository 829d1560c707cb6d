package client_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/sync/errgroup"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// lie changes the answers for paths that begin with prefix.
func (s *site) lie(prefix string, change func(status int, body []byte) (int, []byte)) {
	s.answer(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Accept-Encoding")
		if !strings.HasPrefix(r.URL.Path, prefix) {
			s.server.ServeHTTP(w, r)
			return
		}
		got := httptest.NewRecorder()
		s.server.ServeHTTP(got, r)
		status, body := change(got.Code, got.Body.Bytes())
		w.Header().Set("Content-Type", got.Header().Get("Content-Type"))
		w.WriteHeader(status)
		w.Write(body)
	})
}

func (s *site) honest() { s.handle.Store(nil) }

func body(change func(b []byte) []byte) func(int, []byte) (int, []byte) {
	return func(status int, b []byte) (int, []byte) { return status, change(b) }
}

// edited decodes a document, edits it and encodes it again.
func edited[D any](t *testing.T, edit func(*D)) func(int, []byte) (int, []byte) {
	return body(func(b []byte) []byte {
		var d D
		err := json.Unmarshal(b, &d)
		testmust.Hold(t, err == nil, err)
		edit(&d)
		b, _ = json.Marshal(d)
		return b
	})
}

func flip(b []byte) []byte    { b[len(b)-1] ^= 1; return b } // of a hash or an entry, never of a length
func cut(b []byte) []byte     { return b[:len(b)-1] }
func extend(b []byte) []byte  { return append(b, 0) }
func nothing(b []byte) []byte { return nil }

func (s *site) fill(t testing.TB, n int) {
	t.Helper()
	var group errgroup.Group
	for i := range n {
		group.Go(func() error { _, err := s.log.Append(t.Context(), ledgertest.Entry(i)); return err })
	}
	testmust.Do(t, group.Wait())
}

// readAll reads all entries.
func readAll(t testing.TB, c *client.Client, end uint64) error {
	for _, err := range c.Entries(t.Context(), 0, end) {
		if err != nil {
			return err
		}
	}
	return nil
}

// A lie in a hash or entry tile must be detected, and must blame only the server that showed it,
// since the log signed nothing else.
func TestLyingTiles(t *testing.T) {
	t.Parallel()
	const n = 300
	s := newSite(t, false)
	s.fill(t, n)
	for _, l := range []struct {
		name, prefix string
		change       func([]byte) []byte
		want         error
	}{
		{"tile altered", "/tile/0/001", flip, tlog.ErrBroken},
		{"upper tile altered", "/tile/1/", flip, tlog.ErrBroken},
		{"tile truncated", "/tile/0/000", cut, tlog.ErrMalformed},
		{"tile extended", "/tile/0/001", extend, tlog.ErrMalformed},
		{"tile empty", "/tile/0/", nothing, tlog.ErrMalformed},
		{"entry altered", "/tile/entries/000", flip, tlog.ErrBroken},
		{"entry tile truncated", "/tile/entries/001", cut, tlog.ErrMalformed},
		{"entry tile extended", "/tile/entries/000", extend, tlog.ErrMalformed},
		{"entry tile empty", "/tile/entries/", nothing, tlog.ErrMalformed},
		{"endless entry tile", "/tile/entries/001", func([]byte) []byte { return make([]byte, 45*(2+tlog.MaxEntry)) }, tlog.ErrMalformed},
	} {
		s.lie(l.prefix, body(l.change))
		if err := readAll(t, s.client(t), n); !errors.Is(err, l.want) || errors.Is(err, tlog.ErrForked) || strings.Contains(err.Error(), "promise") {
			t.Errorf("%s: %v, want %v", l.name, err, l.want)
		}
	}
	s.honest()
	testmust.Do(t, readAll(t, s.client(t), n))
}

// The server answers with another entry's index, or a proof for another tree.
func TestLyingProofs(t *testing.T) {
	t.Parallel()
	const n = 300
	s := newSite(t, false)
	s.fill(t, n)
	s.lie("/tile/0/000", body(flip))
	c := s.client(t)
	testmust.FailBy(t, testmust.ErrorOf(c.Inclusion(t.Context(), 3, n)), tlog.ErrBroken, "inclusion")
	testmust.FailBy(t, testmust.ErrorOf(c.Consistency(t.Context(), 77, n)), tlog.ErrBroken, "consistency")
	s.honest() // the client must not have kept anything false
	testmust.Have(c.Inclusion(t.Context(), 3, n))(t)
}

// A withheld tile is no contradiction, and a partial tile may disappear when the full one exists.
func TestWithheldTiles(t *testing.T) {
	t.Parallel()
	s := newSite(t, false)
	s.fill(t, 300)
	s.lie("/tile/", func(int, []byte) (int, []byte) { return http.StatusNotFound, nil })
	err := readAll(t, s.client(t), 300)
	p, ok := errors.AsType[*client.Problem](err)
	testmust.Holdf(t, ok && p.Status == http.StatusNotFound && !errors.Is(err, tlog.ErrBroken), "all tiles withheld: %v", err)
	s.honest()
	c := s.client(t)
	testmust.Have(c.Checkpoint(t.Context()))(t)
	for i := 300; i < 520; i++ {
		s.strange(t, ledgertest.Entry(i))
	}
	for _, prefix := range []string{"/tile/0/001.p/", "/tile/entries/001.p/"} {
		s.lie(prefix, func(int, []byte) (int, []byte) { return http.StatusNotFound, nil })
		testmust.Do(t, readAll(t, c, 300), prefix, "gone")
	}
}

// sign returns a checkpoint that the log never published, signed with its own key or another.
func sign(t testing.TB, size uint64, root tlog.Hash, s note.Signer) []byte {
	t.Helper()
	return testmust.Have(tlog.SignCheckpoint(size, root, s))(t).Note
}

// The server shows a checkpoint of a second history, an old one, or another log's.
func TestLyingCheckpoints(t *testing.T) {
	t.Parallel()
	s := newSite(t, false)
	s.fill(t, 10)
	old := testmust.Have(s.log.Checkpoint(t.Context()))(t)
	for i := 10; i < 20; i++ {
		s.strange(t, ledgertest.Entry(i))
	}
	other := newSite(t, false)
	other.fill(t, 9)
	foreign := testmust.Have(other.log.Checkpoint(t.Context()))(t)
	show := func(signed []byte) (*client.Client, error) {
		c := s.client(t)
		testmust.Have(c.Checkpoint(t.Context()))(t)
		s.lie("/checkpoint", body(func([]byte) []byte { return signed }))
		defer s.honest()
		_, err := c.Checkpoint(t.Context())
		return c, err
	}
	c, err := show(old.Note)
	r, ok := errors.AsType[*client.RollbackError](err)
	testmust.Holdf(t, ok && r.Believed.Size == 20 && r.Shown.Size == 10 && !errors.Is(err, tlog.ErrBroken), "an old one: %v", err)
	testmust.Equal(t, c.BelievedCheckpoint().Size, 20, "believes size", "after an old one")
	fork := tlog.LeafHash([]byte("fork"))
	_, err = show(sign(t, 20, fork, s.key.Signer))
	testmust.Holdf(t, isFork(err), "a fork: %v", err)
	for _, size := range []uint64{5, 19, 21, 256, 1 << 59} {
		if _, err := show(sign(t, size, fork, s.key.Signer)); !errors.Is(err, tlog.ErrForked) && size < 20 {
			t.Errorf("another history of size %d: %v", size, err)
		} else if err == nil {
			t.Errorf("another history of size %d was believed", size)
		}
	}
	for _, size := range []uint64{1<<60 + 1, 1 << 62, 1<<63 - 1} {
		testmust.FailBy(t, testmust.ErrorOf(show(sign(t, size, fork, s.key.Signer))), tlog.ErrMalformed, "size", size)
	}
	testmust.FailBy(t, testmust.ErrorOf(show(foreign.Note)), tlog.ErrUnsigned, "somebody else's")
	for name, junk := range map[string][]byte{"nothing": nil, "text": []byte("hello\n"), "cut": old.Note[:len(old.Note)-1], "endless": bytes.Repeat([]byte("x"), 1<<20)} {
		testmust.FailBy(t, testmust.ErrorOf(show(junk)), tlog.ErrMalformed, name)
	}
}

func isFork(err error) bool {
	_, ok := errors.AsType[*tlog.ForkError](err)
	return ok && errors.Is(err, tlog.ErrForked)
}

// A checkpoint kept from an earlier run binds the log whatever it shows now.
func TestBelieve(t *testing.T) {
	t.Parallel()
	s := newSite(t, false)
	s.fill(t, 10)
	kept := testmust.Have(s.log.Checkpoint(t.Context()))(t)
	c := s.client(t)
	if err := c.BelieveCheckpoint(t.Context(), kept.Note); err != nil || c.BelievedCheckpoint().Size != 10 {
		t.Errorf("%v, size %d", err, c.BelievedCheckpoint().Size)
	}
	if _, err := c.Append(t.Context(), []byte("more")); err != nil || c.BelievedCheckpoint().Size != 11 {
		t.Errorf("%v, size %d", err, c.BelievedCheckpoint().Size)
	}
	c = s.client(t)
	testmust.Do(t, c.BelieveCheckpoint(t.Context(), sign(t, 8, tlog.Hash{1}, s.key.Signer)))
	testmust.FailBy(t, testmust.ErrorOf(c.Checkpoint(t.Context())), tlog.ErrForked, "a log that forgot what it signed")
}

// A receipt for another entry must be refused.
func TestLyingReceipts(t *testing.T) {
	t.Parallel()
	s := newSite(t, false)
	s.fill(t, 5)
	foreign := testmust.Have(s.log.Append(t.Context(), []byte("other")))(t)
	for name, c := range map[string]struct {
		edit func(*client.PostedEntry)
		want error
	}{
		"of another entry": {func(p *client.PostedEntry) { p.Receipt, p.Index = string(foreign.Marshal()), foreign.Index }, tlog.ErrBroken},
		"none":             {func(p *client.PostedEntry) { p.Receipt = "" }, tlog.ErrMalformed},
		"other index":      {func(p *client.PostedEntry) { p.Index++ }, tlog.ErrMalformed},
		"not signed":       {func(p *client.PostedEntry) { p.Receipt = strings.Replace(p.Receipt, "log.example", "log.exampel", 2) }, tlog.ErrUnsigned},
	} {
		s.lie("/v1/entries", edited(t, c.edit))
		testmust.FailBy(t, testmust.ErrorOf(s.client(t).Append(t.Context(), []byte("mine"))), c.want, name)
	}
}

// Pages that are each valid but do not fit together, or omit an entry between them, would show a
// player another history than the log's.
func TestLyingPages(t *testing.T) {
	t.Parallel()
	s := newSite(t, true)
	_, _, id := s.among(t, 4, 0)
	all, err := s.client(t).Messages(t.Context(), id, 0, 0)
	testmust.Requiref(t, err == nil && len(all) == 5, "%d messages, %v", len(all), err)
	all = slices.Clone(all)
	for name, order := range map[string][]int{"backwards": {0, 4, 2}, "one left out": {0, 1, 3}, "again": {0, 1, 1}} {
		n := 0
		s.lie("/v1/tables/", body(func([]byte) []byte {
			m := all[order[n]]
			m.N = n
			b, _ := json.Marshal(client.Messages{Messages: []client.Message{m}})
			return b
		}))
		c := s.client(t)
		for n = 0; n < 2; n++ {
			_, err := c.Messages(t.Context(), id, n, 0)
			testmust.Holdf(t, err == nil || order[n] != n, "%s: page %d: %v", name, n, err)
		}
		testmust.FailBy(t, testmust.ErrorOf(c.Messages(t.Context(), id, n, 0)), tlog.ErrMalformed, name, "want malformed")
	}
}

// Texts of a server reach terminals, and must not control them.
func TestProblemsArePrintable(t *testing.T) {
	t.Parallel()
	p := &client.Problem{Status: 422, Title: "x\x1b]52;c;AAAA\a", Detail: "a\r\n\u009b2J\u202e" + strings.Repeat("y", 10_000)}
	for _, r := range p.Error() {
		if r < 0x20 || r > 0x7e {
			t.Fatalf("%q has %q", p.Error(), r)
		}
	}
	testmust.Hold(t, len(p.Error()) <= 1_000, len(p.Error()), "bytes")
}

// A server shows two logs in turn, both of which the reader believes. Neither has signed two
// histories.
func TestTwoLogsAreNoFork(t *testing.T) {
	t.Parallel()
	s := newSite(t, false)
	s.fill(t, 3)
	good := testmust.Have(s.log.Checkpoint(t.Context()))(t)
	_, other := ledgertest.NewKey(t, "other.example", tlog.Ed25519)
	for _, size := range []uint64{2, 3, 4} {
		c := testmust.Have(client.New(s.url, s.key.Verifier, nil, other.Verifier()))(t)
		testmust.Do(t, c.BelieveCheckpoint(t.Context(), good.Note))
		err := c.BelieveCheckpoint(t.Context(), sign(t, size, tlog.Hash{1}, other))
		testmust.Holdf(t, err != nil && !errors.Is(err, tlog.ErrBroken), "size %d: %v", size, err)
	}
}

// Whatever a server answers, a client must not panic or believe it.
func FuzzAnswers(f *testing.F) {
	s := newSite(f, false)
	s.fill(f, 3)
	good := testmust.Have(s.log.Checkpoint(f.Context()))(f)
	huge := sign(f, 1<<59, tlog.Hash{1}, s.key.Signer)
	f.Add(200, good.Note, []byte("x"))
	f.Add(200, huge, make([]byte, 32))
	f.Add(200, []byte(`{"messages":[{"n":0,"index":1,"entry":"x"}]}`), []byte{0, 1, 'x'})
	page := testmust.Have(json.Marshal(client.Messages{Messages: []client.Message{{Entry: "x"}}, Checkpoint: string(huge), Growth: tlog.MarshalHashes(make([]tlog.Hash, 4))}))(f)
	f.Add(200, page, []byte(nil))
	f.Add(200, []byte(`{"old":3,"size":576460752303423488,"hashes":["`+strings.Repeat("0", 64)+`"]}`), []byte(nil))
	f.Add(404, []byte(`{"type":"/problems/stale-parent","head":"00"}`), []byte(nil))
	f.Add(409, []byte(`{"type":"/problems/stale-parent","head":"`+strings.Repeat("0", 64)+`"}`), []byte(nil))
	f.Add(200, []byte(`{"receipt":"c2sp.org/tlog-proof@v1\nindex 0\n\n","index":0}`), []byte(nil))
	// Statuses that are retried would only take time.
	statuses := []int{200, 201, 204, 400, 404, 409, 413, 422, 500}
	f.Fuzz(func(t *testing.T, status int, first, tile []byte) {
		if !slices.Contains(statuses, status) {
			status = statuses[uint(status)%uint(len(statuses))]
		}
		s.answer(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(status)
			if strings.HasPrefix(r.URL.Path, "/tile/") {
				w.Write(tile)
			} else {
				w.Write(first)
			}
		})
		c := s.client(t)
		testmust.Do(t, c.BelieveCheckpoint(t.Context(), good.Note))
		cp, err := c.Checkpoint(t.Context())
		testmust.Holdf(t, err != nil || cp.Root == good.Root, "believed %v", cp)
		testmust.Fail(t, testmust.ErrorOf(c.Append(t.Context(), []byte("x"))), "believed a receipt")
		list, err := c.Messages(t.Context(), wire.Hash{}, 0, 0)
		testmust.Holdf(t, err != nil || len(list) == 0, "believed %v", list)
		thread := c.Thread(wire.Hash{})
		list, err = thread.Messages(t.Context(), 0, 0)
		testmust.Holdf(t, err != nil || len(list) == 0, "believed %v of a table", list)
		testmust.Fail(t, testmust.ErrorOf(thread.Post(t.Context(), []byte("x"))), "believed a receipt at a table")
		testmust.Fail(t, testmust.ErrorOf(c.BelieveProof(t.Context(), huge)), "believed by a proof")
		for e, err := range c.Entries(t.Context(), 0, 3) {
			testmust.Fail(t, err, "believed entry", e)
		}
		_, _ = c.Inclusion(t.Context(), 1, 3)
		_, _ = c.Consistency(t.Context(), 1, 3)
		_, _ = c.Table(t.Context(), wire.Hash{})
		_, _ = c.Tables(t.Context(), client.TableFilter{}, nil, 1)
	})
}

// A client must get tiles of the requested width, for entries and hashes, even if the server still
// has a narrower one.
func TestTileIsAsWideAsAskedFor(t *testing.T) {
	t.Parallel()
	s := newSite(t, false)
	s.fill(t, 300)
	c := s.client(t)
	for _, level := range []int{tlog.EntriesLevel, 0} {
		whole := testmust.Have(c.Tile(t.Context(), tlog.Tile{Level: level, Width: tlog.TileWidth}))(t)
		partial := tlog.Tile{Level: level, Width: 255}.Path()
		s.lie("/"+partial, func(int, []byte) (int, []byte) { return http.StatusNotFound, nil })
		for _, width := range []int{1, 255} {
			part, err := c.Tile(t.Context(), tlog.Tile{Level: level, Width: width})
			testmust.Holdf(t, err == nil && bytes.HasPrefix(whole, part), "level %d, width %d: %v", level, width, err)
			if level == tlog.EntriesLevel {
				_, err = tlog.ParseEntryTile(part, width)
			} else {
				_, err = tlog.ParseTile(part, width)
			}
			testmust.Do(t, err, "level", level, "width", width)
		}
		s.honest()
	}
}

// If a server has no way to wait, or answers everything with a page, the client requests the plain
// checkpoint.
func TestShownWithoutAWayToWait(t *testing.T) {
	t.Parallel()
	s := newSite(t, false)
	s.fill(t, 3)
	c := s.client(t)
	want := testmust.Have(c.ShownCheckpoint(t.Context(), 2, time.Second))(t)
	for name, lie := range map[string]func(int, []byte) (int, []byte){
		"404":    func(int, []byte) (int, []byte) { return http.StatusNotFound, []byte("no") },
		"a page": func(int, []byte) (int, []byte) { return http.StatusOK, []byte("<html>") },
	} {
		s.lie("/v1/checkpoint", lie)
		got, err := c.ShownCheckpoint(t.Context(), 2, time.Second)
		testmust.Holdf(t, err == nil && bytes.Equal(got, want), "%s: %v %s", name, err, got)
	}
}
