// Package betting is one round of betting: who speaks next, what may be put in, and what
// a bet that is not full does (FD-R-20 to FD-R-26).
package betting

import "github.com/pakli/pakli/protocol/table"

// Round is the state of a round. Slices are by seat and never changed in place.
type Round struct {
	Chips   []int      `json:"chips"`   // put in this round
	Height  int        `json:"height"`  // the highest of these that must be matched
	Step    int        `json:"step"`    // the size of the last full bet or raise
	Count   int        `json:"count"`   // full bets and raises
	Spoken  []bool     `json:"spoken"`  // since the last full bet or raise
	Speaker table.Seat `json:"speaker"` // who spoke last; at first, who sits before the first to speak
	Bettor  int        `json:"bettor"`  // who bet or raised last; -1: nobody
}

// Bounds are what a seat may do: call with so many chips, or bet or raise to a total
// between Least and Greatest; these are 0 if it may not.
type Bounds struct {
	Call     int `json:"call"`
	Least    int `json:"least"`
	Greatest int `json:"greatest"`
}
