//go:build unix

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// widthOf is how many characters the terminal shows in a line, if f is one.
func widthOf(f *os.File) (int, bool) {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, false
	}
	return int(size.Col), true
}
