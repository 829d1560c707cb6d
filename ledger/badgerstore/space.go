package badgerstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// ballastFile takes up space for nothing, so that an operator who finds the
// disk full can remove it, start again and have room to put things right.
const ballastFile = "ballast"

type space struct {
	dir    string
	needed uint64 // bytes that have to be free
}

func newSpace(dir string, o Options, memTable int64) (space, error) {
	free, total, err := diskSpace(dir)
	if err != nil {
		return space{}, err
	}
	s := space{dir: dir, needed: o.MinFree}
	if s.needed == 0 {
		s.needed = max(memTables*uint64(memTable), min(total/20, 4<<30))
	}
	return s, s.ensureBallast(o.Ballast, free)
}

// memTables is how many memory tables' worth Badger may write once nothing new
// comes: the tables of five that wait and of the one in use, each up to a quarter
// larger than it should be (a transaction may overfill it by 15 %, and there are
// an index and a filter), and the rest of its log.
const memTables = 9

// ensureBallast sets the ballast aside, unless the disk has no room for it:
// perhaps the operator has just removed it.
func (s space) ensureBallast(size int64, free uint64) error {
	path := filepath.Join(s.dir, ballastFile)
	info, err := os.Stat(path)
	if size == 0 || err == nil && info.Size() >= size || free < s.needed+uint64(size) {
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

// Space returns how many bytes of the disk are free, and how many have to be. It takes
// the blocks that the next batch needs, see reserve; without them nothing is free.
func (s *Store) Space() (free, needed uint64, err error) {
	if err := s.reserve.take(); err != nil {
		return 0, s.space.needed, nil
	}
	free, _, err = diskSpace(s.space.dir)
	return free, s.space.needed, err
}

// diskSpace returns the bytes free for us, and all bytes, of the disk with dir.
func diskSpace(dir string) (free, total uint64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, 0, fmt.Errorf("free space of %s: %w", dir, err)
	}
	return uint64(st.Bavail) * uint64(st.Bsize), st.Blocks * uint64(st.Bsize), nil
}
