package admission

import (
	"context"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/wire"
)

// readLog finds the tables of the log and the entries of each. Nobody looks at them yet.
func (a *Admission) readLog(ctx context.Context) error {
	c, err := a.store.log.Checkpoint(ctx)
	if err != nil {
		return err
	}
	if err := a.index.restoreFile(ctx, a.store.log, c); err == nil { // else all entries are read
		for _, h := range a.index.tables {
			if h.game == wire.EventFormat {
				a.events[h.id] = newContest(h)
				a.events[h.id].places = h.now.Load().places
				continue
			}
			a.tables[h.id] = h
			a.order = append(a.order, h)
		}
		slices.SortFunc(a.order, byIndex)
	}
	index := a.index.complete
	for entry, err := range a.store.log.Entries(ctx, index, c.Size) {
		if err != nil {
			return err
		}
		if wire.BeginsMark(entry) {
			a.index.addMark(index, wire.HashEntry(entry))
		}
		number := uint32(noTable)
		if h := a.tableAt(index, entry); h != nil {
			now := h.now.Load()
			now.places = append(now.places, index)
			number = h.number
		} else if h := a.eventAt(index, entry); h != nil {
			number = h.number
		}
		a.index.setOwner(index, number)
		index++
	}
	if index != c.Size {
		return fmt.Errorf("it ended after %d of %d entries", index, c.Size)
	}
	return nil
}

// tableAt returns the table that an entry seems to belong to; a genesis entry
// begins one. A log that is not ours may repeat a genesis entry.
func (a *Admission) tableAt(index uint64, entry []byte) *history {
	if h := a.tables[wire.TableOf(entry)]; h != nil {
		return h
	}
	e, err := wire.ParseGenesis(entry)
	if err != nil {
		return nil
	}
	h := newHistory(e.Hash, e.Table.Game, e.Table.Suite)
	h.index = index
	a.enlistTable(h)
	return h
}

// replayedMoment returns a table in memory, after a replay if there has to be one.
// Everybody waits at the gate in a place of their own, so that nobody stands
// behind a stranger; whoever is let in first replays the table for all.
func (a *Admission) replayedMoment(ctx context.Context, h *history) (*moment, error) {
	for {
		now := h.now.Load()
		switch {
		case now.state != nil && now.behind == 0:
			a.touchTable(h)
			return now, nil
		case now.replaying:
			select {
			case <-now.over:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		default:
			if err := a.loadTable(ctx, h, now); err != nil {
				return nil, err
			}
		}
	}
}

// loadTable brings a table into memory, unless somebody else begins to before its turn at
// the gate has come: who waits for another one needs no processor.
func (a *Admission) loadTable(ctx context.Context, h *history, was *moment) error {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-was.over:
			cancel()
		case <-waiting.Done():
		}
	}()
	leave, err := a.options.Gate.Enter(waiting, Work{Bytes: -1})
	if err != nil {
		if ctx.Err() == nil && h.now.Load() != was {
			return nil
		}
		return err
	}
	defer leave(Unsigned)
	if !h.replaceMoment(was, &moment{places: was.places, count: was.count, behind: was.behind, replaying: true}) {
		return nil
	}
	next := moment{count: was.count, behind: was.behind}
	defer func() { h.becomeLoaded(next, len(was.places)) }()
	replayed, err := a.replayFrom(ctx, h, was)
	if err == nil {
		next = *replayed
	}
	return err
}

// becomeLoaded replaces the moment of a table that was being replayed, as far as its first
// places. What others have placed meanwhile is behind.
func (h *history) becomeLoaded(m moment, places int) {
	for {
		now := h.now.Load()
		next := m
		next.places = now.places
		if next.count > 0 {
			next.behind += len(now.places) - places
		}
		if h.replaceMoment(now, &next) {
			return
		}
	}
}

// replayFrom replays a table from its beginning, or from where it is in memory.
func (a *Admission) replayFrom(ctx context.Context, h *history, was *moment) (*moment, error) {
	if was.state == nil {
		return a.replayTable(ctx, h, was.places)
	}
	return a.replayRest(ctx, h, was)
}

// replayTable classifies all entries of a table.
func (a *Admission) replayTable(ctx context.Context, h *history, places []uint64) (*moment, error) {
	now := &moment{places: places}
	err := a.steps(ctx, h, places, now.addStep)
	if err == nil && now.state == nil {
		err = &UnknownTableError{Table: h.id}
	}
	return now, err
}

// Steps replays all entries of a table that the log has by now, and shows what becomes of each.
func (a *Admission) Steps(ctx context.Context, id wire.Hash, see func(replay.Step)) error {
	h := a.lookupTable(id)
	if h == nil {
		return &UnknownTableError{Table: id}
	}
	leave, err := a.options.Gate.Enter(ctx, Work{Bytes: -1})
	if err != nil {
		return err
	}
	defer leave(Unsigned)
	return a.steps(ctx, h, h.now.Load().places, see)
}

func (a *Admission) steps(ctx context.Context, h *history, places []uint64, see func(replay.Step)) (failed error) {
	r := replay.New(a.catalogue, a.store.blobReader(ctx), 1, func(_ wire.Hash, s replay.Step) {
		switch {
		case s.Err != nil && s.Before == nil:
			failed = &UnknownTableError{Table: h.id, Err: s.Err}
		case s.Err != nil:
			failed = fmt.Errorf("entry %d of the log: %w", s.Index, s.Err)
		default:
			see(s)
		}
	})
	r.Marks = a.Mark
	for _, index := range places {
		entry, err := a.store.entryAt(ctx, index)
		if err != nil {
			return err
		}
		shown := replay.NewLeaf(index, wire.HashEntry(entry), entry)
		if shown.Table != h.id {
			return fmt.Errorf("entry %d is not of table %s: the index of tables is wrong; stop the server, delete %s and start again", index, h.id, a.options.Index)
		}
		if r.TakeLeaf(shown); failed != nil {
			return failed
		}
	}
	r.SettleBatches()
	return failed
}

// touchTable marks a table in memory as used, and forgets the ones unused for longest.
func (a *Admission) touchTable(h *history) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case h.now.Load().state == nil: // forgotten since
		return
	case h.live != nil:
		a.live.MoveToFront(h.live)
		return
	}
	h.live = a.live.PushFront(h)
	for e := a.live.Back(); e != nil && a.live.Len() > a.options.Live; {
		h, previous := e.Value.(*history), e.Prev()
		if h.users == 0 && h.forgetState() {
			a.live.Remove(e)
			h.live = nil
		}
		e = previous
	}
}
