package badgerstore

import (
	"sync"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4"
)

// A view looks identity hashes up without waiting for a commit that is under way.
// Badger begins no transaction before it has ended, so that looking up an entry
// that is to be appended would take as long as the batch before. So the view has a few
// transactions that were begun before the commit, each for one goroutine at a time.
type view struct {
	slots      [viewSlots]slot
	committing atomic.Bool // set before the slots are prepared
}

const viewSlots = 4

type slot struct {
	mu   sync.Mutex
	txn  *badger.Txn
	size uint64 // entries that txn is sure to see
	used bool   // since the last commit began
}

// lock returns a slot that is locked.
func (v *view) lock() *slot {
	for i := range v.slots {
		if v.slots[i].mu.TryLock() {
			return &v.slots[i]
		}
	}
	v.slots[0].mu.Lock()
	return &v.slots[0]
}

// renew begins a transaction that sees a tree of this size. s.mu is held.
func (s *slot) renew(db *badger.DB, size uint64) {
	if s.txn != nil && s.size == size {
		return
	}
	if s.txn != nil {
		s.txn.Discard()
	}
	s.txn, s.size = db.NewTransaction(false), size
}

// prepare is called before a commit begins. It renews the slots that are in use, and
// ends the transactions of the others: Badger remembers every commit after the oldest
// that is open.
func (v *view) prepare(db *badger.DB, size uint64) {
	v.committing.Store(true)
	for i := range v.slots {
		s := &v.slots[i]
		s.mu.Lock()
		switch {
		case s.used:
			s.renew(db, size)
		case s.txn != nil:
			s.txn.Discard()
			s.txn = nil
		}
		s.used = false
		s.mu.Unlock()
	}
}

// LookupBefore is Lookup without waiting for a commit that is under way. It also
// returns how many entries it has looked through, the first ones of the tree: all
// that are committed, unless one is under way.
func (s *Store) LookupBefore(tree int64, identity []byte) (index uint64, ok bool, known uint64, err error) {
	if err := s.Err(); err != nil {
		return 0, false, 0, err
	}
	state, err := s.tree(tree)
	if err != nil {
		return 0, false, 0, err
	}
	at := state.view.lock()
	defer at.mu.Unlock()
	if at.txn == nil || !state.view.committing.Load() {
		at.renew(s.db, state.snapshot().size)
	}
	at.used = true
	index, ok, err = lookup(at.txn, tree, identity)
	return index, ok && index&queuedBit == 0, at.size, err
}
