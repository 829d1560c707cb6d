package ledger

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pakli/pakli/ledger/tlog"
)

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
