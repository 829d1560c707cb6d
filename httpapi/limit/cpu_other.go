//go:build !linux

package limit

import "time"

var begin = time.Now()

// ThreadTime returns a time to measure with: here it is not that of the thread, and
// what waits for something pays for that.
func ThreadTime() time.Duration { return time.Since(begin) }
