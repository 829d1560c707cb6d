package faults_test

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/tlog"
)

const origin = "example.com/pakli"

// small keeps the store's memory and files small, so that they change often.
var small = badgerstore.Options{MemTableSize: 1 << 20, MinFree: 1}

// create makes a log with a new key in dir.
func create(t testing.TB, dir string) ledger.Key {
	t.Helper()
	return testmust.Have(ledger.Begin(dir, origin, small, rand.Reader))(t)
}

// A witness remembers what a log has acknowledged, and checks the log against it.
type witness struct {
	t     testing.TB
	key   ledger.Key
	acked map[uint64]tlog.Hash // leaf hashes by index
	roots map[uint64]tlog.Hash // of every checkpoint seen, by size
	total int                  // acknowledgements, of all logs
}

func newWitness(t testing.TB, key ledger.Key) *witness {
	w := &witness{t: t}
	w.restart(key)
	return w
}

// restart continues with another log.
func (w *witness) restart(key ledger.Key) {
	w.key, w.acked, w.roots = key, make(map[uint64]tlog.Hash), make(map[uint64]tlog.Hash)
}

// record takes the lines of one run of a child.
func (w *witness) record(lines []string) {
	w.t.Helper()
	newest := make(map[string]uint64) // size, by client
	seen := make(map[string]tlog.Checkpoint)
	for _, line := range lines {
		client, entry, r := w.parse(line)
		c := w.verify(entry, r, seen)
		testmust.Requiref(w.t, c.Size >= newest[client], "client %s was shown size %d after %d", client, c.Size, newest[client])
		newest[client] = c.Size
		w.acknowledge(r.Index, tlog.LeafHash(entry))
	}
}

func (w *witness) acknowledge(index uint64, leaf tlog.Hash) {
	w.t.Helper()
	before, ok := w.acked[index]
	testmust.Requiref(w.t, !ok || before == leaf, "FORK: two entries were acknowledged at index %d", index)
	w.acked[index] = leaf
	w.total++
}

// promised holds the promise alone, before the log is opened again, to what was
// seen: if the store is lost, or an old copy of it is put back, nothing else in the
// directory says that a backup is too old to go on from.
func (w *witness) promised(dir string) {
	w.t.Helper()
	size, root, err := ledger.PromisedTree(dir, origin)
	testmust.Do(w.t, err)
	for seen := range w.roots {
		testmust.Requiref(w.t, seen <= size,
			"a checkpoint of %d entries was seen, and what is promised on disk is %d: a restore of a backup in between would FORK the log", seen, size)
	}
	seen, ok := w.roots[size]
	testmust.Requiref(w.t, !ok || seen == root, "promised on disk is another tree of %d entries than was seen", size)
}

func (w *witness) parse(line string) (client string, entry []byte, r tlog.Receipt) {
	w.t.Helper()
	fields := strings.Fields(line)
	testmust.Requiref(w.t, len(fields) == 3, "child says %q", line)
	entry = testmust.Have(base64.StdEncoding.DecodeString(fields[1]))(w.t)
	b := testmust.Have(base64.StdEncoding.DecodeString(fields[2]))(w.t)
	r = testmust.Have(tlog.ParseReceipt(b))(w.t)
	return fields[0], entry, r
}

// verify checks a receipt; the signature of a checkpoint once for all the
// receipts that have it.
func (w *witness) verify(entry []byte, r tlog.Receipt, seen map[string]tlog.Checkpoint) tlog.Checkpoint {
	w.t.Helper()
	c, ok := seen[string(r.Checkpoint)]
	if !ok {
		c = testmust.Have(tlog.OpenCheckpoint(r.Checkpoint, w.key.Verifier))(w.t)
		seen[string(r.Checkpoint)] = c
		root, ok := w.roots[c.Size]
		testmust.Requiref(w.t, !ok || root == c.Root, "FORK: two roots were signed for size %d", c.Size)
		w.roots[c.Size] = c.Root
	}
	path := tlog.Inclusion{Index: r.Index, Size: c.Size, Hashes: r.Hashes}
	testmust.Do(w.t, path.Verify(tlog.LeafHash(entry), c.Root))
	return c
}

// audit opens the log in dir and compares it with everything that it has said.
func (w *witness) audit(dir string) {
	w.t.Helper()
	l, _, err := openLog(dir, badgerstore.Options{MinFree: 1})
	testmust.Do(w.t, err, "LOST: after the fault")
	err = w.check(l)
	cerr := l.Close()
	testmust.Holdf(w.t, cerr == nil, "closing: %v", cerr)
	testmust.Do(w.t, err)
}

// check computes the tree from the log's entries, and compares with every root
// and entry on the way.
func (w *witness) check(l tlog.Reader) error {
	ctx := w.t.Context()
	c, err := l.Checkpoint(ctx)
	if err != nil {
		return err
	}
	if err := c.Verify(w.key.Verifier); err != nil {
		return err
	}
	w.roots[c.Size] = c.Root
	var tree tlog.Tree
	for entry, err := range l.Entries(ctx, 0, c.Size) {
		if err != nil {
			return err
		}
		leaf := tlog.LeafHash(entry)
		if acked, ok := w.acked[tree.Size()]; ok && acked != leaf {
			return fmt.Errorf("LOST: entry %d is not the one that was acknowledged", tree.Size())
		}
		tree.Append(leaf)
		if root, ok := w.roots[tree.Size()]; ok && root != tree.Root() {
			return fmt.Errorf("FORK: the root of %d entries is %v, signed was %v", tree.Size(), tree.Root(), root)
		}
	}
	for index := range w.acked {
		if index >= c.Size {
			return fmt.Errorf("LOST: entry %d was acknowledged, the log has %d entries", index, c.Size)
		}
	}
	for size := range w.roots {
		if size > c.Size {
			return fmt.Errorf("LOST: a checkpoint of size %d was published, the log has %d entries", size, c.Size)
		}
	}
	return nil
}

// figures reports what a test has seen, for docs/reliability.md, unless the test has failed.
func (w *witness) figures(format string, args ...any) {
	if w.t.Failed() {
		return
	}
	w.t.Logf("%s; %d entries acknowledged, 0 lost, 0 forks", fmt.Sprintf(format, args...), w.total)
}
