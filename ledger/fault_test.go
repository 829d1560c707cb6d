package ledger_test

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
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
)

// TestSyscallErrors lets a system call that makes things durable fail, once, at
// some point under load. The log must stop, must not have acknowledged anything
// that it then does not have, and must go on after a restart.
func TestSyscallErrors(t *testing.T) {
	if out, err := exec.Command("strace", "-o", "/dev/null", "true").CombinedOutput(); err != nil {
		t.Skipf("strace does not work here: %v %s", err, out)
	}
	dir, key := create(t)
	w := &witness{t: t, dir: dir, key: key, acknowledged: make(map[uint64]tlog.Hash)}
	for _, fault := range []string{"msync:error=EIO:when=4", "msync:error=ENOSPC:when=40", "fdatasync:error=EIO:when=3", "fdatasync:error=EIO:when=30"} {
		call, _, _ := strings.Cut(fault, ":")
		lines, message := failedRun(t, dir, "strace", "-f", "-o", "/dev/null", "-e", "trace="+call, "-e", "inject="+fault)
		if !strings.Contains(message, "ledger: stopped") {
			t.Fatalf("%s: the log did not stop because of it: %s", fault, message)
		}
		w.record(lines)
		w.audit()
	}
}

// failedRun runs the child until it stops by itself.
func failedRun(t *testing.T, dir string, wrap ...string) (lines []string, message string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := append(wrap, self)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), crashEnv+"="+dir)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err == nil || ctx.Err() != nil {
		t.Fatalf("child: %v, %v\n%s", err, ctx.Err(), &stderr)
	}
	return readLines(&out), stderr.String()
}

// A commit that reports an error may have happened. Here it has: the batch is
// on disk, and syncing the directory fails afterwards. The log must answer with
// an error, take nothing more, and find the entry after a restart, where trying
// again gives the index it has.
func TestFailedButPersisted(t *testing.T) {
	dir, key := create(t)
	l := open(t, dir, key)
	fill(t, l, 0, 3)
	breakDirectory(t, filepath.Join(dir, "store"))
	_, err := l.Append(t.Context(), ledgertest.Entry(3))
	if _, ok := errors.AsType[*badgerstore.FatalError](err); !ok {
		t.Fatalf("Append with a failing commit: %v, want a FatalError", err)
	}
	select {
	case <-l.Failed():
	default:
		t.Error("the log has not failed")
	}
	failure, ok := errors.AsType[*ledger.FailureError](l.Err())
	if !ok {
		t.Errorf("Err() = %v, want a FailureError", failure)
	}
	if _, err := l.Append(t.Context(), ledgertest.Entry(4)); err == nil {
		t.Error("an entry was taken after the failure")
	}
	if c, err := l.Checkpoint(t.Context()); err == nil && c.Size > 3 {
		t.Errorf("a checkpoint of size %d was published", c.Size)
	}
	l.Close()

	l = open(t, dir, key)
	if c := ledgertest.CheckLog(t, l, key.Verifier); c.Size != 4 {
		t.Errorf("size after the restart is %d, want 4", c.Size)
	}
	if r, err := l.Append(t.Context(), ledgertest.Entry(3)); err != nil || r.Index != 3 {
		t.Errorf("the entry again: index %d, %v; want 3", r.Index, err)
	}
}

// breakDirectory puts a pipe in place of all descriptors of a directory that
// this process has open: to stat one works, to sync it fails.
func breakDirectory(t *testing.T, dir string) {
	t.Helper()
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("no /proc: %v", err)
	}
	for _, f := range fds {
		var fd int
		fmt.Sscan(f.Name(), &fd)
		if target, _ := os.Readlink("/proc/self/fd/" + f.Name()); target == dir {
			if err := unix.Dup3(pipe[0], fd, unix.O_CLOEXEC); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A nearly full disk stops appending, not reading, and is over when there is
// room again.
func TestDiskFull(t *testing.T) {
	dir, key := create(t)
	l := open(t, dir, key)
	fill(t, l, 0, 5)
	closeLog(t, l)
	l, err := ledger.Open(dir, ledger.Options{Signer: key.Signer, Store: badgerstore.Options{MinFree: 1 << 62}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(t.Context(), ledgertest.Entry(9)); !errors.Is(err, tlog.ErrReadOnly) {
		t.Errorf("Append on a full disk: %v, want ErrReadOnly", err)
	}
	if r, err := l.Append(t.Context(), ledgertest.Entry(2)); err != nil || r.Index != 2 {
		t.Errorf("an old entry on a full disk: %d, %v; want its receipt", r.Index, err)
	}
	ledgertest.CheckLog(t, l, key.Verifier)
	if err := l.Err(); err != nil {
		t.Errorf("the log has failed: %v", err)
	}
	closeLog(t, l)
	fill(t, open(t, dir, key), 5, 7)
}

// A full queue answers at once, and the log goes on.
func TestBusy(t *testing.T) {
	dir, key := create(t)
	l, err := ledger.Open(dir, ledger.Options{Signer: key.Signer, Queue: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	results := make(chan error)
	const clients = 200
	for i := range clients {
		go func() {
			_, err := l.Append(context.Background(), ledgertest.Entry(i))
			results <- err
		}()
	}
	busy := 0
	for range clients {
		switch err := <-results; {
		case errors.Is(err, tlog.ErrBusy):
			busy++
		case err != nil:
			t.Fatal(err)
		}
	}
	c := ledgertest.CheckLog(t, l, key.Verifier)
	if busy == 0 || int(c.Size) != clients-busy {
		t.Errorf("%d of %d refused, size %d", busy, clients, c.Size)
	}
}

// auditEnv names the log that a child of TestBitFlips audits.
const auditEnv = "PAKLI_AUDIT_CHILD"

// flippedEntries is the size of the log of TestBitFlips.
const flippedEntries = 400

// TestBitFlips flips single bits in the files of a log, as a dying process
// leaves them and as a closed one does. Whatever is hit: the log refuses to
// open, or to read, or nothing that matters has changed. It never shows less,
// or something else, under a valid checkpoint. The long form is
//
//	PAKLI_BIT_FLIPS=1000 go test -run=TestBitFlips -timeout=1h ./ledger
//
// Damage is looked at by a child process, because Badger does not only return
// errors for it: a flipped bit in the footer of a table lets it panic.
func TestBitFlips(t *testing.T) {
	flips := envInt(t, "PAKLI_BIT_FLIPS", 24)
	dir, key := create(t)
	l := open(t, dir, key)
	fill(t, l, 0, flippedEntries)
	live := filepath.Join(t.TempDir(), "live")
	time.Sleep(100 * time.Millisecond) // until the promise is settled
	copyDir(t, dir, live)
	closeLog(t, l)
	for _, intact := range []string{live, dir} {
		control := filepath.Join(t.TempDir(), "control")
		copyDir(t, intact, control)
		if verdict, detail := auditInChild(t, control); verdict != "sound" {
			t.Fatalf("without any damage: %s %s", verdict, detail)
		}
	}
	random := rand.New(rand.NewPCG(2026, 11))
	verdicts := make(map[string]int)
	for i := range flips {
		from := []string{live, dir}[i%2]
		damaged := filepath.Join(t.TempDir(), "damaged")
		copyDir(t, from, damaged)
		where := flipBit(t, damaged, random)
		verdict, detail := auditInChild(t, damaged)
		verdicts[verdict]++
		if verdict == "WRONG" {
			t.Errorf("%s: %s", where, detail)
		}
		os.RemoveAll(damaged)
	}
	t.Logf("%d flips: %v", flips, verdicts)
	if verdicts["refused"] == 0 {
		t.Error("no flip was noticed")
	}
}

// auditInChild returns what a child says of a log: "sound", "refused" or
// "WRONG". A child that dies has refused too.
func auditInChild(t *testing.T, dir string) (verdict, detail string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), auditEnv+"="+dir)
	out, err := cmd.Output()
	if err != nil {
		return "refused", err.Error()
	}
	verdict, detail, _ = strings.Cut(string(out), " ")
	return verdict, detail
}

// auditChild prints a verdict on the log of TestBitFlips in dir.
func auditChild(dir string) {
	err := auditDamaged(dir)
	switch {
	case err == nil:
		fmt.Print("sound ")
	case errors.Is(err, errWrong):
		fmt.Print("WRONG ", err)
	default:
		fmt.Print("refused ", err)
	}
}

var errWrong = errors.New("shown under a valid checkpoint")

// auditDamaged returns how damage was noticed, nil if all entries are as they
// were, and errWrong if the log has said anything else.
func auditDamaged(dir string) error {
	key, err := ledger.LoadKey(dir)
	if err != nil {
		return err
	}
	l, err := ledger.Open(dir, ledger.Options{Signer: key.Signer})
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
	if err := os.WriteFile(files[i], content[i], 0o600); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s, byte %d, bit %d", filepath.Base(files[i]), at, bit)
}
