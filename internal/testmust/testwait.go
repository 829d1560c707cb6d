package testmust

import "time"

// limit is long enough that only what never comes reaches it, also on a machine that does
// sixteen other things.
const limit = 2 * time.Minute

// Until returns when done says true, which it is asked every two milliseconds. After two minutes
// it fails the test with what was waited for.
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
