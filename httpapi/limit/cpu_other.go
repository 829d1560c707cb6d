//go:build !linux

package limit

import "time"

var begin = time.Now()

// ThreadTime returns elapsed time, since this system has no time of a thread: a goroutine that waits
// is charged for it.
func ThreadTime() time.Duration { return time.Since(begin) }
