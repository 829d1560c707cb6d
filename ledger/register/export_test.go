package register

import (
	"testing"
	"time"
)

// SetCallTime sets how long a call may take at one member.
func SetCallTime(t *testing.T, d time.Duration) {
	was := callTime
	callTime = d
	t.Cleanup(func() { callTime = was })
}
