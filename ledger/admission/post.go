package admission

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/pakli/pakli/internal/names"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// PostedEntry is what became of an entry that is in the log.
type PostedEntry struct {
	Receipt tlog.Receipt
	Table   wire.Hash
	Hash    wire.Hash    // of the entry
	N       int          // its place among the entries of the table; 0 is the genesis entry
	Head    wire.Hash    // of the table, after the entry
	Fault   *table.Fault // why it was not applied; nil if it was
	Again   bool         // the same bytes were in the log before
}

// Subject is what entries are about: a table, or an event.
type Subject struct {
	ID    wire.Hash
	Event bool
}

// SubjectOf is what an entry names, or begins.
func SubjectOf(e *wire.Entry) Subject {
	switch {
	case e.Notice != nil:
		return Subject{e.Notice.Event, true}
	case e.Decision != nil:
		return Subject{e.Decision.Event, true}
	}
	return Subject{e.TableID(), e.Event != nil}
}

// Post admits an entry of a table or of an event. Besides the errors of the
// package comment there are tlog.ErrBusy, and whatever the
// log says; after the last the entry may or may not be in the log, and posting
// it again is safe.
//
// The blobs of a message are with it. They are kept, durably,
// before the entry is handed to the log, and only with a message that is.
func (a *Admission) Post(ctx context.Context, e *wire.Entry) (PostedEntry, error) {
	if SubjectOf(e).Event {
		return a.postOfEvent(ctx, e)
	}
	h, done, err := a.useTable(e.TableID(), e.Table)
	if err != nil {
		return PostedEntry{}, err
	}
	defer done()
	for {
		if p, err := a.postJudged(ctx, h, e); !errors.Is(err, errMoved) {
			return p, err
		}
	}
}

// postJudged judges an entry by the table as it is, and hands it to the owner with what
// was found; errMoved if that no longer holds by then. While the outcome of another
// entry is unknown nothing is judged, and the owner sees to that one.
func (a *Admission) postJudged(ctx context.Context, h *history, e *wire.Entry) (PostedEntry, error) {
	var v *verdict
	now := h.now.Load()
	switch {
	case now.doubt != nil:
	case !now.hasBegun():
		var err error
		if v, err = a.judgeGenesis(ctx, e); err != nil {
			return PostedEntry{}, err
		}
	default:
		now, err := a.replayedMoment(ctx, h)
		if err != nil {
			now, err = a.replayedAgain(ctx, h, e, err)
		}
		if err != nil {
			return PostedEntry{}, err
		}
		if n := now.findEntry(e.Hash); n >= 0 {
			return a.store.answerAgain(ctx, now, n, e)
		}
		if v, err = a.judgeMessage(ctx, h, now, e); err != nil {
			return PostedEntry{}, err
		}
	}
	return a.handLetter(ctx, h, letter{hash: e.Hash, verdict: v})
}

// replayedAgain returns a table whose replay has failed, if e is a message that the
// log has and brings back the blobs that a disk has lost.
func (a *Admission) replayedAgain(ctx context.Context, h *history, e *wire.Entry, err error) (*moment, error) {
	if errors.Is(err, wire.ErrDetached) && a.store.restoreBlobs(ctx, h.now.Load().places, e) == nil {
		return a.replayedMoment(ctx, h)
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
		return false, &FormError{errors.New("only a message has blobs")}
	}
	h, now, err := a.viewTable(ctx, e.Message.Table)
	if errors.Is(err, wire.ErrDetached) && a.store.hasEntry(ctx, h.now.Load().places, e) == nil {
		return true, nil // perhaps what was lost is among them
	}
	if err != nil {
		return false, err
	}
	if n := now.findEntry(e.Hash); n >= 0 {
		return a.store.lacksBlobs(ctx, e.Message, now.entries[n].Fault), nil
	}
	s := now.state
	err = s.Expects(e)
	if fault, void := errors.AsType[*table.Fault](err); void {
		return false, refusalOf(s, fault)
	}
	if fault, known := a.wrong.faultOf(e.Hash); known && s.Genesis().Fouls == wire.RefuseFouls {
		return false, refusalOf(s, fault)
	}
	if err := a.options.Gate.Look(ctx, workOf(s, e)); err != nil {
		return false, err
	}
	return true, nil
}

// verdict is what an admitted entry does to its table. It holds wherever and
// whenever it was found, for as long as the table is as it was before.
type verdict struct {
	entry  *wire.Entry
	before *table.State // nil for a genesis entry
	after  *table.State
	fault  *table.Fault // if it is recorded as a foul
}

// judgeGenesis judges the genesis entry of a table that has not begun.
func (a *Admission) judgeGenesis(ctx context.Context, e *wire.Entry) (*verdict, error) {
	if e.Table == nil {
		return nil, &UnknownTableError{Table: e.TableID()}
	}
	if may := a.options.Organiser; may != nil && !may(e.Table.Organiser) {
		return nil, &OrganiserError{Table: e.Hash}
	}
	if err := a.options.AllowsSuite(e.Table); err != nil {
		return nil, &GenesisError{Table: e.Hash, Err: err}
	}
	leave, err := a.options.Gate.Enter(ctx, Work{Key: e.Table.Organiser, Bytes: len(e.Bytes())})
	if err != nil {
		return nil, err
	}
	paid := Unsigned
	defer func() { leave(paid) }()
	s, err := table.Open(e, a.catalogue)
	for _, name := range e.Table.Names {
		if name != "" {
			err = cmp.Or(err, names.Check(string(name)))
		}
	}
	if err != nil {
		return nil, &GenesisError{Table: e.Hash, Err: err}
	}
	paid = Right
	return &verdict{entry: e, after: s}, nil
}

// AllowsSuite returns an error if no table of this suite may begin.
func (o Options) AllowsSuite(g *wire.Genesis) error {
	if wire.AttachableBytes(g.Suite) <= wire.MaxAttached || o.Suite != nil && o.Suite(g.Suite) {
		return nil
	}
	return fmt.Errorf("proofs of suite %s take megabytes, and the operator of this server has not allowed it: choose another suite, or another server", g.Suite)
}

// judgeMessage judges a message or an act by its table as it is. A foul that is not recorded is an
// error, as every other fault. A table that is full can be closed.
func (a *Admission) judgeMessage(ctx context.Context, h *history, now *moment, e *wire.Entry) (*verdict, error) {
	s, o := now.state, a.options
	if a.store.blobs == nil && len(e.Blobs()) > 0 {
		return nil, &FormError{errors.New("this log keeps no blobs")}
	}
	full := o.TableEntries > 0 && len(now.entries) >= o.TableEntries || o.TableBytes > 0 && now.bytes+int64(e.Size()) > o.TableBytes
	closes := e.Act != nil && e.Act.Kind == wire.KindClose
	if full && !closes && e.Parent() == s.Head() { // or play has moved on, which is said first
		return nil, &FullError{Table: h.id}
	}
	next, err := a.applyEntry(ctx, h, now, e)
	fault, ok := errors.AsType[*table.Fault](err)
	switch {
	case err == nil:
		return &verdict{entry: e, before: s, after: next}, nil
	case errors.Is(err, wire.ErrDetached):
		return nil, &FormError{fmt.Errorf("the blobs of a message follow it: %w", err)}
	case !ok:
		return nil, err
	case fault.Class != table.Void && s.Genesis().Fouls != wire.RefuseFouls:
		return &verdict{entry: e, before: s, after: s.WithFault(fault, e.Hash), fault: fault}, nil
	}
	return nil, refusalOf(s, fault)
}

// applyEntry returns the table after e, whose proofs are checked when the gate lets it.
// What fails before its proofs matter, since play has moved on or is over, does not
// wait there, and neither does what was found wrong before: nothing that it is
// judged by has changed.
func (a *Admission) applyEntry(ctx context.Context, h *history, now *moment, e *wire.Entry) (*table.State, error) {
	s := now.state
	if e.Parent() != s.Head() || s.Foul() != nil || e.Message != nil && e.Message.Seat >= s.Seats() {
		return s.Apply(e, table.Facts{})
	}
	if err := a.knownWrong(e); err != nil {
		return nil, err
	}
	if e.Size() > longMessage {
		if err := s.Expects(e); err != nil {
			return nil, err
		}
	}
	leave, err := a.options.Gate.Enter(ctx, workOf(s, e))
	if err != nil {
		return nil, err
	}
	paid := Unsigned
	defer func() { leave(paid) }()
	if h.now.Load() != now { // while it waited
		return nil, errMoved
	}
	if err := a.knownWrong(e); err != nil {
		return nil, err
	}
	next, err := s.Apply(e, table.Facts{Marks: a.Mark})
	fault, _ := errors.AsType[*table.Fault](err)
	switch {
	case err == nil:
		paid = Right
	case fault != nil && fault.Class != table.Void:
		paid = Wrong
		a.wrong.putFault(e.Hash, fault)
	}
	return next, err
}

// longMessage is the size in bytes above which the proofs of a message can take long
// to check. What its seat has not signed, or does not owe, is then found before it
// waits at the gate. Of shorter ones the signature would be checked twice for nothing.
const longMessage = 4096

// knownWrong returns what is remembered to be wrong with e. Where the log may have
// to keep blobs too, e has to come with them.
func (a *Admission) knownWrong(e *wire.Entry) error {
	if fault, known := a.wrong.faultOf(e.Hash); known && !e.Message.IsDetached() {
		return fault
	}
	return nil
}

func refusalOf(s *table.State, fault *table.Fault) error {
	if fault.Check == table.CheckParent {
		return &Conflict{Table: s.ID(), Head: s.Head(), Fault: fault}
	}
	return &Refusal{Table: s.ID(), Head: s.Head(), Fault: fault}
}

// workOf is what it takes to check a message by a seat of s, or an act.
func workOf(s *table.State, e *wire.Entry) Work {
	w := Work{Table: s.ID(), Bytes: e.Size()}
	if e.Act != nil {
		w.Key = e.Act.By
	} else {
		w.Key = s.HolderKey(table.Seat(e.Message.Seat))
	}
	return w
}

// maxWrong bounds each of the two halves of wrongs.
const maxWrong = 2048

// wrongEntries are entries that were checked and are wrong. An entry names its parent,
// and so all that it is judged by: the same bytes need no second check, which
// can take long. The latest ones are remembered, maxWrong of them at least.
type wrongEntries struct {
	mu           sync.Mutex
	newer, older map[wire.Hash]*table.Fault
}

// faultOf returns what is wrong with an entry, if that is remembered.
func (k *wrongEntries) faultOf(entry wire.Hash) (fault *table.Fault, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if fault, ok = k.newer[entry]; !ok {
		fault, ok = k.older[entry]
	}
	return fault, ok
}

// putFault remembers what is wrong with an entry.
func (k *wrongEntries) putFault(entry wire.Hash, fault *table.Fault) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.newer == nil || len(k.newer) >= maxWrong {
		k.newer, k.older = map[wire.Hash]*table.Fault{}, k.newer
	}
	k.newer[entry] = fault
}
