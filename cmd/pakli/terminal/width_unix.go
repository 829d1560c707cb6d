//go:build unix

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// widthOf returns the number of characters in the terminal's line, if f is a terminal.
func widthOf(f *os.File) (int, bool) {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, false
	}
	return int(size.Col), true
}
