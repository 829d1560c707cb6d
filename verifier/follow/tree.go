package follow

import (
	"context"
	"fmt"
	"sync"

	sumdb "golang.org/x/mod/sumdb/tlog"

	"github.com/pakli/pakli/ledger/tlog"
)

// maxTiles bounds the tiles kept of one tree: 2 MiB.
const maxTiles = 256

// tileHeight is the height of tiles of C2SP: 2^8 hashes.
const tileHeight = 8

// tree reads the tree of one checkpoint. Its errors are ErrNotShown. Tiles are kept
// for this tree alone: of a log that shows two histories, those of one would hide
// the other.
type tree struct {
	mu     sync.Mutex // of against
	src    Surface
	c      tlog.Checkpoint
	tiles  map[sumdb.Tile][]byte // authenticated
	begins map[treeID]bool       // trees that it was shown to begin with
}

// treeID is what a checkpoint says of its tree.
type treeID struct {
	size uint64
	root tlog.Hash
}

func newTree(src Surface, c tlog.Checkpoint) *tree {
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

// entryTile returns the entries of an entry tile, as far as the tree goes. Each is in it.
func (t *tree) entryTile(ctx context.Context, n uint64) ([][]byte, error) {
	first := n * tlog.TileWidth
	tile := tlog.Tile{Level: tlog.EntriesLevel, Index: n, Width: int(min(tlog.TileWidth, t.c.Size-first))}
	data, err := t.src.Tile(ctx, tile)
	if err != nil {
		return nil, t.notShown(err)
	}
	entries, err := tlog.ParseEntryTile(data, tile.Width)
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
