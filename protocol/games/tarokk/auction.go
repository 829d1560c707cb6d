package tarokk

// This file is the bidding of a deal of tarokk: calls, invits, the yielded game and the trial bid
// (docs/spec/61-tarokk.md, R-BID, R-CONV and R-TAL-1). It knows no hand: each call comes with the
// claims that its speaker must prove about his nine dealt cards, and a call can be legal although he
// cannot prove them.
//
// An [Auction] is what has been said, a value that is never changed. A player who can make no further
// bid is passed over in silence (R-BID-11). Once nobody has to speak any more, [Auction.Outcome] says
// what was decided.

import (
	"fmt"
	"slices"
)

// Call is what a player says in the auction.
type Call string

// The calls. Bids are in ascending order; the index of a bid is its level (R-BID-2).
const (
	PassCall Call = "pass"
	HoldCall Call = "hold"
	BidThree Call = "three"
	BidTwo   Call = "two"
	BidOne   Call = "one"
	BidSolo  Call = "solo"
)

var (
	bids  = []Call{BidThree, BidTwo, BidOne, BidSolo}
	calls = append([]Call{PassCall, HoldCall}, bids...)
)

// Level is the index of a bid; -1 for pass, hold and anything that is no call.
func (c Call) Level() int { return slices.Index(bids, c) }

// Nobody stands for no seat.
const Nobody = -1

const (
	seats     = 4 // active players (R-SEAT-1)
	seatNames = "ABCD"
)

// Auction is the bidding so far; [NewAuction] begins it. Seats are 0 to 3, A to D (R-SEAT-3).
type Auction struct {
	Said   []PlayerCall `json:"said,omitempty"`
	Invit  *Invit       `json:"invit,omitempty"`
	Breach bool         `json:"breach,omitempty"` // the inviter could not prove his card ([Auction.ConfirmInvit])
}

// PlayerCall is a call, and the seat that made it.
type PlayerCall struct {
	Seat int  `json:"seat"`
	Call Call `json:"call"`
}

// NewAuction begins an auction: A speaks first (R-BID-1).
func NewAuction() Auction { return Auction{} }

// standing is the state of the auction that R-BID-13 speaks of.
type standing struct {
	level       int // level of the current bid, or -1
	held        bool
	last        int // the seat of the last positive call, or Nobody
	called, out [seats]bool
}

func (s Auction) currentStanding() standing {
	st := standing{level: -1, last: Nobody}
	for _, c := range s.Said {
		switch {
		case c.Call == PassCall:
			st.out[c.Seat] = true
			continue
		case c.Call == HoldCall:
			st.held = true
		default:
			st.level, st.held = c.Call.Level(), false
		}
		st.last, st.called[c.Seat] = c.Seat, true
	}
	return st
}

// canHold is R-BID-6 and R-BID-7. Under the old rule a player can hold only bids of players whose first
// turn came after his own (OPT-BID-HOLD).
func (st standing) canHold(r RuleSet, seat int) bool {
	return st.last != Nobody && st.last != seat && st.called[seat] && !st.held &&
		(r.BidHold == HoldAny || seat < st.last)
}

// minCall is the level of the next ordinary call of seat (R-BID-13).
func (st standing) minCall(r RuleSet, seat int) int {
	if st.canHold(r, seat) {
		return st.level
	}
	return st.level + 1
}

// canCall reports whether seat can still make a positive call.
func (st standing) canCall(r RuleSet, seat int) bool {
	return !st.out[seat] && st.last != seat && st.minCall(r, seat) < len(bids)
}

// othersOut reports whether everybody but the last caller has passed.
func (st standing) othersOut() bool {
	for seat, out := range st.out {
		if !out && seat != st.last {
			return false
		}
	}
	return true
}

func (s Auction) positiveCalls() []PlayerCall {
	return slices.DeleteFunc(slices.Clone(s.Said), func(c PlayerCall) bool { return c.Call == PassCall })
}

// positiveCallsAre reports whether the positive calls are exactly these, whoever made them.
func (s Auction) positiveCallsAre(pattern ...Call) bool {
	return slices.EqualFunc(s.positiveCalls(), pattern, func(c PlayerCall, p Call) bool { return c.Call == p })
}

// threePassed reports whether the first three seats have passed and the fourth has not spoken yet
// (R-BID-14, R-CONV-5).
func (s Auction) threePassed() bool { return len(s.Said) == seats-1 && len(s.positiveCalls()) == 0 }

// mayRaiseOwn reports whether the bidder of a three that nobody overcalled still has a turn to raise it
// (OPT-BID-RAISE-SOLE). The fourth seat, bidding after three passes, has no such turn: the option
// exists because an opening two or one would have been an invit, and the fourth seat's never is. So
// nobody raises a trial bid beyond trial-level.
func (s Auction) mayRaiseOwn(r RuleSet) bool {
	st := s.currentStanding()
	return r.RaiseSole && s.positiveCallsAre(BidThree) && st.othersOut() && s.Said[len(s.Said)-1].Seat != st.last
}

// nextSeat is the seat whose turn it is before anybody is passed over.
func (s Auction) nextSeat() int {
	if len(s.Said) == 0 {
		return 0
	}
	return (s.Said[len(s.Said)-1].Seat + 1) % seats
}

// Speaker returns the seat that must speak next, passing over those that have no positive call left
// (R-BID-11), or Nobody and true once the auction is over (R-BID-9).
func (s Auction) Speaker(r RuleSet) (seat int, over bool) {
	st := s.currentStanding()
	if s.mayRaiseOwn(r) {
		return st.last, false
	}
	for i := range seats {
		if seat := (s.nextSeat() + i) % seats; st.canCall(r, seat) {
			return seat, false
		}
	}
	return Nobody, true
}

// isPassedOver reports whether seat lies between the last speaker and the next, has not passed, and has
// no positive call left.
func (s Auction) isPassedOver(r RuleSet, seat int) bool {
	speaker, over := s.Speaker(r)
	st := s.currentStanding()
	ahead := (seat - s.nextSeat() + seats) % seats
	return !over && !st.out[seat] && seat != st.last && ahead < (speaker-s.nextSeat()+seats)%seats
}

// LegalCalls lists what seat may say now, whatever his cards: first pass, then hold, then bids from the
// lowest. It is empty for everybody except the speaker and the seats that are passed over. These may
// say pass, because records write it down (63.3); at a table they need not, and the kernel drops it
// (T7).
func (s Auction) LegalCalls(r RuleSet, seat int) []Call {
	var list []Call
	for _, c := range calls {
		if s.callRefusal(r, seat, c) == nil {
			list = append(list, c)
		}
	}
	return list
}

// ApplyCall returns the auction after seat has called c, and the claims that he must prove. It refuses
// what [Auction.LegalCalls] does not list; then it returns s, and the error names the rule.
func (s Auction) ApplyCall(r RuleSet, seat int, c Call) (Auction, []Claim, error) {
	if err := s.callRefusal(r, seat, c); err != nil {
		return s, nil, err
	}
	next := s
	next.Said = append(slices.Clip(s.Said), PlayerCall{seat, c})
	if c == PassCall {
		var claims []Claim
		next.Invit, claims = s.inviteAfterPass(r, seat)
		return next, claims, nil
	}
	var claims []Claim
	if !s.currentStanding().called[seat] && !s.isTrial(r, c) {
		claims = append(claims, AtLeast("B-HON", 1, DealtHand, Honours))
	}
	invit, invited := s.inviteWith(r, seat, c)
	next.Invit = invit
	return next, append(claims, invited...), nil
}

// isTrial reports whether c is now a bid that needs no honour (R-BID-14). Where trial-level is three,
// the fourth seat's higher bids need one as all others do.
func (s Auction) isTrial(r RuleSet, c Call) bool {
	return s.threePassed() && (c == BidThree || r.TrialLevel == TrialAny)
}

// callRefusal says why seat may not call c, or nil.
func (s Auction) callRefusal(r RuleSet, seat int, c Call) error {
	switch {
	case !slices.Contains(calls, c):
		return fmt.Errorf("R-BID-2: %.10q is no call", c)
	case seat < 0 || seat >= seats:
		return fmt.Errorf("R-SEAT-3: there is no seat %d in an auction, only 0 to 3", seat)
	}
	speaker, over := s.Speaker(r)
	st := s.currentStanding()
	switch name := seatNames[seat]; {
	case st.out[seat]:
		return fmt.Errorf("R-BID-3: %c has passed", name)
	case over:
		return fmt.Errorf("R-BID-9: the auction is over")
	case seat == st.last && seat == speaker:
		return s.ownRaiseRefusal(c)
	case seat == st.last:
		return fmt.Errorf("R-BID-8: %c made the last positive call himself", name)
	case seat != speaker && !s.isPassedOver(r, seat):
		return fmt.Errorf("R-BID-1: it is the turn of %c, not of %c", seatNames[speaker], name)
	case c == HoldCall:
		return st.holdRefusal(r, seat)
	case c != PassCall && c.Level() <= st.level:
		return fmt.Errorf("R-BID-5: %s is not higher than %s", c, bids[st.level])
	}
	return nil
}

func (s Auction) ownRaiseRefusal(c Call) error {
	if c == PassCall || c == BidTwo || c == BidOne {
		return nil
	}
	return fmt.Errorf("OPT-BID-RAISE-SOLE: a lone three may be raised to two or one, or left with a pass: %s is neither", c)
}

func (st standing) holdRefusal(r RuleSet, seat int) error {
	switch name := seatNames[seat]; {
	case st.last == Nobody:
		return fmt.Errorf("R-BID-6: there is no bid to hold")
	case st.held:
		return fmt.Errorf("R-BID-7: %s has been held", bids[st.level])
	case !st.called[seat]:
		return fmt.Errorf("R-BID-6: %c cannot hold, he has not bid before", name)
	case !st.canHold(r, seat):
		return fmt.Errorf("R-BID-6, OPT-BID-HOLD=old: %c cannot hold a bid of %c, whose first turn came before his", name, seatNames[st.last])
	}
	return nil
}
