package follow

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/pakli/pakli/ledger/tlog"
)

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

// timed is a surface that is given so much time for each answer. Who accepts questions
// and never answers would be waited for otherwise.
type timed struct {
	src    Surface
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
