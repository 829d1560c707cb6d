package badgerstore

import (
	"time"

	"github.com/dgraph-io/badger/v4"
	"golang.org/x/sys/unix"
)

// Badger is an inner door for tests.
func (s *Store) Badger() *badger.DB { return s.db }

// DirectorySynced reports whether the store believes that its directory needs
// no sync.
func (s *Store) DirectorySynced() bool {
	s.dir.mu.Lock()
	defer s.dir.mu.Unlock()
	info, err := s.dir.f.Stat()
	return err == nil && info.ModTime().Equal(s.dir.synced)
}

// FreeBytes is what is free on a disk that has room for so many files, of so many.
func FreeBytes(files, of uint64) uint64 {
	return freeBytes(&unix.Statfs_t{Bsize: 4096, Bavail: 1000, Ffree: files, Files: of})
}

// SetCloseGrace says how long Close waits for writes that fail.
func SetCloseGrace(d time.Duration) { closeGrace = d }

// OpenViews is how many transactions for look-ups in a tree are open.
func (s *Store) OpenViews(tree int64) (n int) {
	state, err := s.stateOf(tree)
	if err != nil {
		panic(err)
	}
	for i := range state.view.slots {
		slot := &state.view.slots[i]
		slot.mu.Lock()
		if slot.txn != nil {
			n++
		}
		slot.mu.Unlock()
	}
	return n
}
