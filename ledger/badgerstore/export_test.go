package badgerstore

import (
	"time"

	"github.com/dgraph-io/badger/v4"
	"golang.org/x/sys/unix"
)

// Badger returns the database itself.
func (s *Store) Badger() *badger.DB { return s.db }

// DirectorySynced reports whether the store believes that its directory needs
// no sync.
func (s *Store) DirectorySynced() bool {
	s.dir.mu.Lock()
	defer s.dir.mu.Unlock()
	info, err := s.dir.f.Stat()
	return err == nil && info.ModTime().Equal(s.dir.synced)
}

// FreeBytes returns what freeBytes reports for a disk with 1,000 free blocks of 4 KiB and "files" of
// "of" inodes free.
func FreeBytes(files, of uint64) uint64 {
	return freeBytes(&unix.Statfs_t{Bsize: 4096, Bavail: 1000, Ffree: files, Files: of})
}

// SetCloseGrace sets how long Close waits for writes that fail.
func SetCloseGrace(d time.Duration) { closeGrace = d }

// OpenViews counts the open transactions for look-ups in a tree.
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
