package badgerstore

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// allocateBlocks reserves disk blocks for the first size bytes of a file without changing its size.
// With create set to os.O_CREATE it makes the file if need be.
func allocateBlocks(path string, size int64, create int) error {
	f, err := os.OpenFile(path, os.O_RDWR|create, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, size), f.Close())
}
