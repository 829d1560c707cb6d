//go:build unix

package follow

import (
	"fmt"
	"os"
	"syscall"
)

// lockExclusive keeps a second process out for as long as the file is open.
func lockExclusive(f *os.File) error {
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return fmt.Errorf("another process uses %s: %w", f.Name(), err)
	}
	return nil
}
