// Package lossyfs is a file system in memory, mounted through FUSE, that loses
// power: [FS.Cut] ends everything at one instant, and [FS.WriteAfterCut] is what a disk
// has then. What was synced is there. Of what was not, nothing is there, or any
// part of it in any order, down to single sectors.
//
// Names (files that were made, renamed, removed) are journalled, as ext4 and XFS
// do: they come back in order, and syncing any file brings back all names before
// it. With Strict, they come back as POSIX promises it and no better: those of a
// directory that was synced itself.
//
// A file that is a disk image makes a whole other file system lose power: what a
// loop device writes to it is lost, torn and reordered between flushes.
package lossyfs

import (
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// A file is bytes as programs see them, bytes as the disk has them, and what is
// between the two.
type file struct {
	directory bool
	mode      uint32
	changed   time.Time
	live      []byte
	stable    []byte
	unsynced  []change
}

// A change is a write, or a new size.
type change struct {
	offset   int64
	data     []byte
	truncate bool // offset is the new size
}

func (c change) apply(b []byte) []byte {
	if c.truncate {
		return resize(b, c.offset)
	}
	if end := c.offset + int64(len(c.data)); end > int64(len(b)) {
		b = resize(b, end)
	}
	copy(b[c.offset:], c.data)
	return b
}

func resize(b []byte, size int64) []byte {
	if size <= int64(len(b)) {
		clear(b[size:])
		return b[:size]
	}
	if size <= int64(cap(b)) {
		return b[:size] // clear already
	}
	return append(make([]byte, 0, size+size/4), b...)[:size]
}

// A naming is a change of names: to is a name of f from now on, from is none.
type naming struct {
	from, to string // empty: none
	f        *file
}

func (n naming) apply(names map[string]*file) {
	if n.from != "" {
		delete(names, n.from)
	}
	if n.to != "" {
		names[n.to] = n.f
	}
}

// changesDirectory reports whether n changes directory dir.
func (n naming) changesDirectory(dir string) bool {
	return n.from != "" && path.Dir(n.from) == dir || n.to != "" && path.Dir(n.to) == dir
}

// Stats counts what a cut has met.
type Stats struct {
	Files    int // files with something unsynced
	Changes  int // changes of their bytes that were not synced
	Namings  int // changes of names that were not
	Syncs    int // before the cut
	Survived int // sectors of unsynced changes that were kept
}

// FS is the file system.
type FS struct {
	strict bool

	mu       sync.Mutex
	names    map[string]*file // as programs see them
	stable   map[string]*file // as the disk has them
	unsynced []naming
	cut      bool
	stats    Stats
}

// New returns a file system that has what is in dir, synced.
func New(dir string, strict bool) (*FS, error) {
	fs := &FS{strict: strict, names: make(map[string]*file)}
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		f := &file{directory: d.IsDir(), mode: uint32(info.Mode().Perm()), changed: time.Now()}
		if !f.directory {
			if f.stable, err = os.ReadFile(p); err != nil {
				return err
			}
			f.live = slices.Clone(f.stable)
		}
		fs.names[filepath.ToSlash(name)] = f
		return nil
	})
	fs.stable = maps.Clone(fs.names)
	return fs, err
}

// Image returns a file system with one file of zeros, called "image".
func Image(size int64) *FS {
	root := &file{directory: true, mode: 0o755, changed: time.Now()}
	image := &file{mode: 0o600, changed: time.Now(), live: make([]byte, size), stable: make([]byte, size)}
	fs := &FS{names: map[string]*file{".": root, "image": image}}
	fs.stable = maps.Clone(fs.names)
	return fs
}

// change changes f, unless the power is off.
func (fs *FS) change(f *file, c change) bool {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.cut {
		return false
	}
	f.live = c.apply(f.live)
	f.unsynced = append(f.unsynced, c)
	f.changed = time.Now()
	return true
}

// rename changes names, unless the power is off.
func (fs *FS) rename(n naming) bool {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.cut {
		return false
	}
	n.apply(fs.names)
	fs.unsynced = append(fs.unsynced, n)
	for _, name := range []string{n.from, n.to} {
		if dir := fs.names[path.Dir(name)]; name != "" && dir != nil {
			dir.changed = time.Now()
		}
	}
	return true
}

// sync makes f durable, and names. It fails when the power is off.
func (fs *FS) sync(name string, f *file) bool {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.cut {
		return false
	}
	fs.stats.Syncs++
	for _, c := range f.unsynced {
		f.stable = c.apply(f.stable)
	}
	f.unsynced = nil
	fs.unsynced = slices.DeleteFunc(fs.unsynced, func(n naming) bool {
		durable := !fs.strict || f.directory && n.changesDirectory(name)
		if durable {
			n.apply(fs.stable)
		}
		return durable
	})
	return true
}

// Cut switches the power off: from now on nothing can be changed or synced.
func (fs *FS) Cut() {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.cut = true
}

const sector = 512

// WriteAfterCut writes to dir what the disk has after a cut. Without random nothing
// that was not synced is there. With it, the first of the unsynced namings are
// (with Strict: any of them), and of every unsynced write any of its sectors, in
// pieces of 512 bytes or of 4 KiB.
func (fs *FS) WriteAfterCut(dir string, random *rand.Rand) (Stats, error) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	names := maps.Clone(fs.stable)
	fs.stats.Namings = len(fs.unsynced)
	if random != nil {
		fs.keepNamings(names, random)
	}
	for _, f := range fs.names {
		fs.stats.Changes += len(f.unsynced)
		if len(f.unsynced) > 0 {
			fs.stats.Files++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		f := names[name]
		if random != nil {
			fs.stats.Survived += f.tear(random)
		}
		if err := f.write(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return fs.stats, err
		}
	}
	return fs.stats, nil
}

func (fs *FS) keepNamings(names map[string]*file, random *rand.Rand) {
	first := random.IntN(len(fs.unsynced) + 1)
	for i, n := range fs.unsynced {
		if !fs.strict && i < first || fs.strict && random.IntN(2) == 0 {
			n.apply(names)
		}
	}
}

// tear keeps any of the sectors of the unsynced changes, in any order, and
// returns how many.
func (f *file) tear(random *rand.Rand) (kept int) {
	for _, i := range random.Perm(len(f.unsynced)) {
		c := f.unsynced[i]
		if c.truncate {
			if random.IntN(2) == 0 && c.offset >= int64(len(f.stable)) {
				f.stable = c.apply(f.stable)
			}
			continue
		}
		piece := int64(sector)
		if random.IntN(2) == 0 {
			piece = 8 * sector
		}
		for at := int64(0); at < int64(len(c.data)); {
			end := min(int64(len(c.data)), at+piece-(c.offset+at)%piece)
			if random.IntN(2) == 0 {
				f.stable = change{offset: c.offset + at, data: c.data[at:end]}.apply(f.stable)
				kept++
			}
			at = end
		}
	}
	f.unsynced = nil
	return kept
}

func (f *file) write(name string) error {
	if f.directory {
		return os.MkdirAll(name, 0o700)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	return os.WriteFile(name, f.stable, os.FileMode(f.mode))
}
