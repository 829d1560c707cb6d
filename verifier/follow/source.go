package follow

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"

	sumdb "golang.org/x/mod/sumdb/tlog"

	"github.com/pakli/pakli/ledger/tlog"
)

// Source shows a log, to several goroutines at once. It may lie, and no error of it
// accuses anybody; but it returns when the context is over.
type Source interface {
	tlog.BlobReader

	// Checkpoint returns a signed checkpoint, unverified. It may wait a while for
	// one of more than above entries.
	Checkpoint(ctx context.Context, above uint64) ([]byte, error)

	// Tile returns the tile or entry bundle t, unverified: as many hashes or
	// entries as t is wide.
	Tile(ctx context.Context, t tlog.Tile) ([]byte, error)
}

// timed is a source that is given so much time for each answer. Who accepts questions
// and never answers would be waited for otherwise.
type timed struct {
	src    Source
	within time.Duration
}

func (s timed) Checkpoint(ctx context.Context, above uint64) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, s.within)
	defer stop()
	return s.src.Checkpoint(ctx, above)
}

func (s timed) Tile(ctx context.Context, t tlog.Tile) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, s.within)
	defer stop()
	return s.src.Tile(ctx, t)
}

func (s timed) Blob(ctx context.Context, hash [sha256.Size]byte) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, s.within)
	defer stop()
	return s.src.Blob(ctx, hash)
}

// ErrNotShown says that a source does not show the tree of a signed checkpoint:
// nothing, or something with another root. Tiles are not signed; whoever is between
// the log and us can keep them back or alter them. So it accuses nobody.
var ErrNotShown = errors.New("the tree that the log signed is not shown")

// maxSize bounds the size of a log: golang.org/x/mod/sumdb/tlog numbers all nodes
// of a tree in 63 bits.
const maxSize = 1 << 60

// maxTiles bounds the tiles kept of one tree: 2 MiB.
const maxTiles = 256

// tileHeight is the height of tiles of C2SP: 2^8 hashes.
const tileHeight = 8

// tree reads the tree of one checkpoint. Its errors are ErrNotShown. Tiles are kept
// for this tree alone: of a log that shows two histories, those of one would hide
// the other.
type tree struct {
	mu     sync.Mutex // of against
	src    Source
	c      tlog.Checkpoint
	tiles  map[sumdb.Tile][]byte // authenticated
	begins map[treeID]bool       // trees that it was shown to begin with
}

// treeID is what a checkpoint says of its tree.
type treeID struct {
	size uint64
	root tlog.Hash
}

func newTree(src Source, c tlog.Checkpoint) *tree {
	return &tree{src: src, c: c, tiles: map[sumdb.Tile][]byte{}, begins: map[treeID]bool{}}
}

// hashes reads nodes that hash up to the signed root.
func (t *tree) hashes(ctx context.Context) sumdb.HashReader {
	return sumdb.TileHashReader(sumdb.Tree{N: int64(t.c.Size), Hash: t.c.Root}, tileReader{t, ctx})
}

// prefix returns the root of the first size entries, with the proof that the tree of
// t.c begins with them (RFC 6962 §2.1.2). Requires: 0 < size < t.c.Size.
func (t *tree) prefix(ctx context.Context, size uint64) (tlog.Hash, tlog.Consistency, error) {
	root, err := sumdb.TreeHash(int64(size), t.hashes(ctx))
	if err != nil {
		return tlog.Hash{}, tlog.Consistency{}, t.notShown(err)
	}
	hashes, err := sumdb.ProveTree(int64(t.c.Size), int64(size), t.hashes(ctx))
	if err != nil {
		return tlog.Hash{}, tlog.Consistency{}, t.notShown(err)
	}
	proof := tlog.Consistency{Old: size, Size: t.c.Size, Hashes: hashes}
	if err := proof.Verify(root, t.c.Root); err != nil {
		return tlog.Hash{}, tlog.Consistency{}, t.notShown(err)
	}
	return root, proof, nil
}

// bundle returns the entries of a bundle, as far as the tree goes. Each is in it.
func (t *tree) bundle(ctx context.Context, n uint64) ([][]byte, error) {
	first := n * tlog.TileWidth
	bundle := tlog.Tile{Level: tlog.EntriesLevel, Index: n, Width: int(min(tlog.TileWidth, t.c.Size-first))}
	data, err := t.src.Tile(ctx, bundle)
	if err != nil {
		return nil, t.notShown(err)
	}
	entries, err := tlog.ParseEntryTile(data, bundle.Width)
	if err != nil {
		return nil, t.notShown(err)
	}
	indexes := make([]int64, len(entries))
	for i := range indexes {
		indexes[i] = sumdb.StoredHashIndex(0, int64(first)+int64(i))
	}
	leaves, err := t.hashes(ctx).ReadHashes(indexes)
	if err != nil {
		return nil, t.notShown(err)
	}
	for i, e := range entries {
		if tlog.LeafHash(e) != leaves[i] {
			return nil, t.notShown(fmt.Errorf("what is shown as entry %d is not in it", first+uint64(i)))
		}
	}
	return entries, nil
}

// Tile lets others read the same tree.
func (t *tree) Tile(ctx context.Context, tile tlog.Tile) ([]byte, error) {
	return t.src.Tile(ctx, tile)
}

// notShown drops the class of what a source says: its tlog.ErrBroken breaks nothing.
func (t *tree) notShown(err error) error {
	return fmt.Errorf("%w: size %d: %v", ErrNotShown, t.c.Size, err)
}

// tileReader fetches tiles for golang.org/x/mod/sumdb/tlog, which tells it when they
// are authenticated.
type tileReader struct {
	*tree
	ctx context.Context
}

func (r tileReader) Height() int { return tileHeight }

func (r tileReader) ReadTiles(tiles []sumdb.Tile) ([][]byte, error) {
	data := make([][]byte, len(tiles))
	for i, t := range tiles {
		if data[i] = r.tiles[t]; data[i] != nil {
			continue
		}
		tile := tlog.Tile{Level: t.L, Index: uint64(t.N), Width: t.W}
		var err error
		if data[i], err = r.src.Tile(r.ctx, tile); err != nil {
			return nil, err
		}
		if _, err := tlog.ParseTile(data[i], tile.Width); err != nil {
			return nil, fmt.Errorf("%s: %w", tile.Path(), err)
		}
	}
	return data, nil
}

func (r tileReader) SaveTiles(tiles []sumdb.Tile, data [][]byte) {
	for i, t := range tiles {
		if len(r.tiles) >= maxTiles {
			clear(r.tiles)
		}
		r.tiles[t] = data[i]
	}
}
