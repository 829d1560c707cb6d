package fivecarddraw

import "github.com/pakli/pakli/protocol/table"

// With is a table that has come to a deal with these chips and this dealer.
func With(s State, dealer table.Seat, chips ...int) State {
	s.Chips = chips
	return s.beginDeal(1, dealer)
}
