package ledger

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pakli/pakli/ledger/tlog"
)

// idleAfter is how long the sequencer waits for more before it brings the
// promise file up to date.
const idleAfter = 20 * time.Millisecond

// Append puts an entry into the log; see tlog.Log.
func (l *Ledger) Append(ctx context.Context, entry []byte) (tlog.Receipt, error) {
	return l.AppendWith(ctx, entry, nil)
}

var _ tlog.Carrier = (*Ledger)(nil)

// AppendWith implements tlog.Carrier.
func (l *Ledger) AppendWith(ctx context.Context, entry []byte, blobs [][]byte) (tlog.Receipt, error) {
	for _, blob := range blobs {
		if len(blob) > tlog.MaxBlob {
			return tlog.Receipt{}, fmt.Errorf("file of %d bytes: %w", len(blob), tlog.ErrTooLarge)
		}
	}
	if err := cmp.Or(tlog.CheckSize(entry), ctx.Err()); err != nil {
		return tlog.Receipt{}, err
	}
	if err := l.enterStore(); err != nil {
		return tlog.Receipt{}, err
	}
	defer l.leaveStore()
	p, err := l.order.placeEntry(ctx, entry, blobs)
	if err != nil {
		return tlog.Receipt{}, err
	}
	hashes, err := l.engine.inclusionPath(p.index, p.checkpoint.Size, p.border)
	if err != nil {
		return tlog.Receipt{}, fmt.Errorf("the entry is in the log, its receipt could not be made: %w", err)
	}
	return tlog.Receipt{Index: p.index, Hashes: hashes, Checkpoint: p.checkpoint.Note}, nil
}

// ordering decides the order of a log: this process does, or follows who does.
type ordering interface {
	// placeEntry puts an entry with its blobs into the log, unless it is there.
	placeEntry(ctx context.Context, entry []byte, blobs [][]byte) (placedEntry, error)
	// run appends until it is stopped. What was accepted by then, it answers.
	run()
	stop()
	// waitingState says how many entries wait, and since when the oldest does.
	waitingState() (int, time.Time)
	// reasonBusy is why no entries are taken; nil if nothing is wrong, or not for long.
	reasonBusy() error
}

// placedEntry is where an entry is, and a published checkpoint that covers it, with the border of its tree.
type placedEntry struct {
	index      uint64
	checkpoint tlog.Checkpoint
	border     *border
}

// placeAt is of an entry that the store has: it may be committed and not yet published.
func (l *Ledger) placeAt(ctx context.Context, index uint64) (placedEntry, error) {
	c, err := l.awaitSize(ctx, index)
	return placedEntry{index, c, new(border)}, err
}

// sequencer is the ordering of a log that is this process's alone.
type sequencer struct {
	*Ledger
	notary *notary
	queue  *batchQueue
}

func (l *sequencer) placeEntry(ctx context.Context, entry []byte, blobs [][]byte) (placedEntry, error) {
	for _, blob := range blobs {
		if err := l.PutBlob(ctx, blob); err != nil {
			return placedEntry{}, err
		}
	}
	p := &pendingEntry{leaf: tlog.LeafHash(entry)}
	index, ok, known, err := l.store.LookupBefore(p.leaf)
	switch {
	case err != nil:
		return placedEntry{}, err
	case ok:
		return l.placeAt(ctx, index)
	case l.held.Load():
		return placedEntry{}, tlog.ErrUnconfirmed
	}
	p.known = known
	// A copy: the sequencer may still be at it when ctx ends.
	p.entry = append(make([]byte, 0, len(entry)), entry...)
	b, err := l.queue.addEntry(p)
	if err != nil {
		return placedEntry{}, err
	}
	select {
	case <-b.done:
		return placedEntry{p.index, b.checkpoint, &b.border}, b.err
	case <-ctx.Done():
		return placedEntry{}, ctx.Err()
	}
}

func (l *sequencer) stop() { l.queue.close() }

func (l *sequencer) waitingState() (int, time.Time) { return l.queue.waitingState() }

func (l *sequencer) reasonBusy() error { return nil }

// A turn is the right to prepare a batch. It comes with a channel that is closed
// when the batch before has been committed and answered, or has failed.
type batchTurn chan struct{}

// run appends until the queue is closed and empty. Two goroutines take
// turns: while one waits for the disk to have its batch, the other prepares the
// next one on top of it, and then waits for it in turn. Commits follow each
// other; there are never two.
func (l *sequencer) run() {
	defer close(l.sequenced)
	defer l.notary.stop()
	turns := make(chan batchTurn, 1)
	first := make(batchTurn)
	close(first)
	turns <- first
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			for before := range turns {
				l.takeTurn(before, turns)
			}
		})
	}
	both.Wait()
}

// takeTurn appends one batch, or ends the sequence.
func (l *sequencer) takeTurn(before batchTurn, turns chan<- batchTurn) {
	b := l.nextBatch(before)
	if b == nil {
		close(turns)
		return
	}
	mine := make(batchTurn)
	defer func() {
		<-before // also where b came to nothing
		close(mine)
	}()
	pass := sync.OnceFunc(func() { turns <- mine })
	defer pass()
	l.appendBatch(b, before, pass)
}

// nextBatch waits for a batch, nil if there will be none. When nothing comes for
// a while, and at the end, it settles the promise.
func (l *sequencer) nextBatch(before batchTurn) *batch {
	idle := time.NewTimer(idleAfter)
	defer idle.Stop()
	for {
		b, closed := l.queue.takeBatch()
		if b != nil {
			return b
		}
		if closed {
			<-before
			l.confirmPromised()
			return nil
		}
		select {
		case <-l.queue.wake:
		case <-idle.C:
			<-before
			l.confirmPromised()
		}
	}
}

// confirmPromised records that the head last promised is in the store.
func (l *Ledger) confirmPromised() {
	if l.Err() != nil {
		return // and the notary may still be at its last promise
	}
	last := l.promise.last
	if last.kept == last.next {
		return
	}
	if err := l.promise.writePromise(headPromise{kept: last.next, next: last.next}); err != nil {
		l.failWith(fmt.Errorf("promise: %w", err))
	}
}

// appendBatch puts the entries of b into the published log and answers; it
// passes the turn on as soon as the next batch can be prepared. What fails once
// the disk has been found to have room is unexpected, and its outcome unknown:
// the log stops.
func (l *sequencer) appendBatch(b *batch, before batchTurn, pass func()) {
	if err := l.Ready(context.Background()); err != nil {
		b.answerAll(tlog.Checkpoint{}, err)
		return
	}
	entries, err := l.engine.assignIndexes(b.entries, l.published.Load().checkpoint.Size)
	if err == nil && len(entries) > 0 {
		err = l.commitBatch(b, entries, before, pass)
		if err == nil && l.committed != nil {
			l.committed(len(entries), time.Since(b.begun))
		}
	}
	if err != nil {
		l.failWith(err)
	}
	<-before // where b brought nothing new, its entries may be in that batch
	b.answerAll(l.published.Load().checkpoint, l.Err())
}

// Ready says why nothing can be appended now: the log has stopped for good, it is held
// (tlog.ErrUnconfirmed), the disk is nearly full (tlog.ErrReadOnly), or those who decide the
// order are not there (tlog.ErrBusy).
func (l *Ledger) Ready(context.Context) error {
	if err := l.Err(); err != nil {
		return err
	}
	if l.held.Load() {
		return tlog.ErrUnconfirmed
	}
	return cmp.Or(l.order.reasonBusy(), l.checkSpace())
}

// checkSpace says that the disk is nearly full.
func (l *Ledger) checkSpace() error {
	free, needed, err := l.store.Space()
	if err == nil && free < needed {
		err = fmt.Errorf("%w: disk nearly full: %d MiB free, %d MiB needed", tlog.ErrReadOnly, free>>20, needed>>20)
	}
	return err
}

// commitBatch adds the new entries of b. The promise is made and the checkpoint
// signed while the store commits; the checkpoint is published when all three
// are done. See promise.go.
func (l *sequencer) commitBatch(b *batch, entries []*pendingEntry, before batchTurn, pass func()) error {
	promised := func(next head) error {
		<-before
		if err := l.Err(); err != nil {
			return err
		}
		l.notary.work <- headPromise{kept: l.promise.last.next, next: next}
		pass()
		return nil
	}
	publish := func() error {
		signed := <-l.notary.signed
		c, err := signed.checkpoint, signed.err
		if err == nil {
			err = l.promise.noteKept()
		}
		if err == nil {
			err = l.publishAtSteps(c)
		}
		if err != nil {
			return err
		}
		b.answerAll(c, nil)
		return nil
	}
	return l.engine.addEntries(entries, promised, publish)
}

// publishAtSteps is publishCheckpoint between its steps.
func (l *Ledger) publishAtSteps(c tlog.Checkpoint) error {
	if err := l.step.atStep("publish"); err != nil {
		return err
	}
	l.publishCheckpoint(c)
	return l.step.atStep("published")
}

// publishCheckpoint shows a checkpoint to everybody.
func (l *Ledger) publishCheckpoint(c tlog.Checkpoint) {
	last := l.published.Swap(&publishedHead{checkpoint: c, at: time.Now(), superseded: make(chan struct{})})
	if last != nil {
		close(last.superseded)
	}
}

// entryOverhead is a generous bound of what an entry takes in a transaction
// besides its bytes: keys, record header, its share of tiles.
const entryOverhead = 512

// pendingEntry is an entry on its way into the log.
type pendingEntry struct {
	entry []byte
	leaf  tlog.Hash
	known uint64 // the entry is not among the first known ones
	index uint64 // set by the sequencer
}

// A batch is entries that go into the log together.
type batch struct {
	entries []*pendingEntry
	bytes   int
	begun   time.Time     // when the first entry came
	done    chan struct{} // closed when what follows is set, and the indexes of the entries

	border border // of the tree of the checkpoint

	answered   bool
	checkpoint tlog.Checkpoint
	err        error
}

// answerAll releases everybody who waits for b; the first time counts. The indexes
// are set, or err is.
func (b *batch) answerAll(c tlog.Checkpoint, err error) {
	if b.answered {
		return
	}
	b.answered, b.checkpoint, b.err = true, c, err
	close(b.done)
}

// A queue holds the batches that wait for the sequencer. New entries go into
// the last one while there is room in a transaction.
type batchQueue struct {
	wake chan struct{} // has a value if there may be something to take

	mu         sync.Mutex
	batches    []*batch
	taken      []*batch // lately, and perhaps not answered yet
	waiting    int      // entries in batches
	limit      int      // of waiting
	batchBytes int
	closed     bool
}

func (q *batchQueue) addEntry(p *pendingEntry) (*batch, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, ErrClosed
	}
	if q.waiting >= q.limit {
		return nil, fmt.Errorf("%w: %d entries are waiting", tlog.ErrBusy, q.waiting)
	}
	size := len(p.entry) + entryOverhead
	if n := len(q.batches); n == 0 || q.batches[n-1].bytes+size > q.batchBytes {
		q.batches = append(q.batches, &batch{begun: time.Now(), done: make(chan struct{})})
	}
	b := q.batches[len(q.batches)-1]
	b.entries = append(b.entries, p)
	b.bytes += size
	q.waiting++
	q.signal()
	return b, nil
}

// takeBatch removes the first batch, nil if there is none.
func (q *batchQueue) takeBatch() (b *batch, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.batches) == 0 {
		return nil, q.closed
	}
	b, q.batches = q.batches[0], q.batches[1:]
	q.waiting -= len(b.entries)
	q.taken = append(slices.DeleteFunc(q.taken, (*batch).isDone), b)
	return b, false
}

func (b *batch) isDone() bool {
	select {
	case <-b.done:
		return true
	default:
		return false
	}
}

// waitingState returns how many entries have not been taken, and when the oldest came
// of those that are not answered; zero if all are.
func (q *batchQueue) waitingState() (waiting int, oldest time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, b := range slices.Concat(q.taken, q.batches) {
		if !b.isDone() {
			return q.waiting, b.begun
		}
	}
	return q.waiting, time.Time{}
}

// close refuses what comes from now on.
func (q *batchQueue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal()
}

func (q *batchQueue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}
