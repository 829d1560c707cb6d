package tiles

// This file keeps the checkpoint, entries and blobs of a log in a directory, in the layout of
// c2sp.org/tlog-tiles and tlog.BlobPath. Any static file server can serve such a mirror, and the
// verifier can read it without a network.
//
// [CopyLog] brings a mirror up to date and [Directory] reads one. A mirror is evidence: CopyLog
// never overwrites a file that the mirror's checkpoint covers, and refuses a log that does not
// contain that checkpoint. New files wait in a directory of their own until all of them together
// are known to have the root of the new checkpoint, so that a lying source or a killed copy leaves
// nothing that a reader sees. CopyLog replaces the checkpoint last: after an interrupted copy the
// directory is still the older mirror. The caller verifies the signatures of both checkpoints.
//
// Hash tiles can be computed from the entries and are not kept. Entry tiles are not gzipped on
// disk: compression belongs to the transport.

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

// checkpointFile is the name of the checkpoint in the directory. Tiles are at tlog.Tile.Path.
const checkpointFile = "checkpoint"

// contradictionFile holds a checkpoint that does not extend the mirror's: the two convict the log.
const contradictionFile = "contradiction"

// maxEntryTile is the largest entry tile of the format.
const maxEntryTile = tlog.TileWidth * (2 + tlog.MaxEntry)

// CopyLog writes src's newest checkpoint, all entries under it and their blobs to dir, and returns
// the checkpoint. It leaves out a blob that src does not have; a reader that needs the blob will
// report it missing. A blob with another hash is an error. CopyLog returns tlog.ErrBroken if src
// contradicts its own checkpoint or the one in dir. It refuses a source that is older than dir or
// has another origin. It removes partial entry tiles with other entries, which earlier versions
// left when a source lied. If two copies write to one directory at once, one of them fails.
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

// copyEntries stages entry tiles and blobs. It reads every entry, since the tree has to be computed
// from the beginning.
func copyEntries(ctx context.Context, src tlog.EntryReader, s *stage, named tlog.BlobNamer, c, old tlog.Checkpoint) error {
	var entryTile []byte
	// set if the entries have the root of c but another root at the size of old
	var forked error
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

// copyBlobs stages the blobs that an entry names, before the entry tile with that entry.
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

// checkSame returns an error unless a file of the mirror has these bytes.
func checkSame(dir, name string, data []byte) error {
	have, err := Directory(dir).readFile(name, maxEntryTile)
	if err == nil && !bytes.Equal(have, data) {
		err = fmt.Errorf("%s has other bytes already", name)
	}
	return err
}

// writeFile writes a file and makes the directories on its path.
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

// Signers returns those of the keys that have signed the mirror's checkpoint, or all keys if there
// is no checkpoint yet. A caller that gets its keys from the source believes no others: otherwise
// the source could replace the log's signature by its own.
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

// Blob returns a blob of the mirror, or tlog.ErrNoBlob. Damaged bytes are an error that proves
// nothing against anybody.
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

// Entries yields entries start to end-1, which must be under the mirror's checkpoint. A missing,
// truncated or malformed entry tile is an error that proves nothing against anybody.
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

// entryTile reads a tile of a mirror of size entries. It first tries the tile that ends where the
// full tile or the checkpoint ends, which CopyLog has verified, then wider ones. A narrower tile
// may come from an older mirror or from a source that lied.
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

// readFile reads a regular file of at most limit bytes: a device or pipe in somebody else's mirror
// might never end.
func (d Directory) readFile(name string, limit int64) ([]byte, error) {
	return durable.ReadFile(filepath.Join(string(d), filepath.FromSlash(name)), limit)
}
