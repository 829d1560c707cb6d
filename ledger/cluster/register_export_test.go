package cluster

import (
	"testing"
	"time"
)

// SetCallTime sets how long a call may take at one member.
func SetCallTime(t *testing.T, d time.Duration) {
	was := registerCallTime
	registerCallTime = d
	t.Cleanup(func() { registerCallTime = was })
}
