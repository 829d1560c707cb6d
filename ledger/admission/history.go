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

	turn    chan struct{} // held by the one who may change what follows
	waiting atomic.Int32

	// Owned by the holder of the turn.
	places []uint64              // ascending: entries that seem to be of the table
	doubt  atomic.Pointer[doubt] // handed to the log, outcome unknown; others may look
	known  map[wire.Hash]int

	now atomic.Pointer[snapshot] // nil while the table is not replayed

	mu      sync.Mutex
	changed chan struct{} // closed at the next change

	live *list.Element // owned by Admission.mu
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
	return &history{id: id, index: index, game: game, suite: suite, turn: make(chan struct{}, 1), changed: make(chan struct{})}
}

// enter waits for the turn.
func (h *history) enter(ctx context.Context, queue int) (leave func(), err error) {
	defer h.waiting.Add(-1)
	if int(h.waiting.Add(1)) > queue {
		return nil, fmt.Errorf("admission: table %s: %w", h.id, tlog.ErrBusy)
	}
	select {
	case h.turn <- struct{}{}:
		return func() { <-h.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// advance moves the table on by an entry that the log took.
func (h *history) advance(index uint64, d *doubt) {
	now := h.now.Load()
	e := Entry{N: len(now.entries), Index: index, Hash: d.entry.Hash, Fault: d.fault}
	h.places = append(h.places, index)
	h.known[e.Hash] = e.N
	// Older snapshots may share the array: they end before the new entry.
	h.now.Store(&snapshot{state: d.next, entries: append(now.entries, e), bytes: now.bytes + weight(d.entry)})
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.changed)
	h.changed = make(chan struct{})
}

// change returns a channel that is closed at the next change.
func (h *history) change() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changed
}
