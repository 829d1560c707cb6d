package badgerstore

import (
	"sync"

	"github.com/dgraph-io/badger/v4"
)

// A view looks identity hashes up without waiting for anybody. Badger begins no
// transaction before the commit that is under way has ended: who looked up an
// entry that is to be appended would wait for the batch before. So transactions
// are begun right before a commit, as many as were in use at the same time
// lately, and one after the other uses them until there is a newer head.
type view struct {
	mu   sync.Mutex
	size uint64        // entries that the transactions are sure to see
	idle []*badger.Txn // nobody uses them
	busy int           // so many are used
	most int           // so many were used at the same time
}

// borrow returns a transaction that only reads, for give to take back, and the
// number of entries that it is sure to see: all that are committed, or all before
// the commit that is under way.
func (v *view) borrow(db *badger.DB, size uint64) (txn *badger.Txn, sees uint64) {
	v.mu.Lock()
	v.renew(size)
	v.busy++
	v.most = max(v.most, v.busy)
	sees = v.size
	if n := len(v.idle); n > 0 {
		txn, v.idle = v.idle[n-1], v.idle[:n-1]
	}
	v.mu.Unlock()
	if txn == nil {
		txn = db.NewTransaction(false)
	}
	return txn, sees
}

// give takes a transaction back.
func (v *view) give(txn *badger.Txn, sees uint64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.busy--
	if sees < v.size {
		txn.Discard()
		return
	}
	v.idle = append(v.idle, txn)
}

// prepare begins the transactions that will be wanted during a commit.
func (v *view) prepare(db *badger.DB, size uint64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.renew(size)
	for range v.most - v.busy - len(v.idle) {
		v.idle = append(v.idle, db.NewTransaction(false))
	}
	v.most = v.busy
}

// renew drops the transactions that do not see as many entries. v.mu is held.
func (v *view) renew(size uint64) {
	if size <= v.size {
		return
	}
	v.size = size
	for _, txn := range v.idle {
		txn.Discard()
	}
	v.idle = v.idle[:0]
}

// LookupBefore is Lookup without waiting for a commit that is under way. It also
// returns how many entries it has looked through, the first ones of the tree.
func (s *Store) LookupBefore(tree int64, identity []byte) (index uint64, ok bool, known uint64, err error) {
	if err := s.Err(); err != nil {
		return 0, false, 0, err
	}
	state, err := s.tree(tree)
	if err != nil {
		return 0, false, 0, err
	}
	txn, known := state.view.borrow(s.db, state.snapshot().size)
	defer state.view.give(txn, known)
	index, ok, err = lookup(txn, tree, identity)
	return index, ok && index&queuedBit == 0, known, err
}
