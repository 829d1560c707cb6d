package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// Environment is the style and the language of this process's terminal, which out is
// if it is one.
func Environment(out any) (Style, string) {
	f, isFile := out.(*os.File)
	if !isFile {
		return StyleOf(os.Getenv, false), LanguageOf(os.Getenv)
	}
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	style := StyleOf(os.Getenv, err == nil)
	if err == nil {
		style.Width = int(size.Col)
	}
	return style, LanguageOf(os.Getenv)
}
