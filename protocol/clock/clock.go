// Package clock says how much time has passed at a table, from what keepers have signed
// (docs/spec/52-time.md).
//
// A mark in the log is a checkpoint with the times at which its keepers, cosigners that the
// table's genesis entry names, have seen it. What is in the log before the checkpoint's size
// was there by then; what comes after the mark came later. So between an entry that mark a
// covers and one that comes after mark z passed at least what any right clock has counted
// from a to z, and the least that a keeper has counted is no more than that:
//
//	elapsed(a, z) = max(0, min over the keepers k in both of (t_k(z) − t_k(a)) − 1)
//
// One second less, since times are whole seconds. It holds if the clock of one of those
// keepers runs right, however wrong it is set; it is too small by what passes between
// marks, and the doubt is the player's.
//
// The package is pure: it reads no clock, no key and no signature.
package clock

import "errors"

// ErrNone says that the log has no good mark of some hash.
var ErrNone = errors.New("the log has no such mark")

// Mark is a mark of the log whose note is good (52.2).
type Mark struct {
	Index uint64 // of the mark in the log
	Size  uint64 // of the checkpoint: entries below were in the log before its times
	// Time is when a keeper saw the checkpoint, in seconds since 1970; false if this keeper
	// has not signed it. The keeper is named by its verifier key.
	Time func(keeper string) (seconds int64, ok bool)
}

// Covers reports whether the entry at an index was in the log before the times of the mark.
func (m Mark) Covers(index uint64) bool { return index < m.Size }

// ElapsedSeconds returns the seconds that have passed from mark a to mark z at least, and how many
// of these keepers are in both. Without any it is 0.
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
