package badgerstore

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// ballastFile only takes up space. An operator who finds the disk full can remove it and restart with
// room to put things right.
const ballastFile = "ballast"

type diskBounds struct {
	dir    string
	needed uint64 // bytes that have to be free
}

func newSpace(dir string, o Options, memTable int64) (diskBounds, error) {
	free, total, err := diskSpace(dir)
	if err != nil {
		return diskBounds{}, err
	}
	s := diskBounds{dir: dir, needed: o.MinFree}
	if s.needed == 0 {
		s.needed = max(memTables*uint64(memTable), min(total/20, 4<<30))
	}
	return s, s.ensureBallast(o.Ballast, free)
}

// memTables is how many memory tables' worth Badger may write after the last new entry: five waiting
// tables and the one in use, each up to a quarter larger than its size (a transaction may overfill it
// by 15 %, and there are an index and a filter), and the rest of its log.
const memTables = 9

// ensureBallast makes the ballast file unless the disk has no room for it: the operator may just have
// removed it.
func (s diskBounds) ensureBallast(size int64, free uint64) error {
	path := filepath.Join(s.dir, ballastFile)
	if size == 0 || bytesOnDisk(path) >= size || free < s.needed+uint64(size) {
		return nil
	}
	err := allocateBlocks(path, size, os.O_CREATE)
	if err == nil {
		err = os.Truncate(path, size)
	}
	if bytesOnDisk(path) < size && !noRoom(err) {
		err = fillRandom(path, size)
	}
	if noRoom(err) { // because of a quota, which the free bytes do not show
		return os.Remove(path)
	}
	return err
}

// fillRandom writes size bytes, for file systems such as ZFS that claim to allocate blocks and do
// not. The bytes are random: zeros would take up no space where files are compressed.
func fillRandom(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = io.CopyN(f, rand.Reader, size)
	return errors.Join(err, f.Sync(), f.Close())
}

// Space returns how many bytes of the disk are free and how many have to be. It also reserves the
// blocks for the next batch, see reserve; if the disk has none, it returns 0 free bytes.
func (s *Store) Space() (free, needed uint64, err error) {
	if err := s.reserve.takeBlocks(); err != nil {
		return 0, s.space.needed, nil
	}
	free, _, err = diskSpace(s.space.dir)
	return free, s.space.needed, err
}

// A reserve holds disk blocks for the next batches. Badger writes its log through a mapping of a
// sparse file, and a hole for which the disk has no block raises SIGBUS. So the log in use gets its
// blocks beforehand, and so does the next log. That lies under the name that Badger will give it, as
// a file of size 0: Badger takes an empty file for a new one and keeps the blocks beyond its end.
//
// Tables get no blocks beforehand, since Badger makes their files itself. When the store is opened or
// closed, the blocks of the next log are freed for the table that is written then.
type reserve struct {
	dir string
	// Size of a log as far as Badger writes it: Badger begins the next log after the batch that makes
	// one as long as a memory table.
	size int64

	mu   sync.Mutex
	next string // file of the next log, "" if there is none
	none bool   // nothing can be reserved here
}

const (
	logSuffix   = ".mem"
	reserveFile = "reserve" // a next log until it has its blocks
)

// takeBlocks makes sure that the next batch has its blocks. It returns an error if the disk has none.
// It is called before every batch; a log holds several batches.
func (r *reserve) takeBlocks() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if info, err := os.Stat(r.next); r.none || err == nil && info.Size() == 0 {
		return nil
	}
	err := r.renewReserve()
	if noRoom(err) {
		return err
	}
	r.none = errors.Is(err, errors.ErrUnsupported)
	return nil // other errors: the next call tries again, or writing shows them
}

// renewReserve reserves the rest of the newest log, and the one after it.
func (r *reserve) renewReserve() error {
	newest, err := newestLog(r.dir)
	if err != nil {
		return err
	}
	if err := allocateBlocks(logPath(r.dir, newest), r.size, 0); err != nil {
		return err
	}
	part := filepath.Join(r.dir, reserveFile)
	os.Remove(part) // the same file may be a log by now
	defer os.Remove(part)
	if err := allocateBlocks(part, r.size, os.O_CREATE); err != nil {
		return err
	}
	r.next = logPath(r.dir, newest+1)
	return os.Link(part, r.next) // never replaces a log
}

// giveBack frees the blocks of the next log. Nothing may be written to the store afterwards.
func (r *reserve) giveBack() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if info, err := os.Stat(r.next); err == nil && info.Size() == 0 {
		os.Remove(r.next) // otherwise the next opening removes it
	}
	r.next = ""
}

func logPath(dir string, number int) string {
	return filepath.Join(dir, fmt.Sprintf("%05d%s", number, logSuffix))
}

// newestLog returns the number of the log that Badger writes.
func newestLog(dir string) (newest int, err error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), logSuffix)
		if info, err := f.Info(); !ok || err != nil || info.Size() == 0 {
			continue
		}
		var number int
		if _, err := fmt.Sscanf(name, "%d", &number); err == nil {
			newest = max(newest, number)
		}
	}
	if newest == 0 {
		return 0, fs.ErrNotExist
	}
	return newest, nil
}
