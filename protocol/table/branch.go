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

// What a log puts beside the history of a table with a clock (52.10). A log that shows a player one of
// two messages on one parent, and everybody the other, has that player answer on the wrong one. So a
// table with a clock judges also what does not build on its head: a seat that has answered on
// a branch is not late, and one that has signed two good messages on one parent is at fault. The
// alternative, to see of an entry beside only that its seat has signed it, blames a player whose
// client corrects a message that the server has refused.

// Checks of what is beside the history.
const (
	CheckOnce   Check = "T8-once"   // of a table with a clock: it is its seat's only good message on its parent
	CheckBranch Check = "C8-branch" // of a claim: the seat has not answered on a branch
)

// heads is how many of the last heads may have entries beside their next one.
const heads = 128

// spacing is how many entries there are from one of which the table after it is kept to the next. A table takes
// some three times the memory of the entry that led to it.
const spacing = 16

// link is an entry with the table after it: one that was applied, or one that would have been, had
// the log not put another on its parent before. But for after it does not change.
type link struct {
	entry, parent wire.Hash
	seat          Seat
	by            string // who held the seat; empty of acts
	fault         *Fault // of an attempt
	text          []byte // of the entry; nil of an attempt, and of what is not judged by its bytes alone

	after *atomic.Pointer[State] // without links of its own; nil: as it follows from below
	below *link                  // of its parent, if after was not kept from the beginning
	steps int                    // since one that was
	blind bool                   // a claim, or built on one: what the table would be after it is not known (52.10.5)

	beside grove // of a head: the branches there
}

// branches are the links of a table with a clock. They do not change.
type branches struct {
	line   []*link         // applied, the last at the head; nil: nothing is noted
	astray map[Seat]string // who holds a seat and has answered on a branch
}

// linkTo is the link of an entry that the table takes.
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

// keepTable keeps the table after the link, if it does not follow from what is below.
func (l *link) keepTable(after *State) {
	if l.below == nil || l.text == nil && l.fault == nil {
		alone := *after
		alone.branches = branches{}
		l.after.Store(&alone)
		l.below, l.text, l.steps = nil, nil, 0
	}
}

// extend is the branches when a link leads to next. From where nobody can be any more they are forgotten.
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

// findLink returns the link of an entry, and the place in the line of the last head in its history; nil if there is none.
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

// stateAfter is the table after a link. What was taken before is taken again, so its proofs hold.
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
	if l.steps%spacing == 0 { // on a long branch
		l.after.Store(t)
	}
	return t
}

// TakeBeside takes in an entry of the log that is void because it does not build on the head. It returns the
// table as it is then, which is s where nothing follows from the entry. The error is a *Fault if its seat has
// signed two messages on one parent, and otherwise says, as that of Resolve, that this cannot be checked.
func (s *State) TakeBeside(e *wire.Entry, f Facts, get func(wire.Blob) ([]byte, error)) (*State, error) {
	known, _ := s.findLink(e.Hash)
	on, fork := s.findLink(e.Parent())
	if on == nil || known != nil || s.foul != nil || s.IsOver() || e.TableID() != s.id || e.Parent() == s.head || !s.genesis.Takes(e) {
		return s, nil
	}
	if claim := e.Act != nil && e.Act.Kind == wire.KindTimeout; claim || on.blind { // which would need marks that not everybody is shown
		return s.besideClaim(e, fork), nil
	}
	f.Batch = nil
	before := on.stateAfter()
	if on == s.line[fork] {
		on.after.Store(before) // for all that lies beside the next one
	}
	after, err := before.Resolve(e, f, get)
	fault, judged := errors.AsType[*Fault](err)
	switch {
	case err != nil && !judged:
		return s, err
	case judged && fault.Class != Tried, err == nil && e.Act != nil && after.IsOver():
		return s, nil // on which nothing can build
	}
	l := before.linkTo(e)
	l.below, l.steps, l.fault = on, on.steps+1, fault
	l.keepTable(after)
	if first := s.otherMessage(l, fork); first != nil && s.holders[l.seat] == l.by { // who has the seat still
		return s, &Fault{Class: Foul, Check: CheckOnce, Seat: l.seat, Err: fmt.Errorf("%s has signed two messages on entry %s: entry %s is the other", s.seatText(l.seat), l.parent, first.entry)}
	}
	t := *s
	t.branches = s.withLink(l, fork)
	return &t, nil
}

// besideClaim notes a claim that does not build on the head, or what builds on one there: a message if who has the
// seat has signed it. The log can show a player the claim alone, and then the act by which the seat comes back.
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

// otherMessage returns another message of the same holder on the same parent.
func (b branches) otherMessage(l *link, fork int) *link {
	if l.by == "" || l.fault != nil {
		return nil
	}
	if next := b.line[fork+1]; next.fault == nil && next.signature() == l.signature() {
		return next
	}
	return b.line[fork].beside.findLink(l.signature())
}

// isStrayAnswer reports whether a message on a branch is an answer there of a seat that has not been in the history
// since the fork. One beside the next message on the same parent is none; nor has a seat seen the next head that has signed it.
func (b branches) isStrayAnswer(l *link, fork int) bool {
	return l.by != "" && l.parent != b.line[fork].entry &&
		!slices.ContainsFunc(b.line[min(fork+2, len(b.line)):], func(o *link) bool { return o.by != "" && o.seat == l.seat })
}

// IsAstray reports whether the holder of a seat has answered on a branch, and has signed nothing in the history since.
func (s *State) IsAstray(seat Seat) bool {
	return s.astray[seat] != "" && s.astray[seat] == s.holders[seat]
}

// IsBeside reports whether an entry of the log is on a branch of the table.
func (b branches) IsBeside(entry wire.Hash) bool {
	l, fork := b.findLink(entry)
	return l != nil && l != b.line[fork]
}

// StateAfter is the table after an entry of it, on a branch or not, with a clock that counts nothing; nil if it is not known,
// as that after a claim on a branch never is.
func (s *State) StateAfter(entry wire.Hash) *State {
	if entry == s.head {
		return s
	}
	if l, _ := s.findLink(entry); l != nil && !l.blind {
		return l.stateAfter()
	}
	return nil
}

// grove is the links on the branches at one head, in the order of the log: the first n of a list that tables share of
// which one came of the other. A list of each table's own would be copied whole for each of its entries.
type grove struct {
	*branchLinks
	n int
}

type branchLinks struct {
	mu     sync.Mutex
	list   []*link
	number map[any]int // from 1 on, by entry; and by signature of the first message that is no attempt
}

// signature is who has signed on which entry.
func (l *link) signature() any { return [3]any{l.parent, l.seat, l.by} }

func (g grove) withLink(l *link) grove {
	more := []*link{l}
	if g.branchLinks == nil {
		g.branchLinks = &branchLinks{number: map[any]int{}}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.list) > g.n { // another table has gone on from here
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

// findLink returns the link of an entry or with a signature, nil if there is none.
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
