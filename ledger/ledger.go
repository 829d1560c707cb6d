package ledger

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/tlog"
)

var _ tlog.Log = (*Ledger)(nil)

// ErrClosed is returned by all calls after Close.
var ErrClosed = errors.New("the log is closed")

const defaultQueue = 2048

// Options configure a log. Signer and Store are required.
type Options struct {
	// Signer signs the checkpoints. Its name is the log's origin.
	Signer note.Signer

	// Store is the kind of store that keeps the log: badgerstore.Options{}.
	Store Stores

	// Also are further keys of the log, with the same name. Every checkpoint also carries their
	// signatures.
	Also []note.Signer

	// Logger receives warnings and errors; nil drops them.
	Logger *slog.Logger

	// Queue is the number of entries that may wait; 0 means 2048. Beyond it Append returns
	// tlog.ErrBusy.
	Queue int

	// Order and Register, both or neither, make the log follow an order, see [Order]. Follows names
	// both in one line, as in the directory's marker.
	Order    Order
	Register Register
	Follows  string
	Timed    func(stage string, took time.Duration) // told how long an entry took to queue, to integrate since then, and to promise after that; it must return at once
	Trouble  func()                                 // called when what is followed begins to fail the log, so that somebody looks why; it must return at once
	Poll     time.Duration                          // between two looks at the order while nothing is under way; 0: 200 ms

	// Committed is called with each published batch: the number of new entries, and the time since
	// the first of them came. It must return at once.
	Committed func(entries int, took time.Duration)

	step stepHook
}

// stepHook, in tests of faults, is called at every step of a batch. An error of its
// is that step's.
type stepHook func(step string) error

func (s stepHook) atStep(step string) error {
	if s == nil {
		return nil
	}
	return s(step)
}

// A Ledger is an open log. Its methods may be called concurrently.
type Ledger struct {
	signer    note.Signer
	also      []note.Signer
	logger    *slog.Logger
	committed func(entries int, took time.Duration)
	step      stepHook

	lock    *flock.Flock
	promise *promiseFile
	store   Store
	engine  *engine

	dir string

	order     ordering
	following *orderFollower // the order, where others decide it; otherwise nil
	published atomic.Pointer[publishedHead]
	cosigning sync.Mutex // held by PublishCosigned
	cosigned  atomic.Pointer[tlog.Checkpoint]
	held      atomic.Bool   // see HoldEntries
	sequenced chan struct{} // closed when nothing is appended any more

	gate   sync.RWMutex   // closed is written under it
	closed bool           // nothing enters any more
	inside sync.WaitGroup // calls that use the store

	failing sync.Once
	failed  chan struct{} // closed on failure
	failure error         // written before failed is closed
}

// publishedHead is the newest checkpoint and the promise of the one after it.
type publishedHead struct {
	checkpoint tlog.Checkpoint
	at         time.Time
	superseded chan struct{} // closed when there is a newer one
}

// Open opens the log in dir. It refuses
//
//   - a directory without a log: ErrNotCreated,
//   - one of another version, or of another key than o.Signer's,
//   - one that is open elsewhere: ErrLocked,
//   - a store that does not have everything the log may have signed, or has
//     something else: ErrRolledBack.
//
// On return the log's current checkpoint is signed and published.
func Open(dir string, o Options) (*Ledger, error) {
	if err := o.checkFollowing(); err != nil {
		return nil, err
	}
	if err := checkMarker(dir, o.Signer, o.Follows); err != nil {
		return nil, err
	}
	for _, s := range o.Also {
		if s.Name() != o.Signer.Name() {
			return nil, fmt.Errorf("a key of %q cannot sign for the log %q", s.Name(), o.Signer.Name())
		}
	}
	l := newLedger(o)
	if err := l.openIn(dir, o); err != nil {
		return nil, errors.Join(err, l.release())
	}
	go l.order.run()
	return l, nil
}

// checkFollowing refuses half of what following takes.
func (o Options) checkFollowing() error {
	if follows := o.Order != nil; follows != (o.Register != nil) || follows != (o.Follows != "") {
		return errors.New("a log that follows needs an order, a register and their names, another one none of them")
	}
	return nil
}

func newLedger(o Options) *Ledger {
	logger := o.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &Ledger{
		signer:    o.Signer,
		also:      o.Also,
		logger:    logger,
		committed: o.Committed,
		step:      o.step,
		sequenced: make(chan struct{}),
		failed:    make(chan struct{}),
	}
}

// openIn acquires everything, and begins with what was promised.
func (l *Ledger) openIn(dir string, o Options) error {
	if err := l.acquireAll(dir, o); err != nil {
		return err
	}
	limit := o.Queue
	if limit == 0 {
		limit = defaultQueue
	}
	if o.Order == nil {
		own := &sequencer{Ledger: l, queue: &batchQueue{wake: make(chan struct{}, 1), limit: limit, batchBytes: l.store.AddBytes()}}
		l.order = own
		return own.resumePublished()
	}
	l.following = newFollowing(l, o, limit)
	l.order = l.following
	if err := l.comparePromised(); err != nil {
		return err
	}
	if err := l.following.catchUp(0); err != nil {
		return err
	}
	return l.adoptCosigned()
}

// acquireAll takes everything in order; release gives back what it has.
func (l *Ledger) acquireAll(dir string, o Options) (err error) {
	l.dir = dir
	if l.lock, err = lockDirectory(dir); err != nil {
		return err
	}
	if err := sweepTemporary(dir); err != nil {
		return err
	}
	if l.promise, err = openPromise(filepath.Join(dir, promiseName), o.Signer.Name()); err != nil {
		return err
	}
	l.promise.step = o.step
	if _, err := os.Stat(filepath.Join(dir, storeDir)); err != nil {
		return err
	}
	if l.store, err = o.Store.OpenStore(filepath.Join(dir, storeDir), l.logger); err != nil {
		return err
	}
	l.engine, err = newEngine(l.store, o.step)
	return err
}

// comparePromised holds the store against what was promised and cosigned.
func (l *Ledger) comparePromised() error {
	current := l.engine.head()
	for _, promised := range []head{l.promise.last.kept, l.promise.last.next} {
		if err := l.checkPromised(current, promised); err != nil {
			return err
		}
	}
	if last := l.promise.last; current == last.kept && current != last.next {
		l.promise.overwriteLast()
	}
	return l.resumeCosigned()
}

// resumePublished compares the store with the promise and publishes its head.
func (l *sequencer) resumePublished() error {
	if err := l.comparePromised(); err != nil {
		return err
	}
	current := l.engine.head()
	l.notary = newNotary(l.promise, l.signer, l.also)
	c, err := l.notary.notarize(headPromise{kept: current, next: current})
	if err != nil {
		l.notary.stop()
		return err
	}
	l.publishCheckpoint(c)
	return nil
}

// checkPromised verifies that the store has what was promised. The one thing
// that it need not have is the batch that was being committed at the end.
func (l *Ledger) checkPromised(current, promised head) error {
	if current.size < promised.size {
		if current == l.promise.last.kept {
			return nil
		}
		return fmt.Errorf("%w: it has %d entries, %d were promised. Going on would fork the log. "+
			"Restore the newest store (a backup that has all %d entries), or begin a new log under a new key",
			ErrRolledBack, current.size, promised.size, promised.size)
	}
	root, err := l.engine.rootAt(promised.size)
	if err != nil {
		return err
	}
	if root != promised.root {
		return fmt.Errorf("%w: at size %d its root is %v, promised was %v. This is another history; "+
			"going on would fork the log. Restore the right store, or begin a new log under a new key",
			ErrRolledBack, promised.size, root, promised.root)
	}
	return nil
}

// Close stops taking entries, answers everything that was accepted, and closes
// the store.
func (l *Ledger) Close() error {
	l.gate.Lock()
	if l.closed {
		l.gate.Unlock()
		return ErrClosed
	}
	l.closed = true
	l.gate.Unlock()
	l.order.stop()
	<-l.sequenced
	l.inside.Wait()
	return l.release()
}

func (l *Ledger) release() error {
	var errs []error
	if l.store != nil {
		errs = append(errs, l.store.Close())
		if errors.Is(errs[0], ErrUnclosed) {
			return errs[0] // and locked
		}
	}
	if l.promise != nil {
		errs = append(errs, l.promise.close())
	}
	if l.lock != nil {
		errs = append(errs, l.lock.Close())
	}
	return errors.Join(errs...)
}

// enterStore admits a call to the store until leave.
func (l *Ledger) enterStore() error {
	l.gate.RLock()
	defer l.gate.RUnlock()
	if l.closed {
		return ErrClosed
	}
	l.inside.Add(1)
	return nil
}

func (l *Ledger) leaveStore() { l.inside.Done() }

// FailedChannel is closed when the log has stopped for good, because the outcome of a
// commit is unknown or a check before signing failed. The process should exit;
// Err says why.
func (l *Ledger) FailedChannel() <-chan struct{} { return l.failed }

// Err returns the failure, nil before FailedChannel is closed.
func (l *Ledger) Err() error {
	select {
	case <-l.failed:
		return l.failure
	default:
		return nil
	}
}

// A FailureError says that the log has stopped for good: the process must exit and open the log
// again.
type FailureError struct{ Err error }

func (e *FailureError) Error() string { return fmt.Sprintf("the log has stopped: %v", e.Err) }

// Unwrap returns what happened.
func (e *FailureError) Unwrap() error { return e.Err }

func (l *Ledger) failWith(err error) {
	l.failing.Do(func() {
		l.logger.Error("the log has stopped", "err", err)
		l.failure = &FailureError{Err: err}
		close(l.failed)
	})
}
