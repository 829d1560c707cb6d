package ledger

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pakli/pakli/ledger/tlog"
)

// trouble is why rounds fail, and since when.
type trouble struct {
	err   error
	since time.Time
}

// stuckReason is why entries that were handed in do not come to be in the log, and how many the order showed then.
type stuckReason struct {
	err   error
	shown uint64
}

// patience is for how long entries are taken though rounds fail: an election of the
// register, or a log server that dies, is over sooner.
const patience = 1200 * time.Millisecond

const (
	defaultPoll = 200 * time.Millisecond // between two looks at the order while nothing is under way
	busyPoll    = 10 * time.Millisecond  // while something is, at least; see pace
	slowPoll    = 40 * time.Millisecond  // and at most
	othersPoll  = 50 * time.Millisecond  // between two rounds for what others alone have promised
	failedPoll  = 50 * time.Millisecond  // after a round that failed
	stuckAfter  = 3 * time.Second        // that an entry has waited for the order, which is longer than any part's death takes
	standstill  = 30 * time.Second       // without a round that does anything, before Open gives up
	queueAgain  = 500 * time.Millisecond // before an entry is handed in once more whose fate is unknown
)

// orderFollower is a follower at work, and who waits for it.
type orderFollower struct {
	follower
	own   *Ledger
	poll  time.Duration
	timed func(stage string, took time.Duration)
	nudge chan struct{} // has a value if the next round is wanted now
	ctx   context.Context
	end   context.CancelFunc
	log   *slog.Logger

	trouble atomic.Pointer[trouble]     // of the last round; nil: there was none
	refused atomic.Pointer[trouble]     // why the order did not take the entry that was handed in last; nil: it did
	stuck   atomic.Pointer[stuckReason] // nil: what is handed in comes to be in the log
	asks    func()                      // is called when trouble begins
	shown   atomic.Uint64               // the size that the order showed last
	late    atomic.Uint64               // promises that others made first

	looking  sync.Mutex
	lookNext *registerLook // of those who came since the register was asked last
	lookOne  sync.Mutex    // held while it is asked

	waiting sync.Mutex
	limit   int
	takes   time.Duration // entries lately, until they are in the store
	flights map[tlog.Hash]*flight
	landed  []*flight // in the store and not promised, by index
}

// A flight is an entry on its way through the order.
type flight struct {
	begun  time.Time
	stored time.Time
	people int  // who wait for it
	placed bool // it has an index
	index  uint64

	done   chan struct{} // closed when what follows is set
	signed tlog.Checkpoint
	border *border // of its tree
}

func newFollowing(l *Ledger, o Options, limit int) *orderFollower {
	f := &orderFollower{
		follower: follower{order: o.Order, register: o.Register, copy: ownCopy{l}},
		own:      l, poll: o.Poll, timed: o.Timed, asks: o.Trouble, nudge: make(chan struct{}, 1), log: l.logger, limit: limit, flights: map[tlog.Hash]*flight{},
	}
	if f.poll == 0 {
		f.poll = defaultPoll
	}
	if f.timed == nil {
		f.timed = func(string, time.Duration) {}
	}
	if f.asks == nil {
		f.asks = func() {}
	}
	f.ctx, f.end = context.WithCancel(context.Background())
	l.published.Store(&publishedHead{superseded: make(chan struct{})})
	return f
}

// catchUp follows up to the promise of the register, which is of size entries at least, and
// publishes that.
func (f *orderFollower) catchUp(size uint64) error {
	l := f.own
	for last := time.Now(); ; {
		begun := time.Now()
		moved, err := f.goRound(f.ctx)
		f.reportRound(begun, err)
		switch {
		case isLasting(err):
			return err
		case !l.published.Load().at.IsZero() && l.published.Load().checkpoint.Size >= size:
			return nil // the promise was within the store, and was signed
		case moved:
			last = time.Now()
		case time.Since(last) > standstill && err == nil:
			return fmt.Errorf("%w: %d entries were promised once, the register promises fewer", ErrRolledBack, size)
		case time.Since(last) > standstill:
			return fmt.Errorf("this front end cannot follow its log up to what was promised: %w", err)
		default:
			time.Sleep(failedPoll)
		}
	}
}

// run goes round until the log is closed, or has failed.
func (f *orderFollower) run() {
	l := f.own
	defer close(l.sequenced)
	defer l.confirmPromised()
	go f.watchRegister()
	for f.ctx.Err() == nil {
		begun := time.Now()
		moved, err := f.goRound(f.ctx)
		f.reportRound(begun, err)
		if isLasting(err) {
			l.failWith(err)
			return
		}
		if f.restUntilDue(begun, moved, err); !moved {
			l.confirmPromised()
		}
	}
}

func (f *orderFollower) stop() { f.end() }

// restUntilDue waits until the next round is due after one that began then. Whoever wants one sooner than the pace
// shares it with others: each costs a call of the log server, and a write of everybody's if something is new.
func (f *orderFollower) restUntilDue(begun time.Time, moved bool, err error) {
	pause := f.poll + rand.N(f.poll/8+1)
	switch {
	case err != nil:
		pause = failedPoll
	case moved || f.hasFlights():
		pause = f.roundPace()
	}
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-t.C:
	case <-f.nudge:
		f.pauseFor(f.roundPace() - time.Since(begun))
	case <-f.ctx.Done():
	}
}

// roundPace is the time between two rounds while entries are under way: an eighth of what they take, so that
// looking costs little of it, and a front end with much to do does not look more often than there is something to see.
func (f *orderFollower) roundPace() time.Duration {
	f.waiting.Lock()
	defer f.waiting.Unlock()
	return min(max(f.takes/8, busyPoll), slowPoll)
}

// reportRound notes how a round went that began then, and says so when that changes.
func (f *orderFollower) reportRound(begun time.Time, err error) {
	f.shown.Store(f.seen)
	f.late.Store(f.lost)
	before := f.trouble.Load()
	switch {
	case f.ctx.Err() != nil:
	case err == nil && before != nil:
		f.trouble.Store(nil)
		f.log.Info("the log goes on by its cluster")
	case err != nil && before == nil:
		f.trouble.Store(&trouble{err, begun}) // what has timed out has lasted
		f.log.Warn("the log cannot go on by its cluster; what it has is served", "err", err)
		f.asks()
	case err != nil:
		f.trouble.Store(&trouble{err, before.since})
		if isBehind(err) && !isBehind(before.err) { // the database is back, and is not what it was
			f.log.Warn("the log cannot go on by its cluster yet; what it has is served", "err", err)
		}
	}
	if err == nil {
		f.reportStuck()
	}
}

// reportStuck says when entries that were handed in come to be stuck though rounds are well, and when the
// cluster integrates something again. That nobody waits any more says nothing.
func (f *orderFollower) reportStuck() {
	waiting, oldest := f.unplacedEntries()
	before := f.stuck.Load()
	switch {
	case waiting > 0 && time.Since(oldest) > stuckAfter:
		now := &stuckReason{f.whyStuck(waiting), f.seen}
		if f.stuck.Store(now); before == nil {
			f.log.Warn("the log stands still; what it has is served", "err", now.err, "for", time.Since(oldest))
			f.asks()
		}
	case before != nil && f.seen > before.shown:
		f.stuck.Store(nil)
		f.log.Info("what is handed in comes to be in the log again")
	}
}

// whyStuck is what can be known here: a log server has said why it takes nothing, or the rest of the
// cluster has not done its part.
func (f *orderFollower) whyStuck(waiting int) error {
	if r := f.refused.Load(); r != nil {
		return fmt.Errorf("entries wait (%d), and the cluster takes none since %v: log server: %w", waiting, r.since.UTC().Format(time.TimeOnly), r.err)
	}
	return fmt.Errorf("entries wait (%d) that the cluster has taken and does not integrate: look at its signers, and at the disk and the standby of its database", waiting)
}

// unplacedEntries are the entries that are not in the store, and when the oldest of them came.
func (f *orderFollower) unplacedEntries() (waiting int, oldest time.Time) {
	f.waiting.Lock()
	defer f.waiting.Unlock()
	for _, w := range f.flights {
		if w.placed {
			continue
		}
		if waiting++; oldest.IsZero() || w.begun.Before(oldest) {
			oldest = w.begun
		}
	}
	return waiting, oldest
}

// watchRegister makes a round begin when another front end has promised something. While entries are
// under way rounds come anyway, and a swap that is lost says what was promised.
func (f *orderFollower) watchRegister() {
	for f.ctx.Err() == nil {
		if f.hasFlights() {
			f.pauseFor(othersPoll)
			continue
		}
		p := f.latestPromise()
		changed, err := f.register.PromiseChanged(f.ctx, p)
		if err != nil {
			f.pauseFor(f.poll)
			continue
		}
		select {
		case <-changed:
		case <-f.ctx.Done():
			return
		}
		f.promiseChanged(p)
		f.wakeRound()
		f.pauseFor(othersPoll)
	}
}

func (f *orderFollower) pauseFor(d time.Duration) {
	select {
	case <-time.After(d):
	case <-f.ctx.Done():
	}
}

func (f *orderFollower) wakeRound() {
	select {
	case f.nudge <- struct{}{}:
	default:
	}
}

func (f *orderFollower) hasFlights() bool {
	f.waiting.Lock()
	defer f.waiting.Unlock()
	return len(f.flights) > 0
}

// reasonBusy is why no entries are taken; nil if nothing is wrong, or not for long.
func (f *orderFollower) reasonBusy() error {
	t := f.trouble.Load()
	if t == nil || !isBehind(t.err) && time.Since(t.since) < patience {
		return nil
	}
	return fmt.Errorf("%w: %w", tlog.ErrBusy, t.err)
}

// placeEntry implements ordering. An entry is handed in until it is
// seen in the log: the first answer may be lost, the tree takes it once.
func (f *orderFollower) placeEntry(ctx context.Context, entry []byte, blobs [][]byte) (placedEntry, error) {
	l, leaf := f.own, tlog.LeafHash(entry)
	flight, err := f.boardFlight(leaf)
	if err != nil {
		return placedEntry{}, err
	}
	defer f.leaveFlight(leaf)
	// Not before: what comes to the store from now on is told to the flight.
	if index, ok, err := l.store.Lookup(leaf); ok || err != nil {
		if err != nil {
			return placedEntry{}, err
		}
		return l.placeAt(ctx, index)
	}
	if err := l.Ready(ctx); err != nil {
		return placedEntry{}, err
	}
	if err := f.queueEntry(ctx, flight, bytes.Clone(entry), blobs); err != nil {
		return placedEntry{}, err
	}
	f.wakeRound()
	select {
	case <-flight.done:
		return placedEntry{flight.index, flight.signed, flight.border}, nil
	case <-ctx.Done():
		return placedEntry{}, ctx.Err()
	case <-l.failed:
		return placedEntry{}, l.Err()
	case <-l.sequenced:
		return placedEntry{}, cmp.Or(l.Err(), ErrClosed)
	}
}

// queueEntry hands an entry in, again and again until the order has it or somebody has seen
// it in the log.
func (f *orderFollower) queueEntry(ctx context.Context, seen *flight, entry []byte, blobs [][]byte) error {
	asked := false // and perhaps taken
	for {
		begun := time.Now()
		err := f.order.Queue(ctx, entry, blobs)
		f.timed("queue", time.Since(begun))
		if ctx.Err() == nil {
			f.noteRefusal(begun, err)
		}
		if err == nil || !asked && errors.Is(err, tlog.ErrBusy) {
			return err
		}
		asked = true
		if done, failed := f.pauseQueue(ctx, seen); done {
			return nil
		} else if failed != nil {
			return fmt.Errorf("%w: log server: %w", failed, err)
		}
	}
}

// pauseQueue waits before an entry is handed in once more, and for as long as the order lacks what was promised:
// what it took then would be another history. done says that somebody has seen the entry.
func (f *orderFollower) pauseQueue(ctx context.Context, seen *flight) (done bool, err error) {
	for again := true; again; {
		select {
		case <-seen.done:
			return true, nil
		case <-ctx.Done():
			return false, ctx.Err()
		case <-f.ctx.Done():
			return false, ErrClosed
		case <-time.After(queueAgain):
		}
		t := f.trouble.Load()
		again = t != nil && isBehind(t.err)
	}
	return false, nil
}

// noteRefusal notes whether the order takes entries, and since when it does not.
func (f *orderFollower) noteRefusal(begun time.Time, err error) {
	before := f.refused.Load()
	switch {
	case err == nil:
		f.refused.Store(nil)
	case before == nil:
		f.refused.Store(&trouble{err, begun})
	default:
		f.refused.Store(&trouble{err, before.since})
	}
}

// boardFlight waits for an entry, with all others who do.
func (f *orderFollower) boardFlight(leaf tlog.Hash) (*flight, error) {
	f.waiting.Lock()
	defer f.waiting.Unlock()
	p := f.flights[leaf]
	if p == nil {
		if len(f.flights) >= f.limit {
			return nil, fmt.Errorf("%w: %d entries are waiting", tlog.ErrBusy, len(f.flights))
		}
		p = &flight{begun: time.Now(), done: make(chan struct{})}
		f.flights[leaf] = p
	}
	p.people++
	return p, nil
}

// leaveFlight ends the wait of one. Whatever comes of the entry, it is found in the log.
func (f *orderFollower) leaveFlight(leaf tlog.Hash) {
	f.waiting.Lock()
	defer f.waiting.Unlock()
	if p := f.flights[leaf]; p != nil {
		if p.people--; p.people == 0 {
			delete(f.flights, leaf)
		}
	}
}

// notePlaced notes the indexes of entries that are in the store now.
func (f *orderFollower) notePlaced(list []*pendingEntry) {
	f.waiting.Lock()
	defer f.waiting.Unlock()
	for _, p := range list {
		if w := f.flights[p.leaf]; w != nil && !w.placed {
			w.placed, w.index, w.stored = true, p.index, time.Now()
			f.timed("integrate", w.stored.Sub(w.begun))
			f.takes += (w.stored.Sub(w.begun) - f.takes) / 8
			f.landed = append(f.landed, w)
		}
	}
}

// answerPromised answers who waits for what a checkpoint covers.
func (f *orderFollower) answerPromised(c tlog.Checkpoint) {
	f.waiting.Lock()
	defer f.waiting.Unlock()
	shared := new(border)
	for len(f.landed) > 0 && f.landed[0].index < c.Size {
		w := f.landed[0]
		f.landed = f.landed[1:]
		w.signed, w.border = c, shared
		f.timed("promise", time.Since(w.stored))
		close(w.done)
	}
}

// Following is the state of a log that follows an order, for its operator.
type Following struct {
	Shown    uint64        // entries that the order showed last
	Promised uint64        // entries in the register's last known promise
	Own      uint64        // entries signed here
	Lost     uint64        // promises that another front end made first
	Waiting  int           // entries handed in and not yet answered
	Oldest   time.Duration // how long the oldest of them has waited
	Err      error         // why nothing is promised now
	Stuck    error         // why handed-in entries do not get into the log
}

// Following looks at how a log follows; false if it is kept alone.
func (l *Ledger) Following() (Following, bool) {
	f := l.following
	if f == nil {
		return Following{}, false
	}
	waiting, oldest := f.waitingState()
	s := Following{Shown: f.shown.Load(), Promised: f.latestPromise().Size, Own: l.published.Load().checkpoint.Size, Lost: f.late.Load(), Waiting: waiting}
	if !oldest.IsZero() {
		s.Oldest = time.Since(oldest)
	}
	if t := f.stuck.Load(); t != nil {
		s.Stuck = t.err
	}
	s.Err = f.reasonBusy()
	return s, true
}

func (f *orderFollower) waitingState() (waiting int, oldest time.Time) {
	f.waiting.Lock()
	defer f.waiting.Unlock()
	for _, w := range f.flights {
		if oldest.IsZero() || w.begun.Before(oldest) {
			oldest = w.begun
		}
	}
	return len(f.flights), oldest
}

// CatchUp returns when everything is here that was promised anywhere before the call: what
// is not in the log then, nobody was told of. Alone it is so at once.
func (l *Ledger) CatchUp(ctx context.Context) (tlog.Checkpoint, error) {
	f := l.following
	if f == nil {
		return l.Checkpoint(ctx)
	}
	p, err := f.loadPromise(ctx)
	if err != nil {
		return tlog.Checkpoint{}, fmt.Errorf("register: %w", err)
	}
	if c := l.published.Load().checkpoint; c.Size >= p.Size {
		return c, nil
	}
	f.promiseChanged(f.latestPromise())
	f.wakeRound()
	return l.awaitSize(ctx, p.Size-1)
}

// A look at the register, for all who came before it began.
type registerLook struct {
	done    chan struct{}
	promise Promise
	err     error
}

// loadPromise loads the promise after the call, once for many.
func (f *orderFollower) loadPromise(ctx context.Context) (Promise, error) {
	f.looking.Lock()
	mine := f.lookNext
	if mine == nil {
		mine = &registerLook{done: make(chan struct{})}
		f.lookNext = mine
		go f.beginLook(mine)
	}
	f.looking.Unlock()
	select {
	case <-mine.done:
		return mine.promise, mine.err
	case <-ctx.Done():
		return Promise{}, ctx.Err()
	}
}

func (f *orderFollower) beginLook(l *registerLook) {
	f.lookOne.Lock()
	defer f.lookOne.Unlock()
	f.looking.Lock()
	f.lookNext = nil // who comes now is too late for this one
	f.looking.Unlock()
	l.promise, l.err = f.register.Load(f.ctx)
	close(l.done)
}
