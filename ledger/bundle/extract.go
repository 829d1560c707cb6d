package bundle

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"

	"github.com/pakli/pakli/ledger/tlog"
)

// Reader shows a bundle to the verifier. It is a tableset.Extract.
type Reader struct{ *Bundle }

var _ tlog.BlobReader = Reader{}

// Checkpoint returns the checkpoint. The caller verifies its signatures.
func (s Reader) Checkpoint(context.Context) (tlog.Checkpoint, error) { return s.Bundle.Checkpoint, nil }

// Entries yields an error: a bundle does not have all entries of the log.
func (s Reader) Entries(context.Context, uint64, uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		yield(nil, errors.New("a bundle has the entries of one table, and not those of the log"))
	}
}

// Extract yields the entries with their indexes, ascending. New or Parse has verified that they are
// in the tree of the bundle's checkpoint. For another checkpoint Extract returns an error.
func (s Reader) Extract(c tlog.Checkpoint) (iter.Seq2[uint64, []byte], error) {
	if !bytes.Equal(c.Note, s.Bundle.Checkpoint.Note) {
		return nil, errors.New("the bundle is under another checkpoint")
	}
	return func(yield func(uint64, []byte) bool) {
		for _, e := range s.Bundle.Entries {
			if !yield(e.Index, e.Bytes) {
				return
			}
		}
	}, nil
}

// Blob returns a blob of the bundle, or tlog.ErrNoBlob.
func (s Reader) Blob(_ context.Context, hash [sha256.Size]byte) ([]byte, error) {
	if blob, ok := s.blob(hash); ok {
		return blob, nil
	}
	return nil, fmt.Errorf("%w: %x", tlog.ErrNoBlob, hash)
}
