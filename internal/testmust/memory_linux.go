package testmust

import (
	"os"
	"syscall"
)

// InMemory makes a package's tests use directories in memory, if 2 GiB of it are free and TMPDIR is
// not set. These tests do not test the disk, and syncing it was half of the cost of tests of logs.
func InMemory() {
	const memory, readWriteSearch = "/dev/shm", 7
	var st syscall.Statfs_t
	if os.Getenv("TMPDIR") == "" && syscall.Access(memory, readWriteSearch) == nil && syscall.Statfs(memory, &st) == nil && st.Bavail*uint64(st.Bsize) > 2<<30 {
		_ = os.Setenv("TMPDIR", memory)
	}
}
