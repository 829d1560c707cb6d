package durable

// This file reads regular files of a bounded size, in directories where others can write too. It
// refuses longer files and those that might never end.
//
// A path may name another file between a check and the opening. So the file is opened first, without
// waiting for the writer of a pipe, and the open file is checked and read.

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
)

// OpenToOthers reports whether other users of the machine may read or write a file that should be
// secret. It returns false on Windows, where modes say nothing about others and a file has the access
// list of its folder.
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
