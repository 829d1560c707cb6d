// Package times says when entries were put into a log, by the clocks of keepers who have signed
// the log's marks (docs/spec/52-time.md): what an event promises its players time for (55.6.3),
// and what stands on score sheets. No verdict on a table rests on it.
package times

import (
	"cmp"
	"slices"

	"github.com/pakli/pakli/protocol/clock"
	"github.com/pakli/pakli/protocol/wire"
)

// Marks are the good marks of a log.
type Marks interface {
	Good() []wire.Hash // in the order of the log; what is no good mark has an error
	Mark(wire.Hash) (clock.Mark, error)
}

// Between returns the first good mark that covers an entry, and the last one below an index,
// of those in which a quorum of keepers has a time; and the seconds that elapsed between the
// two at least, by a quorum in both. Without such marks their hashes are zero.
func Between(m Marks, entry, end uint64, keepers []string, quorum int) (from, to wire.Hash, seconds int64) {
	var a, z clock.Mark
	for _, hash := range m.Good() {
		mark, err := m.Mark(hash)
		if _, signed := clock.Elapsed(mark, mark, keepers); err != nil || quorum < 1 || signed < quorum || mark.Index >= end {
			continue
		}
		if from == (wire.Hash{}) && mark.Covers(entry) {
			from, a = hash, mark
		}
		to, z = hash, mark
	}
	if from == (wire.Hash{}) {
		return from, from, 0
	}
	seconds, signed := clock.Elapsed(a, z, keepers)
	if signed < quorum {
		seconds = 0
	}
	return from, to, seconds
}

// Times tell when entries were put into the log, by the clocks of some keepers.
type Times struct {
	keepers []string
	marks   []clock.Mark // good, in the order of the log
	hashes  []wire.Hash
}

// New are the times of all good marks of a log.
func New(m Marks, keepers []string) *Times {
	t := &Times{keepers: keepers}
	for _, hash := range m.Good() {
		if mark, err := m.Mark(hash); err == nil {
			t.marks, t.hashes = append(t.marks, mark), append(t.hashes, hash)
		}
	}
	return t
}

// Of returns seconds since 1970 between which an entry was put into the log, if the clocks of
// all keepers that have signed run right: after the earliest of the last mark before it, and
// by the latest of the first that covers it. Without marks on both sides it is false.
func (t *Times) Of(index uint64) (after, by int64, known bool) {
	before, covers, known := t.around(index)
	if !known {
		return 0, 0, false
	}
	after, _, _ = t.of(t.marks[before])
	_, by, _ = t.of(t.marks[covers])
	return after, by, true
}

// Around are the two marks that Of reads; none if it is false.
func (t *Times) Around(index uint64) []wire.Hash {
	before, covers, known := t.around(index)
	if !known {
		return nil
	}
	return []wire.Hash{t.hashes[before], t.hashes[covers]}
}

// around looks from the entry's place outwards: a log has many marks, and an event many tables.
func (t *Times) around(index uint64) (before, covers int, known bool) {
	behind, _ := slices.BinarySearchFunc(t.marks, index, func(m clock.Mark, index uint64) int { return cmp.Compare(m.Index, index) })
	for before = behind - 1; before >= 0 && !t.tells(before); before-- {
	}
	for covers = behind; covers < len(t.marks) && !(t.marks[covers].Covers(index) && t.tells(covers)); covers++ {
	}
	return before, covers, before >= 0 && covers < len(t.marks)
}

// tells reports whether a mark has a time.
func (t *Times) tells(i int) bool {
	_, _, signed := t.of(t.marks[i])
	return signed
}

// of are the earliest and the latest time of a mark.
func (t *Times) of(mark clock.Mark) (first, last int64, signed bool) {
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
