package ledger

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncData makes a file that is overwritten in place durable, without its
// times.
func syncData(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }
