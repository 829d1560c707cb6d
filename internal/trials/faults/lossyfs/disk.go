// Package lossyfs is a file system in memory, mounted through FUSE, that can lose power. [FS.Cut]
// stops everything at one instant, and [FS.WriteAfterCut] writes what a disk would have then:
// everything that was synced, and of the rest nothing, or any part in any order, down to single
// sectors.
//
// Names of files (made, renamed, removed) are journalled, as by ext4 and XFS: they survive in order,
// and syncing any file saves all names before it. With Strict, they survive only as POSIX promises:
// those of a directory that was itself synced.
//
// A file that is a disk image lets a whole other file system lose power: writes of a loop device to
// it are lost, torn and reordered between flushes.
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

// A file is its bytes as programs see them, its bytes on disk, and the changes between the two.
type file struct {
	directory bool
	mode      uint32
	changed   time.Time
	live      []byte
	stable    []byte
	unsynced  []change
}

// A change is a write or a new size.
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
		return b[:size] // zero already
	}
	return append(make([]byte, 0, size+size/4), b...)[:size]
}

// A naming is a change of names: f has the name to from now on, and not from.
type naming struct {
	from, to string // "": none
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

// Stats counts what a power cut affected.
type Stats struct {
	Files    int // with unsynced content
	Changes  int // unsynced changes of content
	Namings  int // unsynced changes of names
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

// New returns a file system with the content of dir, synced.
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

// change applies a change to f, unless the power is off.
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

// rename applies a naming, unless the power is off.
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

// sync makes f and names durable. It fails if the power is off.
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

// Cut switches the power off: no later change or sync succeeds.
func (fs *FS) Cut() {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.cut = true
}

const sector = 512

// WriteAfterCut writes to dir what the disk has after a cut. Without random that is only what was
// synced. With random, the first of the unsynced namings are added (with Strict, any of them), and of
// every unsynced write any sectors of 512 bytes or 4 KiB.
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

// tear applies any sectors of the unsynced changes, in any order, and returns how many.
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
