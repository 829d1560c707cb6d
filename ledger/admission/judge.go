package admission

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// verdict is what an admitted entry does to its table. It holds wherever and
// whenever it was found, for as long as the table is as it was before.
type verdict struct {
	entry  *wire.Entry
	before *table.State // nil for a genesis entry
	after  *table.State
	fault  *table.Fault // if it is recorded as a foul
}

// open judges the genesis entry of a table that has not begun.
func (a *Admission) open(ctx context.Context, e *wire.Entry) (*verdict, error) {
	if e.Table == nil {
		return nil, &UnknownTableError{Table: e.Message.Table}
	}
	if may := a.options.Organiser; may != nil && !may(e.Table.Organiser) {
		return nil, &OrganiserError{Table: e.Hash}
	}
	leave, err := a.options.Gate.Enter(ctx, Work{Key: e.Table.Organiser, Bytes: len(e.Bytes())})
	if err != nil {
		return nil, err
	}
	paid := Unsigned
	defer func() { leave(paid) }()
	s, err := table.Open(e, a.catalogue)
	if err != nil {
		return nil, &GenesisError{Table: e.Hash, Err: err}
	}
	paid = Right
	return &verdict{entry: e, after: s}, nil
}

// judge judges a message by its table as it is. A foul that is not recorded is an
// error, as every other fault.
func (a *Admission) judge(ctx context.Context, h *history, now *moment, e *wire.Entry) (*verdict, error) {
	s, o := now.state, a.options
	if a.store.blobs == nil && len(e.Message.Blobs()) > 0 {
		return nil, &FormError{errors.New("this log keeps no blobs")}
	}
	full := o.TableEntries > 0 && len(now.entries) >= o.TableEntries || o.TableBytes > 0 && now.bytes+int64(e.Size()) > o.TableBytes
	if full && e.Message.Parent == s.Head() { // or play has moved on, which is said first
		return nil, &FullError{Table: h.id}
	}
	next, err := a.apply(ctx, h, now, e)
	fault, ok := errors.AsType[*table.Fault](err)
	switch {
	case err == nil:
		return &verdict{entry: e, before: s, after: next}, nil
	case errors.Is(err, wire.ErrDetached):
		return nil, &FormError{fmt.Errorf("the blobs of a message follow it: %w", err)}
	case !ok:
		return nil, err
	case fault.Class == table.Foul && s.Genesis().Fouls == wire.RecordFouls:
		return &verdict{entry: e, before: s, after: s.End(fault), fault: fault}, nil
	}
	return nil, refusal(s, fault)
}

// apply returns the table after e, whose proofs are checked when the gate lets it.
// What fails before its proofs matter, since play has moved on or is over, does not
// wait there, and neither does what was found wrong before: nothing that it is
// judged by has changed.
func (a *Admission) apply(ctx context.Context, h *history, now *moment, e *wire.Entry) (*table.State, error) {
	m, s := e.Message, now.state
	if m.Parent != s.Head() || s.Foul() != nil || m.Seat >= s.Seats() {
		return s.Apply(e, nil)
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
	next, err := s.Apply(e, nil)
	fault, _ := errors.AsType[*table.Fault](err)
	switch {
	case err == nil:
		paid = Right
	case fault != nil && fault.Class == table.Foul:
		paid = Wrong
		a.wrong.put(e.Hash, fault)
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
	if fault, known := a.wrong.get(e.Hash); known && !e.Message.Detached() {
		return fault
	}
	return nil
}

func refusal(s *table.State, fault *table.Fault) error {
	if fault.Check == table.CheckParent {
		return &Conflict{Table: s.ID(), Head: s.Head(), Fault: fault}
	}
	return &Refusal{Table: s.ID(), Head: s.Head(), Fault: fault}
}

// workOf is what it takes to check a message by a seat of s.
func workOf(s *table.State, e *wire.Entry) Work {
	return Work{Key: s.Genesis().Seats[e.Message.Seat], Table: s.ID(), Bytes: e.Size()}
}

// maxWrong bounds each of the two halves of wrongs.
const maxWrong = 2048

// wrongs are entries that were checked and are wrong. An entry names its parent,
// and so all that it is judged by: the same bytes need no second check, which
// can take long. The latest ones are remembered, maxWrong of them at least.
type wrongs struct {
	mu           sync.Mutex
	newer, older map[wire.Hash]*table.Fault
}

// get returns what is wrong with an entry, if that is remembered.
func (k *wrongs) get(entry wire.Hash) (fault *table.Fault, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if fault, ok = k.newer[entry]; !ok {
		fault, ok = k.older[entry]
	}
	return fault, ok
}

// put remembers what is wrong with an entry.
func (k *wrongs) put(entry wire.Hash, fault *table.Fault) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.newer == nil || len(k.newer) >= maxWrong {
		k.newer, k.older = map[wire.Hash]*table.Fault{}, k.newer
	}
	k.newer[entry] = fault
}
