//go:build !unix && !windows

package terminal

import "os"

// widthOf knows of no terminal here: text is as in a file, without colours.
func widthOf(*os.File) (int, bool) { return 0, false }
