package testmust

import (
	"os"
	"syscall"
)

// InMemory has the tests of a package make their directories in memory, if two GiB of it are free and TMPDIR names no other
// place: they do not try the disk, and syncing it was half of what the tests of logs cost.
func InMemory() {
	const memory, readWriteSearch = "/dev/shm", 7
	var st syscall.Statfs_t
	if os.Getenv("TMPDIR") == "" && syscall.Access(memory, readWriteSearch) == nil && syscall.Statfs(memory, &st) == nil && st.Bavail*uint64(st.Bsize) > 2<<30 {
		_ = os.Setenv("TMPDIR", memory)
	}
}
