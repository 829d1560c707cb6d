package keeper

import "errors"

// ErrNoMark says that the log has no good mark with some hash.
var ErrNoMark = errors.New("the log has no such mark")

// Mark is a mark of the log whose note is good (52.2).
type Mark struct {
	Index uint64 // of the mark in the log
	Size  uint64 // of the checkpoint: entries below were in the log before its times
	// Time returns when a keeper, named by its verifier key, saw the checkpoint, in seconds since
	// 1970; false if the keeper has not signed it.
	Time func(keeper string) (seconds int64, ok bool)
}

// Covers reports whether the entry at an index was in the log before the times of the mark.
func (m Mark) Covers(index uint64) bool { return index < m.Size }

// ElapsedSeconds returns the least seconds that have passed from mark a to mark z, and how many of
// these keepers are in both. If none is, the seconds are 0.
func ElapsedSeconds(a, z Mark, keepers []string) (seconds int64, signed int) {
	for _, k := range keepers {
		from, began := a.Time(k)
		to, ended := z.Time(k)
		if !began || !ended {
			continue
		}
		if passed := to - from; signed == 0 || passed < seconds {
			seconds = passed
		}
		signed++
	}
	return max(0, seconds-1), signed
}
