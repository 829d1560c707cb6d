package faults_test

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tooManyEntries is when a test begins a new log, because auditing takes longer
// than breaking.
const tooManyEntries = 100_000

// TestCrash kills a log under load, again and again. The long form is
//
//	PAKLI_CRASHES=1000 go test -C internal/faults -run TestCrash -timeout 2h -v
func TestCrash(t *testing.T) {
	iterations := envInt(t, "PAKLI_CRASHES", 8)
	dir := filepath.Join(t.TempDir(), "log")
	w := newWitness(t, create(t, dir))
	for range iterations {
		lines, stderr, err := run(t, child(t, "load", dir), killAfter(30*time.Millisecond+rand.N(400*time.Millisecond)))
		if err == nil || !strings.Contains(err.Error(), "killed") {
			t.Fatalf("child: %v\n%s", err, stderr)
		}
		w.record(lines)
		w.audit(dir)
		if len(w.acked) > tooManyEntries {
			dir = filepath.Join(t.TempDir(), "log")
			w.restart(create(t, dir))
		}
	}
	w.figures("%d times killed under the load of %d clients", iterations, loadClients)
}
