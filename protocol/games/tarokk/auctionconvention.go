package tarokk

import (
	"github.com/pakli/pakli/protocol/card"
)

// Invit is the one jump of an auction that shows a tarokk (R-CONV-1, R-CONV-4).
type Invit struct {
	By      int       `json:"by"`
	Card    card.Face `json:"card"`
	Opening bool      `json:"opening,omitempty"` // it was the first bid of the auction
	Proved  bool      `json:"proved,omitempty"`  // its maker has proved that he holds the card
	Answer  Call      `json:"answer,omitempty"`  // the next positive call
}

var invitIDs = map[card.Face]string{XVII: "B-INV17", XVIII: "B-INV18", XIX: "B-INV19"}

func (i Invit) holdClaim() Claim {
	return AtLeast(invitIDs[i.Card], 1, DealtHand, card.SetOf(i.Card))
}

// lackClaim is what an inviter proves who cannot confirm his invit. Without it, a player who dislikes
// his deal could get out of it for the base value, as T-TRIAL-FAIL prevents for trials.
func (i Invit) lackClaim() Claim {
	return EveryCard(invitIDs[i.Card]+"-FAIL", DealtHand, AllBut(card.SetOf(i.Card)))
}

// inviteWith returns the invit of the auction after a positive call, and what the caller must prove
// about it.
//
// The card of an invit is proved with the jump, with two exceptions: the jump is an invit only if
// another player becomes declarer (OPT-CONV-COMMIT), or it is an opening one and an invit only if its
// bidder lets another bid stand (BGA-3). Then the card is proved with the pass that decides it. The big
// honour of an invit with the XVII is always proved with the jump, as the honour of every bid is; only
// the card waits.
func (s Auction) inviteWith(r RuleSet, seat int, c Call) (*Invit, []Claim) {
	if s.Invit != nil {
		return s.Invit.withAnswer(c), nil
	}
	face, shows := s.shownTarokk(r, seat, c)
	if !shows {
		return nil, nil
	}
	opening := len(s.positiveCalls()) == 0
	waits := r.InvitCommit == ProveIfOther || opening && r.FirstBid == FirstWithdrawn
	invit := Invit{By: seat, Card: face, Opening: opening, Proved: !waits}
	var claims []Claim
	if invit.Proved {
		claims = append(claims, invit.holdClaim())
	}
	if face == XVII {
		claims = append(claims, AtLeast(invitIDs[face], 1, DealtHand, BigHonours))
	}
	return &invit, claims
}

func (i Invit) withAnswer(c Call) *Invit {
	if i.Answer == "" {
		i.Answer = c
	}
	return &i
}

// shownTarokk returns the tarokk that a positive call shows, if it shows one, as long as there has been
// no invit (R-CONV-1 to R-CONV-5).
//
//   - OPT-CONV-SOLO-JUMP old and bga: an opening solo shows nothing there either,
//     for nobody can overcall it (R-CONV-3).
//   - OPT-CONV-XVII: a jump of one step after an ordinary bid, on whatever later
//     turn, shows XVII; where solo-jump or hold-refuses would have it show
//     something else, XVII stands, since both examples of its author are such
//     calls. A jump of two steps shows XVIII as ever.
func (s Auction) shownTarokk(r RuleSet, seat int, c Call) (face card.Face, shows bool) {
	st := s.currentStanding()
	first, steps := st.last == Nobody, c.Level()-st.minCall(r, seat)
	switch {
	case !r.Conventions, c == HoldCall, steps == 0, first && c == BidSolo, s.threePassed(), st.last == seat:
		return 0, false
	case first && r.FirstBid == FirstNever:
		return 0, false
	case r.InvitTo == InvitBidder && !st.canBeHeld(r, seat):
		return 0, false
	case steps == 1 && r.XVII == XVIIPais && st.called[seat]:
		return XVII, true
	case r.HoldRefuses && c == BidOne && s.positiveCallsAre(BidThree, BidTwo): // BGA-2: steps tell that it is the first bidder's
		return XVIII, true
	case r.SoloJump == SoloKegl && c == BidSolo && s.positiveCallsAre(BidThree, BidTwo, HoldCall): // BGA-1
		return 0, false
	case steps == 2, c == BidSolo && r.SoloJump != SoloAsJump:
		return XVIII, true
	}
	return XIX, true
}

// canBeHeld reports whether a bidder who is still in may hold what seat bids now. Under
// OPT-CONV-ADDRESSEE only such a bidder can be invited.
func (st standing) canBeHeld(r RuleSet, seat int) bool {
	st.last, st.held = seat, false
	for other := range st.called {
		if !st.out[other] && st.canHold(r, other) {
			return true
		}
	}
	return false
}

// inviteAfterPass returns the invit after a pass of seat, and what he must prove with the pass: that of
// a yielding pass (R-CONV-11), or of an invit that the pass decides.
func (s Auction) inviteAfterPass(r RuleSet, seat int) (*Invit, []Claim) {
	if s.wouldYield(r, seat) {
		return s.Invit, yieldClaims(r)
	}
	if s.Invit == nil || s.Invit.By != seat || !s.isOwed(r) {
		return s.Invit, nil
	}
	proved := *s.Invit
	proved.Proved = true
	return &proved, []Claim{proved.holdClaim()}
}

// isOwed reports whether the card of the invit has not been proved but must be if another player
// declares.
func (s Auction) isOwed(r RuleSet) bool {
	return s.Invit != nil && !s.Invit.Proved && !s.isWithdrawn(r) && s.isAccepted(r)
}

// isWithdrawn is BGA-3: a player who bids on after an opening invit takes it back. It remains the only
// invit of the auction (R-CONV-4), since otherwise his overcall would promise a card again.
func (s Auction) isWithdrawn(r RuleSet) bool {
	bid := 0
	for _, c := range s.positiveCalls() {
		if c.Seat == s.Invit.By {
			bid++
		}
	}
	return r.FirstBid == FirstWithdrawn && s.Invit.Opening && bid > 1
}

// isAccepted reports whether the invit would bind another declarer (R-CONV-7). Under OPT-CONV-ADDRESSEE
// it does only if the very next bid held it. Under BGA-2 it does not if the one of three, two, one was
// held: that refusal is final even if the bidding goes on to solo, because that solo is no jump and
// invites nobody.
func (s Auction) isAccepted(r RuleSet) bool {
	if r.InvitTo == InvitBidder {
		return s.Invit.Answer == HoldCall
	}
	p := s.positiveCalls()
	refused := r.HoldRefuses && len(p) > 3 && p[0].Call == BidThree && p[1].Call == BidTwo && p[2].Call == BidOne && p[3].Call == HoldCall
	return !refused
}

// wouldYield reports whether a pass of seat is the yielding pass of R-CONV-10: he bid three, another
// bid two, and nobody anything else. The other two players have then passed, because they had to speak
// before him.
func (s Auction) wouldYield(r RuleSet, seat int) bool {
	p := s.positiveCalls()
	return r.Conventions && s.positiveCallsAre(BidThree, BidTwo) && p[0].Seat == seat && p[1].Seat != seat
}

// yieldClaims is B-YIELD. BGA-4 leaves out the big honour; he has proved with his three that he has an
// honour.
func yieldClaims(r RuleSet) []Claim {
	xx := AtLeast("B-YIELD", 1, DealtHand, card.SetOf(XX))
	if r.YieldShows == YieldHonour {
		return []Claim{xx}
	}
	return []Claim{xx, AtLeast("B-YIELD", 1, DealtHand, BigHonours)}
}
