package table

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pakli/pakli/protocol/wire"
)

// Entries that a log puts beside the history of a table with a clock (52.10). A log that shows one
// of two messages on one parent to one player, and the other to everybody else, makes that player
// answer on the wrong one. So a table with a clock also judges entries that do not build on its
// head: a seat that has answered on a branch is not late, and a seat that has signed two good
// messages on one parent is at fault. Checking only the signature of such an entry would blame a
// player whose client corrects a message that the server has refused.

// Checks of entries beside the history.
const (
	// of a message at a table with a clock: its seat has no other good message on the same parent
	CheckOnce Check = "T8-once"
	// of a claim: the seat has not answered on a branch
	CheckBranch Check = "C8-branch"
)

// heads is how many of the last heads may have branches.
const heads = 128

// spacing is the number of entries from one kept table to the next. A table takes about three times
// the memory of the entry that led to it.
const spacing = 16

// link is an entry that was applied, or that would have been applied had the log not put another on
// its parent first. Only after ever changes.
type link struct {
	entry, parent wire.Hash
	seat          Seat
	by            string // verifier key of the seat's holder; empty for an act
	fault         *Fault // of an attempt; else nil
	text          []byte // of the entry; nil for an attempt, and where the bytes alone do not decide

	// the table after the entry, without its branches; nil: stateAfter derives it from below
	after *atomic.Pointer[State]
	below *link // link of the parent, unless after was kept from the beginning
	steps int   // since a link whose table was kept
	// a claim on a branch, or an entry that builds on one: the table after it is not known
	// (52.10.5)
	blind bool

	beside grove // of a head: the branches that leave there
}

// branches are the links of a table with a clock. They are immutable.
type branches struct {
	line   []*link         // applied entries, the last at the head; nil: the table has no clock
	astray map[Seat]string // by seat: the holder who has answered on a branch
}

// linkTo returns the link of an entry that the table takes.
func (c *course) linkTo(e *wire.Entry) *link {
	l := &link{entry: e.Hash, parent: e.Parent(), after: new(atomic.Pointer[State])}
	if m := e.Message; m != nil {
		l.seat, l.by = Seat(m.Seat), c.holders[m.Seat]
	}
	if claim := e.Act != nil && e.Act.Kind == wire.KindTimeout; !claim && e.Size() == len(e.Bytes()) {
		l.text = bytes.Clone(e.Bytes())
	}
	return l
}

// keepTable keeps the table after the link, unless it can be derived from below.
func (l *link) keepTable(after *State) {
	if l.below == nil || l.text == nil && l.fault == nil {
		alone := *after
		alone.branches = branches{}
		l.after.Store(&alone)
		l.below, l.text, l.steps = nil, nil, 0
	}
}

// extend returns the branches after a link that leads to next. Branches that nobody can be on any
// longer are forgotten.
func (b branches) extend(next *State, l *link) branches {
	if b.line == nil {
		return b
	}
	if n := len(b.line); n > 0 && b.line[n-1].steps+1 < spacing {
		l.below, l.steps = b.line[n-1], b.line[n-1].steps+1
	}
	l.keepTable(next)
	b.line = append(slices.Clip(b.line[max(0, len(b.line)+1-heads):]), l)
	if l.by != "" && b.astray[l.seat] != "" {
		b.astray = maps.Clone(b.astray)
		delete(b.astray, l.seat)
	}
	return b
}

// findLink returns the link of an entry, and the index in line of the last head in its history. It
// returns nil and -1 if there is none.
func (b branches) findLink(entry wire.Hash) (l *link, fork int) {
	for i, h := range b.line {
		if h.entry == entry {
			return h, i
		}
		if l := h.beside.findLink(entry); l != nil {
			return l, i
		}
	}
	return nil, -1
}

// stateAfter returns the table after a link. It may apply entries again that were taken before, so
// their proofs hold.
func (l *link) stateAfter() *State {
	if t := l.after.Load(); t != nil {
		return t
	}
	t := l.below.stateAfter()
	if l.fault != nil {
		t = t.WithFault(l.fault, l.entry)
	} else if e, err := wire.Parse(l.text); err != nil {
		panic(err)
	} else if t, err = t.Apply(e, Facts{Batch: t.suite.NewBatch()}); err != nil {
		panic(fmt.Sprintf("entry %s was taken, and is not taken again: please report this fault of the replay: %v", l.entry, err))
	}
	if l.steps%spacing == 0 { // a long branch keeps a table now and then
		l.after.Store(t)
	}
	return t
}

// TakeBeside takes in an entry of the log that is void because it does not build on the head. It
// returns the table with the entry noted, or s itself if nothing follows from the entry. The error
// is a *Fault if the entry's seat has signed two messages on one parent; any other error says, as
// from Resolve, that the entry cannot be checked.
func (s *State) TakeBeside(e *wire.Entry, f Facts, get func(wire.Blob) ([]byte, error)) (*State, error) {
	known, _ := s.findLink(e.Hash)
	on, fork := s.findLink(e.Parent())
	if on == nil || known != nil || s.foul != nil || s.IsOver() || e.TableID() != s.id || e.Parent() == s.head || !s.genesis.Takes(e) {
		return s, nil
	}
	// A claim needs marks, which not everybody is shown.
	if claim := e.Act != nil && e.Act.Kind == wire.KindTimeout; claim || on.blind {
		return s.besideClaim(e, fork), nil
	}
	f.Batch = nil
	before := on.stateAfter()
	if on == s.line[fork] {
		on.after.Store(before) // all entries beside the next one need it
	}
	after, err := before.Resolve(e, f, get)
	fault, judged := errors.AsType[*Fault](err)
	switch {
	case err != nil && !judged:
		return s, err
	case judged && fault.Class != Tried, err == nil && e.Act != nil && after.IsOver():
		return s, nil // nothing can build on it
	}
	l := before.linkTo(e)
	l.below, l.steps, l.fault = on, on.steps+1, fault
	l.keepTable(after)
	// Only a holder who still has the seat is at fault.
	if first := s.otherMessage(l, fork); first != nil && s.holders[l.seat] == l.by {
		return s, &Fault{Class: Foul, Check: CheckOnce, Seat: l.seat, Err: fmt.Errorf("%s has signed two messages on entry %s: entry %s is the other", s.seatText(l.seat), l.parent, first.entry)}
	}
	t := *s
	t.branches = s.withLink(l, fork)
	return &t, nil
}

// besideClaim notes a claim that does not build on the head, or an entry that builds on such a
// claim; a message only if the seat's present holder has signed it. The log could show a player the
// claim alone, and then the act by which the seat comes back.
func (s *State) besideClaim(e *wire.Entry, fork int) *State {
	l := &link{entry: e.Hash, parent: e.Parent(), blind: true}
	if m := e.Message; m != nil {
		if m.Seat >= len(s.seats) || e.Verify(s.seats[m.Seat]) != nil {
			return s
		}
		l.seat, l.by = Seat(m.Seat), s.holders[m.Seat]
	}
	t := *s
	t.branches = s.withLink(l, fork)
	return &t
}

func (b branches) withLink(l *link, fork int) branches {
	head := *b.line[fork]
	head.beside = head.beside.withLink(l)
	if b.isStrayAnswer(l, fork) {
		b.astray = maps.Clone(b.astray)
		b.astray[l.seat] = l.by
	}
	b.line = slices.Clone(b.line)
	b.line[fork] = &head
	return b
}

// otherMessage returns another good message of the same holder on the same parent, or nil.
func (b branches) otherMessage(l *link, fork int) *link {
	if l.by == "" || l.fault != nil {
		return nil
	}
	if next := b.line[fork+1]; next.fault == nil && next.signature() == l.signature() {
		return next
	}
	return b.line[fork].beside.findLink(l.signature())
}

// isStrayAnswer reports whether l is an answer on a branch by a seat that has signed nothing in the
// history since the fork. A message on the fork itself is no such answer. The head after the fork
// does not count as signed in the history: the log may not have shown it to its own signer.
func (b branches) isStrayAnswer(l *link, fork int) bool {
	return l.by != "" && l.parent != b.line[fork].entry &&
		!slices.ContainsFunc(b.line[min(fork+2, len(b.line)):], func(o *link) bool { return o.by != "" && o.seat == l.seat })
}

// IsAstray reports whether the holder of a seat has answered on a branch and has signed nothing in
// the history since.
func (s *State) IsAstray(seat Seat) bool {
	return s.astray[seat] != "" && s.astray[seat] == s.holders[seat]
}

// IsBeside reports whether an entry of the log is on a branch of the table.
func (b branches) IsBeside(entry wire.Hash) bool {
	l, fork := b.findLink(entry)
	return l != nil && l != b.line[fork]
}

// StateAfter returns the table after one of its entries, on a branch or not, with a clock that
// counts nothing. It returns nil if that table is not known, as after a claim on a branch.
func (s *State) StateAfter(entry wire.Hash) *State {
	if entry == s.head {
		return s
	}
	if l, _ := s.findLink(entry); l != nil && !l.blind {
		return l.stateAfter()
	}
	return nil
}

// grove is the links on the branches at one head, in the order of the log: the first n of a list.
// Tables of which one came of the other share the list, which would otherwise be copied for each
// entry.
type grove struct {
	*branchLinks
	n int
}

type branchLinks struct {
	mu     sync.Mutex
	list   []*link
	number map[any]int // from 1; by entry, and by signature for the first message that is no attempt
}

// signature identifies the holder who signed a message and the parent of the message.
func (l *link) signature() any { return [3]any{l.parent, l.seat, l.by} }

func (g grove) withLink(l *link) grove {
	more := []*link{l}
	if g.branchLinks == nil {
		g.branchLinks = &branchLinks{number: map[any]int{}}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.list) > g.n { // another table has extended the list
		more = append(slices.Clip(g.list[:g.n]), l)
		g.branchLinks = &branchLinks{number: map[any]int{}}
	}
	for _, l := range more {
		g.list = append(g.list, l)
		g.number[l.entry] = len(g.list)
		if g.number[l.signature()] == 0 && l.by != "" && l.fault == nil {
			g.number[l.signature()] = len(g.list)
		}
	}
	g.n = len(g.list)
	return g
}

// findLink returns the link of an entry or of a signature, or nil if there is none.
func (g grove) findLink(what any) *link {
	if g.branchLinks == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if n := g.number[what]; n > 0 && n <= g.n {
		return g.list[n-1]
	}
	return nil
}
