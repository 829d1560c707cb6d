package tlog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// MaxBlob bounds a blob: a mebibyte, twice the longest proof that is planned.
const MaxBlob = 1 << 20

// ErrNoBlob says that a blob is not there. It says nothing about the log.
var ErrNoBlob = errors.New("no such blob")

// BlobReader shows what entries of a log name by their SHA-256 because it is too
// long for them. Like a Reader it is not trusted: see CheckBlob.
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

// BlobPath is the path of a blob under a log's prefix, without a leading slash: a
// mirror has it there too, so that any static file server shows it.
func BlobPath(hash [sha256.Size]byte) string { return "v1/blobs/" + hex.EncodeToString(hash[:]) }

// CheckBlob returns an error if b is not the blob with this hash.
func CheckBlob(b []byte, hash [sha256.Size]byte) error {
	if len(b) > MaxBlob || sha256.Sum256(b) != hash {
		return fmt.Errorf("%w blob: these %d bytes do not have the hash %x", ErrMalformed, len(b), hash)
	}
	return nil
}
