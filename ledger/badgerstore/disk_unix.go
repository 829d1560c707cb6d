//go:build unix

package badgerstore

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// fewFiles is how many more files a disk must have room for: tables, logs and what is replaced whole.
const fewFiles = 32

// diskSpace returns the bytes free for us, and all bytes, of the disk with dir. One that has room
// for no file has none.
func diskSpace(dir string) (free, total uint64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, 0, fmt.Errorf("free space of %s: %w", dir, err)
	}
	return freeBytes(&st), st.Blocks * uint64(st.Bsize), nil
}

func freeBytes(st *unix.Statfs_t) uint64 {
	if st.Files > 0 && st.Ffree < fewFiles { // some file systems do not count them
		return 0
	}
	return uint64(st.Bavail) * uint64(st.Bsize)
}

// bytesOnDisk is what a file takes of its disk, in bytes: not its size, since it may have holes.
func bytesOnDisk(path string) int64 {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return 0
	}
	return int64(st.Blocks) * 512
}

// noRoom is of a disk, or a quota, that is full.
func noRoom(err error) bool { return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) }
