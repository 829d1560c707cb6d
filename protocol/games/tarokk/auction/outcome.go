package auction

import (
	"fmt"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
)

// Outcome is what an auction decides. Seats are 0 to 3, A to D (R-SEAT-3).
type Outcome struct {
	ThrownIn bool       `json:"thrownIn,omitempty"` // all passed (R-BID-12); the rest says nothing then
	Declarer int        `json:"declarer"`           // R-BID-10
	Level    int        `json:"level"`              // 0 to 3
	Trial    bool       `json:"trial,omitempty"`    // the declarer must show an honour after the draw (R-BID-16)
	Inviter  int        `json:"inviter"`            // who has shown a tarokk by an invit, binding or not, or Nobody
	Shown    *card.Face `json:"shown,omitempty"`    // the tarokk that he showed
	Yielder  int        `json:"yielder"`            // who yielded the game, or Nobody (R-CONV-10)
	MustCall *card.Face `json:"mustCall,omitempty"` // R-CONV-7, R-CONV-11: nil if the call is free
	Partner  int        `json:"partner"`            // publicly the declarer's (R-CONV-14), or Nobody
	Ultimo   int        `json:"ultimo"`             // who must announce pagátultimó or prove a big honour (R-CONV-8), or Nobody
	Confirm  int        `json:"confirm"`            // who must still prove the card of his invit ([State.ConfirmInvit]), or Nobody; the invit has no effect before
	Breach   int        `json:"breach"`             // who invited without the card ([State.ConfirmInvit]), or Nobody
	Honour   [4]bool    `json:"honour"`             // who is known to hold an honour (R-BID-18)
	Draw     [4]int     `json:"draw"`               // cards from the talon (R-TAL-1)
}

// Outcome says what the auction has decided. It means nothing before
// [State.Speaker] says that it is over.
func (s State) Outcome(r ruleset.Rules) Outcome {
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
func (s State) withoutLast() State { return State{Said: s.Said[:len(s.Said)-1]} }

func (s State) invitInto(o *Outcome, r ruleset.Rules) {
	switch i := s.Invit; {
	case i == nil:
	case s.Breach:
		o.Breach = i.By
	case i.Proved:
		o.Inviter, o.Shown = i.By, &i.Card
		if i.By != o.Declarer && s.isAccepted(r) {
			o.MustCall, o.Partner = &i.Card, i.By
		}
		if o.Partner == i.By && i.Card != deck.XVII { // with XVII the big honour is proved
			o.Ultimo = i.By
		}
	case i.By != o.Declarer && s.isOwed(r):
		o.Confirm = i.By
	}
}

func (s State) yieldInto(o *Outcome, r ruleset.Rules) {
	p := s.positiveCalls()
	if !s.wouldYield(r, p[0].Seat) {
		return
	}
	xx := deck.XX
	o.Yielder, o.Partner, o.MustCall = p[0].Seat, p[0].Seat, &xx
	if r.YieldShows == ruleset.YieldHonour { // BGA-4
		o.Ultimo = o.Yielder
	}
}

// ConfirmInvit is the last word of an inviter whose jump became an invit when he had
// no turn left to pass, because another held a solo (OPT-CONV-COMMIT): he holds
// the card and proves it, or he proves that he does not.
//
// The option leaves open what follows then. Here the deal is lost for him as a
// failed trial is (R-BID-16): there is no play, and he pays the base value of the
// level to each other player.
func (s State) ConfirmInvit(r ruleset.Rules, seat int, holds bool) (State, []deck.Claim, error) {
	if _, over := s.Speaker(r); !over || seat == Nobody || s.Outcome(r).Confirm != seat {
		return s, nil, fmt.Errorf("OPT-CONV-COMMIT: no invit waits to be confirmed, or it is another player's")
	}
	next, invit := s, *s.Invit
	if !holds {
		next.Breach = true
		return next, []deck.Claim{invit.lackClaim()}, nil
	}
	invit.Proved = true
	next.Invit = &invit
	return next, []deck.Claim{invit.holdClaim()}, nil
}

// draws is R-TAL-1, from the declarer onwards.
var draws = [...][seats]int{{3, 1, 1, 1}, {2, 2, 1, 1}, {1, 2, 2, 1}, {0, 2, 2, 2}}

// DrawCounts returns how many cards of the talon each seat draws (R-TAL-1).
func DrawCounts(level, declarer int) [4]int {
	var by [4]int
	for i, n := range draws[level] {
		by[(declarer+i)%seats] = n
	}
	return by
}
