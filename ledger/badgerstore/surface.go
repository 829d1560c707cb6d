package badgerstore

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4"
	"github.com/transparency-dev/merkle/compact"

	"github.com/pakli/pakli/ledger/tlog"
)

// Tree is one tree of a Store, as a [ledger.Store] reads it.
type Tree struct {
	*Store
	id int64
}

// Tree returns the tree with an id.
func (s *Store) Tree(id int64) Tree { return Tree{s, id} }

// Lookup returns the index of the entry with this identity hash, if there is
// one in the tree.
func (s Tree) Lookup(identity tlog.Hash) (index uint64, ok bool, err error) {
	err = s.readOnly(func(txn *badger.Txn) error {
		index, ok, err = lookupIdentity(txn, s.id, identity[:])
		return err
	})
	return index, ok, err
}

// Nodes returns the hashes of complete subtrees.
func (s Tree) Nodes(ids []compact.NodeID) ([][]byte, error) {
	state, err := s.stateOf(s.id)
	if err != nil {
		return nil, err
	}
	h := state.currentHead()
	if hashes, ok := state.cachedNodes(h, ids); ok {
		return hashes, s.Err()
	}
	hashes := make([][]byte, 0, len(ids))
	err = s.readOnly(func(txn *badger.Txn) error {
		for _, id := range ids {
			n, err := state.nodeHash(txn, h, id)
			if err != nil {
				return err
			}
			hashes = append(hashes, n)
		}
		return nil
	})
	return hashes, err
}

// HashTile returns the first width hashes of a tile in the encoding of C2SP tlog-tiles. The tree must
// have them.
func (s Tree) HashTile(level int, index uint64, width int) ([]byte, error) {
	state, err := s.stateOf(s.id)
	if err != nil {
		return nil, err
	}
	var data []byte
	h := state.currentHead()
	err = s.readOnly(func(txn *badger.Txn) error {
		t, err := state.tileAt(txn, h, tileID{level: level, index: index})
		if err != nil {
			return err
		}
		if width < 1 || width > t.width() {
			return fmt.Errorf("tile %d of level %d has %d hashes, not %d", index, level, t.width(), width)
		}
		data = t.dataOf(width)
		return nil
	})
	return data, err
}

// maxNarrow bounds the entries read with one iterator, which selects tables by the common prefix of
// the entries' keys.
const maxNarrow = 1 << 16

// Entries yields the bytes of the entries start to end-1, which the tree must have. A yielded slice
// is valid until the next one.
func (s Tree) Entries(start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		err := s.readOnly(func(txn *badger.Txn) error {
			for more := true; more && start < end; {
				last := min(end-1, start|(maxNarrow-1))
				var err error
				if more, err = yieldEntries(txn, s.id, start, last, yield); err != nil {
					return err
				}
				start = last + 1
			}
			return nil
		})
		if err != nil {
			yield(nil, err)
		}
	}
}

// yieldEntries yields the entries first to last until yield returns false.
//
// An iterator reads one key in every table that it may not skip, even if only few keys are wanted. So
// it is restricted to the tables of these entries: those whose keys may have their prefix and that
// were finished after the first of the entries was written. Entries that it misses, because entries
// were not written in order, are looked up.
func yieldEntries(txn *badger.Txn, tree int64, first, last uint64, yield func([]byte, error) bool) (more bool, err error) {
	item, err := entryItem(txn, tree, first)
	if err != nil {
		return false, err
	}
	if more, err := yieldEntry(item, first, yield); !more || err != nil || first == last {
		return more, err
	}
	it := txn.NewIterator(badger.IteratorOptions{
		Prefix:  commonPrefix(indexKey(prefixEntry, tree, first), indexKey(prefixEntry, tree, last)),
		SinceTs: item.Version() - 1,
	})
	defer it.Close()
	it.Seek(indexKey(prefixEntry, tree, first+1))
	for index := first + 1; index <= last; index++ {
		found := it.Valid() && bytes.Equal(it.Item().Key(), indexKey(prefixEntry, tree, index))
		if found {
			item = it.Item()
		} else if item, err = entryItem(txn, tree, index); err != nil {
			return false, err
		}
		if more, err := yieldEntry(item, index, yield); !more || err != nil {
			return more, err
		}
		if found {
			it.Next()
		}
	}
	return true, nil
}

// commonPrefix returns the common prefix of two keys of the same length.
func commonPrefix(a, b []byte) []byte {
	n := 0
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

func entryItem(txn *badger.Txn, tree int64, index uint64) (*badger.Item, error) {
	item, err := txn.Get(indexKey(prefixEntry, tree, index))
	if errors.Is(err, badger.ErrKeyNotFound) {
		return nil, fmt.Errorf("entry %d is missing", index)
	}
	if err != nil {
		return nil, fmt.Errorf("entry %d: %w", index, err)
	}
	return item, nil
}

func yieldEntry(item *badger.Item, index uint64, yield func([]byte, error) bool) (more bool, err error) {
	err = item.Value(func(record []byte) error {
		entry, err := entryValue(record)
		if err == nil {
			more = yield(entry, nil)
		}
		return err
	})
	if err != nil {
		return false, fmt.Errorf("entry %d: %w", index, err)
	}
	return more, nil
}

// A lookupView looks identity hashes up without waiting for a running commit. Badger begins no
// transaction before a commit has ended, so a look-up for a new entry would take as long as the batch
// before. The view therefore has a few transactions that were begun before the commit, each for one
// goroutine at a time.
type lookupView struct {
	slots      [viewSlots]slot
	committing atomic.Bool // set before the slots are prepared
}

const viewSlots = 4

type slot struct {
	mu   sync.Mutex
	txn  *badger.Txn
	size uint64 // entries that txn certainly sees
	used bool   // since the last commit began
}

// lockSlot locks a slot and returns it.
func (v *lookupView) lockSlot() *slot {
	for i := range v.slots {
		if v.slots[i].mu.TryLock() {
			return &v.slots[i]
		}
	}
	v.slots[0].mu.Lock()
	return &v.slots[0]
}

// renewTransaction begins a transaction that sees a tree of this size. The caller holds s.mu.
func (s *slot) renewTransaction(db *badger.DB, size uint64) {
	if s.txn != nil && s.size == size {
		return
	}
	if s.txn != nil {
		s.txn.Discard()
	}
	s.txn, s.size = db.NewTransaction(false), size
}

// prepareSlots is called before a commit begins. It renews the used slots and ends the transactions
// of the others: Badger remembers every commit after the oldest open transaction.
func (v *lookupView) prepareSlots(db *badger.DB, size uint64) {
	v.committing.Store(true)
	for i := range v.slots {
		s := &v.slots[i]
		s.mu.Lock()
		switch {
		case s.used:
			s.renewTransaction(db, size)
		case s.txn != nil:
			s.txn.Discard()
			s.txn = nil
		}
		s.used = false
		s.mu.Unlock()
	}
}

// LookupBefore is Lookup without waiting for a running commit. It also returns the number of entries,
// from the first on, that it has searched: all committed ones, unless a commit is running.
func (s Tree) LookupBefore(identity tlog.Hash) (index uint64, ok bool, known uint64, err error) {
	if err := s.Err(); err != nil {
		return 0, false, 0, err
	}
	state, err := s.stateOf(s.id)
	if err != nil {
		return 0, false, 0, err
	}
	at := state.view.lockSlot()
	defer at.mu.Unlock()
	if at.txn == nil || !state.view.committing.Load() {
		at.renewTransaction(s.db, state.currentHead().size)
	}
	at.used = true
	index, ok, err = lookupIdentity(at.txn, s.id, identity[:])
	return index, ok, at.size, err
}
