package faults_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
)

// tooManyEntries is when a test begins a new log, because auditing takes longer
// than breaking.
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

// auditDamaged returns how damage was noticed, nil if all entries are as they
// were, and errWrong if the log has said anything else.
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

// flipBit flips a bit in one of the files that hold something.
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
