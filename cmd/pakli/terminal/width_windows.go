package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// widthOf is how many characters the console shows in a line, if f is one. It is told to take colours as terminals do.
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
