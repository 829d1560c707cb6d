package fivecarddraw

import (
	"fmt"
	"math"

	"github.com/pakli/pakli/protocol/table"
)

// Round is the state of one round of betting: who speaks next, what may be put in, and what a bet that
// is not full does (FD-R-20 to FD-R-26). Slices are by seat and are never changed in place.
type Round struct {
	Chips   []int      `json:"chips"`   // put in this round
	Height  int        `json:"height"`  // the highest of Chips, which must be matched
	Step    int        `json:"step"`    // the size of the last full bet or raise
	Count   int        `json:"count"`   // full bets and raises
	Spoken  []bool     `json:"spoken"`  // whether the seat has spoken since the last full bet or raise
	Speaker table.Seat `json:"speaker"` // who spoke last; at first, the seat before the first to speak
	Bettor  int        `json:"bettor"`  // who bet or raised last; -1: nobody
}

// Bounds says what a seat may do: call with so many chips, or bet or raise to a total from Least to
// Greatest, which are 0 if it may not bet.
type Bounds struct {
	Call     int `json:"call"`
	Least    int `json:"least"`
	Greatest int `json:"greatest"`
}

// BetTerms are the limits of a round of betting.
type BetTerms struct {
	Limit string // a value of ruleset
	Unit  int    // the least bet, and with a fixed limit every bet
	Cap   int    // with a fixed limit: bets and raises of a round; 0: any number
	Half  bool   // with a fixed limit: whether all-in for half of the unit is a full bet
}

// NewRound returns a round of so many seats; before is the seat before the first to speak (FD-R-20).
func NewRound(seats int, before table.Seat) Round {
	return Round{Chips: make([]int, seats), Spoken: make([]bool, seats), Speaker: before, Bettor: -1}
}

// Blind returns the round after a seat posted n chips for a blind of some size. A blind is a full bet,
// however short, and posting is not speaking (FD-R-11, FD-R-21).
func (r Round) Blind(seat table.Seat, n, size int) Round {
	r.Chips = withValueAt(r.Chips, seat, n)
	r.Height, r.Step, r.Count = size, size, 1
	return r
}

// NextSpeaker returns who speaks next, if anybody (FD-R-21); stacks are what each seat has left.
func (r Round) NextSpeaker(live []bool, stacks []int) (table.Seat, bool) {
	n, alone, betting := len(live), 0, 0
	for seat := range n {
		if live[seat] {
			alone++
			betting += min(stacks[seat], 1)
		}
	}
	for i := range n {
		seat := (int(r.Speaker) + 1 + i) % n
		owes := r.Chips[seat] < r.Height
		if alone > 1 && live[seat] && stacks[seat] > 0 && (owes || !r.Spoken[seat] && betting > 1) {
			return table.Seat(seat), true
		}
	}
	return 0, false
}

// afterSpeaking returns the round after a seat put in more chips, and has spoken.
func (r Round) afterSpeaking(seat table.Seat, chips int) Round {
	r.Speaker = seat
	r.Chips = withValueAt(r.Chips, seat, r.Chips[seat]+chips)
	r.Spoken = withValueAt(r.Spoken, seat, true)
	return r
}

// Pass returns the round after a seat folded or checked.
func (r Round) Pass(seat table.Seat) Round { return r.afterSpeaking(seat, 0) }

// Call returns the round after a seat called with so many chips.
func (r Round) Call(seat table.Seat, chips int) Round { return r.afterSpeaking(seat, chips) }

// Raise returns the round after a seat bet or raised to a total (FD-R-26).
func (r Round) Raise(t BetTerms, seat table.Seat, total int) Round {
	size := total - r.Height
	if size >= t.fullBetSize(r) || t.Half && 2*size >= t.Unit {
		r.Step, r.Count = size, r.Count+1
		r.Spoken = make([]bool, len(r.Spoken))
	}
	r = r.afterSpeaking(seat, total-r.Chips[seat])
	r.Height, r.Bettor = total, int(seat)
	return r
}

// fullBetSize returns the least size of a full bet or raise.
func (t BetTerms) fullBetSize(r Round) int {
	if t.Limit == OptFixed {
		return t.Unit
	}
	return max(r.Step, t.Unit)
}

// greatestTotal returns the greatest total, whatever a seat has (FD-R-23 to FD-R-25); middle is
// everything in the middle.
func (t BetTerms) greatestTotal(r Round, seat table.Seat, middle int) int {
	least := r.Height + t.fullBetSize(r)
	switch t.Limit {
	case OptFixed:
		return least
	case OptPot:
		return max(least, r.Height+middle+r.Height-r.Chips[seat])
	}
	return math.MaxInt
}

// Bounds returns what a seat with this stack may do.
func (t BetTerms) Bounds(r Round, seat table.Seat, stack, middle int) Bounds {
	all := r.Chips[seat] + stack
	b := Bounds{Call: min(max(r.Height-r.Chips[seat], 0), stack)}
	if t.checkMayRaise(r, seat) == nil && all > r.Height {
		b.Least, b.Greatest = min(r.Height+t.fullBetSize(r), all), min(t.greatestTotal(r, seat, middle), all)
	}
	return b
}

// checkMayRaise says why the round does not let a seat bet or raise at all.
func (t BetTerms) checkMayRaise(r Round, seat table.Seat) error {
	switch {
	case r.Spoken[seat]:
		return fmt.Errorf("FD-R-26: seat %s has spoken since the last full bet or raise, and may call or fold", seat.Letter())
	case t.Limit == OptFixed && t.Cap > 0 && r.Count >= t.Cap:
		return fmt.Errorf("FD-R-23: the round has its %d bets and raises, and seat %s may call or fold", t.Cap, seat.Letter())
	}
	return nil
}

// CheckTotal says why a seat may not bet or raise to a total.
func (t BetTerms) CheckTotal(r Round, seat table.Seat, stack, middle, total int) error {
	if total <= r.Height {
		return fmt.Errorf("FD-R-22: %d is no bet or raise of seat %s, since it is not above %d", total, seat.Letter(), r.Height)
	}
	if err := t.checkMayRaise(r, seat); err != nil {
		return err
	}
	rule := map[string]string{OptFixed: "FD-R-23", OptPot: "FD-R-24", OptNone: "FD-R-25"}[t.Limit]
	b := t.Bounds(r, seat, stack, middle)
	switch all := r.Chips[seat] + stack; {
	case total > all:
		return fmt.Errorf("FD-R-22: seat %s has %d chips for this round, and cannot put in %d", seat.Letter(), all, total)
	case total < b.Least:
		return fmt.Errorf("%s: the least total that seat %s may bet or raise to is %d, not %d", rule, seat.Letter(), b.Least, total)
	case total > b.Greatest:
		return fmt.Errorf("%s: the greatest total that seat %s may bet or raise to is %d, not %d", rule, seat.Letter(), b.Greatest, total)
	}
	return nil
}
