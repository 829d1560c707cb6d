package logbench

import (
	"context"
	"fmt"
	"sync"
	"time"

	sumdb "golang.org/x/mod/sumdb/tlog"

	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/tlog"
)

// Loop does the least work of a client that does not trust an order of entries: it hands an entry in,
// asks for the newest tree, reads the new leaves and computes the root. It stores and signs nothing,
// so it is the yardstick of front ends.
type Loop struct {
	order ledger.Order
	stop  context.CancelFunc
	ended chan struct{}

	mu      sync.Mutex
	waiting map[sumdb.Hash]chan struct{}
	failed  error
	over    chan struct{} // closed when failed is set

	hashes []sumdb.Hash // used by one goroutine only
	size   uint64
	fresh  []sumdb.Hash // read, but not under a root yet
}

// loopPause is how long a front end waits at least as well while it has entries under way.
const loopPause = 10 * time.Millisecond

// OpenLoop begins to read an order, which must be empty.
func OpenLoop(order ledger.Order) *Loop {
	ctx, stop := context.WithCancel(context.Background())
	l := &Loop{order: order, stop: stop, ended: make(chan struct{}), waiting: map[sumdb.Hash]chan struct{}{}, over: make(chan struct{})}
	go l.readOn(ctx)
	return l
}

// Close stops reading.
func (l *Loop) Close() {
	l.stop()
	<-l.ended
}

// Append hands an entry in and returns once it is under a root computed here.
func (l *Loop) Append(ctx context.Context, entry []byte) error {
	done := make(chan struct{})
	hash := sumdb.RecordHash(entry)
	l.mu.Lock()
	l.waiting[hash] = done
	l.mu.Unlock()
	for begun := time.Now(); ; {
		err := l.order.Queue(ctx, entry, nil)
		if err == nil {
			break
		}
		if ctx.Err() != nil || time.Since(begun) > patience {
			return err
		}
	}
	select {
	case <-done:
		return nil
	case <-l.over:
		return l.failed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// patience is how long a failed call is repeated, as by every client of a busy cluster.
const patience = 20 * time.Second

func (l *Loop) readOn(ctx context.Context) {
	defer close(l.ended)
	for well := time.Now(); ctx.Err() == nil; {
		switch err := l.readNew(ctx); {
		case err == nil:
			well = time.Now()
		case ctx.Err() == nil && time.Since(well) > patience:
			l.failed = err
			close(l.over)
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(loopPause):
		}
	}
}

// readNew reads what is new and wakes the waiting calls.
func (l *Loop) readNew(ctx context.Context) error {
	size, root, err := l.order.Head(ctx)
	if err != nil || size <= l.size {
		return err
	}
	for l.size < size {
		if err := l.leaves(ctx, size); err != nil {
			return err
		}
	}
	computed, err := sumdb.TreeHash(int64(size), l)
	if err == nil && tlog.Hash(computed) != root {
		err = fmt.Errorf("logbench: the tree says that %d entries have the root %x, they have %x", size, root, computed)
	}
	if err == nil {
		l.wake(l.fresh)
		l.fresh = nil
	}
	return err
}

// leaves reads leaves up to size; it may stop earlier.
func (l *Loop) leaves(ctx context.Context, size uint64) error {
	for leaf, err := range l.order.Leaves(ctx, l.size, size) {
		if err != nil {
			return err
		}
		hash := sumdb.RecordHash(leaf.Entry)
		stored, err := sumdb.StoredHashesForRecordHash(int64(l.size), hash, l)
		if err != nil {
			return err
		}
		l.hashes, l.fresh = append(l.hashes, stored...), append(l.fresh, hash)
		l.size++
	}
	return nil
}

func (l *Loop) wake(fresh []sumdb.Hash) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, hash := range fresh {
		if done, ok := l.waiting[hash]; ok {
			close(done)
			delete(l.waiting, hash)
		}
	}
}

// ReadHashes implements golang.org/x/mod/sumdb/tlog.HashReader.
func (l *Loop) ReadHashes(indexes []int64) (list []sumdb.Hash, err error) {
	for _, i := range indexes {
		list = append(list, l.hashes[i])
	}
	return list, nil
}
