package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// widthOf returns the number of characters in the console's line, if f is a console, and enables
// colours there.
func widthOf(f *os.File) (int, bool) {
	console := windows.Handle(f.Fd())
	var shown windows.ConsoleScreenBufferInfo
	var mode uint32
	if windows.GetConsoleScreenBufferInfo(console, &shown) != nil || windows.GetConsoleMode(console, &mode) != nil {
		return 0, false
	}
	windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING)
	return int(shown.Window.Right-shown.Window.Left) + 1, true
}
