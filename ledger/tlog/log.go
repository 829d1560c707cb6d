package tlog

import (
	"context"
	"iter"
)

// An EntryReader shows all entries of a log: enough to verify it, and to copy it
// (see [ReadAll]). One that shows blobs too is a [BlobReader]. All methods may be
// called at the same time; what they return belongs to the caller.
//
// It is not trusted: its answers are material for the checks of this package. A log
// that lies does so without an error.
type EntryReader interface {
	// Checkpoint returns the newest published checkpoint. Implementations with
	// the log's key verify its signature; callers with doubts do so again.
	Checkpoint(ctx context.Context) (Checkpoint, error)

	// Entries yields the entries with indexes start to end-1, in order. It
	// ends after the first error; an end beyond the published size is one,
	// [ErrRange]. Stopping early is allowed.
	Entries(ctx context.Context, start, end uint64) iter.Seq2[[]byte, error]
}

// A TileReader shows hash tiles and entry tiles (c2sp.org/tlog-tiles). It is not
// trusted either.
type TileReader interface {
	// Tile returns the bytes of a tile within the published log; any other is
	// [ErrRange].
	Tile(ctx context.Context, t Tile) ([]byte, error)
}

// A Reader is an EntryReader that also proves what it shows.
type Reader interface {
	EntryReader

	// Inclusion proves the entry index in the tree of this size, which must
	// not be beyond the published one: otherwise [ErrRange].
	Inclusion(ctx context.Context, index, size uint64) (Inclusion, error)

	// Consistency proves that the tree of size old is the beginning of that of
	// size, which must not be beyond the published one: otherwise [ErrRange].
	Consistency(ctx context.Context, old, size uint64) (Consistency, error)
}

// A Log is a Reader that also takes entries. Append may be called at the same
// time as everything else.
type Log interface {
	Reader

	// Append puts an entry into the log and returns its receipt. When it
	// returns without an error the entry is durable, integrated, and under a
	// signed checkpoint that has been published.
	//
	// Appending the same bytes again changes nothing: the receipt has the index
	// of the first time (and a checkpoint that may be newer). After an error
	// the entry may or may not be in the log, and trying again is safe. Entries
	// above MaxEntry are [ErrTooLarge], without a byte [ErrEmpty], a full queue is [ErrBusy], a full
	// disk [ErrReadOnly].
	//
	// The log keeps no reference to entry after Append has returned.
	Append(ctx context.Context, entry []byte) (Receipt, error)
}
