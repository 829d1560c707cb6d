package follow

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"

	sumdb "golang.org/x/mod/sumdb/tlog"

	"github.com/pakli/pakli/ledger/tiles"
	"github.com/pakli/pakli/ledger/tlog"
)

// tree reads the tree of one checkpoint. Its errors are ErrNotShown. Tiles are kept
// for this tree alone.
type tree struct {
	mu     sync.Mutex // of compareSmaller
	src    Surface
	c      tlog.Checkpoint
	tiles  tiles.TileCache
	begins map[treeID]bool // trees that it was shown to begin with
}

// maxBegins bounds them.
const maxBegins = 256

// treeID is what a checkpoint says of its tree.
type treeID struct {
	size uint64
	root tlog.Hash
}

func newTree(src Surface, c tlog.Checkpoint) *tree {
	return &tree{src: src, c: c, begins: map[treeID]bool{}}
}

func (t *tree) tileTree() tiles.Tree {
	return tiles.Tree{Checkpoint: t.c, Tiles: t.src, Kept: &t.tiles}
}

// provePrefix returns the root of the first size entries, with the proof that the tree of
// t.c begins with them (RFC 6962 §2.1.2). Requires: 0 < size < t.c.Size.
func (t *tree) provePrefix(ctx context.Context, size uint64) (tlog.Hash, tlog.Consistency, error) {
	root, err := t.tileTree().Root(ctx, size)
	if err != nil {
		return tlog.Hash{}, tlog.Consistency{}, t.notShown(err)
	}
	hashes, err := sumdb.ProveTree(int64(t.c.Size), int64(size), t.tileTree().Hashes(ctx))
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
	indexes := make([]uint64, len(entries))
	for i := range indexes {
		indexes[i] = first + uint64(i)
	}
	if err := t.tileTree().CheckLeaves(ctx, indexes, entries); err != nil {
		return nil, t.notShown(err)
	}
	return entries, nil
}

// notShown drops the class of what a source says: its tlog.ErrBroken breaks nothing.
func (t *tree) notShown(err error) error {
	return fmt.Errorf("%w: size %d: %v", ErrNotShown, t.c.Size, err)
}

// Surface is what a log shows of itself in public, to several goroutines at once. It may lie, and no error of it
// accuses anybody; but it returns when the context is over.
type Surface interface {
	tlog.BlobReader

	// Checkpoint returns a signed checkpoint, unverified. It may wait a while for
	// one of more than above entries.
	Checkpoint(ctx context.Context, above uint64) ([]byte, error)

	// Tile returns the hash tile or entry tile t, unverified: as many hashes or
	// entries as t is wide.
	Tile(ctx context.Context, t tlog.Tile) ([]byte, error)
}

// timedSurface is a surface that is given so much time for each answer. Who accepts questions
// and never answers would be waited for otherwise.
type timedSurface struct {
	src    Surface
	within time.Duration
}

func (s timedSurface) Checkpoint(ctx context.Context, above uint64) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, s.within)
	defer stop()
	return s.src.Checkpoint(ctx, above)
}

func (s timedSurface) Tile(ctx context.Context, t tlog.Tile) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, s.within)
	defer stop()
	return s.src.Tile(ctx, t)
}

func (s timedSurface) Blob(ctx context.Context, hash [sha256.Size]byte) ([]byte, error) {
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
