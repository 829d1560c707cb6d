package table

import "reflect"

// Spend returns the table if a seat had revealed all values but some.
func Spend(s *State, seat Seat, left int) *State {
	next := s.clone()
	next.revealed[seat] = Links - left
	return next
}

// Kept is of how many entries the table after them is kept.
func Kept(s *State) (n int) {
	count := func(l *link) {
		if l.after.Load() != nil {
			n++
		}
	}
	for _, h := range s.line {
		count(h)
		if h.beside.branchLinks != nil {
			for _, l := range h.beside.list {
				count(l)
			}
		}
	}
	return n
}

// Same reports whether two tables are the same, but for their clocks, and what lies beside their histories.
func Same(a, b *State) bool {
	one, other := *a, *b
	one.branches, other.branches = branches{}, branches{}
	one.runningClock, other.runningClock = runningClock{}, runningClock{}
	return reflect.DeepEqual(one, other)
}
