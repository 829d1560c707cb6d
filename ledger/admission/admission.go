package admission

import (
	"cmp"
	"container/list"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Options bound what an Admission takes on. Zero values mean the defaults.
type Options struct {
	Blobs      tlog.Blobs    // beside the log; without them no message may name a blob
	Live       int           // tables kept replayed in memory: 1,024
	Gate       Gate          // says when proofs may be checked: as many at the same time as there are processors
	AppendTime time.Duration // how long to wait for the log to take an entry: 30 s
	Index      string        // file that spares Open the reading of all entries, see index.go; none: it reads them

	// Organiser tells whether the holder of a verifier key may begin tables;
	// nil: everybody may.
	Organiser func(key string) bool
	// TableEntries and TableBytes bound what a table may have in the log, its
	// blobs included; 0: no bound. A table that is full takes no message.
	TableEntries int
	TableBytes   int64
}

func (o Options) withDefaults() Options {
	o.Live = cmp.Or(o.Live, 1024)
	if o.Gate == nil {
		o.Gate = make(processors, runtime.GOMAXPROCS(0))
	}
	o.AppendTime = cmp.Or(o.AppendTime, 30*time.Second)
	return o
}

// Admission is the way into a log. It must be the only one that writes to it.
// All methods may be called at the same time.
type Admission struct {
	store     store
	catalogue table.Catalogue
	options   Options
	wrong     wrongs // messages that were refused as fouls
	index     index
	moves     atomic.Uint64

	mu     sync.Mutex
	tables map[wire.Hash]*history // also those whose genesis entry the log may yet refuse
	order  []*history             // those that have begun, by index
	live   *list.List             // of *history: those in memory, the one used last in front
}

// Open returns the way into a log, after one pass over its entries, or over those
// that the file Index does not cover. What Append of the log refuses with one of
// the errors of package tlog, it must not have taken.
func Open(ctx context.Context, log tlog.Log, c table.Catalogue, o Options) (*Admission, error) {
	o = o.withDefaults()
	a := &Admission{
		store: store{log, o.Blobs, o.AppendTime}, catalogue: c, options: o, index: index{path: o.Index},
		tables: map[wire.Hash]*history{}, live: list.New(),
	}
	if err := a.readLog(ctx); err != nil {
		return nil, fmt.Errorf("reading the log for its tables: %w", err)
	}
	return a, nil
}

// maxUnbegun bounds the tables that are remembered because the log did not say whether
// it took their genesis entry. Of those beyond it only a second post is answered.
const maxUnbegun = 1024

// use finds a table, which stays in memory, once it is there, until it is done with.
// A genesis entry makes one that has not begun.
func (a *Admission) use(id wire.Hash, genesis *wire.Genesis) (h *history, done func(), err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	h = a.tables[id]
	switch {
	case h != nil:
	case genesis == nil:
		return nil, nil, &UnknownTableError{Table: id}
	default:
		h = newHistory(id, genesis.Game, genesis.Suite)
		a.tables[id] = h
	}
	h.users++
	return h, func() { a.release(h) }, nil
}

// release ends the owner of a table when the last user has gone, and forgets a
// table that has not begun, unless it perhaps has.
func (a *Admission) release(h *history) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if h.users--; h.users > 0 {
		return
	}
	if h.mail != nil {
		close(h.mail)
		h.mail = nil
	}
	now := h.now.Load()
	if !now.begun() && (now.doubt == nil || len(a.tables)-len(a.order) > maxUnbegun) {
		delete(a.tables, h.id)
	}
}

func byIndex(a, b *history) int { return cmp.Compare(a.index, b.index) }

// enlist takes in a table that has begun.
func (a *Admission) enlist(h *history) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tables[h.id] = h
	at, _ := slices.BinarySearchFunc(a.order, h, byIndex)
	a.order = slices.Insert(a.order, at, h)
	a.index.enlist(h)
}
