//go:build !unix && !windows

package terminal

import "os"

// widthOf reports no terminal on this system: text is as in a file, without colours.
func widthOf(*os.File) (int, bool) { return 0, false }
