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

// Append puts an entry into the log; see tlog.Log.
func (l *Ledger) Append(ctx context.Context, entry []byte) (tlog.Receipt, error) {
	if err := tlog.CheckSize(entry); err != nil {
		return tlog.Receipt{}, fmt.Errorf("ledger: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return tlog.Receipt{}, err
	}
	if err := l.enter(); err != nil {
		return tlog.Receipt{}, err
	}
	defer l.leave()
	index, c, err := l.place(ctx, entry)
	if err != nil {
		return tlog.Receipt{}, err
	}
	hashes, err := l.engine.inclusion(index, c.Size)
	if err != nil {
		return tlog.Receipt{}, fmt.Errorf("ledger: receipt: %w", err)
	}
	return tlog.Receipt{Index: index, Hashes: hashes, Checkpoint: c.Note}, nil
}

// place returns the index of an entry, which it appends unless it is there, and
// a published checkpoint that covers it.
func (l *Ledger) place(ctx context.Context, entry []byte) (uint64, tlog.Checkpoint, error) {
	p := &pending{leaf: tlog.LeafHash(entry), known: l.published.Load().checkpoint.Size}
	index, ok, err := l.engine.lookup(p.leaf)
	if err != nil {
		return 0, tlog.Checkpoint{}, err
	}
	if ok {
		c, err := l.await(ctx, index) // it may be committed and not yet published
		return index, c, err
	}
	// A copy: the sequencer may still be at it when ctx ends.
	p.entry = append(make([]byte, 0, len(entry)), entry...)
	b, err := l.queue.add(p)
	if err != nil {
		return 0, tlog.Checkpoint{}, err
	}
	select {
	case <-b.done:
		return p.index, b.checkpoint, b.err
	case <-ctx.Done():
		return 0, tlog.Checkpoint{}, ctx.Err()
	}
}

// sequence is the goroutine that appends. It ends when the queue is closed and
// empty.
func (l *Ledger) sequence() {
	defer close(l.sequenced)
	defer l.notary.stop()
	idle := time.NewTimer(idleAfter)
	for {
		b, closed := l.queue.take()
		switch {
		case b != nil:
			l.appendBatch(b)
			idle.Reset(idleAfter)
		case closed:
			l.confirm()
			return
		default:
			select {
			case <-l.queue.wake:
			case <-idle.C:
				l.confirm()
			}
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

// appendBatch puts the entries of b into the published log and answers. What
// fails once the disk has been found to have room is unexpected, and its
// outcome unknown: the log stops.
func (l *Ledger) appendBatch(b *batch) {
	if err := l.ready(); err != nil {
		b.answer(l.published.Load().checkpoint, err)
		return
	}
	entries, err := l.engine.assign(b.entries)
	switch {
	case err == nil && len(entries) == 0:
		b.answer(l.published.Load().checkpoint, nil)
		return
	case err == nil:
		err = l.commit(b, entries)
	}
	if err != nil {
		l.fail(err)
		b.answer(tlog.Checkpoint{}, l.Err())
	}
}

// ready says why nothing can be appended now.
func (l *Ledger) ready() error {
	if err := l.Err(); err != nil {
		return err
	}
	err := l.store.CheckSpace()
	if errors.Is(err, badgerstore.ErrSpace) {
		err = fmt.Errorf("%w: %v", tlog.ErrReadOnly, err)
	}
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	return nil
}

// commit adds the new entries of b. The promise is made and the checkpoint
// signed while the store commits; nobody sees the checkpoint before all three
// are done. See promise.go.
func (l *Ledger) commit(b *batch, entries [][]byte) error {
	sign := func(next head) { l.notary.begin(promise{kept: l.promise.last.next, next: next}) }
	publish := func() error {
		c, err := l.notary.finish()
		if err != nil {
			return err
		}
		l.publish(c)
		b.answer(c, nil)
		return nil
	}
	return l.engine.add(entries, sign, publish)
}

// publish shows a checkpoint to everybody.
func (l *Ledger) publish(c tlog.Checkpoint) {
	last := l.published.Swap(&published{checkpoint: c, superseded: make(chan struct{})})
	if last != nil {
		close(last.superseded)
	}
}
