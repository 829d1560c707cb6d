package admission

import (
	"context"
	"iter"
	"sort"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Summary is a line in the list of tables.
type Summary struct {
	ID    wire.Hash
	Index uint64 // of the genesis entry
	Game  string
	Suite string
}

// Tables lists up to limit tables in the order of their genesis entries, from
// the one with index from on.
func (a *Admission) Tables(from uint64, limit int) []Summary {
	a.mu.Lock()
	defer a.mu.Unlock()
	first := sort.Search(len(a.order), func(i int) bool { return a.order[i].index >= from })
	list := []Summary{}
	for _, h := range a.order[first:min(len(a.order), first+limit)] {
		list = append(list, Summary{ID: h.id, Index: h.index, Game: h.game, Suite: h.suite})
	}
	return list
}

// KnownEntries returns how many entries a table has in the log, 0 if it was never replayed, and
// whether its state is at hand, so that [Admission.Table] replays nothing.
func (a *Admission) KnownEntries(id wire.Hash) (entries int, replayed bool) {
	h := a.lookupTable(id)
	if h == nil {
		return 0, false
	}
	now := h.now.Load()
	return now.count, now.state != nil && now.behind == 0
}

// Moves counts the entries by which tables have moved on since Open: what was read before
// a move, and after, may differ. An entry is counted when it can be read, and before its
// post is answered.
func (a *Admission) Moves() uint64 { return a.moves.Load() }

// Table is a table at one moment.
type Table struct {
	State   *table.State
	Index   uint64 // of the genesis entry
	Last    uint64 // index of the newest entry
	Entries int    // of the table in the log, the genesis entry included
}

// Table returns a table as it is now.
func (a *Admission) Table(ctx context.Context, id wire.Hash) (Table, error) {
	h, now, err := a.viewTable(ctx, id)
	if err != nil {
		return Table{}, err
	}
	return Table{State: now.state, Index: h.index, Last: now.entries[len(now.entries)-1].Index, Entries: len(now.entries)}, nil
}

// Entries yields the entries of a table in the log from the n-th on, each with
// its bytes, and ends after the first error.
func (a *Admission) Entries(ctx context.Context, id wire.Hash, n int) iter.Seq2[LoggedEntry, error] {
	return func(yield func(LoggedEntry, error) bool) {
		_, now, err := a.viewTable(ctx, id)
		if err != nil {
			yield(LoggedEntry{}, err)
			return
		}
		for _, e := range now.entries[min(n, len(now.entries)):] {
			bytes, err := a.store.entryAt(ctx, e.Index)
			if !yield(LoggedEntry{e, bytes}, err) || err != nil {
				return
			}
		}
	}
}

// LoggedEntry is an entry of a table with its bytes.
type LoggedEntry struct {
	Entry
	Bytes []byte
}

// Wait returns when the table has an n-th entry. Its error is that of ctx, or
// that there is no such table. How many entries a table has is known for good:
// nothing is replayed for those that wait.
func (a *Admission) Wait(ctx context.Context, id wire.Hash, n int) error {
	for {
		h, err := a.findBegun(ctx, id)
		if err != nil {
			return err
		}
		now := h.now.Load()
		if now.count == 0 || now.behind > 0 {
			if now, err = a.replayedMoment(ctx, h); err != nil {
				return err
			}
		}
		if now.count > n {
			return nil
		}
		a.settleSoon(ctx, h)
		select {
		case <-now.over:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// viewTable returns a table in memory, for readers; without the moment, if only the
// replay has failed.
func (a *Admission) viewTable(ctx context.Context, id wire.Hash) (*history, *moment, error) {
	h, err := a.findBegun(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	now, err := a.replayedMoment(ctx, h)
	if err != nil {
		return h, nil, err
	}
	a.settleSoon(ctx, h)
	return h, now, nil
}

// findBegun returns a table that has begun. Where that is in doubt, the log is asked again.
func (a *Admission) findBegun(ctx context.Context, id wire.Hash) (*history, error) {
	h := a.lookupTable(id)
	if h != nil && !h.now.Load().hasBegun() {
		if err := a.settleDoubt(ctx, id); err != nil {
			return nil, err
		}
	}
	if h == nil || !h.now.Load().hasBegun() {
		return nil, &UnknownTableError{Table: id}
	}
	return h, nil
}

func (a *Admission) lookupTable(id wire.Hash) *history {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.tables[id]
}

// Count returns how many tables there are, and how many of them are in memory.
func (a *Admission) Count() (tables, live int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.order), a.live.Len()
}
