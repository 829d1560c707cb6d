package admission

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// letter is an entry that a caller has posted.
type letter struct {
	ctx     context.Context
	hash    wire.Hash
	verdict *verdict // nil: what is in doubt at the table comes first
	answer  chan<- answer
}

type answer struct {
	Posted
	err error
}

// errMoved says that a table has moved on since its state was looked at.
var errMoved = errors.New("the table has moved on")

// hand gives a letter to the owner of a table in use, and waits for the answer. A
// caller may give up until the owner takes the letter, not afterwards: then the
// log is asked whether or not anybody still listens.
func (a *Admission) hand(ctx context.Context, h *history, l letter) (Posted, error) {
	answers := make(chan answer, 1)
	l.ctx, l.answer = ctx, answers
	select {
	case a.mailbox(h) <- l:
		r := <-answers
		return r.Posted, r.err
	case <-ctx.Done():
		return Posted{}, ctx.Err()
	}
}

// mailbox returns the way to the owner of a table in use, which begins with the
// first letter and ends with the last user (release).
func (a *Admission) mailbox(h *history) chan<- letter {
	a.mu.Lock()
	defer a.mu.Unlock()
	if h.mail == nil {
		h.mail = make(chan letter)
		go a.own(h, h.mail)
	}
	return h.mail
}

// own answers one letter after another. Who reads the table does not wait for it.
func (a *Admission) own(h *history, mail <-chan letter) {
	for l := range mail {
		p, err := a.posted(h, l)
		l.answer <- answer{p, err}
	}
}

// posted moves a table on by an entry, if what was found of it still holds. What is
// in doubt is settled first. A panic of the log is an answer that does not say
// whether it took the entry.
func (a *Admission) posted(h *history, l letter) (p Posted, err error) {
	v := l.verdict
	defer func() {
		if cause := recover(); cause != nil {
			p, err = Posted{}, fmt.Errorf("the log panicked: %v\n%s", cause, debug.Stack())
			if now := h.now.Load(); now.admits(v) {
				h.become(now, now.doubting(v))
			}
		}
	}()
	if d := h.now.Load().doubt; d != nil {
		p, err := a.promise(l.ctx, h, d.verdict)
		if d.entry.Hash == l.hash || h.now.Load().doubt != nil {
			return p, err
		}
	}
	if !h.now.Load().admits(v) {
		return Posted{}, errMoved
	}
	return a.promise(l.ctx, h, v)
}

// promise makes the log take an entry, and moves the table on when it has. If the
// log does not say whether it took the entry, it is in doubt; once it is, what
// refuses a second try says nothing about the first.
func (a *Admission) promise(ctx context.Context, h *history, v *verdict) (Posted, error) {
	now := h.now.Load()
	if err := a.store.keep(ctx, v.entry, v.fault); err != nil {
		return Posted{}, err
	}
	receipt, again, err := a.store.append(ctx, v.entry.Bytes())
	if err != nil {
		if now.doubt == nil && !refused(err) {
			h.become(now, now.doubting(v))
		}
		return Posted{}, err
	}
	if now.begun() && receipt.Index <= now.places[len(now.places)-1] {
		h.become(now, now.doubting(nil))
		return Posted{}, misplaced(now, receipt.Index)
	}
	a.placed(h, now, receipt, v, again)
	return Posted{Receipt: receipt, Table: h.id, Hash: v.entry.Hash, N: len(now.entries), Head: v.after.Head(), Fault: v.fault, Again: again}, nil
}

// misplaced is why a table does not move on by an entry that the log held before the
// table asked for it, at a place where it is void: the log takes the same bytes only once.
func misplaced(now *moment, index uint64) error {
	last := now.places[len(now.places)-1]
	err := fmt.Errorf("the log has the message at index %d, before entry %d that it builds on", index, last)
	return &Refusal{Table: now.state.ID(), Head: now.state.Head(), Fault: &table.Fault{Check: table.CheckParent, Class: table.Void, Err: err}}
}

// placed moves a table on by an entry that the log has at an index. A genesis entry
// that the log had before is replayed with what may follow it.
func (a *Admission) placed(h *history, now *moment, r tlog.Receipt, v *verdict, again bool) {
	next := now.with(r.Index, v)
	if now.begun() {
		h.become(now, next)
		a.index.record(r, h)
		return
	}
	h.index = r.Index
	if again {
		next = &moment{places: next.places}
	}
	h.become(now, next)
	a.enlist(h)
	a.index.record(r, h)
	a.touch(h)
}

// settleSoon settles what is in doubt, unless a reader has asked for it already.
// Readers do not wait for it: what they see is true, if not all.
func (a *Admission) settleSoon(ctx context.Context, h *history) {
	d := h.now.Load().doubt
	if d == nil || !d.asking.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer d.asking.Store(false)
		_ = a.settle(context.WithoutCancel(ctx), h.id) // else it stays in doubt
	}()
}

// settle asks the log again for what is in doubt at a table, if anything is.
func (a *Admission) settle(ctx context.Context, id wire.Hash) error {
	h, done, err := a.use(id, nil)
	if err != nil {
		return err
	}
	defer done()
	if h.now.Load().doubt == nil {
		return nil
	}
	if _, err = a.hand(ctx, h, letter{}); errors.Is(err, errMoved) {
		return nil
	}
	return err
}
