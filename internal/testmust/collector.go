package testmust

import (
	"os"
	"runtime/debug"
)

// Tests make much garbage and keep little, as the verifier does: with a heap that may grow to five times what is in
// use those of verifier, report and httpapi took a quarter less of the processor. GOGC is obeyed.
func init() {
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(400)
		debug.SetMemoryLimit(512 << 20)
	}
}
