package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger/tlog"
)

// Blobs are files beside the store, named by their hash, written once. They are
// not in the tree: an entry that names a blob is, and so fixes its bytes.

var _ tlog.Blobs = (*Ledger)(nil)

// PutBlob implements tlog.Blobs.
func (l *Ledger) PutBlob(ctx context.Context, blob []byte) error {
	if len(blob) > tlog.MaxBlob {
		return fmt.Errorf("file of %d bytes: %w", len(blob), tlog.ErrTooLarge)
	}
	if err := l.enterStore(); err != nil {
		return err
	}
	defer l.leaveStore()
	if err := l.Ready(ctx); err != nil {
		return err
	}
	return l.keepBlob(ctx, blob)
}

// keepBlob puts a blob into its file.
func (l *Ledger) keepBlob(ctx context.Context, blob []byte) error {
	hash := sha256.Sum256(blob)
	path := l.blobPath(hash)
	if _, err := l.Blob(ctx, hash); err == nil {
		// Its bytes were synced before it got its name. The name may not be: a
		// first attempt may have died right after the renaming.
		return errors.Join(durable.SyncDirectory(filepath.Dir(path)), durable.SyncDirectory(l.dir))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("a file that an entry names: %w", err)
	}
	if err := durable.Replace(path, blob, 0o600); err != nil {
		return fmt.Errorf("a file that an entry names: %w", err)
	}
	return durable.SyncDirectory(l.dir)
}

func (l *Ledger) blobPath(hash [sha256.Size]byte) string {
	return filepath.Join(l.dir, blobsDir, hex.EncodeToString(hash[:]))
}

// Blob implements tlog.BlobReader. A file that a disk has damaged is an error
// and not served.
func (l *Ledger) Blob(_ context.Context, hash [sha256.Size]byte) ([]byte, error) {
	b, err := os.ReadFile(l.blobPath(hash))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %x", tlog.ErrNoBlob, hash)
	}
	if err != nil {
		return nil, fmt.Errorf("a file that an entry names: %w", err)
	}
	if err := tlog.CheckBlob(b, hash); err != nil {
		return nil, fmt.Errorf("the disk has damaged a file: %w", err)
	}
	return b, nil
}
