package badgerstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
	"golang.org/x/sys/unix"
)

// ErrSpace says that the disk is nearly full. Nothing has been written; what is
// stored can be read.
var ErrSpace = errors.New("badgerstore: disk nearly full")

// ballastFile takes up space for nothing, so that an operator who finds the
// disk full can remove it, start again and have room to put things right.
const ballastFile = "ballast"

type space struct {
	dir      string
	memTable uint64
	fixed    uint64 // the caller's threshold; 0: from what Badger may write
	share    uint64 // of the disk, kept free in any case
}

func newSpace(dir string, o Options, memTable int64) (space, error) {
	s := space{dir: dir, memTable: uint64(memTable), fixed: o.MinFree}
	free, total, err := diskSpace(dir)
	if err != nil {
		return s, err
	}
	s.share = min(total/20, 4<<30)
	return s, s.ensureBallast(o.Ballast, free)
}

// memTables is how many memory tables' worth Badger may write once nothing new
// comes: five that wait to become tables, the one in use, and its log.
const memTables = 7

// needed returns how many bytes have to be free, with these levels of tables:
// room for what is in memory, and for the tables that are written before those
// that they replace are removed.
func (s space) needed(levels []badger.LevelInfo) uint64 {
	if s.fixed != 0 {
		return s.fixed
	}
	return max(s.memTables(memTables)+s.compaction(levels), s.share)
}

func (s space) memTables(n uint64) uint64 { return n * s.memTable }

// compaction bounds what compactions write. None writes more than it reads, and
// no two read the same table: that is all there is, with what comes from memory.
// In a large store it is level 0 and the base level, which are merged as a
// whole, and beside it one table of another level with those below it, of which
// there are ten in the mean; twice as many are allowed for.
func (s space) compaction(levels []badger.LevelInfo) uint64 {
	var all, merged, largest int64
	for _, l := range levels {
		all += l.Size
		if l.Level == 0 || l.IsBaseLevel {
			merged += l.Size
		}
		largest = max(largest, l.TargetFileSize)
	}
	return s.memTables(memTables-1) + uint64(min(all, merged+20*largest))
}

// ensureBallast sets the ballast aside, unless the disk has no room for it:
// perhaps the operator has just removed it.
func (s space) ensureBallast(size int64, free uint64) error {
	path := filepath.Join(s.dir, ballastFile)
	info, err := os.Stat(path)
	if size == 0 || err == nil && info.Size() >= size || free < s.needed(nil)+uint64(size) {
		return nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(fill(f, size), f.Close())
}

// fill writes zeros: a file of holes takes up no space.
func fill(f *os.File, size int64) error {
	zeros := make([]byte, 1<<20)
	for size > 0 {
		n, err := f.Write(zeros[:min(size, int64(len(zeros)))])
		if err != nil {
			return err
		}
		size -= int64(n)
	}
	return f.Sync()
}

// CheckSpace returns ErrSpace if the disk is too full to go on writing. It is
// cheap enough to be called before every transaction.
func (s *Store) CheckSpace() error {
	free, needed, err := s.Space()
	if err != nil {
		return err
	}
	if free < needed {
		return fmt.Errorf("%w: %d MiB free, %d MiB needed", ErrSpace, free>>20, needed>>20)
	}
	return nil
}

// Space returns how many bytes of the disk are free, and how many have to be.
func (s *Store) Space() (free, needed uint64, err error) {
	free, _, err = diskSpace(s.space.dir)
	return free, s.space.needed(s.db.Levels()), err
}

// diskSpace returns the bytes free for us, and all bytes, of the disk with dir.
func diskSpace(dir string) (free, total uint64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, 0, fmt.Errorf("free space of %s: %w", dir, err)
	}
	return uint64(st.Bavail) * uint64(st.Bsize), st.Blocks * uint64(st.Bsize), nil
}
