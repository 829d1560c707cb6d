package testmust

import "time"

// limit is so long that even on a machine with sixteen other jobs only something that never happens
// exceeds it.
const limit = 2 * time.Minute

// Until calls done every two milliseconds until it returns true. After two minutes it fails the test
// with what was waited for.
func Until(t interface{ Fatalf(string, ...any) }, what string, done func() bool) {
	if h, ok := t.(interface{ Helper() }); ok {
		h.Helper()
	}
	for end := time.Now().Add(limit); !done(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v in vain for %s", limit, what)
		}
	}
}
