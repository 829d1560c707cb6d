// Package auction is the bidding of a deal of tarokk: calls, invits, the
// yielded game and the trial bid (docs/spec/61-tarokk.md, R-BID and R-CONV). It
// knows no hand: each call comes with the claims that its speaker must prove.
package auction

import (
	"github.com/pakli/pakli/protocol/card"
)

// Call is what a speaker says.
type Call string

// Calls. Bids are in ascending order; their index is the level.
const (
	Pass  Call = "pass"
	Hold  Call = "hold"
	Three Call = "three"
	Two   Call = "two"
	One   Call = "one"
	Solo  Call = "solo"
)

// Nobody stands for no seat.
const Nobody = -1

// Outcome is what an auction decides. Seats are 0 to 3, A to D (R-SEAT-3).
type Outcome struct {
	ThrownIn bool       // all passed (R-BID-12); the rest says nothing then
	Declarer int        // R-BID-10
	Level    int        // 0 to 3
	Trial    bool       // the declarer must show an honour after the draw (R-BID-16)
	Inviter  int        // who gave the invit that stands, or Nobody
	Shown    *card.Face // the tarokk that the invit shows
	Yielder  int        // who yielded the game, or Nobody (R-CONV-10)
	MustCall *card.Face // R-CONV-7, R-CONV-11: nil if the call is free
	Partner  int        // publicly the declarer's (R-CONV-14), or Nobody
	Ultimo   int        // who must announce pagátultimó or prove a big honour (R-CONV-8), or Nobody
	Confirm  int        // who must still prove the card of an invit (OPT-CONV-COMMIT), or Nobody
	Honour   [4]bool    // who is known to hold an honour (R-BID-18)
	Draw     [4]int     // cards from the talon (R-TAL-1)
}
