package admission

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"

	"github.com/pakli/pakli/ledger/tlog"
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
// the mailbox of its owner, the goroutine that alone moves it on.
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

	turn atomic.Pointer[verdict] // handed to a log that is shared, the latest
}

// moment is what is known of a table at one time. A moment does not change; another
// one takes its place.
type moment struct {
	places []uint64 // ascending: entries of the log that seem to be of the table; none: it has not begun
	count  int      // entries of the table, 0 before it was ever replayed; without those behind
	behind int      // places at the end that were not looked at: others have placed them
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

// hasBegun tells whether the log has the table's genesis entry.
func (m *moment) hasBegun() bool { return len(m.places) > 0 }

// findEntry returns the place of an entry of a table in memory, or -1.
func (m *moment) findEntry(entry wire.Hash) int {
	return slices.IndexFunc(m.entries, func(e Entry) bool { return e.Hash == entry })
}

// admitsVerdict tells whether what was found of an entry holds at this moment.
func (m *moment) admitsVerdict(v *verdict) bool {
	return v != nil && m.doubt == nil && m.behind == 0 && !m.replaying && m.state == v.before && m.hasBegun() == (v.before != nil)
}

// replaceMoment replaces a moment by another one, and wakes who waits for that; false if
// it was replaced before.
func (h *history) replaceMoment(now, next *moment) bool {
	next.over = make(chan struct{})
	if !h.now.CompareAndSwap(now, next) {
		return false
	}
	close(now.over)
	return true
}

// afterEntry is the moment after the log has taken an entry. Its arrays are longer than
// those of the moment before, and may be the same.
func (m *moment) afterEntry(index uint64, v *verdict) *moment {
	e := Entry{N: len(m.entries), Index: index, Hash: v.entry.Hash, Fault: v.fault}
	return &moment{
		places: append(m.places, index), count: m.count + 1,
		state: v.after.AtIndex(index), entries: append(m.entries, e), bytes: m.bytes + int64(v.entry.Size()),
	}
}

// addStep adds an entry that was replayed.
func (m *moment) addStep(s replay.Step) {
	m.state, m.bytes, m.count = s.After, m.bytes+int64(s.Entry.Size()), m.count+1
	m.entries = append(m.entries, Entry{N: len(m.entries), Index: s.Index, Hash: s.Entry.Hash, Fault: s.Fault})
}

// withDoubt is the moment after the log did not say whether it took an entry; nil:
// it has said so since.
func (m *moment) withDoubt(v *verdict) *moment {
	next := *m
	next.doubt = nil
	if v != nil {
		next.doubt = &doubt{verdict: v}
	}
	return &next
}

// forgetState drops what can be replayed from the log, unless something is in doubt. Who
// waits for the next entry need not know. Requires: the table has no users.
func (h *history) forgetState() bool {
	now := h.now.Load()
	return now.doubt == nil && h.now.CompareAndSwap(now, &moment{places: now.places, count: now.count, behind: now.behind, over: now.over})
}

// letter is an entry that a caller has posted.
type letter struct {
	ctx     context.Context
	hash    wire.Hash
	verdict *verdict // nil: what is in doubt at the table comes first
	answer  chan<- postAnswer
}

type postAnswer struct {
	PostedEntry
	err error
}

// errMoved says that a table has moved on since its state was looked at.
var errMoved = errors.New("the table has moved on")

// handLetter gives a letter to the owner of a table in use, which begins with its first
// letter and ends with the last user (releaseTable), and waits for the answer. A caller may
// give up until the owner takes the letter, not afterwards: then the log is asked
// whether or not anybody still listens.
func (a *Admission) handLetter(ctx context.Context, h *history, l letter) (PostedEntry, error) {
	answers := make(chan postAnswer, 1)
	l.ctx, l.answer = ctx, answers
	a.mu.Lock()
	mail := h.mail
	if mail == nil {
		h.mail = make(chan letter)
		go a.answerLetters(h, l, h.mail)
	}
	a.mu.Unlock()
	if mail != nil {
		select {
		case mail <- l:
		case <-ctx.Done():
			return PostedEntry{}, ctx.Err()
		}
	}
	r := <-answers
	return r.PostedEntry, r.err
}

// answerLetters answers one letter after another. Who reads the table does not wait for it.
func (a *Admission) answerLetters(h *history, l letter, mail <-chan letter) {
	for more := true; more; l, more = <-mail {
		if a.options.Shared {
			a.competeFor(h, l)
			continue
		}
		p, err := a.moveOn(h, l)
		l.answer <- postAnswer{p, err}
	}
}

// moveOn moves a table on by an entry, if what was found of it still holds. What is
// in doubt is settled first. A panic of the log is an answer that does not say
// whether it took the entry.
func (a *Admission) moveOn(h *history, l letter) (p PostedEntry, err error) {
	v := l.verdict
	defer func() {
		if cause := recover(); cause != nil {
			p, err = PostedEntry{}, fmt.Errorf("the log panicked: %v\n%s", cause, debug.Stack())
			if now := h.now.Load(); now.admitsVerdict(v) {
				h.replaceMoment(now, now.withDoubt(v))
			}
		}
	}()
	if d := h.now.Load().doubt; d != nil {
		p, err := a.appendPromised(l.ctx, h, d.verdict)
		if d.entry.Hash == l.hash || h.now.Load().doubt != nil {
			return p, err
		}
	}
	if !h.now.Load().admitsVerdict(v) {
		return PostedEntry{}, errMoved
	}
	return a.appendPromised(l.ctx, h, v)
}

// appendPromised makes the log take an entry, and moves the table on when it has. If the
// log does not say whether it took the entry, it is in doubt; once it is, what
// refuses a second try says nothing about the first.
func (a *Admission) appendPromised(ctx context.Context, h *history, v *verdict) (PostedEntry, error) {
	now := h.now.Load()
	receipt, again, err := a.store.appendEntry(ctx, v.entry, v.fault)
	if err != nil {
		if now.doubt == nil && !saysNotTaken(err) {
			h.replaceMoment(now, now.withDoubt(v))
		}
		return PostedEntry{}, err
	}
	if now.hasBegun() && receipt.Index <= now.places[len(now.places)-1] {
		h.replaceMoment(now, now.withDoubt(nil))
		return PostedEntry{}, misplacedRefusal(now, receipt.Index)
	}
	a.placeVerdict(h, now, receipt, v, again)
	return PostedEntry{Receipt: receipt, Table: h.id, Hash: v.entry.Hash, N: len(now.entries), Head: v.after.Head(), Fault: v.fault, Again: again}, nil
}

// misplacedRefusal is why a table does not move on by an entry that the log held before the
// table asked for it, at a place where it is void: the log takes the same bytes only once.
func misplacedRefusal(now *moment, index uint64) error {
	last := now.places[len(now.places)-1]
	err := fmt.Errorf("the log has the message at index %d, before entry %d that it builds on", index, last)
	return &Refusal{Table: now.state.ID(), Head: now.state.Head(), Fault: &table.Fault{Check: table.CheckParent, Class: table.Void, Err: err}}
}

// placeVerdict moves a table on by an entry that the log has at an index. A genesis entry
// that the log had before is replayed with what may follow it; so would be what other
// writers placed, if there were any.
func (a *Admission) placeVerdict(h *history, now *moment, r tlog.Receipt, v *verdict, again bool) {
	defer a.moves.Add(1)
	next := now.afterEntry(r.Index, v)
	if now.hasBegun() {
		h.replaceMoment(now, next)
		a.index.recordEntry(r.Index, h.number, r.Checkpoint)
		return
	}
	h.index = r.Index
	if again {
		next = &moment{places: next.places}
	}
	h.replaceMoment(now, next)
	a.enlistTable(h)
	a.index.recordEntry(r.Index, h.number, r.Checkpoint)
	a.touchTable(h)
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
		_ = a.settleDoubt(context.WithoutCancel(ctx), h.id) // else it stays in doubt
	}()
}

// settleDoubt asks the log again for what is in doubt at a table, if anything is.
func (a *Admission) settleDoubt(ctx context.Context, id wire.Hash) error {
	h, done, err := a.useTable(id, nil)
	if err != nil {
		return err
	}
	defer done()
	if h.now.Load().doubt == nil {
		return nil
	}
	if _, err = a.handLetter(ctx, h, letter{}); errors.Is(err, errMoved) {
		return nil
	}
	return err
}
