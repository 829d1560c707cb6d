package table

import (
	"errors"
	"fmt"
	"maps"
	"slices"

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

// link is an entry with the table after it: one that was applied, or one that would have been, had
// the log not put another on its parent before.
type link struct {
	entry, parent wire.Hash
	fork          wire.Hash // of a branch: the last entry that was applied below it
	seat          Seat
	by            string // who held the seat; empty of acts
	tried         bool   // an attempt
	after         *State // without links of its own
}

// branches are the links of a table with a clock. They do not change.
type branches struct {
	line   []*link         // applied, the last at the head
	beside []*link         // in the order of the log
	astray map[Seat]string // who holds a seat and has answered on a branch
}

// bare is the table without links.
func (s *State) bare() *State {
	t := *s
	t.branches = branches{}
	return &t
}

// linked is the link of an entry that led to after.
func (s *State) linked(e *wire.Entry, after *State) *link {
	l := &link{entry: e.Hash, parent: e.Parent(), after: after.bare()}
	if m := e.Message; m != nil {
		l.seat, l.by = Seat(m.Seat), s.holders[m.Seat]
		l.tried = len(after.attempts) > len(s.attempts)
	}
	return l
}

// extend notes the link to next, and forgets branches from where nobody can be any more. Requires: a clock.
func (s *State) extend(next *State, l *link) {
	next.line = append(slices.Clip(s.line), l)
	next.line = next.line[max(0, len(next.line)-heads):]
	if l.by != "" && s.astray[l.seat] != "" {
		next.astray = maps.Clone(s.astray)
		delete(next.astray, l.seat)
	}
	next.beside = slices.DeleteFunc(slices.Clone(s.beside), func(b *link) bool { return next.place(b.fork) < 0 })
}

// place is where in the line an entry is; below 0 if it is not there.
func (b branches) place(entry wire.Hash) int {
	return slices.IndexFunc(b.line, func(l *link) bool { return l.entry == entry })
}

// find returns the link of an entry, nil if there is none.
func (b branches) find(entry wire.Hash) *link {
	for _, list := range [][]*link{b.line, b.beside} {
		if i := slices.IndexFunc(list, func(l *link) bool { return l.entry == entry }); i >= 0 {
			return list[i]
		}
	}
	return nil
}

// Beside takes in an entry of the log that is void because it does not build on the head. It returns the
// table as it is then, which is s where nothing follows from the entry. The error is a *Fault if its seat has
// signed two messages on one parent, and otherwise says, as that of Resolve, that this cannot be checked.
func (s *State) Beside(e *wire.Entry, f Facts, get func(wire.Blob) ([]byte, error)) (*State, error) {
	if s.genesis.Clock.None() || s.foul != nil || s.Over() || e.Table != nil || e.Parent() == s.head || s.find(e.Hash) != nil {
		return s, nil
	}
	if e.Act != nil && e.Act.Kind == wire.KindTimeout {
		return s, nil // which would need marks that not everybody is shown
	}
	on := s.find(e.Parent())
	if on == nil {
		return s, nil
	}
	f.Batch = nil
	after, err := on.after.Resolve(e, f, get)
	fault, judged := errors.AsType[*Fault](err)
	switch {
	case err != nil && !judged:
		return s, err
	case judged && fault.Class != Tried:
		return s, nil
	case judged:
		after = on.after.End(fault, e.Hash)
	}
	l := on.after.linked(e, after.At(f.Index))
	if l.fork = on.fork; s.place(on.entry) >= 0 {
		l.fork = on.entry
	}
	if first := s.twice(l); first != nil {
		return s, &Fault{Class: Foul, Check: CheckOnce, Seat: l.seat, Err: fmt.Errorf("%s has signed two messages on entry %s: entry %s is the other", s.seatText(l.seat), l.parent, first.entry)}
	}
	t := *s
	t.beside = append(slices.Clip(s.beside), l)
	if s.strays(l) {
		t.astray = map[Seat]string{}
		maps.Copy(t.astray, s.astray)
		t.astray[l.seat] = l.by
	}
	return &t, nil
}

// twice returns another message of the same holder on the same parent, if it has the seat still.
func (s *State) twice(l *link) *link {
	if l.by == "" || l.tried || s.holders[l.seat] != l.by {
		return nil
	}
	for _, list := range [][]*link{s.line, s.beside} {
		for _, o := range list {
			if o.parent == l.parent && o.seat == l.seat && o.by == l.by && !o.tried {
				return o
			}
		}
	}
	return nil
}

// strays reports whether a message on a branch is an answer there of a seat that has not been in the history
// since the fork. One beside the next message on the same parent is none.
func (s *State) strays(l *link) bool {
	fork := s.place(l.fork)
	return l.by != "" && l.parent != l.fork && !slices.ContainsFunc(s.line[fork+1:], func(o *link) bool { return o.by != "" && o.seat == l.seat })
}

// Astray reports whether the holder of a seat has answered on a branch, and has signed nothing in the history since.
func (s *State) Astray(seat Seat) bool {
	return s.astray[seat] != "" && s.astray[seat] == s.holders[seat]
}

// IsBeside reports whether an entry of the log is on a branch of the table.
func (s *State) IsBeside(entry wire.Hash) bool {
	return slices.ContainsFunc(s.beside, func(l *link) bool { return l.entry == entry })
}

// On is the table after an entry of it, on a branch or not; nil if it is not known.
func (s *State) On(entry wire.Hash) *State {
	if entry == s.head {
		return s
	}
	if l := s.find(entry); l != nil {
		return l.after
	}
	return nil
}
