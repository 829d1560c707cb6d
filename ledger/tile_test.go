package ledger_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tiles"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/transparency-dev/merkle/rfc6962"
	merkle "github.com/transparency-dev/merkle/testonly"
	xtlog "golang.org/x/mod/sumdb/tlog"
	"golang.org/x/sync/errgroup"
)

// fillConcurrently appends n entries, in any order.
func fillConcurrently(t *testing.T, l *ledger.Ledger, n int) {
	t.Helper()
	var group errgroup.Group
	group.SetLimit(64)
	for i := range n {
		group.Go(func() error { _, err := l.Append(t.Context(), ledgertest.Entry(i)); return err })
	}
	testmust.Do(t, group.Wait())
}

// stored is a tree as x/mod keeps it.
type stored []xtlog.Hash

// ReadHashes implements xtlog.HashReader.
func (s stored) ReadHashes(indexes []int64) ([]xtlog.Hash, error) {
	hashes := make([]xtlog.Hash, len(indexes))
	for i, index := range indexes {
		hashes[i] = s[index]
	}
	return hashes, nil
}

// readTree reads all entries and makes x/mod's tree of them.
func readTree(t *testing.T, l *ledger.Ledger, size uint64) (stored, [][]byte) {
	t.Helper()
	var s stored
	var entries [][]byte
	for entry, err := range l.Entries(t.Context(), 0, size) {
		testmust.Do(t, err)
		hashes := testmust.Have(xtlog.StoredHashes(int64(len(entries)), entry, s))(t)
		s = append(s, hashes...)
		entries = append(entries, entry)
	}
	return s, entries
}

// Tiles of a tree with two levels, thorough with three and its root are those that
// x/mod makes of the entries, before and after a restart.
func TestTiles(t *testing.T) {
	n := int64(3<<8 + 70)
	if testmust.Thorough() {
		n = 1<<16 + 700
	}
	dir, key := create(t)
	l := open(t, dir, key)
	fillConcurrently(t, l, int(n))
	for range 2 {
		c := ledgertest.CheckLog(t, l, key.Verifier)
		testmust.Requiref(t, c.Size == uint64(n), "size %d, want %d", c.Size, n)
		ref, entries := readTree(t, l, uint64(n))
		checkHashTiles(t, l, ref, n)
		checkEntryTiles(t, l, entries)
		closeLog(t, l)
		l = open(t, dir, key)
	}
}

func checkHashTiles(t *testing.T, l *ledger.Ledger, ref stored, n int64) {
	t.Helper()
	for _, x := range xtlog.NewTiles(8, 0, n) {
		for _, width := range []int{x.W, x.W/2 + 1, 1} {
			x.W = width
			want := testmust.Have(xtlog.ReadTileData(x, ref))(t)
			tile := tlog.Tile{Level: x.L, Index: uint64(x.N), Width: width}
			got, err := l.Tile(t.Context(), tile)
			testmust.Requiref(t, err == nil && bytes.Equal(got, want), "%s differs from x/mod's: %v", tile.Path(), err)
		}
	}
}

func checkEntryTiles(t *testing.T, l *ledger.Ledger, entries [][]byte) {
	t.Helper()
	for start := 0; start < len(entries); start += tlog.TileWidth {
		width := min(tlog.TileWidth, len(entries)-start)
		tile := tlog.Tile{Level: tlog.EntriesLevel, Index: uint64(start / tlog.TileWidth), Width: width}
		b := testmust.Have(l.Tile(t.Context(), tile))(t, tile.Path())
		got := testmust.Have(tlog.ParseEntryTile(b, width))(t, tile.Path())
		for i, entry := range got {
			testmust.Requiref(t, bytes.Equal(entry, entries[start+i]), "%s: entry %d is %q, want %q", tile.Path(), i, entry, entries[start+i])
		}
	}
}

// Tiles that no published tree has are not served.
func TestTileOutOfRange(t *testing.T) {
	dir, key := create(t)
	l := open(t, dir, key)
	fill(t, l, 0, 257)
	for _, tile := range []tlog.Tile{
		{Level: 0, Index: 1, Width: 2}, {Level: 0, Index: 2, Width: 1}, {Level: 1, Index: 0, Width: 2}, {Level: 2, Index: 0, Width: 1},
		{Level: tlog.EntriesLevel, Index: 1, Width: 2}, {Level: 63, Index: 0, Width: 1}, {Level: 0, Index: 1 << 62, Width: 256}, {Level: 0, Index: 0, Width: 0},
	} {
		b, err := l.Tile(t.Context(), tile)
		testmust.Holdf(t, errors.Is(err, tlog.ErrRange), "%+v: %d bytes, %v; want ErrRange", tile, len(b), err)
	}
}

// Who knows a tree and is given the subtrees after it must come to the root of every
// larger one; with one hash less or another one it must not.
func TestSubtrees(t *testing.T) {
	const n = 40
	dir, key := create(t)
	l := open(t, dir, key)
	defer l.Close()
	fillConcurrently(t, l, n)
	_, entries := readTree(t, l, n)
	whole := make([]tlog.Tree, n+1)
	for i, entry := range entries {
		whole[i+1] = whole[i].Clone()
		whole[i+1].Append(tlog.LeafHash(entry))
	}
	for end := range uint64(n + 1) {
		for start := range end + 1 {
			hashes := testmust.Have(l.Subtrees(t.Context(), start, end))(t)
			tree := whole[start].Clone()
			if rest, err := tree.SkipTo(end, hashes); err != nil || len(rest) > 0 || tree.Root() != whole[end].Root() {
				t.Errorf("from %d to %d: %d hashes left, root %v, %v", start, end, len(rest), tree.Root(), err)
			}
			for i := range hashes {
				tree = whole[start].Clone()
				_, err := tree.SkipTo(end, hashes[:i])
				testmust.FailBy(t, err, tlog.ErrMalformed, "from", start, "to", end, "with", i, "hashes")
				other := slices.Clone(hashes)
				other[i][0] ^= 1
				tree = whole[start].Clone()
				_, err = tree.SkipTo(end, other)
				testmust.Holdf(t, err == nil && tree.Root() != whole[end].Root(), "from %d to %d: hash %d does not matter", start, end, i)
			}
		}
	}
	for _, bad := range [][2]uint64{{0, n + 1}, {3, 2}} {
		testmust.FailBy(t, testmust.ErrorOf(l.Subtrees(t.Context(), bad[0], bad[1])), tlog.ErrRange, "from", bad[0], "to", bad[1])
	}
	tree := whole[3].Clone()
	testmust.FailBy(t, testmust.ErrorOf(tree.SkipTo(2, make([]tlog.Hash, 64))), tlog.ErrMalformed, "backwards")
	testmust.FailBy(t, testmust.ErrorOf(tree.SkipTo(1<<63, make([]tlog.Hash, 64))), tlog.ErrMalformed, "to 2^63")
	tree = whole[3].Clone()
	rest, err := tree.SkipTo(1<<63-1, make([]tlog.Hash, 200))
	testmust.Holdf(t, err == nil && 200-len(rest) <= 126, "to 2^63-1: %d hashes, %v", 200-len(rest), err)
}

// TestDifferential compares proofs hash for hash with a tree of other people's
// code: all of up to 70 entries, thorough of up to 300 (90,300 of them), the growth
// from every size up to 2,048, and random ones of the whole tree, which thorough has
// three levels of tiles. The long form takes
// a tree of 2^20 entries and 2,000 of its sizes:
//
//	PAKLI_TREES=all go test -run TestDifferential -timeout 1h -v ./ledger
func TestDifferential(t *testing.T) {
	n, random, all := 2_048, 200, 70
	if os.Getenv("PAKLI_TREES") == "all" {
		n, random = 1<<20, 2_000
	}
	if testmust.Thorough() || n > 2_048 {
		n, all = max(n, 1<<16+700), 300
	}
	want := merkle.New(rfc6962.DefaultHasher)
	for i := range n {
		want.AppendData(ledgertest.Entry(i))
	}
	dir, key := numberedLog(t, n, tlog.Hash(want.Hash()))
	l := open(t, dir, key)
	proofs := 0
	for size := uint64(1); size <= uint64(all); size++ {
		for i := range size {
			compare(t, l, want, i, size)
			proofs += 2
		}
	}
	for size := range uint64(2_048) {
		compare(t, l, want, size, 2_048)
		proofs += 2
	}
	for range random {
		size := 1 + rand.Uint64N(uint64(n))
		compare(t, l, want, rand.Uint64N(size), size)
		proofs += 2
	}
	t.Logf("%d proofs in a tree of %d entries: no difference", proofs, n)
}

// compare asks for the inclusion of an entry, and for the growth from the size
// with it as the last one.
func compare(t *testing.T, l *ledger.Ledger, want *merkle.Tree, index, size uint64) {
	t.Helper()
	p := testmust.Have(l.Inclusion(t.Context(), index, size))(t)
	path, err := want.InclusionProof(index, size)
	testmust.Requiref(t, err == nil && slices.Equal(p.Hashes, asHashes(path)), "inclusion of %d in %d: %v, want %x, %v", index, size, p.Hashes, path, err)
	q := testmust.Have(l.Consistency(t.Context(), index+1, size))(t)
	path, err = want.ConsistencyProof(index+1, size)
	testmust.Requiref(t, err == nil && slices.Equal(q.Hashes, asHashes(path)), "consistency of %d with %d: %v, want %x, %v", index+1, size, q.Hashes, path, err)
	err = q.Verify(tlog.Hash(want.HashAt(index+1)), tlog.Hash(want.HashAt(size)))
	testmust.Do(t, err, "consistency of", index+1, "with", size)
}

func asHashes(bs [][]byte) (hashes []tlog.Hash) {
	for _, b := range bs {
		hashes = append(hashes, tlog.Hash(b))
	}
	return hashes
}

// shownTiles shows the tiles of a tree that has no more than one.
type shownTiles struct {
	data []byte
	err  error
}

func (s shownTiles) Tile(_ context.Context, t tlog.Tile) ([]byte, error) { return s.data, s.err }

// A tile that is altered, cut short, or of another tree, and passes; and a network that fails,
// which is taken for a lie.
func TestTilesAreOfTheSignedTree(t *testing.T) {
	var tree tlog.Tree
	var data []byte
	var entries [][]byte
	var indexes []uint64
	for i := range 5 {
		entries, indexes = append(entries, fmt.Append(nil, "entry ", i)), append(indexes, uint64(i))
		leaf := tlog.LeafHash(entries[i])
		tree.Append(leaf)
		data = append(data, leaf[:]...)
	}
	altered := append([]byte{data[0] ^ 1}, data[1:]...)
	down := errors.New("the network is down")
	for name, c := range map[string]struct {
		shown shownTiles
		want  error
	}{
		"whole": {shownTiles{data, nil}, nil}, "altered": {shownTiles{altered, nil}, tiles.ErrOther},
		"cut short": {shownTiles{data[:31], nil}, tlog.ErrMalformed}, "down": {shownTiles{nil, down}, down},
	} {
		read := tiles.Tree{Checkpoint: tlog.Checkpoint{Size: 5, Root: tree.Root()}, Tiles: c.shown, Kept: new(tiles.TileCache)}
		testmust.FailBy(t, read.CheckLeaves(t.Context(), indexes, entries), c.want, name)
		root, err := read.Root(t.Context(), 5)
		testmust.Holdf(t, errors.Is(err, c.want) && (err != nil || root == tree.Root()), "%s: root %v (%v), want %v", name, root, err, c.want)
		if c.want == nil {
			entries[3] = []byte("another entry")
			testmust.FailBy(t, read.CheckLeaves(t.Context(), indexes, entries), tiles.ErrOther, "another entry")
			entries[3] = []byte("entry 3")
		}
	}
}

func blobOf(b byte) ([]byte, [32]byte) {
	blob := bytes.Repeat([]byte{b}, 70_000)
	return blob, sha256.Sum256(blob)
}

// A blob that was put is there, also after the log was closed, and put twice or
// by many at once it is one file and no leftovers.
func TestBlobs(t *testing.T) {
	dir, key := create(t)
	l := open(t, dir, key)
	blob, hash := blobOf(1)
	testmust.FailBy(t, testmust.ErrorOf(l.Blob(t.Context(), hash)), tlog.ErrNoBlob, "before it was put")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			err := l.PutBlob(t.Context(), blob)
			testmust.Hold(t, err == nil, err)
		})
	}
	all.Wait()
	closeLog(t, l)
	l = open(t, dir, key)
	if got, err := l.Blob(t.Context(), hash); err != nil || !bytes.Equal(got, blob) {
		t.Errorf("after reopening: %d bytes, %v", len(got), err)
	}
	files, err := os.ReadDir(filepath.Join(dir, "blobs"))
	testmust.Holdf(t, err == nil && len(files) == 1 && files[0].Name() == hex.EncodeToString(hash[:]), "files %v (%v), want one", files, err)
	err = l.PutBlob(t.Context(), make([]byte, tlog.MaxBlob+1))
	testmust.FailBy(t, err, tlog.ErrTooLarge, "a blob over the limit")
	closeLog(t, l)
	testmust.FailBy(t, l.PutBlob(t.Context(), blob), ledger.ErrClosed, "after closing")
}

// A damaged file is not served, and putting the blob again mends it.
func TestBlobDamaged(t *testing.T) {
	dir, key := create(t)
	l := open(t, dir, key)
	blob, hash := blobOf(2)
	testmust.Do(t, l.PutBlob(t.Context(), blob))
	path := filepath.Join(dir, "blobs", hex.EncodeToString(hash[:]))
	for _, damaged := range [][]byte{nil, blob[1:], append(bytes.Clone(blob[1:]), 9)} {
		testmust.Do(t, os.WriteFile(path, damaged, 0o600))
		got, err := l.Blob(t.Context(), hash)
		testmust.Holdf(t, err != nil && !errors.Is(err, tlog.ErrNoBlob), "%d damaged bytes: got %d bytes, %v", len(damaged), len(got), err)
		testmust.Do(t, l.PutBlob(t.Context(), blob))
		got, err = l.Blob(t.Context(), hash)
		testmust.Holdf(t, err == nil && bytes.Equal(got, blob), "put again: %d bytes, %v", len(got), err)
	}
}

// What a crash leaves of a blob that was being written is no blob.
func TestBlobTorn(t *testing.T) {
	dir, key := create(t)
	l := open(t, dir, key)
	blob, hash := blobOf(3)
	path := filepath.Join(dir, "blobs", hex.EncodeToString(hash[:]))
	testmust.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
	torn := path + ".part-ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	testmust.Do(t, os.WriteFile(torn, blob[:100], 0o600))
	testmust.FailBy(t, testmust.ErrorOf(l.Blob(t.Context(), hash)), tlog.ErrNoBlob, "half a blob")
	testmust.Do(t, l.PutBlob(t.Context(), blob))
	got, err := l.Blob(t.Context(), hash)
	testmust.Holdf(t, err == nil && bytes.Equal(got, blob), "put after a crash: %d bytes, %v", len(got), err)
	testmust.Do(t, l.Close())
	open(t, dir, key)
	testmust.FailBy(t, testmust.ErrorOf(os.Lstat(torn)), fs.ErrNotExist, "half a blob is still there")
}
