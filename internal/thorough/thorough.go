// Package thorough tells the tests how much to try. go test tries each kind of thing; with
// PAKLI_TESTS=thorough, as .ci/run sets it once, it tries more of each, and what takes long
// and seldom finds what the rest does not. With -short it never does.
package thorough

import (
	"os"
	"testing"
)

// Tests reports whether more is to be tried.
func Tests() bool { return os.Getenv("PAKLI_TESTS") == "thorough" && !testing.Short() }

// Only skips a test that go test leaves out.
func Only(t testing.TB, why string) {
	t.Helper()
	if !Tests() {
		t.Skipf("NOT RUN without PAKLI_TESTS=thorough: %s", why)
	}
}
