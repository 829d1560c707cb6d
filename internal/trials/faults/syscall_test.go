package faults_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/badgerstore"
)

// disturbed are the system calls by which a log touches its disk.
var disturbed = []string{
	"openat", "mkdirat", "renameat", "unlinkat", "ftruncate", "fallocate", "write", "pwrite64", "read", "pread64",
	"fsync", "fdatasync", "msync", "mmap", "munmap", "mremap", "madvise", "flock", "fstat", "newfstatat", "statfs", "getdents64", "close",
}

// outcomes are what is done to one of them: it fails, or the process dies at it.
var outcomes = []string{"error=EIO", "error=ENOSPC", "signal=KILL"}

// A point is a call to disturb: the k-th of a name in some thread. With a file,
// only calls that have to do with it count.
type point struct {
	call    string
	k       int
	outcome string
	file    string // in the store
}

func (p point) String() string { return fmt.Sprintf("%s:%s:when=%d", p.call, p.outcome, p.k) }

// TestSyscalls disturbs, at one point after the other, the system calls of a log
// that is opened, appended to, closed, and all that once more. The log may stop
// or die; it must not have lost anything and must go on after a restart. The
// long form is
//
//	PAKLI_SYSCALLS=all go test -C internal/trials/faults -run TestSyscalls -timeout 2h -v
//
// or with a number instead of all, so many points of each.
func TestSyscalls(t *testing.T) { disturbAll(t, "script", disturbed, outcomes, 24) }

// TestSyscallsInBackground does the same to a log that writes tables: no caller
// waits for these calls, and what fails there must not be ignored. Its long
// form has the same variable.
func TestSyscallsInBackground(t *testing.T) {
	calls := []string{"openat", "unlinkat", "renameat", "ftruncate", "write", "fsync", "msync", "mmap"}
	t.Run("killed", func(t *testing.T) { disturbAll(t, "rotate", calls, []string{"signal=KILL"}, 4) })
	t.Run("failed", func(t *testing.T) { disturbAll(t, "rotate", calls, []string{"error=EIO", "error=ENOSPC"}, 6) })
}

// TestSyscallsOfTables lets every table of a log fail to be opened, sized and
// mapped when it is made. Badger 4.9.6 lost entries by that while it merged
// tables. The long form has the same variable.
func TestSyscallsOfTables(t *testing.T) {
	need(t, "strace", "-o", "/dev/null", "true")
	intact := filepath.Join(t.TempDir(), "intact")
	key := create(t, intact)
	var points []point
	for table := 1; table <= rotateTables; table++ {
		for _, call := range []string{"openat", "ftruncate", "mmap"} {
			for _, outcome := range []string{"error=EIO", "error=ENOSPC"} {
				points = append(points, point{call, 1, outcome, fmt.Sprintf("%06d.sst", table)})
			}
		}
	}
	disturbPoints(t, intact, key, "rotate", points, 6)
}

func disturbAll(t *testing.T, role string, calls, outcomes []string, few int) {
	need(t, "strace", "-o", "/dev/null", "true")
	intact := filepath.Join(t.TempDir(), "intact")
	key := create(t, intact)
	disturbPoints(t, intact, key, role, findPoints(t, intact, role, calls, outcomes), few)
}

func disturbPoints(t *testing.T, intact string, key ledger.Key, role string, points []point, few int) {
	if os.Getenv("PAKLI_SYSCALLS") == "all" {
		few = len(points)
	} else {
		few = envInt(t, "PAKLI_SYSCALLS", few)
		rand.Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
	}
	w := newWitness(t, key)
	ends := make(map[string]int)
	met, missed := 0, 0 // a call that this run does not come to is missed, and the next one is tried
	for _, p := range points {
		if met == few {
			break
		}
		w.restart(key)
		end := disturb(t, w, intact, role, p)
		ends[end]++
		if end == "missed" {
			missed++
		} else {
			met++
		}
	}
	w.figures("%d points: %v", met+missed, ends)
	testmust.Holdf(t, missed <= met+8, "most calls were not met: %v", ends)
}

// findPoints runs a child once and returns what can be disturbed.
func findPoints(t *testing.T, intact, role string, calls, outcomes []string) []point {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "log")
	copyDir(t, intact, dir)
	trace := filepath.Join(t.TempDir(), "trace")
	cmd := child(t, role, dir, "strace", "-f", "-y", "-o", trace, "-e", "trace="+strings.Join(calls, ","))
	_, stderr, err := run(t, cmd, 0, nil)
	testmust.Requiref(t, err == nil, "without any fault: %v\n%s", err, stderr)
	b := testmust.Have(os.ReadFile(trace))(t)
	var points []point
	for call, most := range countCalls(b, dir) {
		for k := 1; k <= most; k++ {
			for _, o := range outcomes {
				points = append(points, point{call, k, o, ""})
			}
		}
	}
	slices.SortFunc(points, func(a, b point) int { return strings.Compare(a.String(), b.String()) })
	return points
}

var traced = regexp.MustCompile(`(?m)^(\d+) +(\w+)\((.*)$`)

// countCalls returns, for every call, up to which one of a thread it has to do
// with dir. strace counts by thread, and a program in Go runs on several.
func countCalls(trace []byte, dir string) map[string]int {
	counts := make(map[string]int)
	most := make(map[string]int)
	for _, m := range traced.FindAllSubmatch(trace, -1) {
		thread, call := string(m[1]), string(m[2])
		counts[thread+call]++
		if call == "msync" || bytes.Contains(m[3], []byte(dir)) {
			most[call] = max(most[call], counts[thread+call])
		}
	}
	return most
}

// disturb runs a child with a fault and returns how that ended.
func disturb(t *testing.T, w *witness, intact, role string, p point) string {
	t.Helper()
	base := t.TempDir()
	defer os.RemoveAll(base)
	dir, trace := filepath.Join(base, "log"), filepath.Join(base, "trace")
	copyDir(t, intact, dir)
	strace := []string{"strace", "-f", "-o", trace, "-e", "trace=" + p.call, "-e", "inject=" + p.String()}
	if p.file != "" {
		strace = append(strace, "-P", filepath.Join(dir, "store", p.file))
	}
	cmd := child(t, role, dir, strace...)
	timer := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	lines, stderr, err := run(t, cmd, 0, nil)
	testmust.Requiref(t, timer.Stop(), "%v: the log hangs", p)
	b, readErr := os.ReadFile(trace)
	testmust.Require(t, readErr == nil, readErr)
	t.Run(p.String()+p.file, func(t *testing.T) {
		w.t = t
		w.record(lines)
		w.audit(dir)
		goesOn(t, dir)
	})
	w.t = t
	return end(b, stderr, err)
}

// end names the end of a child.
func end(trace []byte, stderr string, err error) string {
	_, exited := err.(*exec.ExitError)
	switch {
	case !bytes.Contains(trace, []byte("INJECTED")) && !bytes.Contains(trace, []byte("killed by SIGKILL")):
		return "missed"
	case err == nil:
		return "went on"
	case exited && bytes.Contains(trace, []byte("killed by SIGKILL")):
		return "killed"
	case strings.Contains(stderr, "panic") || strings.Contains(stderr, "fatal error"):
		return "died"
	}
	return "stopped"
}

// goesOn appends to a log that has been through something.
func goesOn(t *testing.T, dir string) {
	t.Helper()
	l, _, err := openLog(dir, badgerstore.Options{MinFree: 1})
	testmust.Do(t, err)
	defer l.Close()
	testmust.Have(l.Append(t.Context(), []byte("afterwards")))(t, "appending afterwards")
}
