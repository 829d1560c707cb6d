package bundle

// This file says when entries were put into a log, by the clocks of keepers who have signed
// the log's marks (docs/spec/52-time.md): what an event promises its players time for (55.6.3),
// and what stands on score sheets. No verdict on a table rests on it.

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/wire"
)

// Marks are those of a log. Of many only a few are asked for, since to verify one takes a server
// longer than to know where it is.
type Marks interface {
	Places() []marks.Place               // in the order of the log, of all good ones at least
	Mark(wire.Hash) (keeper.Mark, error) // an error: it is no good mark
}

// TimesBetween returns the first good mark that covers an entry, and the last one below an index,
// of those in which a quorum of keepers has a time; and the seconds that elapsed between the
// two at least, by a quorum in both. Without such marks their hashes are zero.
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

// Times tell when entries were put into the log, by the clocks of some keepers.
type Times struct {
	marks   Marks
	keepers []string
	places  []marks.Place
}

// NewTimes are the times of the marks of a log as they are now.
func NewTimes(m Marks, keepers []string) *Times { return &Times{m, keepers, m.Places()} }

// TimesOf returns seconds since 1970 between which an entry was put into the log, if the clocks of
// all keepers that have signed run right: after the earliest of the last mark before it, and
// by the latest of the first that covers it. Without marks on both sides it is false.
func (t *Times) TimesOf(index uint64) (after, by int64, known bool) {
	before, covers, known := t.marksAround(index)
	if !known {
		return 0, 0, false
	}
	after, _, _ = t.timeRange(before.Mark)
	_, by, _ = t.timeRange(covers.Mark)
	return after, by, true
}

// MarksAround are the two marks that TimesOf reads; none if it is false.
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

// marksAround looks from the entry's place outwards: a log has many marks, and an event many tables.
func (t *Times) marksAround(index uint64) (before, covers namedMark, known bool) {
	if covers, known = t.firstUpward(index, math.MaxUint64, func(m keeper.Mark) bool { return m.Covers(index) && t.hasTime(m) }); known {
		before, known = t.lastBelow(index, t.hasTime)
	}
	return before, covers, known
}

// firstUpward is the first good mark, from an index on and below another, that will do.
func (t *Times) firstUpward(from, end uint64, will func(keeper.Mark) bool) (namedMark, bool) {
	return t.firstGood(slices.Values(t.places[t.markPlace(from):max(t.markPlace(from), t.markPlace(end))]), will)
}

// lastBelow is the last good mark below an index that will do.
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

// markPlace is the number of the first mark that is not below an index.
func (t *Times) markPlace(index uint64) int {
	at, _ := slices.BinarySearchFunc(t.places, index, func(p marks.Place, index uint64) int { return cmp.Compare(p.Index, index) })
	return at
}

// hasTime reports whether a mark has a time.
func (t *Times) hasTime(m keeper.Mark) bool {
	_, _, signed := t.timeRange(m)
	return signed
}

// timeRange are the earliest and the latest time of a mark.
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
