package ledger_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
)

// steps are those of a batch, in order as far as they have one: the promise is
// made beside the commit. Where one comes after an effect (committed, promise
// written, signed) its failure is one that was reported of something that has
// happened.
var steps = []string{
	"assign", "stage", "entries", "nodes", "root", "verify", "commit", "committed", "synced",
	"promise", "promise written", "promised", "signed", "publish", "published",
}

var errStep = errors.New("this step fails")

// numbered is a copy of a log of ledgertest.Entry.
type numbered struct{}

func (numbered) Checkpoint(context.Context) (tlog.Checkpoint, error) {
	return tlog.Checkpoint{}, errors.New("numbered entries have no checkpoint")
}

func (numbered) Entries(_ context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for i := start; i < end && yield(ledgertest.Entry(int(i)), nil); i++ {
		}
	}
}

func noBlobs([]byte) [][sha256.Size]byte { return nil }

// rootsOf returns the roots of the first n entries and of fewer.
func rootsOf(n int) []tlog.Hash {
	roots := make([]tlog.Hash, n+1)
	var tree tlog.Tree
	for i := range n {
		roots[i] = tree.Root()
		tree.Append(tlog.LeafHash(ledgertest.Entry(i)))
	}
	roots[n] = tree.Root()
	return roots
}

// numberedLog makes a closed log of n entries.
func numberedLog(t *testing.T, n int, root tlog.Hash) (dir string, key ledger.Key) {
	t.Helper()
	from, key := create(t)
	dir = t.TempDir()
	testmust.Do(t, os.WriteFile(filepath.Join(dir, "log.key"), testmust.Have(os.ReadFile(filepath.Join(from, "log.key")))(t), 0o600))
	o := ledger.Options{Signer: key.Signer, Store: small}
	testmust.Do(t, ledger.Restore(t.Context(), dir, o, tlog.Checkpoint{Size: uint64(n), Root: root}, numbered{}, noBlobs))
	return dir, key
}

// TestSteps lets every step of a batch fail, once it has happened or before it
// could, where the batch fills a tile and begins one, or begins one of a higher level.
// The log stops. After a restart the batch is there as a whole or not at all, all
// that was promised holds, and the same entries get the same indexes. Thorough is
// every batch at every size; the long form, with 65,535 entries too, is
//
//	PAKLI_STEPS=all go test -run 'TestSteps$' -timeout 1h -v ./ledger
func TestSteps(t *testing.T) {
	sizes, batches := []int{255, 256}, map[int][]int{255: {3}, 256: {1}}
	if os.Getenv("PAKLI_STEPS") == "all" {
		sizes = []int{254, 255, 256, 65_534, 65_535, 65_536}
	}
	if testmust.Thorough() || len(sizes) > 2 {
		for _, size := range sizes {
			batches[size] = []int{1, 3}
		}
	}
	roots := rootsOf(sizes[len(sizes)-1] + 4)
	cases, kept := 0, 0
	for _, size := range sizes {
		from, key := numberedLog(t, size, roots[size])
		for _, step := range steps {
			for _, batch := range batches[size] {
				t.Run(fmt.Sprintf("%d+%d %s", size, batch, step), func(t *testing.T) {
					dir := filepath.Join(t.TempDir(), "log")
					copyDir(t, from, dir)
					failAt(t, dir, key, step, size, batch)
					if got := checkAfter(t, dir, key, roots, size, batch); got > uint64(size) {
						kept++
					}
				})
				cases++
			}
		}
	}
	t.Logf("%d cases, in %d of them entries that were reported as failed are there", cases, kept)
	testmust.Holdf(t, kept != 0 && kept != cases, "in %d of %d cases the batch is there", kept, cases)
}

// failAt appends a batch of which a step fails.
func failAt(t *testing.T, dir string, key ledger.Key, step string, size, batch int) {
	t.Helper()
	met := false
	o := ledger.Options{Signer: key.Signer, Store: badgerstore.Options{}}
	armed := make(chan struct{})
	var mu sync.Mutex
	o.SetStep(func(s string) error {
		select {
		case <-armed:
		default:
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		if s == step && !met {
			met = true
			return errStep
		}
		return nil
	})
	l := testmust.Have(ledger.Open(dir, o))(t)
	close(armed)
	for i, err := range l.AppendTogether(entriesFrom(size, batch)) {
		if err == nil && step != "published" { // which is after the promise
			t.Errorf("entry %d was acknowledged", size+i)
		}
	}
	<-l.FailedChannel()
	testmust.Fail(t, testmust.ErrorOf(l.Append(t.Context(), []byte("more"))), "an entry was taken after the failure")
	l.Close()
	testmust.Hold(t, met, "the step was not met")
}

func entriesFrom(size, batch int) (entries [][]byte) {
	for i := range batch {
		entries = append(entries, ledgertest.Entry(size+i))
	}
	return entries
}

// checkAfter opens the log again and returns the size that it has.
func checkAfter(t *testing.T, dir string, key ledger.Key, roots []tlog.Hash, size, batch int) uint64 {
	t.Helper()
	l := open(t, dir, key)
	defer l.Close()
	c := testmust.Have(l.Checkpoint(t.Context()))(t)
	testmust.Requiref(t, (c.Size == uint64(size) || c.Size == uint64(size+batch)) && c.Root == roots[c.Size],
		"size %d, root %v; was %d, and %d in the batch", c.Size, c.Root, size, batch)
	for i, e := range entriesFrom(size, batch) {
		r := testmust.Have(l.Append(t.Context(), e))(t)
		err := r.Verify(e, key.Verifier)
		testmust.Requiref(t, err == nil && r.Index == uint64(size+i), "entry %d again: %d, %v", size+i, r.Index, err)
	}
	now, err := l.Checkpoint(t.Context())
	testmust.Holdf(t, err == nil && now.Root == roots[size+batch], "in the end: root %v of %d, %v", now.Root, now.Size, err)
	return c.Size
}

// TestMemoryFlips flips bits in memory between the moment an entry comes and the
// moment its checkpoint is signed: of the entry, of a node that Trillian hashes
// it with, of the tree that checks. Nothing is signed over, the log stops, and
// after a restart everything is as it was.
func TestMemoryFlips(t *testing.T) {
	const size = 300
	flips := 4
	if testmust.Thorough() {
		flips = 20
	}
	roots := rootsOf(size + 2)
	from, key := numberedLog(t, size, roots[size])
	random := rand.New(rand.NewPCG(12, 12))
	for name, flip := range map[string]func(l *ledger.Ledger) error{
		"entry": func(l *ledger.Ledger) error {
			return l.AppendFlipped(ledgertest.Entry(size+1), random.IntN(8*len(ledgertest.Entry(size+1))))
		},
		"node": func(l *ledger.Ledger) error {
			if err := l.FlipNode(random); err != nil {
				return err
			}
			_, err := l.Append(context.Background(), ledgertest.Entry(size+1))
			return err
		},
		"check": func(l *ledger.Ledger) error {
			if err := l.FlipChecked(random); err != nil {
				return err
			}
			_, err := l.Append(context.Background(), ledgertest.Entry(size+1))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			for range flips {
				dir := filepath.Join(t.TempDir(), "log")
				copyDir(t, from, dir)
				l := open(t, dir, key)
				fill(t, l, size, size+1) // so that its nodes are in memory
				before := testmust.Have(l.Checkpoint(t.Context()))(t)
				testmust.Fail(t, flip(l), "signed over a flipped bit")
				<-l.FailedChannel()
				c, err := l.Checkpoint(t.Context())
				testmust.Holdf(t, err != nil || c.Size == before.Size, "a checkpoint of %d entries was published", c.Size)
				l.Close()
				checkAfter(t, dir, key, roots, size+1, 1)
				os.RemoveAll(dir)
			}
		})
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
	testmust.FailBy(t, l.PutBlob(t.Context(), other), tlog.ErrReadOnly, "a blob on a full disk")
	if got, err := l.Blob(t.Context(), hash); err != nil || !bytes.Equal(got, blob) {
		t.Errorf("an old blob on a full disk: %d bytes, %v", len(got), err)
	}
	_, err := l.Append(t.Context(), ledgertest.Entry(9))
	testmust.FailBy(t, err, tlog.ErrReadOnly, "Append on a full disk")
	r, err := l.Append(t.Context(), ledgertest.Entry(2))
	testmust.Holdf(t, err == nil && r.Index == 2, "an old entry on a full disk: %d, %v; want its receipt", r.Index, err)
	ledgertest.CheckLog(t, l, key.Verifier)
	testmust.Do(t, l.Err(), "the log has failed")
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
	testmust.Holdf(t, busy != 0 && int(c.Size) == clients-busy, "%d of %d refused, size %d", busy, clients, c.Size)
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
		testmust.Requiref(t, err == nil && len(tables) >= 3, "tables %v, %v", tables, err)
		testmust.Do(t, os.Remove(tables[lost]))
		for range 2 {
			testmust.Fail(t, attempt(dir, key), "without table", lost, "of", len(tables), "the log opened")
		}
	}
}
