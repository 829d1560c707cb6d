// Package tiles reads the tree of a signed checkpoint from tiles (c2sp.org/tlog-tiles) of any
// source, and returns only hashes that lead up to the signed root. The caller decides what a
// failure says about the log or about the source. Tiles in a directory are a mirror of the log
// (mirror.go).
package tiles

import (
	"context"
	"errors"
	"fmt"
	"sync"

	sumdb "golang.org/x/mod/sumdb/tlog"

	"github.com/pakli/pakli/ledger/tlog"
)

// ErrOther says that the source shows something that is not in the signed tree.
var ErrOther = errors.New("what is shown is not of the signed tree")

// Tree is the tree of a checkpoint whose signature has been verified. Its methods return errors of
// Tiles unchanged, and ErrOther if the tiles do not have the root of the checkpoint.
type Tree struct {
	Checkpoint tlog.Checkpoint
	Tiles      tlog.TileReader
	Kept       *TileCache
}

// maxKept bounds the number of tiles in a TileCache: 2 MiB.
const maxKept = 256

// TileCache holds authenticated tiles. It serves all trees of a log that is known to have one
// history; otherwise each tree needs its own, or tiles of one history would hide the other. The
// zero value is empty. Several goroutines may use it.
type TileCache struct {
	mu    sync.Mutex
	tiles map[sumdb.Tile][]byte
}

// Clear removes all tiles.
func (k *TileCache) Clear() {
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.tiles)
}

func (k *TileCache) getTile(t sumdb.Tile) []byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.tiles[t]
}

func (k *TileCache) putTile(t sumdb.Tile, data []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.tiles == nil {
		k.tiles = map[sumdb.Tile][]byte{}
	}
	for old := range k.tiles {
		if len(k.tiles) < maxKept {
			break
		}
		delete(k.tiles, old)
	}
	k.tiles[t] = data
}

// Hashes returns a reader of hashes by the index at which golang.org/x/mod/sumdb/tlog stores them.
func (t Tree) Hashes(ctx context.Context) sumdb.HashReaderFunc {
	return func(indexes []int64) ([]tlog.Hash, error) {
		r := &tileReader{Tree: t, ctx: ctx}
		hashes, err := sumdb.TileHashReader(sumdb.Tree{N: int64(t.Checkpoint.Size), Hash: t.Checkpoint.Root}, r).ReadHashes(indexes)
		if err != nil && r.failed == nil {
			return nil, fmt.Errorf("%w of size %d: %v", ErrOther, t.Checkpoint.Size, err)
		}
		return hashes, r.failed
	}
}

// Root computes the root of the first size entries.
func (t Tree) Root(ctx context.Context, size uint64) (tlog.Hash, error) {
	if size == 0 {
		return tlog.EmptyRoot(), nil
	}
	return sumdb.TreeHash(int64(size), t.Hashes(ctx))
}

// CheckLeaves checks that the leaves at indexes, which must be below the size of the tree, are
// those of entries.
func (t Tree) CheckLeaves(ctx context.Context, indexes []uint64, entries [][]byte) error {
	stored := make([]int64, len(indexes))
	for i, index := range indexes {
		if index >= t.Checkpoint.Size {
			return fmt.Errorf("%w: entry %d of %d", tlog.ErrRange, index, t.Checkpoint.Size)
		}
		stored[i] = sumdb.StoredHashIndex(0, int64(index))
	}
	leaves, err := t.Hashes(ctx)(stored)
	if err != nil {
		return err
	}
	for i, e := range entries {
		if tlog.LeafHash(e) != leaves[i] {
			return fmt.Errorf("%w of size %d: entry %d", ErrOther, t.Checkpoint.Size, indexes[i])
		}
	}
	return nil
}

// tileReader fetches tiles for golang.org/x/mod/sumdb/tlog, which calls SaveTiles with the tiles
// that it has authenticated.
type tileReader struct {
	Tree
	ctx    context.Context
	failed error // of Tiles
}

// Height implements sumdb.TileReader: tiles of C2SP have 2^8 hashes.
func (r *tileReader) Height() int { return 8 }

// ReadTiles implements sumdb.TileReader.
func (r *tileReader) ReadTiles(tiles []sumdb.Tile) ([][]byte, error) {
	data := make([][]byte, len(tiles))
	for i, t := range tiles {
		if data[i] = r.Kept.getTile(t); data[i] != nil {
			continue
		}
		tile := tlog.Tile{Level: t.L, Index: uint64(t.N), Width: t.W}
		if data[i], r.failed = r.Tiles.Tile(r.ctx, tile); r.failed != nil {
			return nil, r.failed
		}
		if _, err := tlog.ParseTile(data[i], tile.Width); err != nil {
			r.failed = fmt.Errorf("%s: %w", tile.Path(), err)
			return nil, r.failed
		}
	}
	return data, nil
}

// SaveTiles implements sumdb.TileReader.
func (r *tileReader) SaveTiles(tiles []sumdb.Tile, data [][]byte) {
	for i, t := range tiles {
		r.Kept.putTile(t, data[i])
	}
}
