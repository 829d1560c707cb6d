// Package timing finds in the marks of a log what they prove of the clocks of a table, and makes the
// claim that a seat is late (docs/spec/52-time.md, 52.4). No verdict rests on it: a claim is
// checked by package table, and is void if it claims too much.
package timing

import (
	"cmp"
	"slices"

	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Mark is a good mark of the log, with the hash that a claim names it by.
type Mark struct {
	Hash wire.Hash
	keeper.Mark
}

// Clock is how a seat that owes something stands by its table's clock, as far as marks prove
// it (docs/spec/52-time.md).
type Clock struct {
	Seat table.Seat
	Used int64 // seconds, at least, for what it owes now
	Sum  int64 // and in this deal, with that
	// Left is how many seconds more have to be proved before it is late; below 0 it is late.
	// It counts only if Limited.
	Left    int64
	Limited bool
	Claim   wire.TimeoutBody // that the seat is late: void, as long as it is not
}

// FindClocks returns the clocks of the seats that owe something, by marks in the order of the log.
// Those behind the table's beginning are enough. There is none without a clock.
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
			continue // which adds nothing to a claim
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
		c.Claim.Seen = last.To // any that there is will do
	}
	c.setLimit(s)
	return c, true
}

// setLimit compares what was used with the limits. A second more than each is late.
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

// measure finds the marks that prove most.
type measure struct {
	marks   []Mark
	keepers []string
	quorum  int
}

// firstCovering is the first mark that covers an entry with a quorum.
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

// provedSpan is the time between two entries, from the first mark that covers the first to the last
// before the second with which a quorum is in both.
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
