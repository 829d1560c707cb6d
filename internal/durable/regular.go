package durable

// This file reads regular files of a bounded size, in directories where others
// can write too: what is longer, and what might never end, is refused.
//
// What a path names can change between a look at it and its opening. So the file is
// opened first, in a way that does not wait for the writer of a pipe, and then it is
// the open file that is looked at and read.

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
)

// OpenToOthers reports whether other people of the machine may read or write a file that is to be a secret. On Windows a mode
// says nothing of them, and a file has the access list of its folder.
func OpenToOthers(info fs.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
}

// ReadFile returns a regular file of at most limit bytes.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		return nil, fmt.Errorf("%s has more than %d bytes", path, limit)
	}
	return b, err
}
