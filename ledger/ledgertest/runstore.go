package ledgertest

import (
	"bytes"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/transparency-dev/merkle/compact"
	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/tlog"
)

// RunStore runs the conformance suite of stores: the promises of ledger.Store, as far as a running
// process can check them, and [Run] on a ledger over the store. Each store has its own directory.
func RunStore(t *testing.T, stores ledger.Stores) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, *storeTest)
	}{
		{"Reopen", testStoreReopens},
		{"Before", testStoreBefore},
		{"Steps", testStoreSteps},
		{"Overlap", testStoreOverlap},
		{"OneAtATime", testStoreOpenTwice},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &storeTest{T: t, stores: stores, dir: filepath.Join(t.TempDir(), "store")}
			if err := stores.CreateStore(s.dir); err != nil {
				t.Fatal(err)
			}
			s.open()
			t.Cleanup(s.close)
			test.run(t, s)
			s.compareAll()
		})
	}
	t.Run("Ledger", func(t *testing.T) {
		Run(t, func(t *testing.T) (tlog.Log, note.Verifier) {
			dir := t.TempDir()
			key, err := ledger.Begin(dir, "example.com/store", stores, rand.Reader)
			if err != nil {
				t.Fatal(err)
			}
			l, err := ledger.Open(dir, ledger.Options{Signer: key.Signer, Store: stores})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close() })
			return l, key.Verifier
		})
	})
}

// storeTest is a store under test with the tree that it should have.
type storeTest struct {
	*testing.T
	stores ledger.Stores
	dir    string
	store  ledger.Store
	tree   tree
}

func (s *storeTest) open() {
	s.Helper()
	var err error
	if s.store, err = s.stores.OpenStore(s.dir, slog.New(slog.DiscardHandler)); err != nil {
		s.Fatal(err)
	}
}

func (s *storeTest) close() {
	s.Helper()
	if err := s.store.Close(); err != nil {
		s.Error(err)
	}
}

// nextEntries returns the next n entries and the tree with them.
func (s *storeTest) nextEntries(n int) ([][]byte, tree) {
	s.Helper()
	var entries [][]byte
	for i := range n {
		entries = append(entries, Entry(int(s.tree.size())+i))
	}
	grown, err := s.tree.withEntries(entries...)
	if err != nil {
		s.Fatal(err)
	}
	return entries, grown
}

// addEntries adds n entries and checks the arguments of Before and After, and what they can read.
func (s *storeTest) addEntries(n int) {
	s.Helper()
	entries, grown := s.nextEntries(n)
	after := false
	err := s.store.Add(entries, ledger.Commit{
		Before: func(size uint64, root []byte) error {
			s.checkComputed(grown, size, root)
			return nil
		},
		After: func() error {
			after = true
			s.tree = grown
			return s.lookUpAll(entries)
		},
	})
	if err != nil || !after {
		s.Fatalf("adding %d entries: %v, After called: %t", n, err, after)
	}
}

func (s *storeTest) checkComputed(want tree, size uint64, root []byte) {
	s.Helper()
	if expected := want.root(); size != uint64(want.size()) || !bytes.Equal(root, expected[:]) {
		s.Errorf("Before is told %d entries with root %x, want %d with %x", size, root, want.size(), expected)
	}
}

// lookUpAll looks up entries that are the last of the tree.
func (s *storeTest) lookUpAll(entries [][]byte) error {
	first := uint64(s.tree.size()) - uint64(len(entries))
	for i, entry := range entries {
		index, ok, err := s.store.Lookup(tlog.LeafHash(entry))
		if err != nil || !ok || index != first+uint64(i) {
			s.Errorf("entry %d is looked up: %d, %t, %v", first+uint64(i), index, ok, err)
		}
	}
	return nil
}

// compareAll compares everything that the store shows with the tree.
func (s *storeTest) compareAll() {
	s.Helper()
	size := uint64(s.tree.size())
	var got [][]byte
	for entry, err := range s.store.Entries(0, size) {
		if err != nil {
			s.Fatal(err)
		}
		got = append(got, bytes.Clone(entry))
	}
	if !slices.EqualFunc(got, s.tree.entries, bytes.Equal) {
		s.Errorf("%d entries are read, and are not the %d that were added", len(got), size)
	}
	for level := uint(0); size>>level > 0; level++ {
		for index := range size >> level {
			s.checkNode(compact.NewNodeID(level, index))
		}
	}
	if _, ok, known, err := s.store.LookupBefore(tlog.LeafHash([]byte("none"))); ok || known != size || err != nil {
		s.Errorf("what is not there is looked up: %t, among %d, %v; want none, among %d", ok, known, err, size)
	}
}

func (s *storeTest) checkNode(id compact.NodeID) {
	s.Helper()
	want := s.tree.nodeHash(id)
	if got, err := s.store.Nodes([]compact.NodeID{id}); err != nil || !bytes.Equal(got[0], want[:]) {
		s.Errorf("node %+v: %x, %v; want %v", id, got, err, want)
	}
	if id.Level%8 > 0 {
		return
	}
	width := int(id.Index%tlog.TileWidth) + 1
	tile, err := s.store.HashTile(int(id.Level/8), id.Index/tlog.TileWidth, width)
	if err != nil || len(tile) != 32*width || !bytes.HasSuffix(tile, want[:]) {
		s.Errorf("tile of %d hashes to node %+v: %d bytes, %v", width, id, len(tile), err)
	}
}

// A store that loses or changes what it has committed when it is closed, or when its
// directory is moved; one whose head says something else.
func testStoreReopens(t *testing.T, s *storeTest) {
	for _, n := range []int{1, 2, 254, 300} {
		s.addEntries(n)
		s.close()
		moved := s.dir + "."
		if err := os.Rename(s.dir, moved); err != nil {
			t.Fatal(err)
		}
		s.dir = moved
		s.open()
		root := s.tree.root()
		if size, got := s.store.Head(); size != uint64(s.tree.size()) || got != root {
			t.Errorf("opened again: %d entries with root %v, want %d with %v", size, got, s.tree.size(), root)
		}
		s.compareAll()
	}
}

// A store that shows entries before they are committed, or keeps them when Before
// calls the commit off.
func testStoreBefore(t *testing.T, s *storeTest) {
	s.addEntries(5)
	entries, grown := s.nextEntries(3)
	err := s.store.Add(entries, ledger.Commit{
		Before: func(size uint64, root []byte) error {
			s.checkComputed(grown, size, root)
			if _, ok, err := s.store.Lookup(tlog.LeafHash(entries[0])); ok || err != nil {
				t.Errorf("an entry that is not committed is found: %t, %v", ok, err)
			}
			return errors.New("called off")
		},
		After: func() error { t.Error("After is called without a commit"); return nil },
	})
	if err == nil {
		t.Error("Add returns no error though Before did")
	}
	s.compareAll()
	s.close()
	s.open()
	s.addEntries(2)
}

// A store that goes on after a commit whose outcome is unknown, or that has a part of
// it when it is opened again. Every step of its own fails once.
func testStoreSteps(t *testing.T, s *storeTest) {
	s.addEntries(250)
	var steps []string
	entries, grown := s.nextEntries(10)
	s.addStepped(entries, func(step string) error { steps = append(steps, step); return nil })
	s.tree = grown
	for _, failing := range steps {
		entries, grown := s.nextEntries(10)
		ready, err := s.addStepped(entries, func(step string) error {
			if step == failing {
				return errors.New("failing at " + step)
			}
			return nil
		})
		if err == nil {
			t.Errorf("%s fails, and Add has no error", failing)
		}
		if _, again := s.addStepped(entries, nil); again == nil {
			s.tree = grown
			if ready {
				t.Errorf("%s fails, and the store goes on", failing)
			}
		}
		s.store.Close()
		s.open()
		if size, _ := s.store.Head(); size == uint64(grown.size()) {
			s.tree = grown
		}
		s.compareAll()
	}
}

// addStepped adds entries with these steps, and reports whether Before was called.
func (s *storeTest) addStepped(entries [][]byte, step func(string) error) (ready bool, err error) {
	err = s.store.Add(entries, ledger.Commit{
		Before: func(uint64, []byte) error { ready = true; return nil },
		After:  func() error { return nil },
		Step:   step,
	})
	return ready, err
}

// A store that lets two batches have one place, or that never returns: the second
// is added when Before of the first allows it, and does not commit before it.
func testStoreOverlap(t *testing.T, s *storeTest) {
	s.addEntries(3)
	first, one := s.nextEntries(2)
	s.tree = one
	second, two := s.nextEntries(2)
	begin, firstDone, secondDone := make(chan struct{}), make(chan error, 1), make(chan error, 1)
	ended := make(chan struct{})
	go func() {
		<-begin
		secondDone <- s.store.Add(second, ledger.Commit{
			Before: func(size uint64, root []byte) error {
				<-ended
				s.checkComputed(two, size, root)
				return nil
			},
			After: func() error { return nil },
		})
	}()
	go func() {
		firstDone <- s.store.Add(first, ledger.Commit{
			Before: func(uint64, []byte) error {
				close(begin)
				time.Sleep(20 * time.Millisecond) // so that the second call has begun
				return nil
			},
			After: func() error { close(ended); return nil },
		})
	}()
	if err := errors.Join(<-firstDone, <-secondDone); err != nil {
		t.Fatal(err)
	}
	s.tree = two
	s.lookUpAll(second)
}

// A store that two ledgers write to at once.
func testStoreOpenTwice(t *testing.T, s *storeTest) {
	s.addEntries(1)
	if other, err := s.stores.OpenStore(s.dir, slog.New(slog.DiscardHandler)); err == nil {
		t.Errorf("opened twice: %v", other.Close())
	}
}
