package admission

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
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

// Post admits an entry of a table or of an event. Besides the errors of the
// package comment there are tlog.ErrBusy, and whatever the
// log says; after the last the entry may or may not be in the log, and posting
// it again is safe.
//
// The blobs of a message are with it. They are kept, durably,
// before the entry is handed to the log, and only with a message that is.
func (a *Admission) Post(ctx context.Context, e *bulletin.Entry) (PostedEntry, error) {
	of := SubjectOf(e)
	s, done := a.use(of, e)
	if s == nil {
		return PostedEntry{}, &UnknownError{Subject: of}
	}
	defer done()
	for {
		if p, err := s.postJudged(ctx, e); !errors.Is(err, errMoved) {
			return p, err
		}
	}
}

// postJudged judges an entry by its subject as it is, and hands it to the owner with what
// was found; errMoved if that no longer holds by then. While the outcome of another
// entry is unknown nothing is judged, and the owner sees to that one.
func (s *subject) postJudged(ctx context.Context, e *bulletin.Entry) (PostedEntry, error) {
	var v *verdict
	now := s.now.Load()
	switch {
	case len(now.doubt) > 0:
	case !now.hasBegun():
		var err error
		if v, err = s.judgeFirst(ctx, e); err != nil {
			return PostedEntry{}, err
		}
	default:
		now, err := s.replayedMoment(ctx)
		if err != nil {
			now, err = s.replayedAgain(ctx, e, err)
		}
		if err != nil {
			return PostedEntry{}, err
		}
		if n := now.findEntry(e.Hash); n >= 0 {
			return s.answerAgain(ctx, now, n, e)
		}
		if s.Event {
			v = &verdict{entry: e} // it has no proofs, and the owner judges many together
		} else if v, err = s.judgeMessage(ctx, now, e); err != nil {
			return PostedEntry{}, err
		}
	}
	return s.handLetter(&letter{ctx: ctx, entry: e, verdict: v})
}

// answerAgain answers bytes that are in the log as the n-th entry of a subject, and keeps
// their blobs, which a disk may have lost.
func (s *subject) answerAgain(ctx context.Context, now *moment, n int, posted *bulletin.Entry) (PostedEntry, error) {
	e := now.entries[n]
	if err := s.in.store.keepBlobs(ctx, blobsToKeep(posted, e.Fault)); err != nil {
		return PostedEntry{}, err
	}
	r, err := Receipt(ctx, s.in.store.log, e.Index)
	return PostedEntry{Receipt: r, Table: s.ID, Hash: e.Hash, N: n, Head: s.headAt(now), Fault: e.Fault, Again: true}, err
}

func (s *subject) judgeFirst(ctx context.Context, e *bulletin.Entry) (*verdict, error) {
	switch {
	case e.Table != nil:
		return s.judgeGenesis(ctx, e)
	case e.Event != nil:
		return &verdict{entry: e}, s.in.checkAnnouncement(e)
	}
	return nil, &UnknownError{Subject: s.Subject}
}

// replayedAgain returns a table whose replay has failed, if e is a message that the
// log has and brings back the blobs that a disk has lost.
func (s *subject) replayedAgain(ctx context.Context, e *bulletin.Entry, err error) (*moment, error) {
	if errors.Is(err, wire.ErrDetached) && s.in.store.restoreBlobs(ctx, s.now.Load().places, e) == nil {
		return s.replayedMoment(ctx)
	}
	if unknown, ok := errors.AsType[*UnknownError](err); ok && e.Table != nil {
		return nil, &GenesisError{Table: s.ID, Err: unknown.Err}
	}
	return nil, err
}

// Expects tells whether the log wants the blobs of e, which need not be at hand: e
// is a message that its table waits for, was not found wrong before, and may be
// checked now, or one that is in the log already and has lost them. If it is in
// the log with its blobs, the entry alone can be posted. Otherwise the error is
// what Post would return.
func (a *Admission) Expects(ctx context.Context, e *bulletin.Entry) (blobs bool, err error) {
	if e.Message == nil {
		return false, &FormError{errors.New("only a message has blobs")}
	}
	of, now, err := a.view(ctx, SubjectOf(e))
	if errors.Is(err, wire.ErrDetached) && a.store.hasEntry(ctx, of.now.Load().places, e) == nil {
		return true, nil // perhaps what was lost is among them
	}
	if err != nil {
		return false, err
	}
	if n := now.findEntry(e.Hash); n >= 0 {
		return a.store.lacksBlobs(ctx, e.Message, now.entries[n].Fault), nil
	}
	s := now.state
	err = s.Expects(e.Entry)
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

// judgeGenesis judges the genesis entry of a table that has not begun.
func (s *subject) judgeGenesis(ctx context.Context, e *bulletin.Entry) (*verdict, error) {
	o := s.in.options
	if may := o.Organiser; may != nil && !may(e.Table.Organiser) {
		return nil, &OrganiserError{Table: e.Hash}
	}
	if err := o.AllowsSuite(e.Table); err != nil {
		return nil, &GenesisError{Table: e.Hash, Err: err}
	}
	leave, err := o.Gate.Enter(ctx, Work{Key: e.Table.Organiser, Bytes: len(e.Bytes())})
	if err != nil {
		return nil, err
	}
	paid := Unsigned
	defer func() { leave(paid) }()
	begun, err := table.Open(e.Entry, s.in.catalogue)
	for _, name := range e.Table.Names {
		if name != "" {
			err = cmp.Or(err, plain.CheckName(string(name)))
		}
	}
	if err != nil {
		return nil, &GenesisError{Table: e.Hash, Err: err}
	}
	paid = Right
	return &verdict{entry: e, after: begun}, nil
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
func (s *subject) judgeMessage(ctx context.Context, now *moment, e *bulletin.Entry) (*verdict, error) {
	state, o := now.state, s.in.options
	if s.in.store.blobs == nil && len(e.Blobs()) > 0 {
		return nil, &FormError{errors.New("this log keeps no blobs")}
	}
	full := o.TableEntries > 0 && len(now.entries) >= o.TableEntries || o.TableBytes > 0 && now.bytes+int64(e.Size()) > o.TableBytes
	closes := e.Act != nil && e.Act.Kind == wire.KindClose
	if full && !closes && e.Parent() == state.Head() { // or play has moved on, which is said first
		return nil, &FullError{s.Subject}
	}
	next, err := s.applyEntry(ctx, now, e)
	fault, ok := errors.AsType[*table.Fault](err)
	switch {
	case err == nil:
		return &verdict{entry: e, before: state, after: next}, nil
	case errors.Is(err, wire.ErrDetached):
		return nil, &FormError{fmt.Errorf("the blobs of a message follow it: %w", err)}
	case !ok:
		return nil, err
	case fault.Class != table.Void && state.Genesis().Fouls != wire.RefuseFouls:
		return &verdict{entry: e, before: state, after: state.WithFault(fault, e.Hash), fault: fault}, nil
	}
	return nil, refusalOf(state, fault)
}

// applyEntry returns the table after e, whose proofs are checked when the gate lets it.
// What fails before its proofs matter, since play has moved on or is over, does not
// wait there, and neither does what was found wrong before: nothing that it is
// judged by has changed.
func (s *subject) applyEntry(ctx context.Context, now *moment, e *bulletin.Entry) (*table.State, error) {
	state, a := now.state, s.in
	if e.Parent() != state.Head() || state.Foul() != nil || e.Message != nil && e.Message.Seat >= state.Seats() {
		return state.Apply(e.Entry, table.Facts{})
	}
	if err := a.wrong.knownFault(e); err != nil {
		return nil, err
	}
	if e.Size() > longMessage {
		if err := state.Expects(e.Entry); err != nil {
			return nil, err
		}
	}
	leave, err := a.options.Gate.Enter(ctx, workOf(state, e))
	if err != nil {
		return nil, err
	}
	paid := Unsigned
	defer func() { leave(paid) }()
	if s.now.Load() != now { // while it waited
		return nil, errMoved
	}
	if err := a.wrong.knownFault(e); err != nil {
		return nil, err
	}
	next, err := state.Apply(e.Entry, table.Facts{Marks: a.Mark})
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

func refusalOf(s *table.State, fault *table.Fault) error {
	if fault.Check == table.CheckParent {
		return &Conflict{Table: s.ID(), Head: s.Head(), Fault: fault}
	}
	return &Refusal{Table: s.ID(), Head: s.Head(), Fault: fault}
}

// workOf is what it takes to check a message by a seat of s, or an act.
func workOf(s *table.State, e *bulletin.Entry) Work {
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

// knownFault returns what is remembered to be wrong with e. Where the log may have
// to keep blobs too, e has to come with them.
func (k *wrongEntries) knownFault(e *bulletin.Entry) error {
	if fault, known := k.faultOf(e.Hash); known && !e.Message.IsDetached() {
		return fault
	}
	return nil
}

func (k *wrongEntries) putFault(entry wire.Hash, fault *table.Fault) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.newer == nil || len(k.newer) >= maxWrong {
		k.newer, k.older = map[wire.Hash]*table.Fault{}, k.newer
	}
	k.newer[entry] = fault
}
