//go:build unix

package serve

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// fullDisk returns what to do about a disk that is full or has failed.
func fullDisk(data string) string {
	var st unix.Statfs_t
	if err := unix.Statfs(data, &st); err == nil && uint64(st.Bavail)*uint64(st.Bsize) > 1<<30 {
		return fmt.Sprintf("the disk with %s has failed (see the log of the kernel). What was acknowledged is in the log as far as the disk kept it; "+
			"mend the disk and start again", data)
	}
	return fmt.Sprintf("the disk with %s is full. What was acknowledged is safe: make room, or remove %s, and start again",
		data, filepath.Join(data, "store", "ballast"))
}

// leastMemory is the address space that a log needs: its runtime takes more than a gigabyte, and the
// store maps all its files.
const leastMemory = 4 << 30

// noMemory says that memory is used up, and what limits it if that is known.
func noMemory() string {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &l); err == nil && uint64(l.Cur) < 1<<60 {
		return fmt.Sprintf("its address space is limited to %d MiB, and a log needs %d MiB and as much as its store has: "+
			"start it with a larger limit (ulimit -v unlimited)", uint64(l.Cur)>>20, leastMemory>>20)
	}
	return "memory is used up. What was acknowledged is safe: give it more memory and start again"
}

// explainTrouble replaces an error about the disk or memory by what an operator can do. Some
// libraries keep only the text of the system's error.
func explainTrouble(data string, err error) error {
	if err == nil {
		return nil
	}
	for _, no := range []syscall.Errno{unix.ENOSPC, unix.EDQUOT} {
		if strings.Contains(err.Error(), no.Error()) {
			return fmt.Errorf("%s (%w)", fullDisk(data), err)
		}
	}
	if strings.Contains(err.Error(), unix.ENOMEM.Error()) {
		return fmt.Errorf("%s (%w)", noMemory(), err)
	}
	return err
}

// mayServe refuses a limit of the address space with which no log can be opened.
func mayServe() error {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &l); err == nil && uint64(l.Cur) < leastMemory {
		return fmt.Errorf("%s", noMemory())
	}
	return nil
}
