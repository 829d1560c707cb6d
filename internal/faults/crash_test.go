package faults_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
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
	random := seeded(t)
	for range iterations {
		lines, stderr, err := run(t, child(t, "load", dir), random.IntN(600), kill)
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

// TestBegin kills the first start at one system call after the other: what is left must
// become a log at the next. The long form has every call:
//
//	PAKLI_SYSCALLS=all go test -C internal/faults -run TestBegin -timeout 1h -v
func TestBegin(t *testing.T) {
	need(t, "strace", "-o", "/dev/null", "true")
	intact := t.TempDir()
	calls := []string{"openat", "mkdirat", "renameat", "unlinkat", "ftruncate", "write", "fsync", "msync", "mmap"}
	points := findPoints(t, intact, "first", calls, []string{"signal=KILL"})
	if os.Getenv("PAKLI_SYSCALLS") != "all" {
		rand.Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
		points = points[:min(len(points), 20)]
	}
	killed := 0
	for _, p := range points {
		dir := filepath.Join(t.TempDir(), "log")
		cmd := child(t, "first", dir, "strace", "-f", "-o", "/dev/null", "-e", "trace="+p.call, "-e", "inject="+p.String())
		if _, _, err := run(t, cmd, 0, nil); err != nil {
			killed++
		}
		testmust.Do(t, errors.Join(first(dir), load1(dir)), "killed at", p)
	}
	t.Logf("%d of %d kills met", killed, len(points))
}

// load1 opens a log and appends an entry.
func load1(dir string) error {
	l, _, err := openLog(dir, small)
	if err != nil {
		return err
	}
	_, err = l.Append(context.Background(), []byte("x"))
	return errors.Join(err, l.Close())
}
