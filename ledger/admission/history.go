package admission

import (
	"container/list"
	"slices"
	"sync/atomic"

	"github.com/pakli/pakli/protocol/replay"
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

// history is a table: what it is at this moment, which everybody may look at, and
// the mailbox of the goroutine that alone moves it on (owner.go).
type history struct {
	id     wire.Hash
	game   string
	suite  string
	index  uint64 // of the genesis entry, once it has begun
	number uint32 // in the index of the log, from 1, once it has begun

	now atomic.Pointer[moment]

	// Owned by Admission.mu.
	mail  chan letter   // to the owner; nil while there is none
	users int           // who may write to the owner
	live  *list.Element // nil while it is not in memory
}

// moment is what is known of a table at one time. A moment does not change; another
// one takes its place.
type moment struct {
	places []uint64 // ascending: entries of the log that seem to be of the table; none: it has not begun
	count  int      // entries of the table, 0 before it was ever replayed
	doubt  *doubt   // handed to the log, outcome unknown

	replaying bool
	state     *table.State // nil while the table is not in memory; without it there are no entries
	entries   []Entry      // all of the table, the genesis entry first
	bytes     int64        // of entries and their blobs

	over chan struct{} // closed when another moment has come that says more
}

// doubt is an entry that the log was asked to take, and perhaps has.
type doubt struct {
	*verdict
	asking atomic.Bool // for a reader (settleSoon)
}

func newHistory(id wire.Hash, game, suite string) *history {
	h := &history{id: id, game: game, suite: suite}
	h.now.Store(&moment{over: make(chan struct{})})
	return h
}

// begun tells whether the log has the table's genesis entry.
func (m *moment) begun() bool { return len(m.places) > 0 }

// find returns the place of an entry of a table in memory, or -1.
func (m *moment) find(entry wire.Hash) int {
	return slices.IndexFunc(m.entries, func(e Entry) bool { return e.Hash == entry })
}

// admits tells whether what was found of an entry holds at this moment.
func (m *moment) admits(v *verdict) bool {
	return v != nil && m.doubt == nil && m.state == v.before && m.begun() == (v.before != nil)
}

// become replaces a moment by another one, and wakes who waits for that; false if
// it was replaced before.
func (h *history) become(now, next *moment) bool {
	next.over = make(chan struct{})
	if !h.now.CompareAndSwap(now, next) {
		return false
	}
	close(now.over)
	return true
}

// movedOn returns errMoved if the table is no more as it was, or may not be.
func (h *history) movedOn(was *moment) error {
	if h.now.Load() != was {
		return errMoved
	}
	return nil
}

// with is the moment after the log has taken an entry. Its arrays are longer than
// those of the moment before, and may be the same.
func (m *moment) with(index uint64, v *verdict) *moment {
	e := Entry{N: len(m.entries), Index: index, Hash: v.entry.Hash, Fault: v.fault}
	return &moment{
		places: append(m.places, index), count: m.count + 1,
		state: v.after, entries: append(m.entries, e), bytes: m.bytes + int64(v.entry.Size()),
	}
}

// add adds an entry that was replayed.
func (m *moment) add(s replay.Step) {
	m.state, m.bytes, m.count = s.After, m.bytes+int64(s.Entry.Size()), m.count+1
	m.entries = append(m.entries, Entry{N: len(m.entries), Index: s.Index, Hash: s.Entry.Hash, Fault: s.Fault})
}

// doubting is the moment after the log did not say whether it took an entry; nil:
// it has said so since.
func (m *moment) doubting(v *verdict) *moment {
	next := *m
	next.doubt = nil
	if v != nil {
		next.doubt = &doubt{verdict: v}
	}
	return &next
}

// forget drops what can be replayed from the log, unless something is in doubt. Who
// waits for the next entry need not know. Requires: the table has no users.
func (h *history) forget() bool {
	now := h.now.Load()
	return now.doubt == nil && h.now.CompareAndSwap(now, &moment{places: now.places, count: now.count, over: now.over})
}
