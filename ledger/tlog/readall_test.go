package tlog_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
)

// shown are the entries that a log shows, and one blob for every hash.
type shown struct {
	tlog.Checkpoint
	entries []string
	blob    string
}

func (s shown) Entries(context.Context, uint64, uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, e := range s.entries {
			if !yield([]byte(e), nil) {
				return
			}
		}
	}
}

func (s shown) Blob(context.Context, [sha256.Size]byte) ([]byte, error) { return []byte(s.blob), nil }

type source struct{ shown }

func (s source) Checkpoint(context.Context) (tlog.Checkpoint, error) { return s.shown.Checkpoint, nil }

// A log that shows fewer entries than it signed, or others, and passes for copied;
// one that shows fewer must not look broken.
func TestReadAll(t *testing.T) {
	var tree tlog.Tree
	for _, e := range []string{"a", "b", "c"} {
		tree.Append(tlog.LeafHash([]byte(e)))
	}
	c := tlog.Checkpoint{Size: 3, Root: tree.Root()}
	for _, test := range []struct {
		entries     []string
		ok, blaming bool
	}{
		{[]string{"a", "b", "c"}, true, false},
		{[]string{"a", "b"}, false, false},
		{[]string{"a", "b", "d"}, false, true},
		{[]string{"b", "a", "c"}, false, true},
	} {
		read := ""
		err := tlog.ReadAll(t.Context(), source{shown{c, test.entries, ""}}, c, func(e []byte, leaf tlog.Hash, so *tlog.Tree) error {
			if leaf != tlog.LeafHash(e) {
				t.Errorf("%s has another leaf hash", e)
			}
			read += fmt.Sprintf("%s%d", e, so.Size())
			return nil
		})
		if (err == nil) != test.ok || errors.Is(err, tlog.ErrBroken) != test.blaming {
			t.Errorf("%q: %v", test.entries, err)
		}
		if test.ok && read != "a1b2c3" {
			t.Errorf("shown were %s", read)
		}
	}
}

// A log that shows other bytes for a blob, or none at all.
func TestBlobsOf(t *testing.T) {
	sum := sha256.Sum256([]byte("blob"))
	for _, test := range []struct {
		of   any
		want error
	}{
		{source{shown{blob: "blob"}}, nil},
		{source{shown{blob: "lie"}}, tlog.ErrMalformed},
		{struct{}{}, tlog.ErrNoBlob},
	} {
		testmust.FailBy(t, testmust.ErrorOf(tlog.BlobsOf(test.of).Blob(t.Context(), sum)), test.want)
	}
}

func leafNumber(i uint64) tlog.Hash {
	return tlog.LeafHash(binary.BigEndian.AppendUint64(nil, i))
}

// A root that is not that of the tree at its size, at the ends of tiles above all; one of
// the last 65,536 that is missing; one that is kept for ever, and with it all of the log.
func TestRecent(t *testing.T) {
	const size = tlog.RecentSizes + 3*tlog.TileWidth + 7
	var tree tlog.Tree
	var recent tlog.Recent
	const oldest, step = size - tlog.RecentSizes, 85
	roots := map[uint64]tlog.Hash{}
	for n := uint64(1); n <= size; n++ {
		tree.Append(leafNumber(n))
		recent.Append(leafNumber(n))
		if n > 2*tlog.TileWidth && n%step != oldest%step && n < size {
			continue
		}
		roots[n] = tree.Root()
		if got, ok := recent.Root(n); !ok || got != roots[n] || recent.Size() != n {
			t.Fatalf("size %d: root %v (%v), want %v", n, got, ok, roots[n])
		}
	}
	for at := uint64(oldest); at <= size; at += step {
		if got, ok := recent.Root(at); !ok || got != roots[at] {
			t.Fatalf("size %d of %d: root %v (%v), want %v", at, size, got, ok, roots[at])
		}
	}
	if _, ok := recent.Root(2); ok {
		t.Error("the root of size 2 is still known")
	}
	if _, ok := recent.Root(size + 1); ok {
		t.Error("the root of a size is known that the log has not")
	}
	if got, ok := recent.Root(0); !ok || got != tlog.EmptyRoot() {
		t.Error("the root of nothing is not known")
	}
}

// A log that is read on from the middle.
func TestResumeRecent(t *testing.T) {
	var tree tlog.Tree
	for i := range uint64(1000) {
		tree.Append(leafNumber(i))
	}
	recent := tlog.ResumeRecent(tree)
	for i := uint64(1000); i < 2000; i++ {
		tree.Append(leafNumber(i))
		recent.Append(leafNumber(i))
	}
	if got, ok := recent.Root(2000); !ok || got != tree.Root() {
		t.Errorf("root %v (%v), want %v", got, ok, tree.Root())
	}
	if _, ok := recent.Root(999); ok {
		t.Error("the root of a size is known that it has not seen")
	}
}
