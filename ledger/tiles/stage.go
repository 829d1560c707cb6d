package tiles

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger/tlog"
)

// stagePrefix begins the names of stages. Readers of a mirror ignore such names.
const stagePrefix = "unverified-"

// A stage is a directory in which the entry tiles and blobs of a copy wait until they are known to
// be the log's. It lies in the mirror, so that publishAll can rename them into their places.
type stage struct {
	dir    string   // of the mirror
	path   string   // of the stage
	names  []string // of the staged files, relative to path and to dir
	strays []string // partial entry tiles of the mirror that contradict the staged ones
}

// newStage makes a stage and removes what killed copies have left.
func newStage(dir string) (*stage, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if strings.HasPrefix(f.Name(), stagePrefix) {
			if err := os.RemoveAll(filepath.Join(dir, f.Name())); err != nil {
				return nil, err
			}
		}
	}
	if err := sweepTemporary(dir); err != nil {
		return nil, err
	}
	path, err := os.MkdirTemp(dir, stagePrefix)
	return &stage{dir: dir, path: path}, err
}

// sweepTemporary removes temporary files that killed copies have left outside of their stages: of
// the checkpoint, and by earlier versions of blobs.
func sweepTemporary(dir string) error {
	err := durable.Sweep(dir, func(name string) bool { return name == checkpointFile })
	blobs := filepath.Join(dir, filepath.Dir(filepath.FromSlash(tlog.BlobPath([sha256.Size]byte{}))))
	if old := durable.Sweep(blobs, nil); !errors.Is(old, fs.ErrNotExist) {
		err = errors.Join(err, old)
	}
	return err
}

// addTile stages an entry tile or, if the mirror has it already, checks that the bytes are equal.
func (s *stage) addTile(t tlog.Tile, entryTile []byte, had bool) error {
	strays, err := Directory(s.dir).contradictingTiles(t, entryTile)
	if err != nil {
		return err
	}
	if had {
		s.strays = append(s.strays, strays...)
		return checkSame(s.dir, t.Path(), entryTile)
	}
	for _, name := range strays {
		if name != t.Path() { // publishAll replaces that one
			s.strays = append(s.strays, name)
		}
	}
	return s.writeStaged(t.Path(), entryTile)
}

// hasBlob reports whether the mirror or the stage has a blob, undamaged.
func (s *stage) hasBlob(ctx context.Context, hash [sha256.Size]byte) bool {
	_, there := Directory(s.dir).Blob(ctx, hash)
	_, here := Directory(s.path).Blob(ctx, hash)
	return there == nil || here == nil
}

func (s *stage) writeStaged(name string, data []byte) error {
	s.names = append(s.names, name)
	return writeFile(s.path, name, data)
}

// publishAll moves all staged files to their places, durably.
func (s *stage) publishAll() error {
	changed := map[string]bool{}
	for _, name := range s.names {
		path := filepath.Join(s.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(s.path, filepath.FromSlash(name)), path); err != nil {
			return err
		}
		for at := filepath.Dir(path); at != filepath.Clean(s.dir); at = filepath.Dir(at) {
			changed[at] = true // directories on the path may be new
		}
	}
	for _, name := range s.strays {
		if err := os.Remove(filepath.Join(s.dir, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	for at := range changed {
		if err := durable.SyncDirectory(at); err != nil {
			return err
		}
	}
	return nil
}

// contradictingTiles returns the partial entry tiles at the place of t that are no wider than t and
// are not a prefix of it.
func (d Directory) contradictingTiles(t tlog.Tile, entryTile []byte) (names []string, err error) {
	parts := tlog.Tile{Level: t.Level, Index: t.Index, Width: tlog.TileWidth}.Path() + ".p/"
	files, err := os.ReadDir(filepath.Join(string(d), filepath.FromSlash(parts)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, f := range files {
		part, other := tlog.ParseTilePath(parts + f.Name())
		if other != nil || part.Width > t.Width {
			continue // not an entry tile, or wider than t
		}
		b, err := d.readFile(part.Path(), maxEntryTile)
		if err != nil {
			return nil, err
		}
		if _, err := tlog.ParseEntryTile(b, part.Width); err != nil || !bytes.HasPrefix(entryTile, b) {
			names = append(names, part.Path())
		}
	}
	return names, err
}

// Strays returns the names of partial entry tiles that contradict entries under the mirror's
// checkpoint. Entries does not read such tiles, but a file server would serve them. The caller has
// verified the entries.
func (d Directory) Strays(ctx context.Context) (names []string, err error) {
	c, err := d.Checkpoint(ctx)
	if err != nil {
		return nil, err
	}
	for n := uint64(0); n < c.Size && ctx.Err() == nil; n += tlog.TileWidth {
		t := tileEndingAt(min(c.Size, n+tlog.TileWidth))
		entries, err := d.entryTile(t, c.Size)
		if err != nil {
			return nil, err
		}
		var entryTile []byte
		for _, entry := range entries {
			if entryTile, err = tlog.AppendEntry(entryTile, entry); err != nil {
				return nil, err
			}
		}
		more, err := d.contradictingTiles(t, entryTile)
		if err != nil {
			return nil, err
		}
		names = append(names, more...)
	}
	return names, ctx.Err()
}
