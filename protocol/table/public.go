package table

// Public is the game's public state, and whether it is of type S. It is the
// state's own value: it must not be changed.
func Public[S any](s *State) (S, bool) {
	public, ok := s.rules.(S)
	return public, ok
}
