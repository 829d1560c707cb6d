package ledger

import (
	"context"
	"errors"
	"iter"

	"github.com/pakli/pakli/ledger/tlog"
)

// Order decides the order of entries outside of this process: a tree to which several front ends hand
// entries. It is not trusted: each front end follows the tree into its own store and recomputes every
// root.
type Order interface {
	// Queue hands in an entry with its blobs, possibly repeatedly. After an error other than
	// tlog.ErrBusy the entry may or may not get into the log. It is no error if the tree has the
	// entry already.
	Queue(ctx context.Context, entry []byte, blobs [][]byte) error

	// Head returns the newest tree that the order shows.
	Head(ctx context.Context) (size uint64, root tlog.Hash, err error)

	// Leaves yields leaves start to end-1. It may stop early, even without an error.
	Leaves(ctx context.Context, start, end uint64) iter.Seq2[Leaf, error]
}

// A Leaf is an entry with the blobs that came with it.
type Leaf struct {
	Entry []byte
	Blobs [][]byte
}

// A Promise is the largest tree that may have been signed. Each promise extends the one before.
type Promise struct {
	Size uint64
	Root tlog.Hash
	Left string // name of the log's new keeper, after which nobody promises or signs here; "": the log is kept here
}

// Register keeps the promise in another place than the log. It is linearizable.
type Register interface {
	// Load returns the promise, or ErrNoPromise if none was ever made.
	Load(ctx context.Context) (Promise, error)

	// Swap replaces the promise by next if it still is old, and returns the promise as it is then.
	// After an error the swap may have been made or may still be made; Load tells.
	Swap(ctx context.Context, old, next Promise) (Promise, error)

	// PromiseChanged returns a channel that is closed when the promise is no longer p or this is
	// unknown.
	PromiseChanged(ctx context.Context, p Promise) (<-chan struct{}, error)
}

// Cosignings is a Register that also keeps the newest cosigned checkpoint.
type Cosignings interface {
	// CosignedNote returns the note of the largest checkpoint that was put, or nil if there is none.
	CosignedNote(ctx context.Context) ([]byte, error)
	// PutCosigned replaces a smaller checkpoint by a larger one, and ignores others.
	PutCosigned(ctx context.Context, c tlog.Checkpoint) error
}

// ErrNoPromise says that a register has no promise of this log: it is the wrong register or has lost
// its content. A promise is never invented.
var ErrNoPromise = errors.New("the register has no promise of this log")

// ErrLeft says that the log is no longer kept on the cluster.
var ErrLeft = errors.New("the log has left the cluster: nothing is promised here any more")
