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
	Queue      int           // posts and reads of one caller that wait at one table: 64
	Gate       Gate          // says when proofs may be checked: as many at the same time as there are processors
	AppendTime time.Duration // how long to wait for the log to take an entry: 30 s
	Index      string        // file that spares Open the reading of all entries, see index.go; none: it reads them

	// Organiser tells whether the holder of a verifier key may begin tables;
	// nil: everybody may.
	Organiser func(key string) bool
	// TableEntries and TableBytes bound what a table may have in the log, its
	// blobs included; 0: nothing does. A table that is full takes no message.
	TableEntries int
	TableBytes   int64
}

func (o Options) withDefaults() Options {
	o.Live = cmp.Or(o.Live, 1024)
	o.Queue = cmp.Or(o.Queue, 64)
	if o.Gate == nil {
		o.Gate = make(processors, runtime.GOMAXPROCS(0))
	}
	o.AppendTime = cmp.Or(o.AppendTime, 30*time.Second)
	return o
}

// Admission is the way into a log. It must be the only one that writes to it.
// All methods may be called at the same time.
type Admission struct {
	log       tlog.Log
	catalogue table.Catalogue
	options   Options

	mu     sync.Mutex
	tables map[wire.Hash]*history
	order  []*history                // by index
	lost   map[wire.Hash]*wire.Entry // genesis entries handed to the log, outcome unknown
	live   *list.List                // of *history: replayed tables, the one touched last in front
	index  index

	wrong wrongs // messages that were refused as fouls

	saving sync.Mutex // held while the index is written
}

// Open returns the way into a log, after one pass over its entries, or over those
// that the file Index does not cover. What Append
// of the log refuses with one of the errors of package tlog, it must not take.
func Open(ctx context.Context, log tlog.Log, c table.Catalogue, o Options) (*Admission, error) {
	o = o.withDefaults()
	a := &Admission{
		log: log, catalogue: c, options: o,
		tables: map[wire.Hash]*history{}, lost: map[wire.Hash]*wire.Entry{}, live: list.New(),
	}
	if err := a.readLog(ctx); err != nil {
		return nil, fmt.Errorf("admission: reading the log: %w", err)
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
	if e.Table != nil {
		return a.create(ctx, e)
	}
	h, err := a.find(ctx, e.Message.Table)
	if err != nil {
		return Posted{}, err
	}
	defer a.use(h)()
	for {
		if p, err := a.post(ctx, h, e); !errors.Is(err, errMoved) {
			return p, err
		}
	}
}

// create admits a genesis entry.
func (a *Admission) create(ctx context.Context, e *wire.Entry) (Posted, error) {
	if _, lost := a.lookup(e.Hash); lost != nil {
		return a.begin(ctx, e, nil)
	}
	if _, now, err := a.view(ctx, e.Hash); err == nil {
		return a.again(ctx, now, 0)
	} else if _, unknown := errors.AsType[*UnknownTableError](err); !unknown {
		return Posted{}, err
	}
	if may := a.options.Organiser; may != nil && !may(e.Table.Organiser) {
		return Posted{}, &OrganiserError{Table: e.Hash}
	}
	s, err := a.openable(ctx, e)
	if err != nil {
		return Posted{}, err
	}
	return a.begin(ctx, e, s)
}

// maxLost bounds the genesis entries remembered because the log did not say
// whether it took them. Of those beyond it only a second post is answered.
const maxLost = 1024

// begin makes the log take a genesis entry, and begins its table, which needs no
// replay if its state is given.
func (a *Admission) begin(ctx context.Context, e *wire.Entry, s *table.State) (Posted, error) {
	receipt, again, err := a.append(ctx, e.Bytes())
	if err != nil {
		a.lose(e, err)
		return Posted{}, err
	}
	h := newHistory(e, receipt.Index)
	if s != nil && !again {
		h.show(&snapshot{state: s, entries: []Entry{{Index: receipt.Index, Hash: e.Hash}}, bytes: int64(e.Size())})
	}
	added := a.add(h)
	if added {
		a.own(receipt, h)
		if h.now.Load() != nil {
			a.touch(h)
		}
	}
	if !added {
		_, now, err := a.view(ctx, e.Hash)
		if err != nil {
			return Posted{}, err
		}
		return a.again(ctx, now, 0)
	}
	return Posted{Receipt: receipt, Table: e.Hash, Hash: e.Hash, Head: e.Hash, Again: again}, nil
}

// lose remembers a genesis entry that the log may have taken.
func (a *Admission) lose(e *wire.Entry, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, begun := a.tables[e.Hash]; !begun && !refused(err) && len(a.lost) < maxLost {
		a.lost[e.Hash] = e
	}
}

// openable returns the table that a genesis entry begins.
func (a *Admission) openable(ctx context.Context, e *wire.Entry) (*table.State, error) {
	leave, err := a.options.Gate.Enter(ctx, Work{Key: e.Table.Organiser, Bytes: len(e.Bytes())})
	if err != nil {
		return nil, err
	}
	s, err := table.Open(e, a.catalogue)
	if err != nil {
		leave(Unsigned)
		return nil, &GenesisError{Table: e.Hash, Err: err}
	}
	leave(Right)
	return s, nil
}

// errMoved says that a table has moved on since its state was looked at.
var errMoved = errors.New("admission: the table has moved on")

// post admits a message to h. It is judged by a snapshot, and only then is the
// turn taken: whoever waits for a processor stands in nobody's way. What was
// found holds if the table is still as it was, and is errMoved otherwise.
func (a *Admission) post(ctx context.Context, h *history, e *wire.Entry) (Posted, error) {
	if p, done, err := a.clear(ctx, h, e); done || err != nil {
		return p, err
	}
	now, err := a.replayed(ctx, h)
	if errors.Is(err, wire.ErrDetached) && a.heal(ctx, h, e) == nil {
		now, err = a.replayed(ctx, h)
	}
	if err != nil {
		return Posted{}, err
	}
	if n, known := h.place(e.Hash); known {
		now = h.now.Load()
		if err := a.keep(ctx, e.Message, now.entries[n].Fault); err != nil {
			return Posted{}, err
		}
		return a.again(ctx, now, n)
	}
	if a.options.Blobs == nil && len(e.Message.Blobs()) > 0 {
		return Posted{}, &FormError{errors.New("this log keeps no blobs")}
	}
	if err := a.room(now, e); err != nil {
		return Posted{}, err
	}
	next, fault, err := a.apply(ctx, h, now, e)
	if err != nil {
		return Posted{}, err
	}
	leave, err := a.enter(ctx, h)
	if err != nil {
		return Posted{}, err
	}
	defer leave()
	if err := h.movedOn(now); err != nil {
		return Posted{}, err
	}
	return a.promise(ctx, h, &doubt{entry: e, next: next, fault: fault})
}

// clear settles what is in doubt at a table, before anything else happens there;
// done says that it was e.
func (a *Admission) clear(ctx context.Context, h *history, e *wire.Entry) (p Posted, done bool, err error) {
	if h.doubt.Load() == nil {
		return Posted{}, false, nil
	}
	leave, err := a.enter(ctx, h)
	if err != nil {
		return Posted{}, false, err
	}
	defer leave()
	d := h.doubt.Load()
	if d == nil {
		return Posted{}, false, nil
	}
	p, err = a.promise(ctx, h, d)
	if d.entry.Hash != e.Hash && h.doubt.Load() == nil {
		return Posted{}, false, nil // whatever became of it
	}
	return p, d.entry.Hash == e.Hash, err
}

// promise makes the log take d, for the holder of the turn, and says so.
func (a *Admission) promise(ctx context.Context, h *history, d *doubt) (Posted, error) {
	receipt, again, err := a.settle(ctx, h, d)
	if err != nil {
		return Posted{}, err
	}
	last := len(h.now.Load().entries) - 1
	return Posted{Receipt: receipt, Table: h.id, Hash: d.entry.Hash, N: last, Head: d.next.Head(), Fault: d.fault, Again: again}, nil
}

// room returns nil if the table may have e too. Play that has moved on says so
// first.
func (a *Admission) room(now *snapshot, e *wire.Entry) error {
	o := a.options
	if o.TableEntries > 0 && len(now.entries) >= o.TableEntries || o.TableBytes > 0 && now.bytes+int64(e.Size()) > o.TableBytes {
		if e.Message.Parent == now.state.Head() {
			return &FullError{Table: now.state.ID()}
		}
	}
	return nil
}

// apply returns the table after e. A fault is returned if e is to be recorded
// as a foul; every other one is an error.
func (a *Admission) apply(ctx context.Context, h *history, now *snapshot, e *wire.Entry) (*table.State, *table.Fault, error) {
	s := now.state
	next, err := a.check(ctx, h, now, e)
	if err == nil {
		return next, nil, nil
	}
	fault, ok := errors.AsType[*table.Fault](err)
	switch {
	case errors.Is(err, wire.ErrDetached):
		return nil, nil, &FormError{fmt.Errorf("the blobs of a message follow it: %w", err)}
	case !ok:
		return nil, nil, err
	case fault.Class == table.Foul && s.Genesis().Fouls == wire.RecordFouls:
		return s.End(fault), fault, nil
	}
	return nil, nil, refusal(s, fault)
}

// check applies e when the gate lets it. What fails before anything dear, since
// play has moved on or is over, does not have to wait for those who check
// proofs: a flood of it stands in nobody's way. Nor does what was found wrong
// before: nothing that it is judged by has changed.
func (a *Admission) check(ctx context.Context, h *history, now *snapshot, e *wire.Entry) (*table.State, error) {
	m, s := e.Message, now.state
	if m.Parent != s.Head() || s.Foul() != nil || m.Seat >= s.Seats() {
		return s.Apply(e, nil)
	}
	if err := a.knownWrong(e); err != nil {
		return nil, err
	}
	if err := authorised(s, e); err != nil {
		return nil, err
	}
	leave, err := a.options.Gate.Enter(ctx, workOf(s, e))
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(h.movedOn(now), a.knownWrong(e)); err != nil { // while it waited
		leave(Unsigned)
		return nil, err
	}
	next, err := s.Apply(e, nil)
	o := outcome(err)
	if o == Wrong {
		a.wrong.put(e.Hash, err.(*table.Fault))
	}
	leave(o)
	return next, err
}

// knownWrong returns what is remembered to be wrong with e. Where the log may have
// to keep blobs too, e has to come with them.
func (a *Admission) knownWrong(e *wire.Entry) error {
	if fault, known := a.wrong.get(e.Hash); known && !e.Message.Detached() {
		return fault
	}
	return nil
}

// oftenDear is the size in bytes above which a message is looked at twice.
const oftenDear = 4096

// authorised returns an error if e is long and void, so that what its seat has
// not signed, or does not owe, never waits for what is dear. Where nothing can
// be dear, Apply alone looks.
func authorised(s *table.State, e *wire.Entry) error {
	if e.Size() <= oftenDear {
		return nil
	}
	return s.Expects(e)
}

// outcome says who pays for a check that ended with err.
func outcome(err error) Outcome {
	fault, _ := errors.AsType[*table.Fault](err)
	switch {
	case err == nil:
		return Right
	case fault != nil && fault.Class == table.Foul:
		return Wrong
	}
	return Unsigned
}

func refusal(s *table.State, fault *table.Fault) error {
	if fault.Check == table.CheckParent {
		return &Conflict{Table: s.ID(), Head: s.Head(), Fault: fault}
	}
	return &Refusal{Table: s.ID(), Head: s.Head(), Fault: fault}
}

// settle makes the log take d and moves the table on. If the log does not say
// whether it took the entry, it is in doubt; once it is, what refuses a second
// try says nothing about the first.
func (a *Admission) settle(ctx context.Context, h *history, d *doubt) (receipt tlog.Receipt, again bool, err error) {
	if err := a.keep(ctx, d.entry.Message, d.fault); err != nil {
		return tlog.Receipt{}, false, err
	}
	receipt, again, err = a.append(ctx, d.entry.Bytes())
	if err != nil {
		if !refused(err) {
			h.doubt.Store(d)
		}
		return tlog.Receipt{}, false, err
	}
	h.doubt.Store(nil)
	if last := h.places[len(h.places)-1]; receipt.Index <= last {
		// The log held these bytes before the table asked for them, at a place
		// where they are void, and takes the same bytes only once.
		err := fmt.Errorf("the log has the message at index %d, before entry %d that it builds on", receipt.Index, last)
		return tlog.Receipt{}, false, &Refusal{Table: h.id, Head: h.now.Load().state.Head(),
			Fault: &table.Fault{Check: table.CheckParent, Class: table.Void, Err: err}}
	}
	h.advance(receipt.Index, d)
	a.own(receipt, h)
	return receipt, again, nil
}

// errUnasked says that the log was not asked to take the entry.
var errUnasked = errors.New("admission: nothing was appended")

// refused tells whether an error of append says that the log has not taken the
// entry this time.
func refused(err error) bool {
	for _, certain := range []error{errUnasked, tlog.ErrReadOnly, tlog.ErrBusy, tlog.ErrEmpty, tlog.ErrTooLarge} {
		if errors.Is(err, certain) {
			return true
		}
	}
	return false
}

// settleSoon settles what is in doubt, if there is something and nobody is at
// it. Readers do not wait for it: what they see is true, if not all.
func (a *Admission) settleSoon(ctx context.Context, h *history) {
	if h.doubt.Load() == nil {
		return
	}
	select {
	case h.turn <- struct{}{}:
	default:
		return
	}
	go func() {
		defer func() { <-h.turn }()
		if d := h.doubt.Load(); d != nil {
			_, _, _ = a.settle(context.WithoutCancel(ctx), h, d) // else it stays in doubt
		}
	}()
}

// keep makes the blobs of a message durable, before the log promises the message.
// Blobs that nobody needs may be anything.
func (a *Admission) keep(ctx context.Context, m *wire.Message, fault *table.Fault) error {
	if m.Detached() || !needsBlobs(fault) {
		return nil
	}
	for _, blob := range m.Attached() {
		if err := a.options.Blobs.PutBlob(ctx, blob); err != nil {
			return err
		}
	}
	return nil
}

// heal gives the log the blobs of a message that it has, if somebody brings them
// again: a disk may have lost what every player still has.
func (a *Admission) heal(ctx context.Context, h *history, e *wire.Entry) error {
	if e.Message.Detached() {
		return wire.ErrDetached
	}
	if err := a.logged(ctx, h, e); err != nil {
		return err
	}
	return a.keep(ctx, e.Message, nil)
}

// logged returns nil if the log keeps blobs and has e, at a table that need not be
// replayed.
func (a *Admission) logged(ctx context.Context, h *history, e *wire.Entry) error {
	if a.options.Blobs == nil {
		return wire.ErrDetached
	}
	leave, err := a.enter(ctx, h)
	if err != nil {
		return err
	}
	places := h.places // which only grows
	leave()
	for _, index := range places {
		entry, err := a.read(ctx, index)
		if err != nil {
			return err
		}
		if wire.HashEntry(entry) == e.Hash {
			return nil
		}
	}
	return wire.ErrDetached
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
	h, err := a.find(ctx, e.Message.Table)
	if err != nil {
		return false, err
	}
	defer a.use(h)()
	_, now, err := a.view(ctx, h.id)
	if errors.Is(err, wire.ErrDetached) && a.logged(ctx, h, e) == nil {
		return true, nil // perhaps what was lost is among them
	}
	if err != nil {
		return false, err
	}
	if n, known := h.place(e.Hash); known {
		return a.lacks(ctx, e.Message, h.now.Load().entries[n].Fault), nil
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

// lacks tells whether a blob of a message in the log cannot be had, and should be.
func (a *Admission) lacks(ctx context.Context, m *wire.Message, fault *table.Fault) bool {
	blob := a.blob(ctx)
	return needsBlobs(fault) && slices.ContainsFunc(m.Blobs(), func(b wire.Blob) bool {
		_, err := blob(b)
		return err != nil
	})
}

// needsBlobs tells whether who judges a message again needs its blobs: a foul that
// was found without its proofs is evidence without them.
func needsBlobs(fault *table.Fault) bool { return fault == nil || fault.OnProofs() }

// workOf is what it takes to check a message by a seat of s.
func workOf(s *table.State, e *wire.Entry) Work {
	return Work{Key: s.Genesis().Seats[e.Message.Seat], Table: s.ID(), Bytes: e.Size()}
}

// append waits for the outcome even if the caller does not: an entry handed to
// the log may be taken whether or not anybody still listens. Again says that the
// log had the entry before.
func (a *Admission) append(ctx context.Context, entry []byte) (receipt tlog.Receipt, again bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.options.AppendTime)
	defer cancel()
	before, err := a.log.Checkpoint(ctx)
	if err != nil {
		return tlog.Receipt{}, false, fmt.Errorf("%w: %w", errUnasked, err)
	}
	receipt, err = a.log.Append(ctx, entry)
	return receipt, receipt.Index < before.Size, err
}

// again answers bytes that are in the log as the n-th entry of a table.
func (a *Admission) again(ctx context.Context, now *snapshot, n int) (Posted, error) {
	e := now.entries[n]
	r, err := Receipt(ctx, a.log, e.Index)
	return Posted{Receipt: r, Table: now.state.ID(), Hash: e.Hash, N: n, Head: now.state.Head(), Fault: e.Fault, Again: true}, err
}

// Receipt proves that r has an entry, under its newest checkpoint. It is
// tlog.ErrRange if there is no entry with this index.
func Receipt(ctx context.Context, r tlog.Reader, index uint64) (tlog.Receipt, error) {
	c, err := r.Checkpoint(ctx)
	if err != nil {
		return tlog.Receipt{}, err
	}
	if index >= c.Size {
		return tlog.Receipt{}, fmt.Errorf("%w: entry %d of %d", tlog.ErrRange, index, c.Size)
	}
	p, err := r.Inclusion(ctx, index, c.Size)
	if err != nil {
		return tlog.Receipt{}, err
	}
	return tlog.Receipt{Index: index, Hashes: p.Hashes, Checkpoint: c.Note}, nil
}

// find returns a table by its id.
func (a *Admission) find(ctx context.Context, id wire.Hash) (*history, error) {
	h, lost := a.lookup(id)
	if lost != nil {
		if _, err := a.begin(ctx, lost, nil); err != nil {
			return nil, err
		}
		h, _ = a.lookup(id)
	}
	if h == nil {
		return nil, &UnknownTableError{Table: id}
	}
	return h, nil
}

// lookup returns a table, or the genesis entry that may have begun it.
func (a *Admission) lookup(id wire.Hash) (*history, *wire.Entry) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.tables[id], a.lost[id]
}

func byIndex(a, b *history) int { return cmp.Compare(a.index, b.index) }

// add takes a table in, once.
func (a *Admission) add(h *history) (added bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.lost, h.id)
	if _, ok := a.tables[h.id]; ok {
		return false
	}
	a.tables[h.id] = h
	a.index.tables = append(a.index.tables, h)
	h.number = uint32(len(a.index.tables))
	at, _ := slices.BinarySearchFunc(a.order, h, byIndex)
	a.order = slices.Insert(a.order, at, h)
	return true
}
