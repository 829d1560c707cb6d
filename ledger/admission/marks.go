package admission

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/wire"
)

// MarkError says why the log takes no mark: it would give no time to anybody, or one came
// just before.
type MarkError struct {
	Early bool // another one may be taken in a second
	Err   error
}

func (e *MarkError) Error() string { return e.Err.Error() }

func (e *MarkError) Unwrap() error { return e.Err }

// markInterval is the least time between two marks that are taken.
const markInterval = time.Second

// timekeeper is what admission knows of the marks of the log.
type timekeeper struct {
	in *Admission

	mu      sync.Mutex // held while a mark is taken
	last    time.Time  // when one was taken, by our clock
	newest  uint64     // the size of the checkpoint that it carries
	doubt   []byte     // a mark that the log has perhaps taken
	checked *marks.Marks

	waiting  sync.Mutex
	protests map[wire.Hash]protestWait // of events that wait for the time to appeal to pass

	seen     atomic.Int64  // when another one's was seen in the log, by our clock, in nanoseconds
	seenSize atomic.Uint64 // of the checkpoint that it carries
}

// PostMark takes a mark: the log's own checkpoint, with a time of somebody who counts.
func (a *Admission) PostMark(ctx context.Context, entry []byte) (PostedEntry, error) {
	return a.times.takeMark(ctx, entry)
}

func (k *timekeeper) takeMark(ctx context.Context, entry []byte) (PostedEntry, error) {
	a := k.in
	if _, err := wire.ParseMark(entry); err != nil {
		return PostedEntry{}, &FormError{err}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.settleMark(ctx); err != nil {
		return PostedEntry{}, err
	}
	hash := wire.HashEntry(entry)
	if index, known := a.index.markAt(hash); known {
		r, err := Receipt(ctx, a.store.log, index)
		return PostedEntry{Receipt: r, Hash: hash, Again: true}, err
	}
	now, err := a.store.log.Checkpoint(ctx)
	if err != nil {
		return PostedEntry{}, err
	}
	c, err := k.readMark(ctx, now.Size, entry)
	if err != nil {
		return PostedEntry{}, &MarkError{Err: err}
	}
	if !slices.ContainsFunc(k.timeCosigners(), func(k string) bool { return marks.TimeOf(c, k) != 0 }) {
		return PostedEntry{}, &MarkError{Err: errors.New("the mark has no time of a cosigner of this log's policy, nor of a keeper of a clock in play")}
	}
	if passed := a.options.Now().Sub(k.last); passed >= 0 && passed < markInterval {
		return PostedEntry{}, &MarkError{Early: true, Err: errors.New("a mark was taken less than a second ago")}
	}
	receipt, err := k.appendMark(ctx, entry)
	if err != nil {
		return PostedEntry{}, err
	}
	k.last, k.newest = a.options.Now(), c.Size
	return PostedEntry{Receipt: receipt, Hash: hash}, nil
}

// settleMark asks the log again for a mark of which it did not say whether it took it.
func (k *timekeeper) settleMark(ctx context.Context) error {
	if k.doubt == nil {
		return nil
	}
	_, err := k.appendMark(ctx, k.doubt)
	return err
}

// appendMark makes the log take a mark.
func (k *timekeeper) appendMark(ctx context.Context, entry []byte) (tlog.Receipt, error) {
	a := k.in
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.options.AppendTime)
	defer cancel()
	receipt, err := a.store.log.Append(ctx, entry)
	switch {
	case err == nil:
		k.doubt = nil
		if a.options.Shared {
			return receipt, a.followed.await(ctx, receipt.Index)
		}
		a.index.addMark(receipt.Index, wire.HashEntry(entry))
	case a.options.Shared: // it is seen in the log, or posted again
	case !saysNotTaken(err):
		k.doubt = entry
	}
	return receipt, err
}

// readMark reads a mark at an index of the log, and holds its checkpoint against the log.
func (k *timekeeper) readMark(ctx context.Context, index uint64, entry []byte) (tlog.Checkpoint, error) {
	a := k.in
	c, err := marks.ReadMark(index, entry, a.options.Keys)
	if err != nil {
		return c, err
	}
	now, err := a.store.log.Checkpoint(ctx)
	if err != nil {
		return c, err
	}
	p, err := a.store.log.Consistency(ctx, c.Size, now.Size)
	if err != nil {
		return c, err
	}
	return c, p.Verify(c.Root, now.Root)
}

// Mark returns a good mark of the log; the error is keeper.ErrNoMark if it has none of this hash.
func (a *Admission) Mark(hash wire.Hash) (keeper.Mark, error) {
	if m, err := a.times.checked.Mark(hash); err == nil {
		return m, nil
	}
	index, known := a.index.markAt(hash)
	if !known {
		return keeper.Mark{}, fmt.Errorf("mark %s: %w", hash, keeper.ErrNoMark)
	}
	ctx := context.Background() // of the log's own disk
	entry, err := a.store.entryAt(ctx, index)
	if err != nil {
		return keeper.Mark{}, err
	}
	if _, err := a.times.readMark(ctx, index, entry); err != nil {
		return keeper.Mark{}, fmt.Errorf("mark %s: %w: %v", hash, keeper.ErrNoMark, err)
	}
	a.times.checked.Add(index, entry)
	return a.times.checked.Mark(hash)
}

// Marks lists up to limit marks that the log has behind an index, in its order. Of these it is
// known that they have the form of one, and no more.
func (a *Admission) Marks(after uint64, limit int) []marks.Place {
	x := &a.index
	x.mu.Lock()
	defer x.mu.Unlock()
	first, _ := slices.BinarySearchFunc(x.marks, after+1, func(m marks.Place, index uint64) int { return cmp.Compare(m.Index, index) })
	return slices.Clone(x.marks[first : first+min(len(x.marks)-first, limit)])
}

func (k *timekeeper) placeMark(index uint64, entry []byte) {
	k.in.index.addMark(index, wire.HashEntry(entry))
	if c, err := marks.ReadMark(index, entry, k.in.options.Keys); err == nil {
		k.seen.Store(k.in.options.Now().UnixNano())
		k.seenSize.Store(max(c.Size, k.seenSize.Load()))
	}
}

// timeCosigners are the keys of those whose times count here.
func (k *timekeeper) timeCosigners() []string {
	var list []string
	if cosigners := k.in.options.Cosigners; cosigners != nil {
		list = cosigners()
	}
	for _, c := range k.clocksInPlay() {
		list = append(list, c.Keepers...)
	}
	return list
}

// protestWait is since when, by our clock, an event and its tables stand still.
type protestWait struct {
	entries int
	since   time.Time
}

// protestGrace is how long an event has marks after the time to appeal has passed twice by our clock, if cosigners were
// away meanwhile. Then nobody may ever publish its standings.
const protestGrace = time.Hour

// clocksInPlay returns the clocks of tables in play, and of events that wait for the time to appeal to pass.
func (k *timekeeper) clocksInPlay() (list []wire.Clock) {
	tables, events := k.in.subjects.inPlay()
	playing := map[string]bool{}
	for _, g := range tables {
		list = append(list, g.Clock)
		playing[g.Event] = true
	}
	k.waiting.Lock()
	defer k.waiting.Unlock()
	before, now := k.protests, k.in.options.Now()
	k.protests = map[wire.Hash]protestWait{}
	for id, p := range events {
		w, known := before[id]
		if !known || w.entries != p.entries || playing[id.String()] {
			w = protestWait{p.entries, now}
		}
		k.protests[id] = w
		if now.Sub(w.since) <= 2*time.Duration(min(p.seconds, maxProtest))*time.Second+protestGrace {
			list = append(list, p.clock)
		}
	}
	return list
}

// maxProtest bounds for how many seconds of a time to appeal a log has marks: ten years.
const maxProtest = 10 * 366 * 24 * 3600

// MarkDue reports whether a table in play, or an event that waits for the time to appeal to pass, wants a mark by
// now: the newest is older than its tick.
// Keepers are those whose times it wants.
func (a *Admission) MarkDue() (keepers []string, due bool) {
	a.times.mu.Lock()
	passed := a.options.Now().Sub(a.times.last)
	a.times.mu.Unlock()
	if at := a.times.seen.Load(); at != 0 {
		passed = min(passed, a.options.Now().Sub(time.Unix(0, at)))
	}
	for _, c := range a.times.clocksInPlay() {
		keepers = append(keepers, c.Keepers...)
		due = due || passed < 0 || passed >= time.Duration(c.Tick)*time.Second
	}
	slices.Sort(keepers)
	return slices.Compact(keepers), due
}
