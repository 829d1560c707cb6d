package tlog_test

import (
	"encoding/binary"
	"testing"

	"github.com/pakli/pakli/ledger/tlog"
)

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
