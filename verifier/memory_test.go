package verifier_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"iter"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"weak"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/tableset"
)

// pieces are memory that was handed out.
type pieces []weak.Pointer[byte]

// copied returns a copy of b at the beginning of at least size bytes.
func (p *pieces) copied(b []byte, size int) []byte {
	whole := make([]byte, max(size, len(b)))
	*p = append(*p, weak.Make(&whole[0]))
	return whole[:copy(whole, b)]
}

// held counts what is still in use.
func (p pieces) held() (n int) {
	runtime.GC()
	for _, b := range p {
		if b.Value() != nil {
			n++
		}
	}
	return n
}

const (
	fileSize = 1 << 20
	blobSize = 1<<20 - 64
)

// weighed shows each entry as a part of a file, and each blob anew, and notes how many
// of them are in use at a time.
type weighed struct {
	shown
	blob         []byte
	files, blobs pieces
	most         int // blobs
	t            testing.TB
}

func (w *weighed) Entries(ctx context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for e, err := range w.shown.Entries(ctx, start, end) {
			if len(w.files)%16 == 15 {
				n := w.files.held()
				testmust.Holdf(w.t, n <= 4, "of %d files %d are kept for one entry of each", len(w.files), n)
			}
			if !yield(w.files.copied(e, fileSize), err) {
				return
			}
		}
	}
}

func (w *weighed) Blob(context.Context, [32]byte) ([]byte, error) {
	if len(w.blobs)%8 == 7 {
		w.most = max(w.most, w.blobs.held())
	}
	return w.blobs.copied(w.blob, 0), nil
}

// fouls are tables of two entries, the second of which names the same blob as its
// proof: a log of some kilobytes, and one megabyte for each.
func fouls(t *testing.T, n int) (entries [][]byte, blob []byte) {
	t.Helper()
	game, _ := games.Lookup("schwarzer-peter/v1")
	blob = bytes.Repeat([]byte{7}, blobSize)
	for i := range n {
		tb := testmust.Have(tabletest.New(game, tabletest.Config{Seats: 2, Fouls: wire.RecordFouls}, uint64(50_000+i)))(t)
		entry := testmust.Have(tb.Next())(t)
		entry = testmust.Have(tb.Forge(entry, func(m *wire.Message) { m.Proofs = [][]byte{blob} }))(t)
		bare, _ := wire.CutParcel(entry)
		entries = append(entries, tb.Entries[0], bytes.Clone(bare))
	}
	return entries, blob
}

// Many small tables that name large blobs: neither the reports may keep them, nor may
// all of them wait together until they are judged.
func TestBlobsAreLetGo(t *testing.T) {
	const n = 80
	sc := newScene(t, clear.Suite{}, 2, nil, 1)
	entries, blob := fouls(t, n)
	src := &weighed{shown: sc.log(t, entries), blob: blob, t: t}
	o := verifier.Options{Log: []note.Verifier{sc.key}, Catalogue: sc.Catalogue()}
	r, err := tableset.VerifyTables(t.Context(), src, tableset.Options{Workers: 1, Options: o})
	testmust.Require(t, err == nil && len(r.Tables) == n && r.ExitCode() == verifier.Foul.ExitCode(), r, err)
	testmust.Holdf(t, src.most <= 40 && len(src.blobs) >= n, "of %d blobs %d are kept at once", len(src.blobs), src.most)
	held := src.blobs.held()
	testmust.Holdf(t, held <= 0, "the reports of %d fouls keep %d blobs", n, held)
	runtime.KeepAlive(r)
}

// stalled is a log whose blobs come when nothing more is read.
type stalled struct {
	shelved
	read, most atomic.Int64
}

func (s *stalled) Entries(ctx context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for e, err := range s.shelved.Entries(ctx, start, end) {
			s.read.Add(int64(len(e)))
			if !yield(e, err) {
				return
			}
		}
	}
}

func (s *stalled) Blob(ctx context.Context, hash [32]byte) ([]byte, error) {
	synctest.Wait()
	s.most.Store(max(s.most.Load(), s.read.Load()))
	return s.shelved.Blob(ctx, hash)
}

// A worker that is held up by a blob, and large entries in the name of its table, which
// anybody can write: they must wait in the log and not in memory.
func TestWaitingEntriesAreBounded(t *testing.T) { synctest.Test(t, waitingEntriesAreBounded) }

func waitingEntriesAreBounded(t *testing.T) {
	sc := newScene(t, clear.Suite{}, 2, nil, 1)
	entries, blob := fouls(t, 1)
	large := append(bytes.Clone(entries[1][:200]), make([]byte, 60_000)...)
	for range 2000 {
		entries = append(entries, large)
	}
	src := &stalled{shelved: shelved{sc.log(t, entries), map[[32]byte][]byte{sha256.Sum256(blob): blob}}}
	o := verifier.Options{Log: []note.Verifier{sc.key}, Catalogue: sc.Catalogue()}
	r, err := tableset.VerifyTables(t.Context(), src, tableset.Options{Workers: 2, Options: o})
	testmust.Require(t, err == nil && len(r.Tables) == 1 && r.Tables[0].Verdict == verifier.Foul, r, err)
	if most := src.most.Load(); most == 0 || most > 40<<20 {
		t.Errorf("%d MiB wait for one worker", most>>20)
	}
}
