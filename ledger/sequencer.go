package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/tlog"
)

// idleAfter is how long the sequencer waits for more before it brings the
// promise file up to date.
const idleAfter = 20 * time.Millisecond

// entryOverhead is a generous bound of what an entry takes in a transaction
// besides its bytes: keys, record header, its share of tiles.
const entryOverhead = 512

// pending is an entry on its way into the log.
type pending struct {
	entry []byte
	leaf  tlog.Hash
	done  chan outcome // takes one value without blocking
}

type outcome struct {
	index      uint64
	checkpoint tlog.Checkpoint
	err        error
}

// Append puts an entry into the log; see tlog.Log.
func (l *Ledger) Append(ctx context.Context, entry []byte) (tlog.Receipt, error) {
	if len(entry) > tlog.MaxEntry {
		return tlog.Receipt{}, fmt.Errorf("ledger: %w: %d bytes, at most %d allowed", tlog.ErrTooLarge, len(entry), tlog.MaxEntry)
	}
	if err := ctx.Err(); err != nil {
		return tlog.Receipt{}, err
	}
	// A copy: the sequencer may still be at it when ctx ends.
	entry = append(make([]byte, 0, len(entry)), entry...)
	p := &pending{entry: entry, leaf: tlog.LeafHash(entry), done: make(chan outcome, 1)}
	if err := l.enqueue(p); err != nil {
		return tlog.Receipt{}, err
	}
	defer l.leave()
	select {
	case <-ctx.Done():
		return tlog.Receipt{}, ctx.Err()
	case o := <-p.done:
		if o.err != nil {
			return tlog.Receipt{}, o.err
		}
		return l.receipt(ctx, o)
	}
}

// enqueue admits p to the queue; the caller must leave.
func (l *Ledger) enqueue(p *pending) error {
	l.gate.RLock()
	defer l.gate.RUnlock()
	if l.closed {
		return ErrClosed
	}
	select {
	case l.queue <- p:
		l.inside.Add(1)
		return nil
	default:
		return fmt.Errorf("ledger: %w: %d entries are waiting", tlog.ErrBusy, cap(l.queue))
	}
}

func (l *Ledger) receipt(ctx context.Context, o outcome) (tlog.Receipt, error) {
	hashes, err := l.engine.inclusion(ctx, o.index, o.checkpoint.Size)
	if err != nil {
		return tlog.Receipt{}, fmt.Errorf("ledger: receipt: %w", err)
	}
	return tlog.Receipt{Index: o.index, Hashes: hashes, Checkpoint: o.checkpoint.Note}, nil
}

// sequence is the goroutine that appends. It ends when the queue is closed and
// empty.
func (l *Ledger) sequence() {
	defer close(l.sequenced)
	idle := time.NewTimer(idleAfter)
	var left *pending // did not fit into the last batch
	for {
		first := left
		left = nil
		if first == nil {
			var ok bool
			if first, ok = l.next(idle); !ok {
				return
			}
		}
		var batch []*pending
		batch, left = l.collect(first)
		l.settle(batch)
		idle.Reset(idleAfter)
	}
}

// next waits for an entry. When none comes for a while, it settles the promise.
func (l *Ledger) next(idle *time.Timer) (*pending, bool) {
	for {
		select {
		case p, ok := <-l.queue:
			if !ok {
				l.confirm()
			}
			return p, ok
		case <-idle.C:
			l.confirm()
		}
	}
}

// confirm records that the head last promised is in the store.
func (l *Ledger) confirm() {
	last := l.promise.last
	if l.Err() != nil || last.kept == last.next {
		return
	}
	if err := l.promise.write(promise{kept: last.next, next: last.next}); err != nil {
		l.fail(fmt.Errorf("promise: %w", err))
	}
}

// collect takes what is waiting, as far as it fits into one transaction, and
// returns the one entry that did not.
func (l *Ledger) collect(first *pending) (batch []*pending, left *pending) {
	room := l.store.BatchBytes() - len(first.entry) - entryOverhead
	batch = append(batch, first)
	for {
		select {
		case p, ok := <-l.queue:
			if !ok {
				return batch, nil
			}
			room -= len(p.entry) + entryOverhead
			if room < 0 {
				return batch, p
			}
			batch = append(batch, p)
		default:
			return batch, nil
		}
	}
}

// settle appends a batch and answers everybody in it.
func (l *Ledger) settle(batch []*pending) {
	indexes, err := l.appendBatch(batch)
	checkpoint := l.published.Load().checkpoint
	for _, p := range batch {
		if err != nil {
			p.done <- outcome{err: err}
		} else {
			p.done <- outcome{index: indexes[p.leaf], checkpoint: checkpoint}
		}
	}
}

// appendBatch returns the indexes of the entries once they are in the
// published log.
func (l *Ledger) appendBatch(batch []*pending) (conflict, error) {
	if err := l.Err(); err != nil {
		return nil, err
	}
	if err := l.store.CheckSpace(); err != nil {
		if errors.Is(err, badgerstore.ErrSpace) {
			err = fmt.Errorf("%w: %v", tlog.ErrReadOnly, err)
		}
		return nil, fmt.Errorf("ledger: %w", err)
	}
	indexes := make(conflict, len(batch))
	err := l.appendNew(batch, indexes)
	if known, ok := errors.AsType[conflict](err); ok {
		// Some are there already, which is rare: leave them out and try again.
		indexes = known
		err = l.appendNew(batch, indexes)
	}
	if err != nil {
		l.fail(err)
		return nil, l.Err()
	}
	return indexes, nil
}

// appendNew appends the entries of the batch that have no index yet, and gives
// them one.
func (l *Ledger) appendNew(batch []*pending, indexes conflict) error {
	var entries [][]byte
	start := l.engine.check.Size()
	given := make(conflict, len(batch))
	for _, p := range batch {
		_, known := indexes[p.leaf]
		_, twice := given[p.leaf]
		if !known && !twice {
			given[p.leaf] = start + uint64(len(entries))
			entries = append(entries, p.entry)
		}
	}
	if len(entries) == 0 {
		return nil
	}
	if err := l.commit(entries); err != nil {
		return err
	}
	for leaf, index := range given {
		indexes[leaf] = index
	}
	return nil
}

// commit makes entries part of the published log: see promise.go for the order.
func (l *Ledger) commit(entries [][]byte) error {
	promised := make(chan error, 1)
	begun := false
	next, err := l.engine.add(entries, func(next head) error {
		begun = true
		p := promise{kept: l.promise.last.next, next: next}
		go func() { promised <- l.promise.write(p) }()
		return nil
	})
	if begun {
		err = errors.Join(err, <-promised)
	}
	if err != nil {
		return err
	}
	return l.publish(next)
}

// publish signs a head that is in the store and in the promise file, and shows
// it to everybody.
func (l *Ledger) publish(h head) error {
	c, err := tlog.SignCheckpoint(h.size, h.root, l.signer)
	if err != nil {
		return err
	}
	last := l.published.Swap(&published{checkpoint: c, superseded: make(chan struct{})})
	if last != nil {
		close(last.superseded)
	}
	return nil
}
