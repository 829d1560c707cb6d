package admission

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
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

// awaitPlaced waits until an entry of the log has its place here.
func (a *Admission) awaitPlaced(ctx context.Context, index uint64) error {
	for {
		size, more, err := a.followed.sizeNow()
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
	return a.awaitPlaced(ctx, c.Size-1)
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

// placeEntry gives an entry its place.
func (a *Admission) placeEntry(index uint64, entry []byte, c tlog.Checkpoint) {
	number := uint32(noTable)
	switch named, ofEvent := wire.EventNamed(entry); {
	case wire.BeginsMark(entry):
		a.placeMark(index, entry)
	case ofEvent || wire.BeginsEvent(entry):
		number = a.placeInEvent(index, entry, named)
	default:
		number = a.placeAtTable(index, entry)
	}
	a.index.recordEntry(index, number, c.Note)
	a.moves.Add(1)
}

func (a *Admission) placeMark(index uint64, entry []byte) {
	a.index.addMark(index, wire.HashEntry(entry))
	if c, err := marks.ReadMark(index, entry, a.options.Keys); err == nil {
		a.times.seen.Store(a.options.Now().UnixNano())
		a.times.seenSize.Store(max(c.Size, a.times.seenSize.Load()))
	}
}

// placeAtTable returns the number of the table that an entry seems to belong to, or begins.
func (a *Admission) placeAtTable(index uint64, entry []byte) uint32 {
	id := wire.HashEntry(entry)
	if named, ok := wire.TableNamed(entry); ok {
		h := a.lookupTable(named)
		if h == nil || !h.now.Load().hasBegun() {
			return noTable
		}
		h.placeIndex(index, id)
		return h.number
	}
	h := a.lookupTable(id)
	if h == nil {
		e, err := wire.ParseGenesis(entry)
		if err != nil {
			return noTable
		}
		h = newHistory(id, e.Table.Game, e.Table.Suite)
	}
	h.index = index
	h.placeIndex(index, id)
	a.enlistTable(h)
	if h.now.Load().state != nil {
		a.touchTable(h)
	}
	return h.number
}

// placeIndex gives a table an entry. If it is the one that has the turn, its verdict is known;
// otherwise it is behind until somebody looks.
func (h *history) placeIndex(index uint64, entry wire.Hash) {
	for {
		now := h.now.Load()
		next := *now
		if v := h.turn.Load(); v != nil && v.entry.Hash == entry && now.admitsVerdict(v) {
			next = *now.afterEntry(index, v)
		} else {
			next.places = append(now.places, index)
			if now.count > 0 {
				next.behind++
			}
		}
		if h.replaceMoment(now, &next) {
			return
		}
	}
}

// replayRest judges what others have placed at a table since it was last looked at.
func (a *Admission) replayRest(ctx context.Context, h *history, was *moment) (*moment, error) {
	now := *was
	now.behind, now.replaying = 0, false
	for _, index := range was.places[len(was.places)-was.behind:] {
		entry, err := a.store.entryAt(ctx, index)
		if err != nil {
			return nil, err
		}
		p, ok := replay.NewLeaf(index, wire.HashEntry(entry), entry).Parse()
		if !ok || p.Entry.Act != nil && !now.state.Genesis().HasActs() {
			continue
		}
		s := replay.Judge(now.state, p, a.catalogue, nil, a.store.blobReader(ctx), a.Mark)
		if s.Err != nil {
			return nil, fmt.Errorf("entry %d of the log: %w", index, s.Err)
		}
		now.addStep(s)
	}
	return &now, nil
}

// competeFor hands an entry to the log, and holds the turn of its table until it is seen
// there, or another entry of the table is.
func (a *Admission) competeFor(h *history, l letter) {
	v := l.verdict
	if !h.now.Load().admitsVerdict(v) {
		l.answer <- postAnswer{err: errMoved}
		return
	}
	h.turn.Store(v)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		p, err := a.appendContended(l.ctx, h.id, v)
		l.answer <- postAnswer{p, err}
	}()
	for now := h.now.Load(); now.admitsVerdict(v); now = h.now.Load() {
		select {
		case <-now.over:
		case <-answered:
			return
		}
	}
}

// appendContended appends an entry, and says what became of it by what is before it in the log.
func (a *Admission) appendContended(ctx context.Context, id wire.Hash, v *verdict) (PostedEntry, error) {
	receipt, again, err := a.store.appendEntry(ctx, v.entry, v.fault)
	if err != nil {
		return PostedEntry{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.options.AppendTime)
	defer cancel()
	if err := a.awaitPlaced(ctx, receipt.Index); err != nil {
		return PostedEntry{}, err
	}
	h := a.lookupTable(id) // which may be another one than the caller's, if its post was late
	if h == nil {
		return PostedEntry{}, errors.New("the log has the entry, and no table for it")
	}
	now, err := a.replayedMoment(ctx, h)
	if err != nil {
		return PostedEntry{}, err
	}
	p, err := outcomeOf(now, receipt, v, again)
	if err != nil {
		a.raced.Add(1)
	}
	return p, err
}

// CountRaced counts what was posted here, is in the log, and is void since another came first.
func (a *Admission) CountRaced() uint64 { return a.raced.Load() }

// outcomeOf is what became of an entry that the log has, and that was judged.
func outcomeOf(now *moment, r tlog.Receipt, v *verdict, again bool) (PostedEntry, error) {
	n := now.findEntry(v.entry.Hash)
	if n < 0 {
		return PostedEntry{}, fmt.Errorf("the log has the entry at %d, before its table begins", r.Index)
	}
	fault := now.entries[n].Fault
	if fault != nil && fault.Class == table.Void {
		return PostedEntry{}, &Conflict{Table: now.state.ID(), Head: now.state.Head(), Fault: fault, Index: &r.Index}
	}
	return PostedEntry{Receipt: r, Table: now.state.ID(), Hash: v.entry.Hash, N: n, Head: v.after.Head(), Fault: fault, Again: again}, nil
}
