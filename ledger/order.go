package ledger

import (
	"context"
	"errors"
	"iter"

	"github.com/pakli/pakli/ledger/tlog"
)

// Order is what decides the order of entries, where it is not this process: a tree that
// several front ends hand entries to. It is believed in nothing: each front end follows
// the tree into a store of its own and recomputes every root.
type Order interface {
	// Queue hands an entry in with its blobs, once or again. After an error, but for
	// tlog.ErrBusy, it may or may not come to be in the log. An entry that the tree has
	// is no error.
	Queue(ctx context.Context, entry []byte, blobs [][]byte) error

	// Head is the newest tree that it shows.
	Head(ctx context.Context) (size uint64, root tlog.Hash, err error)

	// Leaves yields what is at start to end-1. It may end early, without an error too.
	Leaves(ctx context.Context, start, end uint64) iter.Seq2[Leaf, error]
}

// A Leaf is an entry with the blobs that came with it.
type Leaf struct {
	Entry []byte
	Blobs [][]byte
}

// A Promise is the largest tree that may have been signed. Each extends the one before.
type Promise struct {
	Size uint64
	Root tlog.Hash
	Left string // who took the log out: nobody promises or signs after that; empty: nobody did
}

// Register keeps the promise outside of what is promised. It is linearizable.
type Register interface {
	// Load returns the promise; ErrNoPromise if none was ever made.
	Load(ctx context.Context) (Promise, error)

	// Swap makes next the promise if it is still old, and returns what it is now.
	// After an error it may have been made, or yet be: Load says so.
	Swap(ctx context.Context, old, next Promise) (Promise, error)

	// PromiseChanged is closed when the promise is no longer p, or when that is not known
	// any more.
	PromiseChanged(ctx context.Context, p Promise) (<-chan struct{}, error)
}

// Cosignings is a Register that keeps the newest cosigned checkpoint beside the promise.
type Cosignings interface {
	// CosignedNote returns the note of the largest that was put; nil if there is none.
	CosignedNote(ctx context.Context) ([]byte, error)
	// PutCosigned puts a larger one in place of a smaller one, and ignores others.
	PutCosigned(ctx context.Context, c tlog.Checkpoint) error
}

// ErrNoPromise says that a register has no promise of this log: it is the wrong register,
// or has lost its memory. None is ever made up for it.
var ErrNoPromise = errors.New("the register has no promise of this log")

// ErrLeft says that the log is no longer kept on the cluster.
var ErrLeft = errors.New("the log has left the cluster: nothing is promised here any more")
