package admission

import (
	"cmp"
	"container/list"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
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

// Posted is what became of an entry that is in the log.
type Posted struct {
	Receipt tlog.Receipt
	Table   wire.Hash
	Hash    wire.Hash    // of the entry
	N       int          // its place among the entries of the table; 0 is the genesis entry
	Head    wire.Hash    // of the table, after the entry
	Fault   *table.Fault // why it was not applied; nil if it was
	Again   bool         // the same bytes were in the log before
}

// Post admits an entry, a genesis entry or a message. Besides the errors of the
// package comment there are tlog.ErrTooLarge, tlog.ErrBusy, and whatever the
// log says; after the last the entry may or may not be in the log, and posting
// it again is safe.
//
// The blobs of a message follow its entry (wire.Cut). They are kept, durably,
// before the entry is handed to the log, and only with a message that is.
func (a *Admission) Post(ctx context.Context, parcel []byte) (Posted, error) {
	entry, _ := wire.Cut(parcel)
	if err := tlog.CheckSize(entry); errors.Is(err, tlog.ErrTooLarge) {
		return Posted{}, err
	}
	e, err := wire.Parse(parcel)
	if err != nil {
		return Posted{}, &FormError{err}
	}
	id := e.Hash
	if e.Message != nil {
		id = e.Message.Table
	}
	h, done, err := a.use(id, e.Table)
	if err != nil {
		return Posted{}, err
	}
	defer done()
	for {
		if p, err := a.post(ctx, h, e); !errors.Is(err, errMoved) {
			return p, err
		}
	}
}

// post judges an entry by the table as it is, and hands it to the owner with what
// was found; errMoved if that no longer holds by then. While the outcome of another
// entry is unknown nothing is judged, and the owner sees to that one.
func (a *Admission) post(ctx context.Context, h *history, e *wire.Entry) (Posted, error) {
	var v *verdict
	now := h.now.Load()
	switch {
	case now.doubt != nil:
	case !now.begun():
		var err error
		if v, err = a.open(ctx, e); err != nil {
			return Posted{}, err
		}
	default:
		now, err := a.replayed(ctx, h)
		if err != nil {
			now, err = a.replayedAgain(ctx, h, e, err)
		}
		if err != nil {
			return Posted{}, err
		}
		if n := now.find(e.Hash); n >= 0 {
			return a.store.again(ctx, now, n, e)
		}
		if v, err = a.judge(ctx, h, now, e); err != nil {
			return Posted{}, err
		}
	}
	return a.hand(ctx, h, letter{hash: e.Hash, verdict: v})
}

// replayedAgain returns a table whose replay has failed, if e is a message that the
// log has and brings back the blobs that a disk has lost.
func (a *Admission) replayedAgain(ctx context.Context, h *history, e *wire.Entry, err error) (*moment, error) {
	if errors.Is(err, wire.ErrDetached) && a.store.restore(ctx, h.now.Load().places, e) == nil {
		return a.replayed(ctx, h)
	}
	if unknown, ok := errors.AsType[*UnknownTableError](err); ok && e.Table != nil {
		return nil, &GenesisError{Table: h.id, Err: unknown.Err}
	}
	return nil, err
}

// Expects tells whether the log wants the blobs of e, which need not be at hand: e
// is a message that its table waits for, was not found wrong before, and may be
// checked now, or one that is in the log already and has lost them. If it is in
// the log with its blobs, the entry alone can be posted. Otherwise the error is
// what Post would return.
func (a *Admission) Expects(ctx context.Context, e *wire.Entry) (blobs bool, err error) {
	if e.Message == nil {
		return false, &FormError{errors.New("a genesis entry has no blobs")}
	}
	h, now, err := a.view(ctx, e.Message.Table)
	if errors.Is(err, wire.ErrDetached) && a.store.has(ctx, h.now.Load().places, e) == nil {
		return true, nil // perhaps what was lost is among them
	}
	if err != nil {
		return false, err
	}
	if n := now.find(e.Hash); n >= 0 {
		return a.store.lacks(ctx, e.Message, now.entries[n].Fault), nil
	}
	s := now.state
	err = s.Expects(e)
	if fault, void := errors.AsType[*table.Fault](err); void {
		return false, refusal(s, fault)
	}
	if fault, known := a.wrong.get(e.Hash); known && s.Genesis().Fouls == wire.RefuseFouls {
		return false, refusal(s, fault)
	}
	if err := a.options.Gate.Look(ctx, workOf(s, e)); err != nil {
		return false, err
	}
	return true, nil
}

// maxUnbegun bounds the tables whose genesis entry is under way, or was handed to a
// log that did not say whether it took it.
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
	case len(a.tables)-len(a.order) >= maxUnbegun:
		return nil, nil, fmt.Errorf("new tables: %w", tlog.ErrBusy)
	default:
		h = newHistory(id, genesis.Game, genesis.Suite)
		a.tables[id] = h
	}
	h.users++
	return h, func() { a.release(h) }, nil
}

// release ends the owner of a table when the last user has gone, and forgets a
// table that was refused.
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
	if now := h.now.Load(); !now.begun() && now.doubt == nil {
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

// touch marks a table in memory as used, and forgets the ones unused for longest.
func (a *Admission) touch(h *history) {
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
		if h.users == 0 && h.forget() {
			a.live.Remove(e)
			h.live = nil
		}
		e = previous
	}
}
