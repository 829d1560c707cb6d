// Package timing finds in the marks of a log what they prove of the clocks of a table, and makes
// the claim that a seat is late (docs/spec/52-time.md, 52.4). No verdict rests on it: package table
// checks a claim, which is void if it claims too much.
package timing

import (
	"cmp"
	"slices"

	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Mark is a good mark of the log and the hash by which a claim names it.
type Mark struct {
	Hash wire.Hash
	keeper.Mark
}

// Clock is the clock of a seat that owes something, as far as marks prove it
// (docs/spec/52-time.md).
type Clock struct {
	Seat table.Seat
	Used int64 // seconds proved for what the seat owes now
	Sum  int64 // seconds proved in this deal, Used included
	// Left is how many more seconds have to be proved before the seat is late. Below 0 the seat is
	// late. Left counts only if Limited.
	Left    int64
	Limited bool
	Claim   wire.TimeoutBody // that the seat is late; void while it is not
}

// FindClocks returns the clocks of the seats that owe something, by marks in the order of the log.
// Marks from before the table's beginning are not needed. A table without a clock has none.
func FindClocks(s *table.State, marks []Mark) (list []Clock) {
	for seat := range table.Seat(s.Seats()) {
		if c, runs := clockOf(s, seat, marks); runs {
			list = append(list, c)
		}
	}
	return list
}

func clockOf(s *table.State, seat table.Seat, marks []Mark) (c Clock, runs bool) {
	head, owed, spent := s.Timing(seat)
	if len(owed) == 0 {
		return c, false
	}
	m := measure{marks, s.Genesis().Clock.Keepers, s.Genesis().Clock.Quorum}
	since := slices.MinFunc(owed, func(a, b table.Place) int { return cmp.Compare(a.Index, b.Index) })
	c = Clock{Seat: seat, Claim: wire.TimeoutBody{Seat: int(seat), Silence: [][]byte{}}}
	begun := uint64(0)
	for _, i := range spent[max(0, len(spent)-wire.MaxSpans+1):] {
		span, seconds := m.provedSpan(max(begun, i.Since.Index), i.Done.Index)
		begun = i.Done.Index
		if seconds == 0 {
			continue // it adds nothing to a claim
		}
		span.Since, span.Done = i.Since.Entry, i.Done.Entry.String()
		c.Claim.Spans, c.Sum = append(c.Claim.Spans, span), c.Sum+seconds
	}
	last, used := m.provedSpan(max(begun, since.Index), indexAfter(marks))
	last.Since = since.Entry
	c.Used, c.Sum = used, c.Sum+used
	c.Claim.Spans = append(c.Claim.Spans, last)
	if seen := m.firstCovering(head.Index); seen != nil {
		c.Claim.Seen = seen.Hash
	} else if s.Genesis().Clock.Grace == 0 {
		c.Claim.Seen = last.To // any mark will do
	}
	c.setLimit(s)
	return c, true
}

// setLimit compares the time used with the limits. A seat that exceeds one by a second is late.
func (c *Clock) setLimit(s *table.State) {
	duty, deal := s.Limits(c.Seat)
	for _, l := range []struct{ limit, used int64 }{{duty, c.Used}, {deal, c.Sum}} {
		if left := l.limit - l.used; l.limit > 0 && (!c.Limited || left < c.Left) {
			c.Left, c.Limited = left, true
		}
	}
}

func indexAfter(marks []Mark) uint64 {
	if len(marks) == 0 {
		return 0
	}
	return marks[len(marks)-1].Index + 1
}

// measure finds the marks that prove the most time.
type measure struct {
	marks   []Mark
	keepers []string
	quorum  int
}

// firstCovering returns the first mark of a quorum that covers an entry, or nil.
func (m measure) firstCovering(index uint64) *Mark {
	for i := range m.marks {
		if m.marks[i].Covers(index) && m.hasQuorum(m.marks[i]) {
			return &m.marks[i]
		}
	}
	return nil
}

func (m measure) hasQuorum(mark Mark) bool {
	_, n := keeper.ElapsedSeconds(mark.Mark, mark.Mark, m.keepers)
	return n >= m.quorum
}

// provedSpan returns the time between two entries: from the first mark that covers the first entry
// to the last mark before the second entry that shares a quorum with it.
func (m measure) provedSpan(since, done uint64) (span wire.Span, seconds int64) {
	from := m.firstCovering(since)
	if from == nil {
		return span, 0
	}
	for _, to := range slices.Backward(m.marks) {
		if to.Index >= done {
			continue
		}
		if passed, signed := keeper.ElapsedSeconds(from.Mark, to.Mark, m.keepers); signed >= m.quorum {
			span.From, span.To = from.Hash, to.Hash
			return span, passed
		}
	}
	return span, 0
}
