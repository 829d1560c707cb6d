package tlog

import (
	"errors"
	"fmt"
)

// The classes of a failed check; see the package comment.
var (
	ErrMalformed = errors.New("malformed")
	ErrUnsigned  = errors.New("not signed by the log")
	ErrBroken    = errors.New("not what the log signed")
)

// Errors of a log that refuses a request. None of them says anything about the log's honesty.
var (
	ErrTooLarge = errors.New("entry too large")
	ErrEmpty    = errors.New("entry is empty")
	ErrBusy     = errors.New("log is busy, try again later")
	ErrReadOnly = errors.New("log takes no entries for lack of disk space")
	ErrRange    = errors.New("beyond the published log")

	ErrNotCosigned = errors.New("no checkpoint has been cosigned yet")
)

// ErrUnconfirmed is the answer of a log that may be an old copy of itself and would fork if it took
// entries. It is of class ErrBusy.
var ErrUnconfirmed error = unconfirmedError{}

type unconfirmedError struct{}

func (unconfirmedError) Error() string {
	return "the log takes no entries until its cosigners have said that they know of no newer copy of it"
}

func (unconfirmedError) Unwrap() error { return ErrBusy }

// malformedError returns an error of class ErrMalformed about thing.
func malformedError(thing, format string, args ...any) error {
	return fmt.Errorf("%w %s: %s", ErrMalformed, thing, fmt.Sprintf(format, args...))
}

const (
	// MaxEntry is the largest entry in bytes: an entry tile gives each entry
	// a length of 16 bits (c2sp.org/tlog-tiles).
	MaxEntry = 1<<16 - 1

	// TileWidth is the number of hashes, or of entries, in a full tile.
	TileWidth = 256

	// maxSize bounds tree sizes: x/mod, Trillian and most other programs hold them in a signed
	// 64-bit integer.
	maxSize = 1<<63 - 1

	// maxProof is the height of a tree of maxSize entries, and so the largest number of hashes in
	// an inclusion proof.
	maxProof = 63

	// MaxCheckpoint is the longest checkpoint in bytes. It has room for two dozen post-quantum
	// cosignatures of about 3.3 kB; signed-note asks for at least 16 signatures.
	MaxCheckpoint = 96 << 10

	// maxReceipt is a checkpoint, a proof, and extra data up to the size of an
	// entry in base64.
	maxReceipt = MaxCheckpoint + 96<<10

	// maxKeyName bounds the names of keys and therefore origins: ML-DSA-44 signatures write their
	// lengths in one byte.
	maxKeyName = 255

	// maxPolicyKeys bounds the logs, the witnesses and the groups of a policy, each.
	// c2sp.org/tlog-policy asks for 32, and a note has at most 100 signatures.
	maxPolicyKeys = 64

	// maxPolicy has room for that many ML-DSA-44 keys of 1.8 kB, and comments.
	maxPolicy = 512 << 10

	// maxTileLevel is the highest level a tile path may name (c2sp.org/tlog-tiles).
	maxTileLevel = 63
)
