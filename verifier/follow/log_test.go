package follow_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/follow"
)

// key is the key of a log.
type key struct {
	signer note.Signer
	key    *tlog.VerifierKey
}

func newKey(t testing.TB, name string) key {
	t.Helper()
	_, s := ledgertest.NewKey(t, name, tlog.Ed25519)
	return key{s, s.Verifier()}
}

// log is a follow.Surface that shows what a test sets.
type log struct {
	key
	entries [][]byte
	blobs   map[[32]byte][]byte
	shows   tlog.Checkpoint
	lie     func(t tlog.Tile, data []byte) ([]byte, error) // nil: none
	silent  func(path string) bool                         // nil: answers everything
	mu      *sync.Mutex
	asked   map[string]int // tiles, by path
}

func newLog(k key, entries ...[]byte) *log {
	l := &log{key: k, blobs: map[[32]byte][]byte{}, mu: new(sync.Mutex), asked: map[string]int{}}
	return l.grow(entries...)
}

// grow appends parcels and shows the new checkpoint.
func (l *log) grow(parcels ...[]byte) *log {
	for _, p := range parcels {
		entry, _ := wire.CutParcel(p)
		l.entries = append(l.entries, entry)
		if e, err := wire.Parse(p); err == nil && e.Message != nil {
			for _, b := range e.Message.BlobBytes() {
				l.blobs[sha256.Sum256(b)] = b
			}
		}
	}
	l.shows = l.sign(len(l.entries))
	return l
}

// sign signs the tree of the first n entries.
func (l *log) sign(n int) tlog.Checkpoint {
	var tree tlog.Tree
	for _, e := range l.entries[:n] {
		tree.Append(tlog.LeafHash(e))
	}
	return testmust.Need(tlog.SignCheckpoint(tree.Size(), tree.Root(), l.signer))
}

func (l *log) Checkpoint(ctx context.Context, _ uint64) ([]byte, error) {
	if l.silent != nil && l.silent("checkpoint") {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return l.shows.Note, nil
}

func (l *log) Blob(_ context.Context, hash [32]byte) ([]byte, error) {
	if b, ok := l.blobs[hash]; ok {
		return b, nil
	}
	return nil, tlog.ErrNoBlob
}

func (l *log) Tile(ctx context.Context, t tlog.Tile) ([]byte, error) {
	if l.silent != nil && l.silent(t.Path()) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked[t.Path()]++
	data, err := l.tile(t)
	if err == nil && l.lie != nil {
		return l.lie(t, data)
	}
	return data, err
}

func (l *log) tile(t tlog.Tile) ([]byte, error) {
	if !t.IsWithin(uint64(len(l.entries))) {
		return nil, errors.New("no such tile")
	}
	n := 1 << (8 * max(t.Level, 0))
	var data []byte
	for i := range t.Width {
		first := (int(t.Index)*tlog.TileWidth + i) * n
		if t.Level == tlog.EntriesLevel {
			data, _ = tlog.AppendEntry(data, l.entries[first])
			continue
		}
		var tree tlog.Tree
		for _, e := range l.entries[first : first+n] {
			tree.Append(tlog.LeafHash(e))
		}
		root := tree.Root()
		data = append(data, root[:]...)
	}
	return data, nil
}

// filler returns n entries that belong to no table and contain a word.
func filler(word string, n int) [][]byte {
	list := make([][]byte, n)
	for i := range list {
		list[i] = fmt.Appendf(nil, "%s %d", word, i)
	}
	return list
}

// play plays a table of Schwarzer Peter to its end.
func play(t testing.TB, s proof.Suite, seed uint64) *tabletest.Table {
	t.Helper()
	game, _ := games.Lookup("schwarzer-peter/v1")
	return testmust.Have(tabletest.Play(game, tabletest.Config{Seats: 2, Suite: s}, seed))(t)
}

// cheat returns the history of a table up to a message that breaks a rule.
func cheat(t testing.TB, p *tabletest.Table) [][]byte {
	t.Helper()
	at := len(p.Entries) / 2
	forged := testmust.Have(p.Forge(p.Entries[at], func(m *wire.Message) { m.Body = []byte(`{}`) }))(t)
	return append(slices.Clone(p.Entries[:at]), forged)
}

// falsify returns the history of a table up to a message with a false proof.
func falsify(t testing.TB, p *tabletest.Table) [][]byte {
	t.Helper()
	for at := len(p.Entries) / 3; at < len(p.Entries); at++ {
		e, err := wire.Parse(p.Entries[at])
		if err != nil || len(e.Message.Proofs) == 0 {
			continue
		}
		forged := testmust.Have(p.Forge(p.Entries[at], func(m *wire.Message) {
			m.Proofs[0] = bytes.Clone(m.Proofs[0])
			m.Proofs[0][len(m.Proofs[0])-1] ^= 1
		}))(t)
		return append(slices.Clone(p.Entries[:at]), forged)
	}
	t.Fatal("the test is built wrong: no proof")
	return nil
}

// interleave merges histories, one entry of each in turn.
func interleave(histories ...[][]byte) (all [][]byte) {
	for i := 0; ; i++ {
		before := len(all)
		for _, h := range histories {
			if i < len(h) {
				all = append(all, h[i])
			}
		}
		if len(all) == before {
			return all
		}
	}
}

// watch is a Follower with everything that it told.
type watch struct {
	*follow.Follower
	t        *testing.T
	dir      string
	now      time.Time
	verdicts []string
	notices  []string
}

var catalogue = table.Catalogue{Game: games.Lookup, Suite: clear.Lookup}

// open follows a log with a new state, or with the state in dir.
func open(t *testing.T, l *log, dir string, change ...func(*follow.Options)) *watch {
	t.Helper()
	w := &watch{t: t, dir: dir, now: time.Unix(2_000_000_000, 0)}
	o := follow.Options{Log: []*tlog.VerifierKey{l.key.key}, Catalogue: catalogue, Now: func() time.Time { return w.now }, Patience: time.Minute}
	o.Tell = func(e follow.Event) {
		if e.Verdict != nil {
			w.verdicts = append(w.verdicts, e.Text)
		} else {
			w.notices = append(w.notices, e.Text)
		}
	}
	for _, c := range change {
		c(&o)
	}
	f := testmust.Have(follow.Open(t.Context(), l, dir, o))(t)
	w.Follower = f
	t.Cleanup(func() { f.Close() })
	return w
}

// step makes a step that must succeed.
func (w *watch) step() {
	w.t.Helper()
	testmust.Do(w.t, w.Step(w.t.Context()))
}

// calm makes a step after which nothing may be in doubt.
func (w *watch) calm() {
	w.t.Helper()
	w.step()
	testmust.Requiref(w.t, !w.HasDoubts(), "in doubt: %q", w.notices)
}

// broken makes a step that must find evidence. The evidence must convince others, and must be found
// again when the state is opened.
func (w *watch) broken(k key) *follow.Evidence {
	w.t.Helper()
	found, ok := errors.AsType[*follow.Equivocation](w.Step(w.t.Context()))
	testmust.Requiref(w.t, ok, "no evidence: %q", w.notices)
	file := testmust.Have(os.ReadFile(found.File))(w.t)
	e, err := follow.ParseEvidence(file)
	if err == nil {
		err = e.Check(k.key)
	}
	testmust.Requiref(w.t, err == nil, "the evidence convinces nobody: %v\n%s", err, file)
	w.Close()
	_, err = follow.Open(w.t.Context(), newLog(k), w.dir, follow.Options{Log: []*tlog.VerifierKey{k.key}})
	_, ok = errors.AsType[*follow.Equivocation](err)
	testmust.Holdf(w.t, ok && errors.Is(err, tlog.ErrBroken) && errors.Is(err, tlog.ErrForked), "opened again: %v", err)
	return e
}

// innocent requires that there is no evidence against the log.
func (w *watch) innocent() {
	w.t.Helper()
	testmust.Fail(w.t, testmust.ErrorOf(os.Stat(filepath.Join(w.dir, "evidence.txt"))), "the log was accused")
}

func hears(name string, c *tlog.Checkpoint) func(*follow.Options) {
	return func(o *follow.Options) {
		o.Gossip = append(o.Gossip, follow.Peer{Name: name, Checkpoint: func(context.Context) ([]byte, error) { return bytes.Clone(c.Note), nil }})
	}
}

// wantVerdicts compares the tables told, without their ids, with one word for each.
func (w *watch) wantVerdicts(words ...string) {
	w.t.Helper()
	testmust.Requiref(w.t, len(w.verdicts) == len(words), "verdicts %q, want %q", w.verdicts, words)
	for i, word := range words {
		testmust.Holdf(w.t, strings.Contains(w.verdicts[i], word), "verdict %q, want %q", w.verdicts[i], word)
	}
}
