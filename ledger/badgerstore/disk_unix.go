//go:build unix

package badgerstore

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// fewFiles is how many more files a disk must be able to hold: tables, logs and temporary files.
const fewFiles = 32

// diskSpace returns the bytes available to this process and the total bytes of the disk with dir. If
// the disk can hold no more files, the available bytes are 0.
func diskSpace(dir string) (free, total uint64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, 0, fmt.Errorf("free space of %s: %w", dir, err)
	}
	return freeBytes(&st), st.Blocks * uint64(st.Bsize), nil
}

func freeBytes(st *unix.Statfs_t) uint64 {
	if st.Files > 0 && st.Ffree < fewFiles { // some file systems report no number of files
		return 0
	}
	return uint64(st.Bavail) * uint64(st.Bsize)
}

// bytesOnDisk returns the bytes that a file occupies on disk, which differ from its size if it has
// holes.
func bytesOnDisk(path string) int64 {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return 0
	}
	return int64(st.Blocks) * 512
}

// noRoom reports whether an error says that a disk or quota is full.
func noRoom(err error) bool { return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) }
