package bundle

// This file computes when entries were put into a log, by the clocks of keepers who have signed the
// log's marks (docs/spec/52-time.md): for the time that an event promises its players (55.6.3), and
// for score sheets. No verdict on a table rests on it.

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/wire"
)

// Marks are the marks of a log. Callers ask for few of them, since verifying a mark takes a server
// longer than finding its place.
type Marks interface {
	// Places lists at least all good marks, in the order of the log.
	Places() []marks.Place
	Mark(wire.Hash) (keeper.Mark, error) // an error if it is no good mark
}

// TimesBetween considers the marks in which a quorum of keepers has a time. It returns the first
// good one that covers an entry, the last good one below the index end, and the seconds that
// elapsed between the two at least, by a quorum in both. Without such marks the hashes are zero.
func TimesBetween(m Marks, entry, end uint64, keepers []string, quorum int) (from, to wire.Hash, seconds int64) {
	t := NewTimes(m, keepers)
	will := func(mark keeper.Mark) bool {
		_, signed := keeper.ElapsedSeconds(mark, mark, keepers)
		return signed >= quorum
	}
	a, found := t.firstUpward(entry, end, func(mark keeper.Mark) bool { return mark.Covers(entry) && will(mark) })
	if quorum < 1 || !found {
		return from, to, 0
	}
	z, _ := t.lastBelow(end, will)
	seconds, signed := keeper.ElapsedSeconds(a.Mark, z.Mark, keepers)
	if signed < quorum {
		seconds = 0
	}
	return a.hash, z.hash, seconds
}

// Times tells when entries were put into the log, by the clocks of some keepers.
type Times struct {
	marks   Marks
	keepers []string
	places  []marks.Place
}

// NewTimes returns the times of the marks that a log has now.
func NewTimes(m Marks, keepers []string) *Times { return &Times{m, keepers, m.Places()} }

// TimesOf returns the times, in seconds since 1970, between which an entry was put into the log,
// provided that the clocks of all keepers that have signed are right: the earliest time of the last
// mark before the entry, and the latest time of the first mark that covers it. It returns false if
// there is no mark on one of the sides.
func (t *Times) TimesOf(index uint64) (after, by int64, known bool) {
	before, covers, known := t.marksAround(index)
	if !known {
		return 0, 0, false
	}
	after, _, _ = t.timeRange(before.Mark)
	_, by, _ = t.timeRange(covers.Mark)
	return after, by, true
}

// MarksAround returns the two marks that TimesOf reads, or nil if there are none.
func (t *Times) MarksAround(index uint64) []wire.Hash {
	before, covers, known := t.marksAround(index)
	if !known {
		return nil
	}
	return []wire.Hash{before.hash, covers.hash}
}

type namedMark struct {
	hash wire.Hash
	keeper.Mark
}

// marksAround searches outwards from the entry: a log has many marks, and an event many tables.
func (t *Times) marksAround(index uint64) (before, covers namedMark, known bool) {
	if covers, known = t.firstUpward(index, math.MaxUint64, func(m keeper.Mark) bool { return m.Covers(index) && t.hasTime(m) }); known {
		before, known = t.lastBelow(index, t.hasTime)
	}
	return before, covers, known
}

// firstUpward returns the first good mark with an index in [from, end) for which will returns true.
func (t *Times) firstUpward(from, end uint64, will func(keeper.Mark) bool) (namedMark, bool) {
	return t.firstGood(slices.Values(t.places[t.markPlace(from):max(t.markPlace(from), t.markPlace(end))]), will)
}

// lastBelow returns the last good mark with an index below end for which will returns true.
func (t *Times) lastBelow(end uint64, will func(keeper.Mark) bool) (namedMark, bool) {
	return t.firstGood(func(yield func(marks.Place) bool) {
		for _, p := range slices.Backward(t.places[:t.markPlace(end)]) {
			if !yield(p) {
				return
			}
		}
	}, will)
}

func (t *Times) firstGood(places iter.Seq[marks.Place], will func(keeper.Mark) bool) (namedMark, bool) {
	for p := range places {
		if mark, err := t.marks.Mark(p.Hash); err == nil && will(mark) {
			return namedMark{p.Hash, mark}, true
		}
	}
	return namedMark{}, false
}

// markPlace returns the number of the first mark whose index is not below index.
func (t *Times) markPlace(index uint64) int {
	at, _ := slices.BinarySearchFunc(t.places, index, func(p marks.Place, index uint64) int { return cmp.Compare(p.Index, index) })
	return at
}

// hasTime reports whether a mark has a time.
func (t *Times) hasTime(m keeper.Mark) bool {
	_, _, signed := t.timeRange(m)
	return signed
}

// timeRange returns the earliest and the latest time of a mark, and whether it has a time.
func (t *Times) timeRange(mark keeper.Mark) (first, last int64, signed bool) {
	for _, k := range t.keepers {
		if at, has := mark.Time(k); has {
			if !signed || at < first {
				first = at
			}
			last, signed = max(last, at), true
		}
	}
	return first, last, signed
}
