package admission

import (
	"context"
	"iter"

	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Summary is a line in the list of tables, or of events.
type Summary struct {
	ID    wire.Hash
	Index uint64 // of the entry that begins it
	Game  string // of an event its format
	Suite string
}

// Tables lists up to limit tables in the order of their genesis entries, from
// the one with index from on.
func (a *Admission) Tables(from uint64, limit int) []Summary {
	return a.subjects.list(false, from, limit)
}

// TablesBefore lists up to limit tables, the newest first, of those whose genesis entries have lower indexes.
func (a *Admission) TablesBefore(before uint64, limit int) []Summary {
	return a.subjects.tablesBefore(before, limit)
}

// Events lists up to limit events in the order in which they were announced, likewise.
func (a *Admission) Events(from uint64, limit int) []Summary {
	return a.subjects.list(true, from, limit)
}

// KnownEntries returns how many entries a table has in the log, 0 if it was never replayed, and
// whether its state is at hand, so that [Admission.Table] replays nothing.
func (a *Admission) KnownEntries(id wire.Hash) (entries int, replayed bool) {
	s := a.subjects.lookup(Subject{ID: id})
	if s == nil {
		return 0, false
	}
	now := s.now.Load()
	return now.count, now.isCurrent()
}

// Moves counts the entries by which tables and events have moved on since Open: what was read before
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
	s, now, err := a.view(ctx, Subject{ID: id})
	if err != nil {
		return Table{}, err
	}
	return Table{State: now.state, Index: s.index, Last: now.entries[len(now.entries)-1].Index, Entries: len(now.entries)}, nil
}

// Steps replays all entries of a table that the log has by now, and shows what becomes of each.
func (a *Admission) Steps(ctx context.Context, id wire.Hash, see func(replay.Step)) error {
	s := a.subjects.lookup(Subject{ID: id})
	if s == nil {
		return &UnknownError{Subject: Subject{ID: id}}
	}
	leave, err := a.options.Gate.Enter(ctx, Work{Bytes: -1})
	if err != nil {
		return err
	}
	defer leave(Unsigned)
	return s.steps(ctx, s.now.Load().places, see)
}

// LoggedEntry is an entry of a table or an event with its bytes.
type LoggedEntry struct {
	Entry
	Bytes []byte
}

// Entries yields the entries of a subject in the log from the n-th on, each with
// its bytes, and ends after the first error.
func (a *Admission) Entries(ctx context.Context, of Subject, n int) iter.Seq2[LoggedEntry, error] {
	return func(yield func(LoggedEntry, error) bool) {
		_, now, err := a.view(ctx, of)
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

// Wait returns when a subject has an n-th entry. Its error is that of ctx, or
// that there is no such subject. How many entries one has is known for good:
// nothing is replayed for those that wait.
func (a *Admission) Wait(ctx context.Context, of Subject, n int) error {
	for {
		s, err := a.findBegun(ctx, of)
		if err != nil {
			return err
		}
		now := s.now.Load()
		if now.count == 0 || now.behind > 0 {
			if now, err = s.replayedMoment(ctx); err != nil {
				return err
			}
		}
		if now.count > n {
			return nil
		}
		s.settleSoon(ctx)
		select {
		case <-now.over:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// view returns a subject in memory, for readers; without the moment, if only the
// replay has failed.
func (a *Admission) view(ctx context.Context, of Subject) (*subject, *moment, error) {
	s, err := a.findBegun(ctx, of)
	if err != nil {
		return nil, nil, err
	}
	now, err := s.replayedMoment(ctx)
	if err != nil {
		return s, nil, err
	}
	s.settleSoon(ctx)
	return s, now, nil
}

// findBegun returns a subject that has begun. Where that is in doubt, the log is asked again.
func (a *Admission) findBegun(ctx context.Context, of Subject) (*subject, error) {
	s := a.subjects.lookup(of)
	if s != nil && !s.now.Load().hasBegun() {
		if err := a.settleDoubt(ctx, of); err != nil {
			return nil, err
		}
	}
	if s == nil || !s.now.Load().hasBegun() {
		return nil, &UnknownError{Subject: of}
	}
	return s, nil
}

// Count returns how many tables there are, and how many of them are in memory.
func (a *Admission) Count() (tables, live int) {
	x := &a.subjects
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.begun[false]), x.live.Len()
}
