package faults_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
)

// tooManyEntries is the size at which a test begins a new log, because audits take longer than
// crashes.
const tooManyEntries = 100_000

// TestCrash kills a log under load, again and again. The long form is
//
//	PAKLI_CRASHES=1000 go test -C internal/trials/faults -run TestCrash -timeout 2h -v
func TestCrash(t *testing.T) {
	iterations := envInt(t, "PAKLI_CRASHES", 8)
	dir := filepath.Join(t.TempDir(), "log")
	w := newWitness(t, create(t, dir))
	random := seeded(t)
	for range iterations {
		lines, stderr, err := run(t, child(t, "load", dir), random.IntN(600), kill)
		testmust.Requiref(t, err != nil && strings.Contains(err.Error(), "killed"), "child: %v\n%s", err, stderr)
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
//	PAKLI_SYSCALLS=all go test -C internal/trials/faults -run TestBegin -timeout 1h -v
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

// flippedEntries is the size of the log of TestBitFlips.
const flippedEntries = 400

// TestBitFlips flips single bits in the files of a log, as a dying process
// leaves them and as a closed one does. Whatever is hit: the log refuses to
// open, or to read, or nothing that matters has changed. It never shows less,
// or something else, under a valid checkpoint. The long form is
//
//	PAKLI_BIT_FLIPS=1000 go test -C internal/trials/faults -run TestBitFlips -timeout 1h -v
//
// Damage is looked at by a child process, because Badger does not only return
// errors for it: a flipped bit in the footer of a table lets it panic.
func TestBitFlips(t *testing.T) {
	flips := envInt(t, "PAKLI_BIT_FLIPS", 24)
	closed := filepath.Join(t.TempDir(), "closed")
	key := create(t, closed)
	l, _, err := openLog(closed, badgerstore.Options{MinFree: 1})
	testmust.Do(t, err)
	for i := range flippedEntries {
		testmust.Have(l.Append(t.Context(), ledgertest.Entry(i)))(t)
	}
	live := filepath.Join(t.TempDir(), "live")
	time.Sleep(100 * time.Millisecond) // until the promise is settled
	copyDir(t, closed, live)
	testmust.Do(t, l.Close())
	for _, intact := range []string{live, closed} {
		control := filepath.Join(t.TempDir(), "control")
		copyDir(t, intact, control)
		verdict, detail := auditInChild(t, control)
		testmust.Requiref(t, verdict == "sound", "without any damage: %s %s", verdict, detail)
	}
	random := rand.New(rand.NewPCG(2026, 11))
	verdicts := make(map[string]int)
	for i := range flips {
		damaged := filepath.Join(t.TempDir(), "damaged")
		copyDir(t, []string{live, closed}[i%2], damaged)
		where := flipBit(t, damaged, random)
		verdict, detail := auditInChild(t, damaged)
		verdicts[verdict]++
		testmust.Holdf(t, verdict != "WRONG", "%s: %s", where, detail)
		os.RemoveAll(damaged)
	}
	w := newWitness(t, key)
	w.total = flippedEntries
	w.figures("%d bits flipped: %v", flips, verdicts)
	testmust.Hold(t, verdicts["refused"] != 0, "no flip was noticed")
}

// auditInChild returns what a child says of a log: "sound", "refused" or
// "WRONG". A child that dies has refused too.
func auditInChild(t *testing.T, dir string) (verdict, detail string) {
	t.Helper()
	out, err := child(t, "audit", dir).Output()
	if err != nil {
		return "refused", err.Error()
	}
	verdict, detail, _ = strings.Cut(string(out), " ")
	return verdict, detail
}

// auditFlips prints a verdict on the log of TestBitFlips in dir.
func auditFlips(dir string) error {
	err := auditDamaged(dir)
	switch {
	case err == nil:
		fmt.Print("sound ")
	case errors.Is(err, errWrong):
		fmt.Print("WRONG ", err)
	default:
		fmt.Print("refused ", err)
	}
	return nil
}

var errWrong = errors.New("shown under a valid checkpoint")

// auditDamaged returns how damage was noticed, nil if all entries are unchanged, and errWrong if the
// log returned anything else.
func auditDamaged(dir string) error {
	l, key, err := openLog(dir, badgerstore.Options{MinFree: 1})
	if err != nil {
		return err
	}
	defer l.Close()
	ctx := context.Background()
	c, err := ledgertest.Audit(ctx, l, key.Verifier)
	if err != nil {
		return err
	}
	if c.Size != flippedEntries {
		return fmt.Errorf("%w: %d entries", errWrong, c.Size)
	}
	for i := range c.Size {
		p, err := l.Inclusion(ctx, i, c.Size)
		if err != nil {
			return err
		}
		if err := p.Verify(tlog.LeafHash(ledgertest.Entry(int(i))), c.Root); err != nil {
			return fmt.Errorf("%w: %v", errWrong, err)
		}
	}
	_, err = l.Append(ctx, []byte("one more"))
	return err
}

// flipBit flips a bit in one of the files that are not empty.
func flipBit(t *testing.T, dir string, random *rand.Rand) string {
	t.Helper()
	var files []string
	var content [][]byte
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != "log.key" {
			b, err := os.ReadFile(path)
			if err == nil && len(bytes.TrimRight(b, "\x00")) > 0 {
				files, content = append(files, path), append(content, b)
			}
		}
		return nil
	})
	i := random.IntN(len(files))
	at := random.IntN(len(bytes.TrimRight(content[i], "\x00")))
	bit := random.IntN(8)
	content[i][at] ^= 1 << bit
	testmust.Do(t, os.WriteFile(files[i], content[i], 0o600))
	return fmt.Sprintf("%s, byte %d, bit %d", filepath.Base(files[i]), at, bit)
}

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
