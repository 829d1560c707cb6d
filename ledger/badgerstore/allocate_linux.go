package badgerstore

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// allocate gives a file, which it makes if need be, blocks for so many bytes, and leaves
// its size as it is.
func allocate(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, size), f.Close())
}
