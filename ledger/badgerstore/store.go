package badgerstore

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/gofrs/flock"

	"github.com/pakli/pakli/ledger"
)

// DefaultMemTableSize is the size of Badger's memory table for new stores. The write-ahead log is
// twice as large (a sparse file). Tests that make many logs set it smaller.
var DefaultMemTableSize int64 = 64 << 20

// maxRecord bounds the stored form of an entry. Every value stays below Badger's threshold and is
// stored inline, so that the value log is empty and needs no collection.
const maxRecord = 128 << 10

// Options configure a Store.
type Options struct {
	// MemTableSize is fixed when a store is created and recorded in it. 0 means the recorded size,
	// or DefaultMemTableSize for a new store. A transaction is at most about 15 % of it.
	MemTableSize int64

	// MinFree is the free space in bytes that Space returns as needed. 0 means room for whatever
	// Badger may still write, nine memory tables, or 5 % of the disk but at most 4 GiB, whichever is
	// larger.
	MinFree uint64

	// Ballast is the size of a file that only takes up space, for the operator to remove on a full
	// disk. 0 means none.
	Ballast int64

	// Clock gives the timestamps that Trillian keeps with its roots; nil means time.Now. They decide
	// nothing, and a clock may go back.
	Clock func() time.Time

	// Logger receives the warnings and errors of Badger; nil drops them. A ledger sets its own
	// logger.
	Logger *slog.Logger
}

// A FatalError says that a commit failed, so that the content of the disk is unknown. Every later
// call fails with it. The process must exit; opening the store again shows the content.
type FatalError struct{ Err error }

func (e *FatalError) Error() string {
	return fmt.Sprintf("whether the last entries are on the disk is unknown, start again: %v", e.Err)
}

// Unwrap returns the error of the commit.
func (e *FatalError) Unwrap() error { return e.Err }

// A Store is an open store. Its methods may be called concurrently.
type Store struct {
	lock    *flock.Flock
	db      *badger.DB
	dir     *syncedDirectory
	space   diskBounds
	reserve reserve
	fatal   atomic.Pointer[FatalError]

	closing  sync.Once
	closeErr error

	adminWrite sync.Mutex // held by the one transaction on tree descriptions

	mu    sync.Mutex // guards trees
	trees map[int64]*treeState
}

// Open opens the store in dir and creates it if dir is empty or missing. It refuses a store that is
// already open in this process or another.
func Open(dir string, o Options) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	memTable, err := openFormat(dir, o.MemTableSize)
	if err != nil {
		return nil, err
	}
	space, err := newSpace(dir, o, memTable)
	if err != nil {
		return nil, err
	}
	lock, err := lockStore(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{lock: lock, space: space, reserve: reserve{dir: dir, size: memTable + memTable/4}, trees: make(map[int64]*treeState)}
	if err := s.openIn(dir, badgerOptions(dir, memTable, badgerLogger{o.Logger, s.failWith})); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return s, nil
}

func (s *Store) openIn(dir string, o badger.Options) (err error) {
	if err := removeEmptyLogs(dir); err != nil {
		return err
	}
	if err := repairManifest(dir); err != nil {
		return err
	}
	if err := wholeTables(dir); err != nil {
		return err
	}
	if s.db, err = badger.Open(o); err != nil {
		return err
	}
	if s.dir, err = watchDirectory(dir, s.failWith); err != nil {
		return errors.Join(err, s.db.Close())
	}
	return nil
}

// removeEmptyLogs removes log files of size 0. Badger leaves one behind when it is killed between
// creating a file and giving it its size, or between truncating and removing it, and then refuses to
// open. A log file that was ever written to has its full size. The reserve has size 0.
func removeEmptyLogs(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		ext := filepath.Ext(f.Name())
		if ext != logSuffix && ext != ".vlog" {
			continue
		}
		info, err := f.Info()
		if err == nil && info.Size() == 0 {
			err = os.Remove(filepath.Join(dir, f.Name()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// badgerOptions follow docs/design. Every difference from Badger's defaults has a reason and a test.
func badgerOptions(dir string, memTable int64, logger badgerLogger) badger.Options {
	return badger.DefaultOptions(dir).
		WithSyncWrites(true).                                        // durable before promised
		WithChecksumVerificationMode(options.OnTableAndBlockRead).   // rot is an error, not data
		WithValueThreshold(maxRecord).WithValueLogFileSize(1 << 20). // all inline, value log unused
		WithCompression(options.None).                               // blocks are mapped, not cached
		WithBlockCacheSize(0).                                       //
		WithMemTableSize(memTable).                                  // see openFormat
		WithDetectConflicts(false).                                  // one writer per tree
		WithNumVersionsToKeep(1).                                    //
		WithNumCompactors(0).                                        // tables are never merged, see doc.go
		WithNumLevelZeroTablesStall(math.MaxInt).                    // nor waited for until they are
		WithBloomFalsePositive(0.001).                               // every lookup asks all tables
		WithMetricsEnabled(false).WithLogger(logger)                 //
}

// Close flushes and closes the store. It returns ledger.ErrUnclosed if Badger does not stop. Later
// calls return the same.
func (s *Store) Close() error {
	s.closing.Do(func() {
		s.reserve.giveBack()
		if s.closeErr = s.closeBadger(); errors.Is(s.closeErr, ledger.ErrUnclosed) {
			return // Badger is still writing: the directory stays locked
		}
		s.closeErr = errors.Join(s.closeErr, s.dir.close(), s.lock.Close())
	})
	return s.closeErr
}

// closeGrace is how long Badger may go on repeating a failed write while it closes.
var closeGrace = 5 * time.Second

// closeBadger closes Badger but does not wait for ever: Badger repeats a failed write without end,
// and on a failed disk the process would never exit.
func (s *Store) closeBadger() error {
	closed := make(chan error, 1)
	go func() { closed <- s.db.Close() }()
	for {
		select {
		case err := <-closed:
			return err
		case <-time.After(closeGrace):
			if err := s.Err(); err != nil {
				return fmt.Errorf("%w: %w", ledger.ErrUnclosed, err)
			}
		}
	}
}

// Tables returns how many tables the store has on disk. A look-up of an identity hash asks all of
// them, and they are never merged.
func (s *Store) Tables() int {
	n := 0
	for _, level := range s.db.Levels() {
		n += level.NumTables
	}
	return n
}

// AddBytes returns how many bytes of keys and values certainly fit into one transaction.
func (s *Store) AddBytes() int { return int(s.db.MaxBatchSize()) / 2 }

// Err returns the FatalError that made the store unusable, or nil.
func (s *Store) Err() error {
	if e := s.fatal.Load(); e != nil {
		return e
	}
	return nil
}

func (s *Store) failWith(err error) error {
	s.fatal.CompareAndSwap(nil, &FatalError{Err: err})
	return s.Err()
}

// commitDurably makes txn durable. After an error its outcome is unknown: Badger has been seen to
// keep transactions that it reported as failed.
func (s *Store) commitDurably(txn *badger.Txn, b *Batch) error {
	if err := s.Err(); err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return b.atStep("commit") }, txn.Commit,
		func() error { return b.atStep("committed") }, s.dir.syncFiles,
		func() error { return b.atStep("synced") },
	} {
		if err := step(); err != nil {
			return s.failWith(err)
		}
	}
	return nil
}

// readOnly runs f in a read-only transaction.
func (s *Store) readOnly(f func(txn *badger.Txn) error) error {
	if err := s.Err(); err != nil {
		return err
	}
	txn := s.db.NewTransaction(false)
	defer txn.Discard()
	return f(txn)
}

// getValue returns a copy of the value of key, or nil if there is none.
func getValue(txn *badger.Txn, key []byte) ([]byte, error) {
	item, err := txn.Get(key)
	if errors.Is(err, badger.ErrKeyNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return item.ValueCopy(nil)
}

// badgerLogger passes Badger's warnings and errors on and drops the rest. Badger logs errors of the
// background, which have no caller. They end the store: Badger would try again after a failed sync,
// when the content of the disk is unknown.
type badgerLogger struct {
	l    *slog.Logger
	fail func(error) error
}

func (b badgerLogger) Errorf(format string, args ...any) {
	b.fail(fmt.Errorf("badger: "+format, args...))
	if b.l != nil {
		b.l.Error("badger: " + fmt.Sprintf(format, args...))
	}
}

func (b badgerLogger) Warningf(format string, args ...any) {
	if b.l != nil {
		b.l.Warn("badger: " + fmt.Sprintf(format, args...))
	}
}

func (b badgerLogger) Infof(string, ...any)  {}
func (b badgerLogger) Debugf(string, ...any) {}
