package tlog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
)

// An EntryReader shows all entries of a log: enough to verify the log and to copy it (see
// [ReadAll]). If it also shows blobs, it is a [BlobReader]. Its methods may be called at the same
// time, and what they return belongs to the caller.
//
// An EntryReader is not trusted: its answers are input to the checks of this package. A log that
// lies does so without an error.
type EntryReader interface {
	// Checkpoint returns the newest published checkpoint. An implementation that has the log's key
	// verifies the signature; a cautious caller verifies it again.
	Checkpoint(ctx context.Context) (Checkpoint, error)

	// Entries yields the entries with indexes start to end-1, in order, and stops after the first
	// error. An end beyond the published size is [ErrRange]. The caller may stop early.
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

// ReadAll reads the entries under c in order. Unless see is nil, ReadAll calls it for each entry
// with the leaf hash and the tree that ends with the entry, and stops at an error of see. It
// returns a [RootError] if the entries do not have the root of c. Fewer entries than c says are an
// error that says nothing about the log. Use what see was given only once ReadAll has returned nil.
// Every copy of a log is read this way.
func ReadAll(ctx context.Context, r EntryReader, c Checkpoint, see func(entry []byte, leaf Hash, t *Tree) error) error {
	t, err := recomputeTree(r.Entries(ctx, 0, c.Size), see)
	if err != nil {
		return err
	}
	if t.Size() != c.Size {
		return fmt.Errorf("only %d of %d entries are shown", t.Size(), c.Size)
	}
	if t.Root() != c.Root {
		return &RootError{Check: "all entries", Size: c.Size, Computed: t.Root(), Expected: c.Root}
	}
	return nil
}

// recomputeTree returns the tree of entries and calls see as ReadAll does.
func recomputeTree(entries iter.Seq2[[]byte, error], see func(entry []byte, leaf Hash, t *Tree) error) (t Tree, err error) {
	for entry, err := range entries {
		if err != nil {
			return t, err
		}
		leaf := LeafHash(entry)
		t.Append(leaf)
		if see == nil {
			continue
		}
		if err := see(entry, leaf, &t); err != nil {
			return t, err
		}
	}
	return t, nil
}

// BlobNamer returns the hashes of the blobs that an entry names.
type BlobNamer func(entry []byte) [][sha256.Size]byte

// BlobsOf returns a reader of the blobs of a log that checks their hashes. If r is not a
// BlobReader, it has no blobs.
func BlobsOf(r any) BlobReader {
	blobs, _ := r.(BlobReader)
	return checkedBlobs{blobs}
}

type checkedBlobs struct{ blobs BlobReader }

// Blob implements BlobReader.
func (c checkedBlobs) Blob(ctx context.Context, hash [sha256.Size]byte) ([]byte, error) {
	if c.blobs == nil {
		return nil, fmt.Errorf("%w: %x", ErrNoBlob, hash)
	}
	b, err := c.blobs.Blob(ctx, hash)
	if err != nil {
		return nil, err
	}
	return b, CheckBlob(b, hash)
}

// MaxBlob bounds a blob: the longest proof that is planned. A table bounds the blobs that one
// message may name.
const MaxBlob = 16 << 20

// ErrNoBlob says that a blob is not there. It says nothing about the log.
var ErrNoBlob = errors.New("no such blob")

// A BlobReader shows data that is too long for an entry and that entries name by SHA-256. Like a
// Reader it is not trusted: see CheckBlob.
type BlobReader interface {
	// Blob returns the bytes with a hash, or ErrNoBlob.
	Blob(ctx context.Context, hash [sha256.Size]byte) ([]byte, error)
}

// Blobs is a BlobReader that also takes blobs.
type Blobs interface {
	BlobReader

	// PutBlob keeps a blob for good: it is durable when PutBlob returns without
	// an error. Putting the same bytes again changes nothing. Blobs above
	// MaxBlob are [ErrTooLarge], a full disk [ErrReadOnly].
	PutBlob(ctx context.Context, blob []byte) error
}

// A Carrier is a Log that takes an entry together with its blobs, which become durable with it.
// With any other Log, the blobs are put first ([Blobs]).
type Carrier interface {
	// AppendWith is Append with the blobs that the entry names.
	AppendWith(ctx context.Context, entry []byte, blobs [][]byte) (Receipt, error)
}

// BlobPath returns the path of a blob under a log's prefix, without a leading slash. A mirror uses
// the same path, so that any static file server can serve it.
func BlobPath(hash [sha256.Size]byte) string { return "v1/blobs/" + hex.EncodeToString(hash[:]) }

// CheckBlob returns an error if b is not the blob with this hash.
func CheckBlob(b []byte, hash [sha256.Size]byte) error {
	if len(b) > MaxBlob || sha256.Sum256(b) != hash {
		return fmt.Errorf("%w blob: these %d bytes do not have the hash %x", ErrMalformed, len(b), hash)
	}
	return nil
}
