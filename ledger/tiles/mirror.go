package tiles

// This file keeps a log's checkpoint, entries and blobs in a directory, in
// the layout of c2sp.org/tlog-tiles and tlog.BlobPath, so that any static file
// server can show them and the verifier can read them without a network.
//
// [CopyLog] brings a mirror up to date and [Directory] reads one. A mirror is evidence:
// CopyLog writes nothing over what the mirror's checkpoint vouches for, and refuses a
// log that does not contain that checkpoint. What it adds waits in a directory of
// its own until all of it is known to have the root of the new checkpoint: a source
// that lies, or a copy that is killed, leaves nothing that is read. The checkpoint
// is replaced last, so that an interrupted copy is still the older mirror.
// Signatures are for the caller to verify, of both checkpoints.
//
// Hash tiles can be computed from the entries and are not kept. Gzip of entry tiles
// is a matter of transport and is not used on disk.

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger/tlog"
)

// checkpointFile and the paths of tlog.Tile are names under the directory.
const checkpointFile = "checkpoint"

// contradictionFile is a checkpoint that does not go on from the mirror's: both together convict the log.
const contradictionFile = "contradiction"

// maxEntryTile is the largest entry tile of the format.
const maxEntryTile = tlog.TileWidth * (2 + tlog.MaxEntry)

// CopyLog writes src's newest checkpoint, all entries under it and their blobs to
// dir, and returns the checkpoint. A blob that src does not have is left out:
// who needs it will miss it. Other bytes are an error. A source that contradicts its checkpoint or the one
// that dir has already is tlog.ErrBroken; one that is older than dir, or of another
// name, is refused.
// Partial entry tiles of other entries, left by earlier versions when a source lied, are
// removed. If two copy to one directory at once, one of them fails.
func CopyLog(ctx context.Context, src tlog.EntryReader, dir string, named tlog.BlobNamer) (tlog.Checkpoint, error) {
	c, err := src.Checkpoint(ctx)
	if err != nil {
		return tlog.Checkpoint{}, err
	}
	old, err := Directory(dir).Checkpoint(ctx)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return tlog.Checkpoint{}, err
	}
	if old.Note != nil && old.Origin != c.Origin {
		return tlog.Checkpoint{}, fmt.Errorf("the source is the log %q and %s is of %q", c.Origin, dir, old.Origin)
	}
	if old.Size > c.Size {
		return tlog.Checkpoint{}, fmt.Errorf("the source has %d entries and %s has %d already", c.Size, dir, old.Size)
	}
	s, err := newStage(dir)
	if err != nil {
		return tlog.Checkpoint{}, err
	}
	if err = copyEntries(ctx, src, s, named, c, old); err == nil {
		err = s.publishAll()
	}
	if err := errors.Join(err, os.RemoveAll(s.path)); err != nil {
		return tlog.Checkpoint{}, err
	}
	return c, writeFile(dir, checkpointFile, c.Note)
}

// copyEntries stages entry tiles and blobs. Every entry is read, since the tree has to be
// computed from the beginning.
func copyEntries(ctx context.Context, src tlog.EntryReader, s *stage, named tlog.BlobNamer, c, old tlog.Checkpoint) error {
	var entryTile []byte
	var forked error // if what is read has the root of c, and another one where old ends
	err := tlog.ReadAll(ctx, src, c, func(entry []byte, _ tlog.Hash, tree *tlog.Tree) (err error) {
		if forked != nil {
			return nil
		}
		if entryTile, err = tlog.AppendEntry(entryTile, entry); err != nil {
			return err
		}
		if err := copyBlobs(ctx, tlog.BlobsOf(src), s, named(entry)); err != nil {
			return err
		}
		n := tree.Size()
		if old.Note != nil && n == old.Size && tree.Root() != old.Root {
			forked = fmt.Errorf("%w: the source shows other first %d entries than %s has, under the checkpoint that is now in %s", tlog.ErrForked, n, s.dir, contradictionFile)
			return nil
		}
		if n%tlog.TileWidth == 0 || n == c.Size {
			err = s.addTile(tileEndingAt(n), entryTile, n <= old.Size)
			entryTile = nil
		}
		return err
	})
	if err == nil && forked != nil {
		err = errors.Join(forked, writeFile(s.dir, contradictionFile, c.Note))
	}
	return err
}

// copyBlobs stages the blobs that an entry names, before the entry tile that has it.
func copyBlobs(ctx context.Context, blobs tlog.BlobReader, s *stage, hashes [][sha256.Size]byte) error {
	for _, hash := range hashes {
		if s.hasBlob(ctx, hash) {
			continue
		}
		b, err := blobs.Blob(ctx, hash)
		if errors.Is(err, tlog.ErrNoBlob) {
			continue
		}
		if err == nil {
			err = s.writeStaged(tlog.BlobPath(hash), b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tileEndingAt names the entry tile whose last entry is entry n-1.
func tileEndingAt(n uint64) tlog.Tile {
	return tlog.Tile{Level: tlog.EntriesLevel, Index: (n - 1) / tlog.TileWidth, Width: int((n-1)%tlog.TileWidth) + 1}
}

// checkSame compares a file of the mirror with what it should be.
func checkSame(dir, name string, data []byte) error {
	have, err := Directory(dir).readFile(name, maxEntryTile)
	if err == nil && !bytes.Equal(have, data) {
		err = fmt.Errorf("%s has other bytes already", name)
	}
	return err
}

// writeFile writes a file, and the directories that it is in.
func writeFile(dir, name string, data []byte) error {
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return durable.Replace(path, data, 0o644)
}

// Directory reads a mirror.
type Directory string

// Checkpoint returns the mirror's checkpoint, unverified.
func (d Directory) Checkpoint(context.Context) (tlog.Checkpoint, error) {
	b, err := d.readFile(checkpointFile, tlog.MaxCheckpoint)
	if err != nil {
		return tlog.Checkpoint{}, err
	}
	return tlog.ParseCheckpoint(b)
}

// Signers returns those of the keys that have signed the mirror's checkpoint: who
// takes the keys from the source believes no others, or the source could put its
// own signature in the place of the log's. Without a checkpoint they are all.
func (d Directory) Signers(ctx context.Context, keys []*tlog.VerifierKey) ([]*tlog.VerifierKey, error) {
	c, err := d.Checkpoint(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return keys, nil
	}
	if err != nil {
		return nil, err
	}
	var signers []*tlog.VerifierKey
	for _, k := range keys {
		if err = c.Verify(k); err == nil {
			signers = append(signers, k)
		}
	}
	if len(signers) == 0 {
		return nil, fmt.Errorf("none of the keys has signed what %s has: %w", string(d), err)
	}
	return signers, nil
}

// Blob returns a blob of the mirror, or tlog.ErrNoBlob. Damaged bytes are an
// error and no proof against anybody.
func (d Directory) Blob(_ context.Context, hash [sha256.Size]byte) ([]byte, error) {
	b, err := d.readFile(tlog.BlobPath(hash), tlog.MaxBlob)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %x", tlog.ErrNoBlob, hash)
	}
	if err != nil {
		return nil, err
	}
	return b, tlog.CheckBlob(b, hash)
}

// Entries yields entries start to end-1, which must be under the mirror's
// checkpoint. An entry tile that is missing, cut short or malformed is an error and no
// proof against anybody.
func (d Directory) Entries(ctx context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		c, err := d.Checkpoint(ctx)
		if err == nil && end > c.Size {
			err = fmt.Errorf("%s has %d entries, not %d", string(d), c.Size, end)
		}
		for err == nil && start < end {
			var entries [][]byte
			last := min(end, (start/tlog.TileWidth+1)*tlog.TileWidth)
			if entries, err = d.entryTile(tileEndingAt(last), c.Size); err == nil {
				err = ctx.Err()
			}
			if err != nil {
				break
			}
			for _, entry := range entries[start%tlog.TileWidth:] {
				if !yield(entry, nil) {
					return
				}
			}
			start = last
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// entryTile reads a tile of a mirror of size entries: from the one that ends where
// the tile or the checkpoint does, which Copy has verified, and without that from a
// wider one. A narrower one may be of an older mirror, or of somebody who lied.
func (d Directory) entryTile(t tlog.Tile, size uint64) ([][]byte, error) {
	for wider := tileEndingAt(min(size, (t.Index+1)*tlog.TileWidth)); wider.Width <= tlog.TileWidth; wider.Width++ {
		b, err := d.readFile(wider.Path(), maxEntryTile)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		entries, err := tlog.ParseEntryTile(b, wider.Width)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", wider.Path(), err)
		}
		return entries[:t.Width], nil
	}
	return nil, fmt.Errorf("%s: %w", t.Path(), fs.ErrNotExist)
}

// readFile reads a file of at most limit bytes: a device or pipe in a mirror from
// elsewhere might never end.
func (d Directory) readFile(name string, limit int64) ([]byte, error) {
	return durable.ReadFile(filepath.Join(string(d), filepath.FromSlash(name)), limit)
}
