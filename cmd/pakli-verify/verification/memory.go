package verification

import "runtime/debug"

// The verifier makes much garbage and keeps little. So the heap may grow to five times the memory in
// use before the collector runs, within a limit.
const (
	gcPercent   = 400
	memoryLimit = 768 << 20 // bytes; past it the collector runs more often
)

// setCollector tunes the collector unless the user has done so by GOGC or GOMEMLIMIT.
func setCollector(env func(string) (string, bool)) {
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		if _, set := env(name); set {
			return
		}
	}
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(memoryLimit)
}
