package admission

import (
	"context"
	"fmt"
	"sync"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/wire"
)

// A log that is shared is written by others too, so its order decides which of two messages
// on one parent came first. What a table is after an entry follows from the chain of parents
// up to it: a verdict on a message whose parent is the head holds wherever it was found, and
// all that others can change is that the parent is no longer the head. Then the message is
// void, and nobody's foul.
//
// One goroutine reads the log in its order and gives every table its places: a parse, and no
// proof. What others have placed is judged when somebody posts to the table or reads it here.
// A message holds the turn of its table, in this process, until it or another entry of the
// table is seen; its sender is answered when it is.

// carriesBlobs tells whether a log takes an entry's blobs with it.
func carriesBlobs(log tlog.Log) bool {
	_, ok := log.(tlog.Carrier)
	return ok
}

// readProgress is how far a log has been read that is shared.
type readProgress struct {
	mu   sync.Mutex
	size uint64
	err  error         // why it is read no further
	more chan struct{} // closed when it is read further
}

// setSize says that the log has been read to a size, or no further.
func (f *readProgress) setSize(size uint64, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.size, f.err = size, err
	if f.more != nil {
		close(f.more)
		f.more = nil
	}
}

func (f *readProgress) sizeNow() (size uint64, more <-chan struct{}, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.more == nil {
		f.more = make(chan struct{})
	}
	return f.size, f.more, f.err
}

// await waits until an entry of the log has its place here.
func (f *readProgress) await(ctx context.Context, index uint64) error {
	for {
		size, more, err := f.sizeNow()
		if size > index {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the log is not read any more: %w", err)
		}
		select {
		case <-more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// awaitableLog is a log that says when it has grown.
type awaitableLog interface {
	// Await returns a checkpoint of more than size entries.
	Await(ctx context.Context, size uint64) (tlog.Checkpoint, error)
}

// A Latest is a log that can say when it has all that was promised anywhere before.
type Latest interface {
	CatchUp(ctx context.Context) (tlog.Checkpoint, error)
}

// CatchUp returns when everything is here that was promised anywhere before the call. What
// an answer denies after that, nobody was told of.
func (a *Admission) CatchUp(ctx context.Context) error {
	l, ok := a.store.log.(Latest)
	if !ok || !a.options.Shared {
		return nil
	}
	c, err := l.CatchUp(ctx)
	if err != nil || c.Size == 0 {
		return err
	}
	return a.followed.await(ctx, c.Size-1)
}

// followLog gives every new entry of the log its place, until ctx ends or the log does.
func (a *Admission) followLog(ctx context.Context, log awaitableLog) {
	size := a.index.upTo()
	a.followed.setSize(size, nil)
	for {
		c, err := log.Await(ctx, size)
		if err == nil {
			err = a.readOn(ctx, size, c)
		}
		if err != nil {
			a.followed.setSize(size, err)
			return
		}
		size = c.Size
		a.followed.setSize(size, nil)
	}
}

// readOn places the entries from one index up to a checkpoint.
func (a *Admission) readOn(ctx context.Context, index uint64, c tlog.Checkpoint) error {
	for entry, err := range a.store.log.Entries(ctx, index, c.Size) {
		if err != nil {
			return err
		}
		a.placeEntry(index, entry, c)
		index++
	}
	if index != c.Size {
		return fmt.Errorf("it ended after %d of %d entries", index, c.Size)
	}
	return nil
}

// placeEntry gives an entry its place. If it is the one that has the turn of its table, its verdict is known.
func (a *Admission) placeEntry(index uint64, entry []byte, c tlog.Checkpoint) {
	number := uint32(noSubject)
	if wire.BeginsMark(entry) {
		a.times.placeMark(index, entry)
	} else if s, e, done := a.subjectAt(entry); s != nil {
		s.placeEntry(index, s.foundOf(entry, e))
		number = s.number
		done()
	}
	a.index.recordEntry(index, number, c.Note)
	a.moves.Add(1)
}

// foundOf is what is known of an entry that the log has.
func (s *subject) foundOf(entry []byte, e *bulletin.Entry) *verdict {
	if s.Event {
		if e == nil {
			e, _ = bulletin.Parse(entry) // what does not parse has a place, and no more
		}
		return &verdict{entry: e}
	}
	if v := s.turn.Load(); v != nil && v.entry.Hash == wire.HashEntry(entry) {
		return v
	}
	return nil
}

// holdTurn returns when the entries of a group are seen in the log, or another one of the table is, or
// all who have posted them are answered.
func (s *subject) holdTurn(group []*letter, all *sync.WaitGroup) {
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		all.Wait()
	}()
	for _, l := range group {
		for now := s.now.Load(); s.Event || now.admitsVerdict(l.verdict); now = s.now.Load() {
			select {
			case <-now.over:
			case <-answered:
				return
			}
		}
	}
}

// awaitOutcome says what became of an entry by what is before it in the log.
func (s *subject) awaitOutcome(ctx context.Context, t appendedEntry) (PostedEntry, error) {
	if t.err != nil {
		return PostedEntry{}, t.err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.in.options.AppendTime)
	defer cancel()
	if err := s.in.followed.await(ctx, t.receipt.Index); err != nil {
		return PostedEntry{}, err
	}
	return s.outcome(ctx, t)
}

// CountRaced counts what was posted here, is in the log, and is void since another came first.
func (a *Admission) CountRaced() uint64 { return a.raced.Load() }
