package ledger

// This file takes copies of a log from which it can be brought back, and
// brings it back.
//
// A backup is a mirror (ledger/tiles): entries, blobs and a signed checkpoint,
// in the layout of c2sp.org/tlog-tiles. Tree, index and receipts follow from
// them, so that a backup does not depend on the version or the kind of a store,
// is taken from a log that goes on, over its read surface, and can be checked by
// everybody; and so that anybody's mirror is a backup. It has no keys in it.
//
// The danger of a backup is its age. A log that goes on from one which lacks
// entries that were published has two histories, and everybody who has seen the
// first one can prove it. So [RestoreBackup] wants evidence of how far the log had got,
// and refuses a backup that has less.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/tiles"
	"github.com/pakli/pakli/ledger/tlog"
)

// ErrOlder says that the log has published more entries than the backup has.
var ErrOlder = errors.New("the backup is older than what the log has published")

// ErrOther says that the backup has another history than the one that the log has published.
var ErrOther = errors.New("the backup is of another history than what the log has published")

// TakeBackup brings the backup in dir up to date, which is empty or a backup of the
// same log, and reads it all again. It returns its checkpoint.
func TakeBackup(ctx context.Context, src tlog.EntryReader, dir string, named tlog.BlobNamer, keys ...note.Verifier) (tlog.Checkpoint, error) {
	if _, err := tiles.CopyLog(ctx, verifiedSource{src, tlog.BlobsOf(src), keys}, dir, named); err != nil {
		return tlog.Checkpoint{}, err
	}
	return VerifyBackup(ctx, dir, named, keys...)
}

// verifiedSource is a source whose checkpoints are signed.
type verifiedSource struct {
	tlog.EntryReader
	tlog.BlobReader
	keys []note.Verifier
}

func (v verifiedSource) Checkpoint(ctx context.Context) (tlog.Checkpoint, error) {
	c, err := v.EntryReader.Checkpoint(ctx)
	if err != nil {
		return c, err
	}
	return c, c.Verify(v.keys...)
}

// VerifyBackup reads a backup: its checkpoint is signed by one of the keys, its
// entries have the signed root, every blob that they name is there, and no file
// shows other entries in their place.
func VerifyBackup(ctx context.Context, dir string, named tlog.BlobNamer, keys ...note.Verifier) (tlog.Checkpoint, error) {
	c, err := readVerified(ctx, dir, named, keys...)
	if err != nil {
		return c, err
	}
	strays, err := tiles.Directory(dir).Strays(ctx)
	if err == nil && len(strays) > 0 {
		err = fmt.Errorf("%s: %q are of other entries than its checkpoint has; the next backup into this directory removes them", dir, strays)
	}
	return c, err
}

// readVerified verifies what a log would be made of.
func readVerified(ctx context.Context, dir string, named tlog.BlobNamer, keys ...note.Verifier) (tlog.Checkpoint, error) {
	c, err := tiles.Directory(dir).Checkpoint(ctx)
	if err != nil {
		return c, fmt.Errorf("%s: %w", dir, err)
	}
	if err := c.Verify(keys...); err != nil {
		return c, fmt.Errorf("%s: %w", dir, err)
	}
	err = tlog.ReadAll(ctx, tiles.Directory(dir), c, func(entry []byte, _ tlog.Hash, tree *tlog.Tree) error {
		for _, hash := range named(entry) {
			if _, err := tiles.Directory(dir).Blob(ctx, hash); err != nil {
				return fmt.Errorf("entry %d: %w", tree.Size()-1, err)
			}
		}
		return nil
	})
	if err != nil {
		err = fmt.Errorf("%s: %w", dir, err)
	}
	return c, err
}

// KnownTree is a tree that the log has, or may have, published. A backup must contain it.
type KnownTree struct {
	From string // its source, for people
	Size uint64
	Root tlog.Hash
}

// FromCheckpoint reads what is known from a checkpoint, or from a receipt, which has
// one in it. It must be signed.
func FromCheckpoint(from string, text []byte, keys ...note.Verifier) (KnownTree, error) {
	if r, err := tlog.ParseReceipt(text); err == nil {
		text = r.Checkpoint
	}
	c, err := tlog.OpenCheckpoint(text, keys...)
	if err != nil {
		return KnownTree{}, fmt.Errorf("%s: %w", from, err)
	}
	return KnownTree{From: from, Size: c.Size, Root: c.Root}, nil
}

// FromDirectory reads what is known from what is left of a log's own directory: its
// promise file is enough.
func FromDirectory(dir, origin string) (KnownTree, error) {
	size, root, err := PromisedTree(dir, origin)
	return KnownTree{From: filepath.Join(dir, "promise"), Size: size, Root: root}, err
}

// RestoreBackup makes the log of a backup in data, a directory with the log's keys and
// nothing else. It refuses a backup that has less than what is known, or
// something else.
func RestoreBackup(ctx context.Context, dir, data string, o Options, known []KnownTree, named tlog.BlobNamer, keys ...note.Verifier) (tlog.Checkpoint, error) {
	c, err := readVerified(ctx, dir, named, keys...)
	if err != nil {
		return c, err
	}
	for _, k := range known {
		if err := k.checkBackup(ctx, dir, c); err != nil {
			return c, err
		}
	}
	return c, Restore(ctx, data, o, c, tiles.Directory(dir), named)
}

// checkBackup holds a backup against what is known.
func (k KnownTree) checkBackup(ctx context.Context, dir string, c tlog.Checkpoint) error {
	if k.Size > c.Size {
		return fmt.Errorf("%w: %s knows of %d entries, %s has %d. Going on from there would fork the log. "+
			"Take a newer backup, or a mirror of anybody's that has all %d entries (pakli mirror), and restore that; "+
			"if nobody has them, begin a new log under a new key, and keep this one to be read",
			ErrOlder, k.From, k.Size, dir, c.Size, k.Size)
	}
	published := tlog.Checkpoint{Size: k.Size, Root: k.Root}
	err := tlog.ReadAll(ctx, tiles.Directory(dir), published, nil)
	if other, ok := errors.AsType[*tlog.RootError](err); ok {
		return fmt.Errorf("%w: at %d entries %s knows root %v, %s has %v. "+
			"One of them is not of this log, or the log has been forked before: keep both, they are evidence",
			ErrOther, k.Size, k.From, k.Root, dir, other.Computed)
	}
	return err
}

// FromPath reads what is known from a path: a log's directory, a mirror, or a file
// with a checkpoint or a receipt in it.
func FromPath(path, origin string, keys ...note.Verifier) (KnownTree, error) {
	info, err := os.Stat(path)
	if err != nil {
		return KnownTree{}, err
	}
	if info.IsDir() {
		e, err := FromDirectory(path, origin)
		if !errors.Is(err, os.ErrNotExist) {
			return e, err
		}
		path = filepath.Join(path, "checkpoint")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return KnownTree{}, err
	}
	return FromCheckpoint(path, text, keys...)
}
