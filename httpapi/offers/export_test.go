package offers

// Narrow is a board with less room.
func (b *Board) Narrow(most int) { b.most = most }
