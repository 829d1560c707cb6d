package testmust

import (
	"os"
	"runtime/debug"
)

// Tests make much garbage and keep little, as the verifier does. If the heap may grow to five times
// the memory in use, the tests of verifier, report and httpapi take a quarter less of the processor.
// GOGC takes precedence.
func init() {
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(400)
		debug.SetMemoryLimit(512 << 20)
	}
}
