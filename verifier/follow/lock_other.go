//go:build !unix

package follow

import "os"

// lockExclusive does nothing on systems without such a lock.
func lockExclusive(*os.File) error { return nil }
