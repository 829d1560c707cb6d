package admission

import (
	"container/list"
	"context"
	"fmt"
	"iter"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/wire"
)

// readLog finds the tables of the log and the entries of each.
func (a *Admission) readLog(ctx context.Context) error {
	c, err := a.log.Checkpoint(ctx)
	if err != nil {
		return err
	}
	_ = a.restore(ctx, c) // else all entries are read
	index := a.index.complete
	for entry, err := range a.log.Entries(ctx, index, c.Size) {
		if err != nil {
			return err
		}
		a.index.own(index, a.place(entry, index))
		index++
	}
	if index != c.Size {
		return fmt.Errorf("it ended after %d of %d entries", index, c.Size)
	}
	return nil
}

// place adds an entry of the log to the history it seems to belong to, and returns
// the number of that, or nobody.
func (a *Admission) place(entry []byte, index uint64) uint32 {
	h := a.owner(entry, index)
	if h == nil {
		return nobody
	}
	if h.index != index {
		h.places = append(h.places, index)
	}
	return h.number
}

// owner returns the history that an entry seems to belong to; a genesis entry
// begins one.
func (a *Admission) owner(entry []byte, index uint64) *history {
	if h := a.tables[wire.TableOf(entry)]; h != nil {
		return h // a genesis entry may be repeated, by a log that is not ours
	}
	e, err := wire.ParseGenesis(entry)
	if err != nil {
		return nil
	}
	h := newHistory(e, index)
	a.add(h)
	return h
}

// replayed returns the table as it is, after a replay if there has to be one.
// Everybody waits for a processor in a place of its own, so that nobody stands
// behind a stranger, one for all of a caller; whoever has it first replays the
// table for all.
func (a *Admission) replayed(ctx context.Context, h *history) (*snapshot, error) {
	if now := h.now.Load(); now != nil {
		a.touch(h)
		return now, nil
	}
	caller := a.options.Gate.Caller(ctx)
	served, err := h.wait(caller, a.options.Queue)
	if err != nil {
		return nil, err
	}
	defer served()
	for {
		changed := h.change() // before looking, so that no change is missed
		if now := h.now.Load(); now != nil {
			a.touch(h)
			return now, nil
		}
		done, wait := h.fetch(caller)
		if done != nil {
			err := a.load(ctx, h, changed)
			done()
			if err != nil {
				return nil, err
			}
			continue
		}
		select {
		case <-wait:
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// view returns the table as it is, for readers.
func (a *Admission) view(ctx context.Context, id wire.Hash) (*history, *snapshot, error) {
	h, err := a.find(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	now, err := a.replayed(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	a.settleSoon(ctx, h)
	return h, now, nil
}

// load replays the table from the log, unless somebody else does before its turn
// at the gate has come, or is at it then.
func (a *Admission) load(ctx context.Context, h *history, changed <-chan struct{}) error {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-changed:
			cancel()
		case <-waiting.Done():
		}
	}()
	leave, err := a.options.Gate.Enter(waiting, Work{Bytes: -1})
	if err != nil && ctx.Err() == nil && closed(changed) {
		return nil // it has been replayed, even if it is forgotten again by now
	}
	if err != nil {
		return err
	}
	select {
	case h.turn <- struct{}{}:
		defer leave(Unsigned)
		defer func() { <-h.turn }()
		return a.replayNow(ctx, h)
	default:
	}
	leave(Unsigned) // who waits for another one needs no processor
	select {
	case h.turn <- struct{}{}:
		<-h.turn
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// replayNow replays the table for the holder of its turn, and of a processor.
func (a *Admission) replayNow(ctx context.Context, h *history) error {
	if h.now.Load() != nil {
		return nil
	}
	now, err := a.replay(ctx, h)
	if err == nil {
		h.show(now)
	}
	return err
}

// replay classifies all entries of a table.
func (a *Admission) replay(ctx context.Context, h *history) (*snapshot, error) {
	now := new(snapshot)
	var failed error
	r := replay.New(a.catalogue, a.blob(ctx), 1, func(_ wire.Hash, s replay.Step) {
		switch {
		case s.Err != nil && s.Before == nil:
			failed = &UnknownTableError{Table: h.id, Err: s.Err}
		case s.Err != nil:
			failed = fmt.Errorf("admission: entry %d: %w", s.Index, s.Err)
		default:
			now.add(s)
		}
	})
	for _, index := range h.places {
		entry, err := a.read(ctx, index)
		if err != nil {
			return nil, err
		}
		shown := replay.NewLeaf(index, wire.HashEntry(entry), entry)
		if shown.Table != h.id {
			return nil, fmt.Errorf("admission: entry %d is not of table %s: the index is wrong and has to be deleted: %s", index, h.id, a.options.Index)
		}
		if r.Take(shown); failed != nil {
			return nil, failed
		}
	}
	if r.Settle(); failed == nil && now.state == nil {
		failed = &UnknownTableError{Table: h.id}
	}
	return now, failed
}

// add adds an entry that was replayed.
func (s *snapshot) add(step replay.Step) {
	s.state, s.bytes = step.After, s.bytes+int64(step.Entry.Size())
	s.entries = append(s.entries, Entry{N: len(s.entries), Index: step.Index, Hash: step.Entry.Hash, Fault: step.Fault})
}

// blob returns a way to the blobs of the log.
func (a *Admission) blob(ctx context.Context) replay.Blobs {
	return func(b wire.Blob) ([]byte, error) {
		if a.options.Blobs == nil {
			return nil, tlog.ErrNoBlob
		}
		return a.options.Blobs.Blob(ctx, b.Hash)
	}
}

// read returns one entry of the log.
func (a *Admission) read(ctx context.Context, index uint64) ([]byte, error) {
	next, stop := iter.Pull2(a.log.Entries(ctx, index, index+1))
	defer stop()
	entry, err, ok := next()
	if !ok {
		return nil, fmt.Errorf("admission: the log does not show entry %d", index)
	}
	return entry, err
}

// use keeps a table replayed, once it is, until it is done with.
func (a *Admission) use(h *history) (done func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	h.users++
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		h.users--
	}
}

// touch marks a table as used and forgets the ones unused for longest.
func (a *Admission) touch(h *history) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if h.live != nil {
		a.live.MoveToFront(h.live)
		return
	}
	h.live = a.live.PushFront(h)
	for e := a.live.Back(); e != nil && a.live.Len() > a.options.Live; {
		previous := e.Prev()
		a.forget(e)
		e = previous
	}
}

// forget drops what can be replayed from the log, unless the table is in use.
func (a *Admission) forget(e *list.Element) {
	h := e.Value.(*history)
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	default:
		return
	}
	if h.doubt.Load() == nil && h.users == 0 {
		h.hide()
		a.live.Remove(e)
		h.live = nil
	}
}
