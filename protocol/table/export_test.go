package table

// Spend returns the table if a seat had revealed all values but some.
func Spend(s *State, seat Seat, left int) *State {
	next := s.clone()
	next.revealed[seat] = Links - left
	return next
}
