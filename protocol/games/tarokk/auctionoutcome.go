package tarokk

import (
	"fmt"

	"github.com/pakli/pakli/protocol/card"
)

// Outcome is what an auction decides. Seats are 0 to 3, A to D (R-SEAT-3).
type Outcome struct {
	ThrownIn bool       `json:"thrownIn,omitempty"` // all passed (R-BID-12); the rest says nothing then
	Declarer int        `json:"declarer"`           // R-BID-10
	Level    int        `json:"level"`              // 0 to 3
	Trial    bool       `json:"trial,omitempty"`    // the declarer must show an honour after drawing (R-BID-16)
	Inviter  int        `json:"inviter"`            // the seat that showed a tarokk by an invit, binding or not, or Nobody
	Shown    *card.Face `json:"shown,omitempty"`    // the tarokk that he showed
	Yielder  int        `json:"yielder"`            // the seat that yielded the game, or Nobody (R-CONV-10)
	MustCall *card.Face `json:"mustCall,omitempty"` // R-CONV-7, R-CONV-11: nil if the call is free
	Partner  int        `json:"partner"`            // the declarer's partner, if he is public (R-CONV-14), or Nobody
	Ultimo   int        `json:"ultimo"`             // the seat that must announce pagátultimó or prove a big honour (R-CONV-8), or Nobody
	Confirm  int        `json:"confirm"`            // the seat that must still prove the card of its invit ([Auction.ConfirmInvit]), or Nobody; until then the invit has no effect
	Breach   int        `json:"breach"`             // the seat that invited without the card ([Auction.ConfirmInvit]), or Nobody
	Honour   [4]bool    `json:"honour"`             // by seat, whether it is known to hold an honour (R-BID-18)
	Draw     [4]int     `json:"draw"`               // by seat, the number of cards from the talon (R-TAL-1)
}

// Outcome says what the auction has decided. It means nothing before
// [Auction.Speaker] says that it is over.
func (s Auction) Outcome(r RuleSet) Outcome {
	st := s.currentStanding()
	o := Outcome{Declarer: st.last, Level: st.level, Inviter: Nobody, Yielder: Nobody,
		Partner: Nobody, Ultimo: Nobody, Confirm: Nobody, Breach: Nobody}
	if st.last == Nobody {
		o.ThrownIn = true
		return o
	}
	o.Draw = DrawCounts(st.level, st.last)
	o.Honour = st.called
	o.Trial = len(s.Said) == seats && s.withoutLast().isTrial(r, bids[st.level])
	if o.Trial {
		o.Honour[st.last] = false
	}
	s.invitInto(&o, r)
	s.yieldInto(&o, r)
	return o
}

// withoutLast is the auction without its last call.
func (s Auction) withoutLast() Auction { return Auction{Said: s.Said[:len(s.Said)-1]} }

func (s Auction) invitInto(o *Outcome, r RuleSet) {
	switch i := s.Invit; {
	case i == nil:
	case s.Breach:
		o.Breach = i.By
	case i.Proved:
		o.Inviter, o.Shown = i.By, &i.Card
		if i.By != o.Declarer && s.isAccepted(r) {
			o.MustCall, o.Partner = &i.Card, i.By
		}
		if o.Partner == i.By && i.Card != XVII { // an invit with XVII has proved the big honour
			o.Ultimo = i.By
		}
	case i.By != o.Declarer && s.isOwed(r):
		o.Confirm = i.By
	}
}

func (s Auction) yieldInto(o *Outcome, r RuleSet) {
	p := s.positiveCalls()
	if !s.wouldYield(r, p[0].Seat) {
		return
	}
	xx := XX
	o.Yielder, o.Partner, o.MustCall = p[0].Seat, p[0].Seat, &xx
	if r.YieldShows == YieldHonour { // BGA-4
		o.Ultimo = o.Yielder
	}
}

// ConfirmInvit is the last word of an inviter whose jump became an invit when he had no turn left,
// because another player held a solo (OPT-CONV-COMMIT): he proves that he holds the card, or that he
// does not.
//
// The option leaves open what happens in the second case. Here he loses the deal as a failed trial is
// lost (R-BID-16): there is no play, and he pays the base value of the level to every other player.
func (s Auction) ConfirmInvit(r RuleSet, seat int, holds bool) (Auction, []Claim, error) {
	if _, over := s.Speaker(r); !over || seat == Nobody || s.Outcome(r).Confirm != seat {
		return s, nil, fmt.Errorf("OPT-CONV-COMMIT: no invit waits to be confirmed, or it is another player's")
	}
	next, invit := s, *s.Invit
	if !holds {
		next.Breach = true
		return next, []Claim{invit.lackClaim()}, nil
	}
	invit.Proved = true
	next.Invit = &invit
	return next, []Claim{invit.holdClaim()}, nil
}

// draws are the cards from the talon by level (R-TAL-1), from the declarer on.
var draws = [...][seats]int{{3, 1, 1, 1}, {2, 2, 1, 1}, {1, 2, 2, 1}, {0, 2, 2, 2}}

// DrawCounts returns how many cards of the talon each seat draws (R-TAL-1).
func DrawCounts(level, declarer int) [4]int {
	var by [4]int
	for i, n := range draws[level] {
		by[(declarer+i)%seats] = n
	}
	return by
}
