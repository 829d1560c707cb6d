package admission

import (
	"container/list"
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Entry is an entry of a table in the log.
type Entry struct {
	N     int          // its place among the entries of the table, from 0
	Index uint64       // its place in the log
	Hash  wire.Hash    // its RFC 6962 leaf hash
	Fault *table.Fault // why it was not applied; nil if it was
}

// history is what is known of one table.
type history struct {
	id     wire.Hash
	index  uint64 // of the genesis entry
	game   string
	suite  string
	number uint32 // in the index of the log, from 1

	turn chan struct{} // held by the one who may change what follows; nobody with it waits for a processor

	// Owned by the holder of the turn. Others may look at what is atomic.
	places []uint64                 // ascending: entries that seem to be of the table
	doubt  atomic.Pointer[doubt]    // handed to the log, outcome unknown
	now    atomic.Pointer[snapshot] // nil while the table is not replayed
	count  atomic.Int64             // entries of the table, 0 before it was ever replayed

	mu       sync.Mutex
	changed  chan struct{}         // closed at the next change, and when the table is replayed
	known    map[wire.Hash]int     // places of the entries, while the table is replayed
	waiting  map[any]int           // how many of a caller wait here
	fetching map[any]chan struct{} // callers of whom one sees to a replay; closed when it has done

	// Owned by Admission.mu.
	live  *list.Element
	users int // who has use of now, so that it stays
}

// snapshot is a table at one moment; immutable.
type snapshot struct {
	state   *table.State
	entries []Entry // all of the table, the genesis entry first
	bytes   int64   // of entries and their blobs
}

// doubt is an entry that the log was asked to take.
type doubt struct {
	entry *wire.Entry
	next  *table.State // the table with it
	fault *table.Fault // if it is recorded as a foul
}

func newHistory(genesis *wire.Entry, index uint64) *history {
	h := newEmptyHistory(genesis.Hash, index, genesis.Table.Game, genesis.Table.Suite)
	h.places = []uint64{index}
	return h
}

func newEmptyHistory(id wire.Hash, index uint64, game, suite string) *history {
	return &history{
		id: id, index: index, game: game, suite: suite, turn: make(chan struct{}, 1), changed: make(chan struct{}),
		waiting: map[any]int{}, fetching: map[any]chan struct{}{},
	}
}

// enter waits for the turn of a table.
func (a *Admission) enter(ctx context.Context, h *history) (leave func(), err error) {
	served, err := h.wait(a.options.Gate.Caller(ctx), a.options.Queue)
	if err != nil {
		return nil, err
	}
	defer served()
	select {
	case h.turn <- struct{}{}:
		return func() { <-h.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// wait counts a caller that waits. One with many does not shut out another.
func (h *history) wait(caller any, queue int) (served func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiting[caller] >= queue {
		return nil, fmt.Errorf("admission: table %s: %w", h.id, tlog.ErrBusy)
	}
	h.waiting[caller]++
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.waiting[caller]--; h.waiting[caller] == 0 {
			delete(h.waiting, caller)
		}
	}, nil
}

// fetch makes the first one of a caller see to a replay; it calls done when it has.
// Others wait until it has.
func (h *history) fetch(caller any) (done func(), wait <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c, ok := h.fetching[caller]; ok {
		return nil, c
	}
	c := make(chan struct{})
	h.fetching[caller] = c
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.fetching, caller)
		close(c)
	}, nil
}

// movedOn returns errMoved if the table is no more as it was, or may not be.
func (h *history) movedOn(was *snapshot) error {
	if h.now.Load() != was || h.doubt.Load() != nil {
		return errMoved
	}
	return nil
}

// place returns the place of an entry of a table that is replayed.
func (h *history) place(entry wire.Hash) (n int, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n, known = h.known[entry]
	return n, known
}

// show makes a table that was replayed the one that is seen.
func (h *history) show(now *snapshot) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.known = make(map[wire.Hash]int, len(now.entries))
	for _, e := range now.entries {
		if _, repeated := h.known[e.Hash]; !repeated {
			h.known[e.Hash] = e.N
		}
	}
	h.now.Store(now)
	h.count.Store(int64(len(now.entries)))
	h.signal()
}

// hide forgets what can be replayed.
func (h *history) hide() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now.Store(nil)
	h.known = nil
}

// advance moves the table on by an entry that the log took.
func (h *history) advance(index uint64, d *doubt) {
	now := h.now.Load()
	e := Entry{N: len(now.entries), Index: index, Hash: d.entry.Hash, Fault: d.fault}
	h.places = append(h.places, index)
	h.mu.Lock()
	defer h.mu.Unlock()
	// Older snapshots may share the array: they end before the new entry.
	h.now.Store(&snapshot{state: d.next, entries: append(now.entries, e), bytes: now.bytes + int64(d.entry.Size())})
	h.known[e.Hash] = e.N
	h.count.Add(1)
	h.signal()
}

// signal wakes who waits for a change; mu is held.
func (h *history) signal() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// change returns a channel that is closed at the next change.
func (h *history) change() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changed
}
