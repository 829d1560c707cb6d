package skat_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// Thousands of small tables are played and thrown away. A larger heap, of some
// 100 MB, spares a sixth of the time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
