package tarokk_test

import (
	"errors"
	"slices"

	"github.com/pakli/pakli/protocol/games/tarokk"
)

// refBids is R-BID and R-CONV with open cards.
type refBids struct {
	level    string // of the last bid: "", three, two, one, solo
	declarer int    // the last positive caller
	held     bool
	bid, out [4]bool
	positive []string // in order
	callers  []int    // of positive
	spoken   int      // calls, with passes
	lastSaid int

	trial   bool   // R-BID-14
	inviter int    // or none
	shown   string // the card that the invit shows
	sure    bool   // its maker has shown that he holds it
	opening bool   // the invit was the first bid
	answer  string // the first positive call after it
	yielder int    // R-CONV-10
	forced  string // R-CALL-6
	partner int    // public since the auction (R-CONV-14)
	ultimo  int    // R-CONV-8
	owing   int    // OPT-CONV-COMMIT
}

var bidNames = []string{"three", "two", "one", "solo"}

func newRefBids() refBids {
	return refBids{declarer: none, inviter: none, yielder: none, partner: none, ultimo: none, owing: none, lastSaid: 3}
}

func (a *refBids) index() int { return slices.Index(bidNames, a.level) }

// bidding runs the auction. It reports whether there is a declarer.
func (r *referee) bidding() bool {
	for {
		p := r.bidder()
		if p == none {
			break
		}
		_, m := r.move([]int{p}, func(p int, m tarokk.Move) error {
			if m.Call == nil {
				return errors.New("R-BID-1")
			}
			return r.mayCall(p, string(*m.Call))
		})
		r.say(p, string(*m.Call))
	}
	if r.declarer == none {
		return false
	}
	r.conclude()
	return true
}

// mayHold is R-BID-6 and R-BID-7.
func (r *referee) mayHold(p int) bool {
	return r.declarer != none && r.declarer != p && r.bid[p] && !r.refBids.held && (r.o.BidHold == "new" || p < r.declarer)
}

// bidder is R-BID-1, R-BID-9 and R-BID-11, AMB-02.
func (r *referee) bidder() int {
	alone := slices.Equal(r.positive, []string{"three"})
	for p, out := range r.out {
		alone = alone && (out || p == r.declarer)
	}
	if alone && r.o.RaiseSole && r.lastSaid != r.declarer {
		return r.declarer
	}
	for i := 1; i <= 4; i++ {
		if p := (r.lastSaid + i) % 4; !r.out[p] && p != r.declarer && (r.level != "solo" || r.mayHold(p)) {
			return p
		}
	}
	return none
}

// mayCall says what is wrong with a call of p, who holds r.dealt[p].
func (r *referee) mayCall(p int, call string) error {
	hand := r.dealt[p]
	own := p == r.declarer // OPT-BID-RAISE-SOLE
	switch i := slices.Index(bidNames, call); {
	case call == "pass":
		return r.mayPass(p, hand)
	case own:
		return check(call == "two" || call == "one", "OPT-BID-RAISE-SOLE")
	case call == "hold" && !r.mayHold(p):
		return errors.New("R-BID-6, R-BID-7")
	case call != "hold" && i <= r.index():
		return errors.New("R-BID-5")
	}
	fourth := r.spoken == 3 && r.declarer == none
	trial := fourth && (call == "three" || r.o.TrialLevel == "any")
	if !trial && !hasAny(hand, honours...) {
		return errors.New("R-BID-4")
	}
	shown := r.invit(p, call)
	if shown != "" && r.atOnce() && !slices.Contains(hand, shown) {
		return errors.New("R-CONV-6")
	}
	return check(shown != "T17" || hasAny(hand, "T21", "T22"), "OPT-CONV-XVII")
}

// mayPass is R-CONV-12, and the word of an inviter who waits to see whether his
// jump was an invit.
func (r *referee) mayPass(p int, hand []string) error {
	if r.yields(p) {
		return check(slices.Contains(hand, "T20") && (r.o.YieldShows == "honour" || hasAny(hand, "T21", "T22")), "R-CONV-12")
	}
	return check(!r.commits(p) || slices.Contains(hand, r.shown), "R-CONV-6")
}

// yields reports whether p is in the position of R-CONV-10.
func (r *referee) yields(p int) bool {
	return r.o.Conventions && slices.Equal(r.positive, []string{"three", "two"}) && r.callers[0] == p && r.callers[1] != p
}

// commits reports whether p's invit becomes one if another declares.
func (r *referee) commits(p int) bool {
	return r.inviter == p && !r.sure && !r.withdrawn() && r.accepted()
}

// withdrawn is BGA-3.
func (r *referee) withdrawn() bool {
	again := 0
	for _, q := range r.callers {
		if q == r.inviter {
			again++
		}
	}
	return r.o.FirstBid == "withdrawn" && r.opening && again > 1
}

// accepted is OPT-CONV-ADDRESSEE and BGA-2.
func (r *referee) accepted() bool {
	if r.o.InvitTo == "bidder-hold" {
		return r.answer == "hold"
	}
	refused := r.o.HoldRefuses && len(r.positive) >= 4 && slices.Equal(r.positive[:4], []string{"three", "two", "one", "hold"})
	return !refused
}

// atOnce reports whether an invit made now shows its card at once.
func (r *referee) atOnce() bool {
	return r.o.InvitCommit == "always" && (r.o.FirstBid != "withdrawn" || r.declarer != none)
}

// jumps is the table of section 5: the level bid over, whether the speaker may
// hold it, his bid, and the tarokk that it shows.
var jumps = map[string]map[string]string{
	"":          {"two": "T19", "one": "T18"},
	"three":     {"one": "T19", "solo": "T18"},
	"two, hold": {"one": "T19", "solo": "T18"},
	"two":       {"solo": "T19"},
	"one, hold": {"solo": "T19"},
}

// invit returns the tarokk that a call of p shows, or "".
func (r *referee) invit(p int, call string) string {
	situation := r.level
	if r.mayHold(p) {
		situation += ", hold"
	}
	shown := jumps[situation][call]
	first := r.declarer == none
	switch {
	case !r.o.Conventions, r.inviter != none, call == "hold", p == r.declarer:
		return ""
	case first && (r.spoken == 3 || r.o.FirstBid == "never"): // R-CONV-5, OPT-CONV-FIRST-BID
		return ""
	case shown == "":
		return ""
	case r.o.InvitTo == "bidder-hold" && !r.addressed(p):
		return ""
	case r.o.XVII == "pais" && r.bid[p] && shown == "T19":
		return "T17"
	case r.o.HoldRefuses && call == "one" && slices.Equal(r.positive, []string{"three", "two"}): // BGA-2
		return "T18"
	case r.o.SoloJump == "bga" && call == "solo" && slices.Equal(r.positive, []string{"three", "two", "hold"}): // BGA-1
		return ""
	case r.o.SoloJump != "new" && call == "solo":
		return "T18"
	}
	return shown
}

// addressed is OPT-CONV-ADDRESSEE: somebody who has bid may hold a bid of p.
func (r *referee) addressed(p int) bool {
	for q := range 4 {
		if q != p && r.bid[q] && !r.out[q] && (r.o.BidHold == "new" || q < p) {
			return true
		}
	}
	return false
}

// say enters a legal call.
func (r *referee) say(p int, call string) {
	if call == "pass" {
		if r.commits(p) {
			r.sure = true
		}
		if r.yields(p) {
			r.yielder = p
		}
		r.out[p] = true
		r.spoken, r.lastSaid = r.spoken+1, p
		return
	}
	r.trial = r.spoken == 3 && r.declarer == none && (call == "three" || r.o.TrialLevel == "any")
	if shown := r.invit(p, call); shown != "" {
		r.inviter, r.shown, r.sure, r.opening = p, shown, r.atOnce(), r.declarer == none
	} else if r.inviter != none && r.answer == "" {
		r.answer = call
	}
	if r.refBids.held = call == "hold"; call != "hold" {
		r.level = call
	}
	r.declarer, r.bid[p] = p, true
	r.positive, r.callers = append(r.positive, call), append(r.callers, p)
	r.spoken, r.lastSaid = r.spoken+1, p
}

// conclude is R-CONV-7, R-CONV-8, R-CONV-11 and R-CONV-14.
func (r *referee) conclude() {
	if r.yielder != none {
		r.partner, r.forced = r.yielder, "T20"
		if r.o.YieldShows == "honour" {
			r.ultimo = r.yielder
		}
	}
	switch {
	case r.inviter == none || r.inviter == r.declarer:
	case r.sure && r.accepted():
		r.partner, r.forced = r.inviter, r.shown
		if r.shown != "T17" {
			r.ultimo = r.inviter
		}
	case r.commits(r.inviter):
		r.owing = r.inviter
	}
}

// confirmed enters the last word of an inviter.
func (r *referee) confirmed(holds bool) {
	r.sure = holds
	if holds {
		r.conclude()
	}
}
