// Package testmust ends a test with the error of a call that must not fail. Where it is of interest
// how something fails, a test looks at the error itself.
package testmust

import "testing"

// Have returns what a call returned, or fails the test with the error of the call.
func Have[V any](v V, err error) func(testing.TB) V {
	return func(t testing.TB) V {
		t.Helper()
		Do(t, err)
		return v
	}
}

// Do fails the test with an error, if there is one.
func Do(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
