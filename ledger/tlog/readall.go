package tlog

import (
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
)

// ReadAll reads the entries under c, in order, and shows each to see, unless that is
// nil, with its leaf hash and the tree that ends with it; an error of see ends it. Entries that do not
// have the root of c are a [RootError]; fewer than c says are an error that says
// nothing about the log. What see has been shown is worth something only once ReadAll
// has returned without an error. Whoever copies a log reads it so.
func ReadAll(ctx context.Context, r EntryReader, c Checkpoint, see func(entry []byte, leaf Hash, t *Tree) error) error {
	t, err := recompute(r.Entries(ctx, 0, c.Size), see)
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

// recompute returns the tree of entries, each of which it shows to see, unless that is
// nil, with its leaf hash and the tree that ends with it.
func recompute(entries iter.Seq2[[]byte, error], see func(entry []byte, leaf Hash, t *Tree) error) (t Tree, err error) {
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

// Named returns the hashes of the blobs that an entry names.
type Named func(entry []byte) [][sha256.Size]byte

// BlobsOf shows the blobs of a log, each held against its hash: those that r shows if
// it is a BlobReader, otherwise none.
func BlobsOf(r any) BlobReader {
	blobs, _ := r.(BlobReader)
	return checked{blobs}
}

type checked struct{ blobs BlobReader }

// Blob implements BlobReader.
func (c checked) Blob(ctx context.Context, hash [sha256.Size]byte) ([]byte, error) {
	if c.blobs == nil {
		return nil, fmt.Errorf("%w: %x", ErrNoBlob, hash)
	}
	b, err := c.blobs.Blob(ctx, hash)
	if err != nil {
		return nil, err
	}
	return b, CheckBlob(b, hash)
}
