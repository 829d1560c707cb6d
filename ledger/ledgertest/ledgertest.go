// Package ledgertest is the conformance suite of logs: [Run] must pass for every implementation of
// tlog.Log, in memory, on disk, or over HTTP. [CheckLog] audits a whole log from outside, and
// [Memory] is a log for the tests of other packages.
//
// Everything is checked against an independent computation: trees, roots and proofs come from
// golang.org/x/mod/sumdb/tlog over the appended entries, never from the log under test.
package ledgertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	xtlog "golang.org/x/mod/sumdb/tlog"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/tlog"
)

// Run runs the suite. new returns an empty log for one test, with its key, and cleans up with
// t.Cleanup.
func Run(t *testing.T, new func(t *testing.T) (tlog.Log, note.Verifier)) {
	runSuite(t, new, func(t *testing.T, test func(*testing.T)) { test(t) })
}

// RunInMemory is Run for a log that waits for nothing outside of this process. It uses the time of
// testing/synctest, so that pauses take none.
func RunInMemory(t *testing.T, new func(t *testing.T) (tlog.Log, note.Verifier)) {
	runSuite(t, new, synctest.Test)
}

func runSuite(t *testing.T, new func(t *testing.T) (tlog.Log, note.Verifier), in func(*testing.T, func(*testing.T))) {
	tests := []struct {
		name string
		run  func(*testing.T, tlog.Log, note.Verifier)
	}{
		{"Empty", testEmpty},
		{"AppendAndReadBack", testAppendAndReadBack},
		{"EntrySizes", testEntrySizes},
		{"Duplicates", testDuplicates},
		{"ConcurrentDuplicates", testConcurrentDuplicates},
		{"Concurrent", testConcurrent},
		{"CheckpointsGrow", testCheckpointsGrow},
		{"AllProofs", testAllProofs},
		{"OutOfRange", testOutOfRange},
		{"Cancelled", testCancelled},
		{"EntriesStop", testEntriesStop},
		{"CallerKeepsEntry", testCallerKeepsEntry},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				log, key := new(t)
				test.run(t, log, key)
				CheckLog(t, log, key)
			})
		})
	}
}

// CheckLog audits a log: its checkpoint is signed, and its entries, hashed again, have the signed
// root. It returns the checkpoint.
func CheckLog(t testing.TB, log tlog.Reader, key note.Verifier) tlog.Checkpoint {
	t.Helper()
	c, err := Audit(t.Context(), log, key)
	if err != nil {
		t.Fatalf("audit: %v", err)
	}
	return c
}

// Audit is CheckLog but returns an error.
func Audit(ctx context.Context, log tlog.Reader, key note.Verifier) (tlog.Checkpoint, error) {
	c, err := log.Checkpoint(ctx)
	if err != nil {
		return c, err
	}
	if err := c.Verify(key); err != nil {
		return c, err
	}
	return c, tlog.ReadAll(ctx, log, c, nil)
}

// mustAppend appends an entry and verifies its receipt.
func mustAppend(t *testing.T, log tlog.Log, key note.Verifier, entry []byte) tlog.Receipt {
	t.Helper()
	r, err := log.Append(t.Context(), entry)
	if err != nil {
		t.Fatalf("Append(%.20q…): %v", entry, err)
	}
	if err := r.Verify(entry, key); err != nil {
		t.Fatalf("receipt of entry %d: %v", r.Index, err)
	}
	return r
}

func mustAppendMany(t *testing.T, log tlog.Log, key note.Verifier, n int) {
	t.Helper()
	for i := range n {
		if r := mustAppend(t, log, key, Entry(i)); r.Index != uint64(i) {
			t.Fatalf("entry %d got index %d", i, r.Index)
		}
	}
}

// Entry returns the i-th of a sequence of distinct entries.
func Entry(i int) []byte { return fmt.Appendf(nil, "entry %d\n", i) }

func readAll(t *testing.T, log tlog.Log, start, end uint64) [][]byte {
	t.Helper()
	var all [][]byte
	for entry, err := range log.Entries(t.Context(), start, end) {
		if err != nil {
			t.Fatalf("Entries(%d, %d): %v", start, end, err)
		}
		all = append(all, entry)
	}
	return all
}

// An empty log has a signed checkpoint with the root of nothing.
func testEmpty(t *testing.T, log tlog.Log, key note.Verifier) {
	c := CheckLog(t, log, key)
	if c.Size != 0 || c.Root != tlog.EmptyRoot() {
		t.Errorf("checkpoint of an empty log: size %d, root %v", c.Size, c.Root)
	}
	if got := readAll(t, log, 0, 0); len(got) != 0 {
		t.Errorf("an empty log yields %d entries", len(got))
	}
}

// What is read is what was appended, byte for byte, at the index of the receipt.
func testAppendAndReadBack(t *testing.T, log tlog.Log, key note.Verifier) {
	const n = 20
	mustAppendMany(t, log, key, n)
	for i, got := range readAll(t, log, 0, n) {
		if !bytes.Equal(got, Entry(i)) {
			t.Errorf("entry %d is %q, want %q", i, got, Entry(i))
		}
	}
	if got := readAll(t, log, 7, 9); len(got) != 2 || !bytes.Equal(got[0], Entry(7)) || !bytes.Equal(got[1], Entry(8)) {
		t.Errorf("Entries(7, 9) = %q", got)
	}
}

// The smallest entry and the largest one come back; one byte less or more is
// refused, and changes nothing.
func testEntrySizes(t *testing.T, log tlog.Log, key note.Verifier) {
	binary := []byte{0, 0xff, '\n', 0, 0xc3, 0x28}
	for i, entry := range [][]byte{{0}, binary, bytes.Repeat([]byte{7}, tlog.MaxEntry)} {
		if r := mustAppend(t, log, key, entry); r.Index != uint64(i) {
			t.Errorf("entry of %d bytes has index %d, want %d", len(entry), r.Index, i)
		}
		if got := readAll(t, log, uint64(i), uint64(i)+1); len(got) != 1 || !bytes.Equal(got[0], entry) {
			t.Errorf("entry of %d bytes did not come back", len(entry))
		}
	}
	_, err := log.Append(t.Context(), make([]byte, tlog.MaxEntry+1))
	if !errors.Is(err, tlog.ErrTooLarge) {
		t.Errorf("entry of %d bytes: error %v, want ErrTooLarge", tlog.MaxEntry+1, err)
	}
	if _, err := log.Append(t.Context(), nil); !errors.Is(err, tlog.ErrEmpty) {
		t.Errorf("entry without a byte: error %v, want ErrEmpty", err)
	}
	if c := CheckLog(t, log, key); c.Size != 3 {
		t.Errorf("size %d after refused entries, want 3", c.Size)
	}
	mustAppend(t, log, key, Entry(0))
}

// The same bytes again have the index of the first time.
func testDuplicates(t *testing.T, log tlog.Log, key note.Verifier) {
	mustAppendMany(t, log, key, 5)
	for _, i := range []int{4, 0, 2, 2} {
		if r := mustAppend(t, log, key, Entry(i)); r.Index != uint64(i) {
			t.Errorf("entry %d again has index %d", i, r.Index)
		}
	}
	if c := CheckLog(t, log, key); c.Size != 5 {
		t.Errorf("size %d after duplicates, want 5", c.Size)
	}
}

// Many clients with the same entry get one index between them.
func testConcurrentDuplicates(t *testing.T, log tlog.Log, key note.Verifier) {
	const clients, entries = 16, 8
	var mu sync.Mutex
	indexes := make(map[string]uint64)
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for i := range entries {
				r, err := log.Append(t.Context(), Entry(i))
				if err == nil {
					err = r.Verify(Entry(i), key)
				}
				mu.Lock()
				first, seen := indexes[string(Entry(i))]
				indexes[string(Entry(i))] = r.Index
				mu.Unlock()
				if err != nil || seen && first != r.Index {
					t.Errorf("entry %d: index %d, before %d, error %v", i, r.Index, first, err)
				}
			}
		})
	}
	wg.Wait()
	if c := CheckLog(t, log, key); c.Size != entries {
		t.Errorf("size %d, want %d", c.Size, entries)
	}
}

// Entries of many clients all get in, under distinct indexes where they can be
// read. Nothing special happens where a tile, or a bundle, is full.
func testConcurrent(t *testing.T, log tlog.Log, key note.Verifier) {
	const clients, each = 16, 25
	var mu sync.Mutex
	placed := make(map[uint64][]byte)
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			for i := range each {
				entry := Entry(c*each + i)
				r, err := log.Append(t.Context(), entry)
				if err == nil {
					err = r.Verify(entry, key)
				}
				if err != nil {
					t.Errorf("client %d: %v", c, err)
					return
				}
				mu.Lock()
				placed[r.Index] = entry
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for i, entry := range readAll(t, log, 0, clients*each) {
		if !bytes.Equal(entry, placed[uint64(i)]) {
			t.Errorf("at %d: %q, its receipt was for %q", i, entry, placed[uint64(i)])
		}
	}
	ref := referenceTree(t, clients*each, func(i int) []byte { return placed[uint64(i)] })
	for _, size := range []uint64{tlog.TileWidth - 1, tlog.TileWidth, tlog.TileWidth + 1, clients * each} {
		for _, i := range []uint64{0, 100, size - 1} {
			checkProofs(t, log, ref, i, size)
		}
	}
}

// checkProofs compares the proofs of one entry and of the growth since it with those of RFC 6962.
func checkProofs(t *testing.T, log tlog.Log, ref tree, i, size uint64) {
	t.Helper()
	p, err := log.Inclusion(t.Context(), i, size)
	want, _ := xtlog.ProveRecord(int64(size), int64(i), ref.hashes)
	checkProof(t, fmt.Sprintf("inclusion of %d in %d", i, size), p.Hashes, want, err)
	if err := p.Verify(tlog.LeafHash(ref.entries[i]), ref.rootAt(size)); err != nil || p.Index != i || p.Size != size {
		t.Fatalf("inclusion of %d in %d: %+v, %v", i, size, p, err)
	}
	c, err := log.Consistency(t.Context(), i+1, size)
	wantTree, _ := xtlog.ProveTree(int64(size), int64(i+1), ref.hashes)
	checkProof(t, fmt.Sprintf("consistency of %d with %d", i+1, size), c.Hashes, wantTree, err)
	if err := c.Verify(ref.rootAt(i+1), ref.rootAt(size)); err != nil || c.Old != i+1 || c.Size != size {
		t.Fatalf("consistency of %d with %d: %+v, %v", i+1, size, c, err)
	}
}

// Checkpoints never shrink, cover what has been acknowledged, and each is
// consistent with the one before.
func testCheckpointsGrow(t *testing.T, log tlog.Log, key note.Verifier) {
	last := CheckLog(t, log, key)
	for i := range 12 {
		r := mustAppend(t, log, key, Entry(i))
		c := CheckLog(t, log, key)
		if c.Size <= r.Index || c.Size < last.Size {
			t.Fatalf("checkpoint of size %d after %d and an entry at %d", c.Size, last.Size, r.Index)
		}
		p, err := log.Consistency(t.Context(), last.Size, c.Size)
		if err == nil {
			err = p.VerifyGrowth(last, c)
		}
		if err != nil {
			t.Fatalf("from size %d to %d: %v", last.Size, c.Size, err)
		}
		last = c
	}
}

// Every inclusion and consistency proof of small trees, also of sizes that
// never had a checkpoint, is hash for hash the one of RFC 6962.
func testAllProofs(t *testing.T, log tlog.Log, key note.Verifier) {
	const n = 34
	mustAppendMany(t, log, key, n)
	ref := referenceTree(t, n, Entry)
	for size := uint64(1); size <= n; size++ {
		for i := range size {
			checkProofs(t, log, ref, i, size)
		}
		p, err := log.Consistency(t.Context(), 0, size)
		checkProof(t, "consistency with the empty tree", p.Hashes, nil, err)
	}
}

func checkProof(t *testing.T, what string, got, want []tlog.Hash, err error) {
	t.Helper()
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("%s: %v, %v; want %v", what, got, err, want)
	}
}

// referenceTree returns the tree of the first n of some entries.
func referenceTree(t *testing.T, n int, entry func(int) []byte) (ref tree) {
	t.Helper()
	for i := range n {
		var err error
		if ref, err = ref.withEntries(entry(i)); err != nil {
			t.Fatal(err)
		}
	}
	return ref
}

// What is not there yet cannot be proved or read.
func testOutOfRange(t *testing.T, log tlog.Log, key note.Verifier) {
	mustAppendMany(t, log, key, 3)
	ctx := t.Context()
	_, beyond := log.Inclusion(ctx, 0, 4)
	_, outside := log.Inclusion(ctx, 3, 3)
	_, future := log.Consistency(ctx, 2, 4)
	_, backwards := log.Consistency(ctx, 3, 2)
	var entries, reversed error
	for _, err := range log.Entries(ctx, 2, 4) {
		entries = err
	}
	for _, err := range log.Entries(ctx, 2, 1) {
		reversed = err
	}
	for name, err := range map[string]error{
		"inclusion in a larger tree": beyond, "inclusion outside of the tree": outside,
		"consistency with a larger tree": future, "consistency backwards": backwards,
		"entries beyond the end": entries, "entries backwards": reversed,
	} {
		if !errors.Is(err, tlog.ErrRange) {
			t.Errorf("%s: error %v, want ErrRange", name, err)
		}
	}
}

// A cancelled context ends the call with its error and leaves the log working.
func testCancelled(t *testing.T, log tlog.Log, key note.Verifier) {
	mustAppendMany(t, log, key, 3)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := log.Append(ctx, []byte("too late")); !errors.Is(err, context.Canceled) {
		t.Errorf("Append: error %v, want context.Canceled", err)
	}
	var last error
	for _, err := range log.Entries(ctx, 0, 3) {
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("Entries: error %v, want context.Canceled", last)
	}
	mustAppend(t, log, key, []byte("in time"))
}

// A reader of entries may stop at any of them.
func testEntriesStop(t *testing.T, log tlog.Log, key note.Verifier) {
	mustAppendMany(t, log, key, 5)
	n := 0
	for _, err := range log.Entries(t.Context(), 0, 5) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("yielded %d entries to one who wanted 2", n)
	}
}

// The log keeps no reference to what it was given, or gave away.
func testCallerKeepsEntry(t *testing.T, log tlog.Log, key note.Verifier) {
	entry := bytes.Clone(Entry(0))
	mustAppend(t, log, key, entry)
	clear(entry)
	clear(readAll(t, log, 0, 1)[0])
	if got := readAll(t, log, 0, 1)[0]; !bytes.Equal(got, Entry(0)) {
		t.Errorf("entry is %q after its buffers were reused, want %q", got, Entry(0))
	}
}
