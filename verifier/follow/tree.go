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

// tree reads the tree of one checkpoint. Its errors are ErrNotShown. It caches tiles of this tree
// alone.
type tree struct {
	mu     sync.Mutex // held by compareSmaller
	src    Surface
	c      tlog.Checkpoint
	tiles  tiles.TileCache
	begins map[treeID]bool // trees that were shown to be its beginnings
}

// maxBegins bounds tree.begins.
const maxBegins = 256

// treeID is a checkpoint's statement about its tree.
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

// provePrefix returns the root of the first size entries and the proof that the tree of t.c begins
// with them (RFC 6962 §2.1.2). It requires 0 < size < t.c.Size.
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

// entryTile returns the entries of an entry tile as far as the tree goes, after verifying that they
// are in it.
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

// notShown returns an error without the class of the source's error: a tlog.ErrBroken of the source
// proves nothing.
func (t *tree) notShown(err error) error {
	return fmt.Errorf("%w: size %d: %v", ErrNotShown, t.c.Size, err)
}

// Surface is a log's public surface. Several goroutines may use it. It may lie, and none of its
// errors accuses anybody; but it returns when the context ends.
type Surface interface {
	tlog.BlobReader

	// Checkpoint returns a signed checkpoint, unverified. It may wait for one of more than above
	// entries.
	Checkpoint(ctx context.Context, above uint64) ([]byte, error)

	// Tile returns the hash tile or entry tile t, unverified, with t.Width hashes or entries.
	Tile(ctx context.Context, t tlog.Tile) ([]byte, error)
}

// timedSurface bounds the time of each answer of a surface, since one may accept requests and never
// answer.
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

// ErrNotShown says that a source shows nothing for the tree of a signed checkpoint, or something with
// another root. Tiles are not signed, so anybody between the log and us can withhold or alter them.
// So it accuses nobody.
var ErrNotShown = errors.New("the tree that the log signed is not shown")

// maxSize bounds the size of a log: golang.org/x/mod/sumdb/tlog numbers all nodes
// of a tree in 63 bits.
const maxSize = 1 << 60
