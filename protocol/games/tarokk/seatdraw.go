package tarokk

// OtherShuffles is how often the cards are shuffled for no deal: once if seats are drawn
// (R-SEAT-4).
func (s State) OtherShuffles() int {
	if s.Rules.SeatDraw {
		return 1
	}
	return 0
}
