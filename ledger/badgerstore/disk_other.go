//go:build !unix

package badgerstore

import "errors"

// diskSpace fails, so that no store is opened here: a full disk would break it, and nobody has tried.
func diskSpace(string) (free, total uint64, err error) {
	return 0, 0, errors.New("a log is kept on Linux and macOS alone")
}

func bytesOnDisk(string) int64 { return 0 }

func noRoom(error) bool { return false }
