// Package mirror keeps a log's checkpoint and entries in a directory, in the
// layout of c2sp.org/tlog-tiles, so that any static file server can show them
// and the verifier can read them without a network.
//
// [Copy] writes a mirror and [Dir] reads one. Neither checks anything: hash
// tiles can be computed from the entries and are not kept, and the reader of a
// mirror compares the entries with the checkpoint as it would with any log.
// Gzip of bundles is a matter of transport and is not used on disk.
package mirror

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/pakli/pakli/ledger/tlog"
)

// Source is what can be mirrored.
type Source interface {
	Checkpoint(ctx context.Context) (tlog.Checkpoint, error)
	Entries(ctx context.Context, start, end uint64) iter.Seq2[[]byte, error]
}

// checkpointFile and the paths of tlog.Tile are names under the directory.
const checkpointFile = "checkpoint"

// maxCheckpoint bounds the checkpoint file: sixteen post-quantum signatures.
const maxCheckpoint = 64 << 10

// Copy writes src's newest checkpoint and all entries under it to dir. The
// checkpoint is written last, so that an interrupted copy is still the older
// mirror. It returns the checkpoint.
func Copy(ctx context.Context, src Source, dir string) (tlog.Checkpoint, error) {
	c, err := src.Checkpoint(ctx)
	if err != nil {
		return tlog.Checkpoint{}, err
	}
	var bundle []byte
	n := uint64(0)
	for entry, err := range src.Entries(ctx, 0, c.Size) {
		if err != nil {
			return tlog.Checkpoint{}, err
		}
		if bundle, err = tlog.AppendEntry(bundle, entry); err != nil {
			return tlog.Checkpoint{}, err
		}
		if n++; n%tlog.TileWidth == 0 || n == c.Size {
			if err := write(dir, tileEndingAt(n).Path(), bundle); err != nil {
				return tlog.Checkpoint{}, err
			}
			bundle = nil
		}
	}
	if n != c.Size {
		return tlog.Checkpoint{}, fmt.Errorf("mirror: the source ended after %d of %d entries", n, c.Size)
	}
	return c, write(dir, checkpointFile, c.Note)
}

// tileEndingAt names the bundle whose last entry is entry n-1.
func tileEndingAt(n uint64) tlog.Tile {
	return tlog.Tile{Level: tlog.EntriesLevel, Index: (n - 1) / tlog.TileWidth, Width: int((n-1)%tlog.TileWidth) + 1}
}

func write(dir, name string, data []byte) error {
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// Dir reads a mirror.
type Dir string

// Checkpoint returns the mirror's checkpoint, unverified.
func (d Dir) Checkpoint(context.Context) (tlog.Checkpoint, error) {
	b, err := d.read(checkpointFile, maxCheckpoint)
	if err != nil {
		return tlog.Checkpoint{}, err
	}
	return tlog.ParseCheckpoint(b)
}

// Entries yields entries start to end-1. A bundle that is missing, cut short or
// malformed is an error and no proof against anybody.
func (d Dir) Entries(ctx context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for start < end {
			last := min(end, (start/tlog.TileWidth+1)*tlog.TileWidth)
			entries, err := d.bundle(tileEndingAt(last))
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for _, entry := range entries[start%tlog.TileWidth:] {
				if !yield(entry, nil) {
					return
				}
			}
			start = last
		}
	}
}

// bundle reads a tile, from a wider one if the mirror has only that.
func (d Dir) bundle(t tlog.Tile) ([][]byte, error) {
	for wider := t; wider.Width <= tlog.TileWidth; wider.Width++ {
		b, err := d.read(wider.Path(), tlog.TileWidth*(2+tlog.MaxEntry))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		entries, err := tlog.ParseBundle(b, wider.Width)
		if err != nil {
			return nil, fmt.Errorf("mirror: %s: %w", wider.Path(), err)
		}
		return entries[:t.Width], nil
	}
	return nil, fmt.Errorf("mirror: %s: %w", t.Path(), fs.ErrNotExist)
}

func (d Dir) read(name string, limit int64) ([]byte, error) {
	path := filepath.Join(string(d), filepath.FromSlash(name))
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("mirror: %s has %d bytes, at most %d are allowed", name, info.Size(), limit)
	}
	return os.ReadFile(path)
}
