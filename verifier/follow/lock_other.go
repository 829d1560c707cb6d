//go:build !unix

package follow

import "os"

// lockExclusive does nothing where there is no such lock.
func lockExclusive(*os.File) error { return nil }
