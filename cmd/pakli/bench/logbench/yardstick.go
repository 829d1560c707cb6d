package logbench

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/binary"
	"slices"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

// Ed25519 returns how many signatures of messages of this size one core verifies in a second, the
// best of some short passes.
func Ed25519(size int) (float64, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return 0, err
	}
	message := make([]byte, size)
	signature := ed25519.Sign(private, message)
	best, n := 0.0, 500
	for range 10 {
		start := time.Now()
		for range n {
			ed25519.Verify(public, message, signature)
		}
		best = max(best, float64(n)/time.Since(start).Seconds())
	}
	return best, nil
}

// Badger is a bare store of entries. It puts all waiting entries into one synced transaction, each
// under its index and nothing else. With one client, every entry is a synced transaction.
type Badger struct {
	db    *badger.DB
	queue chan bareEntry
	done  chan struct{}
}

type bareEntry struct {
	entry []byte
	done  chan error
}

// maxGroup is the most entries in a transaction.
const maxGroup = 2048

// OpenBadger opens a new store with the settings of a log's store.
func OpenBadger(dir string) (*Badger, error) {
	db, err := badger.Open(badger.DefaultOptions(dir).WithSyncWrites(true).WithLogger(nil).
		WithCompression(options.None).WithBlockCacheSize(0).WithNumVersionsToKeep(1).WithDetectConflicts(false).
		WithValueThreshold(128 << 10).WithValueLogFileSize(1 << 20).WithMetricsEnabled(false).
		WithChecksumVerificationMode(options.OnTableAndBlockRead))
	if err != nil {
		return nil, err
	}
	s := &Badger{db: db, queue: make(chan bareEntry, maxGroup), done: make(chan struct{})}
	go s.commitAll()
	return s, nil
}

// Append returns when the entry is on disk.
func (s *Badger) Append(_ context.Context, entry []byte) error {
	e := bareEntry{entry: slices.Clone(entry), done: make(chan error, 1)}
	s.queue <- e
	return <-e.done
}

// Close closes the store. Nobody may append any more.
func (s *Badger) Close() error {
	close(s.queue)
	<-s.done
	return s.db.Close()
}

func (s *Badger) commitAll() {
	defer close(s.done)
	index := uint64(0)
	for first := range s.queue {
		group := s.group(first)
		err := s.commit(group, index)
		index += uint64(len(group))
		for _, e := range group {
			e.done <- err
		}
	}
}

// group returns first and the entries waiting behind it.
func (s *Badger) group(first bareEntry) []bareEntry {
	group := []bareEntry{first}
	for len(group) < maxGroup {
		select {
		case e, ok := <-s.queue:
			if !ok {
				return group
			}
			group = append(group, e)
		default:
			return group
		}
	}
	return group
}

func (s *Badger) commit(group []bareEntry, index uint64) error {
	txn := s.db.NewTransaction(true)
	defer txn.Discard()
	for i, e := range group {
		if err := txn.Set(binary.BigEndian.AppendUint64([]byte("e"), index+uint64(i)), e.entry); err != nil {
			return err
		}
	}
	return txn.Commit()
}
