package fivecarddraw_test

import (
	"fmt"
	"slices"
)

// round is a round of betting (92.4). All lists are by seat.
type round struct {
	house
	unit   int
	stack  []int  // chips that are left, with those that are not in the deal
	live   []bool // not folded
	in     []int  // chips put in this round
	height int
	step   int
	count  int
	middle int   // all chips in the middle
	bettor int   // who bet or raised last; -1
	last   int   // who spoke last
	raises []int // who is asked and may raise, in their order
	calls  []int // who is asked and may only call or fold
}

// beginFrom makes everybody who can speak speak, the first from the left of one seat.
func (r *round) beginFrom(from int) {
	r.bettor, r.last = -1, from
	r.raises = seatsLeftOf(from, len(r.stack), func(s int) bool { return r.live[s] && r.stack[s] > 0 })
}

// awaitedSeat is whom play waits for; false: the round is over.
func (r *round) awaitedSeat() (int, bool) {
	if r.alive() < 2 {
		return 0, false
	}
	for _, s := range seatsLeftOf(r.last, len(r.stack), func(int) bool { return true }) {
		if !r.live[s] || r.stack[s] == 0 {
			continue
		}
		owes := r.in[s] < r.height
		if owes && (slices.Contains(r.calls, s) || slices.Contains(r.raises, s)) || slices.Contains(r.raises, s) && r.othersHaveChips(s) {
			return s, true
		}
	}
	return 0, false
}

func (r *round) alive() (live int) {
	for _, l := range r.live {
		if l {
			live++
		}
	}
	return live
}

// othersHaveChips reports whether another live seat has chips.
func (r *round) othersHaveChips(than int) bool {
	for s := range r.stack {
		if s != than && r.live[s] && r.stack[s] > 0 {
			return true
		}
	}
	return false
}

// checkTotal says what is wrong with a total, asked of this total alone.
func (r *round) checkTotal(s, t int) error {
	most := r.in[s] + r.stack[s]
	full := r.height + max(r.step, r.intOption("bet"))
	switch {
	case !slices.Contains(r.raises, s):
		return fmt.Errorf("FD-R-26: %s may not raise again", letter(s))
	case t <= r.height:
		return fmt.Errorf("FD-R-22: %d is not above %d", t, r.height)
	case t > most:
		return fmt.Errorf("FD-R-22: %s has but %d", letter(s), most)
	case r.hasOption("limit", "fixed"):
		if r.intOption("cap") > 0 && r.count >= r.intOption("cap") {
			return fmt.Errorf("FD-R-23: the cap is reached")
		}
		if t != r.height+r.unit && !(t == most && t < r.height+r.unit) {
			return fmt.Errorf("FD-R-23: %d is not %d", t, r.height+r.unit)
		}
	case t < full && t != most:
		return fmt.Errorf("FD-R-25: %d is less than %d, and not all that %s has", t, full, letter(s))
	case r.hasOption("limit", "pot"):
		if above := r.height + r.middle + r.height - r.in[s]; t > max(above, full) {
			return fmt.Errorf("FD-R-24: %d is above the pot, %d", t, above)
		}
	}
	return nil
}

// bounds are the least and the greatest total, found by trying every one; 0: none.
func (r *round) bounds(s int) (least, greatest int) {
	for t := range r.in[s] + r.stack[s] + 1 {
		if r.checkTotal(s, t) == nil {
			if least == 0 {
				least = t
			}
			greatest = t
		}
	}
	return least, greatest
}

// missing is what a seat must put in to call.
func (r *round) missing(s int) int { return min(r.height-r.in[s], r.stack[s]) }

// pay puts chips into the middle.
func (r *round) pay(s, n int) {
	r.in[s] += n
	r.stack[s] -= n
	r.middle += n
}

// hearMove takes in what the seat that is asked says. It returns the words of the record.
func (r *round) hearMove(m heardMove) (string, error) {
	s := m.seat
	if who, asked := r.awaitedSeat(); !asked || who != s {
		return "", fmt.Errorf("FD-R-21: %s is not asked", letter(s))
	}
	owes, line := r.in[s] < r.height, m.verb
	switch {
	case m.verb == "fold":
		r.live[s] = false
	case m.verb == "check":
		if owes {
			return "", fmt.Errorf("FD-R-22: %s checks and owes %d", letter(s), r.missing(s))
		}
	case m.verb == "call":
		if !owes {
			return "", fmt.Errorf("FD-R-22: %s calls and owes nothing", letter(s))
		}
		line = fmt.Sprintf("call %d", r.missing(s))
		r.pay(s, r.missing(s))
	case m.verb == "to":
		if err := r.checkTotal(s, m.to); err != nil {
			return "", err
		}
		line = fmt.Sprintf("to %d", m.to)
		r.raise(s, m.to)
	default:
		return "", fmt.Errorf("FD-R-22: %s %s in a round of betting", letter(s), m.verb)
	}
	gone := func(x int) bool { return x == s }
	r.raises, r.calls, r.last = slices.DeleteFunc(r.raises, gone), slices.DeleteFunc(r.calls, gone), s
	return letter(s) + " " + line, nil
}

// raise goes to a total: a full one asks everybody anew, another one makes those who spoke
// call it (FD-R-26).
func (r *round) raise(s, t int) {
	by := t - r.height
	full := by >= max(r.step, r.intOption("bet"))
	if r.hasOption("limit", "fixed") {
		full = by == r.unit || r.hasOption("reopen", "half") && 2*by >= r.unit
	}
	r.pay(s, t-r.in[s])
	r.height, r.bettor = t, s
	could := func(x int) bool { return x != s && r.live[x] && r.stack[x] > 0 }
	if full {
		r.step, r.count = by, r.count+1
		r.raises, r.calls = seatsLeftOf(s, len(r.stack), could), nil
		return
	}
	r.calls = seatsLeftOf(s, len(r.stack), func(x int) bool { return could(x) && !slices.Contains(r.raises, x) })
}
