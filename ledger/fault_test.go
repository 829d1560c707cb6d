package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
)

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
	testmust.Do(t, unix.Pipe2(pipe[:], unix.O_CLOEXEC))
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("no /proc: %v", err)
	}
	for _, f := range fds {
		var fd int
		fmt.Sscan(f.Name(), &fd)
		if target, _ := os.Readlink("/proc/self/fd/" + f.Name()); target == dir {
			testmust.Do(t, unix.Dup3(pipe[0], fd, unix.O_CLOEXEC))
		}
	}
}

// A nearly full disk stops appending, of entries and blobs, not reading, and is over when there is
// room again.
func TestDiskFull(t *testing.T) {
	dir, key := create(t)
	l := open(t, dir, key)
	fill(t, l, 0, 5)
	blob, hash := blobOf(4)
	testmust.Do(t, l.PutBlob(t.Context(), blob))
	closeLog(t, l)
	l = testmust.Have(ledger.Open(dir, ledger.Options{Signer: key.Signer, Store: badgerstore.Options{MinFree: 1 << 62}}))(t)
	other, _ := blobOf(5)
	if err := l.PutBlob(t.Context(), other); !errors.Is(err, tlog.ErrReadOnly) {
		t.Errorf("a blob on a full disk: %v, want ErrReadOnly", err)
	}
	if got, err := l.Blob(t.Context(), hash); err != nil || !bytes.Equal(got, blob) {
		t.Errorf("an old blob on a full disk: %d bytes, %v", len(got), err)
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
	l := testmust.Have(ledger.Open(dir, ledger.Options{Signer: key.Signer, Store: badgerstore.Options{}, Queue: 4}))(t)
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

// A table of the store that is lost looks like one that Badger has given up. The
// log notices that entries are missing, and refuses, again and again.
func TestLostTable(t *testing.T) {
	for lost := range 3 {
		dir, key := create(t)
		for i := range 3 {
			l := open(t, dir, key)
			fill(t, l, 4*i, 4*i+4)
			closeLog(t, l) // writes a table
		}
		tables, err := filepath.Glob(filepath.Join(dir, "store", "*.sst"))
		if err != nil || len(tables) < 3 {
			t.Fatalf("tables %v, %v", tables, err)
		}
		testmust.Do(t, os.Remove(tables[lost]))
		for range 2 {
			if attempt(dir, key) == nil {
				t.Errorf("without table %d of %d the log opened", lost, len(tables))
			}
		}
	}
}
