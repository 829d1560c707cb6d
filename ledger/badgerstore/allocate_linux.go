package badgerstore

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// allocateBlocks gives a file blocks for so many bytes, and leaves its size as it is. With
// os.O_CREATE it makes the file.
func allocateBlocks(path string, size int64, create int) error {
	f, err := os.OpenFile(path, os.O_RDWR|create, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, size), f.Close())
}
