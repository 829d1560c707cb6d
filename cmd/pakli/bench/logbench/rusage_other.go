//go:build !unix

package logbench

import "time"

// processorTime returns 0: it is not measured here.
func processorTime() time.Duration { return 0 }
