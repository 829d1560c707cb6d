package tarokk

import (
	"slices"

	"github.com/pakli/pakli/protocol/card"
)

// callTakes is the strength of the nine dealt cards that a call requires: for a three, an honour and
// about five tarokks. Each step up gives away a card of the talon and raises the stake.
var callTakes = [...]int{18, 21, 24, 27} // by level

// What changes the strength required.
const (
	inviteMore  = 1  // for each step of a jump
	soloMore    = 4  // a solo from hand shows no card, so it must stand alone
	fourthLess  = 1  // after three passes nobody else is strong
	invitedLess = 2  // the inviter will be the partner, with a tarokk and an honour
	yieldBelow  = 28 // a hand with the XX and a big honour and less than this lets the other player declare
	trialTakes  = 18 // without an honour: the talon must bring one
	trialOneIn  = 6  // even then, try one time in so many
)

// callMoves are the calls that the hand is worth, then the pass, then the cheapest way out for a hand
// that may not pass (R-CONV-12).
func (b bot) callMoves() []Move {
	all := b.Deal.Auction.LegalCalls(b.Rules, b.p) // the pass, the next ordinary call, jumps
	var list []Call
	for i, c := range slices.Backward(all[1:]) {
		if b.isWorth(c, i) {
			list = append(list, c)
		}
	}
	list = append(list, all[:min(len(all), 2)]...)
	return movesFrom(list, func(m *Move, c Call) { m.Call = &c })
}

// isWorth reports whether the hand is worth a call that jumps so many steps.
func (b bot) isWorth(c Call, steps int) bool {
	have := handStrength(b.hand)
	switch {
	case b.countHeld(Honours) == 0:
		return steps == 0 && have >= trialTakes && b.random.IntN(trialOneIn) == 0
	case steps == 0:
		return have >= b.neededStrength()
	case b.isHonestInvit(c):
		return have >= b.neededStrength()+steps*inviteMore
	}
	return c == BidSolo && have >= callTakes[BidSolo.Level()]+soloMore
}

// neededStrength is the strength that the next ordinary call requires.
func (b bot) neededStrength() int {
	a := b.Deal.Auction
	takes := callTakes[b.nextLevel()]
	if len(a.Said) == actives-1 && b.bidLevel() == nobody {
		takes -= fourthLess
	}
	if a.Invit != nil && a.Invit.By != b.p {
		takes -= invitedLess
	}
	if b.passYields() {
		takes = max(takes, yieldBelow)
	}
	return takes
}

// bidLevel is the level of the current bid, or nobody.
func (b bot) bidLevel() int {
	level := nobody
	for _, said := range b.Deal.Auction.Said {
		level = max(level, said.Call.Level())
	}
	return level
}

// nextLevel is the level of the next ordinary call.
func (b bot) nextLevel() int {
	if slices.Contains(b.Deal.Auction.LegalCalls(b.Rules, b.p), HoldCall) {
		return b.bidLevel()
	}
	return b.bidLevel() + 1
}

// isHonestInvit reports whether a call shows a tarokk that is in the hand, together with a big honour:
// without one, the bot might have to announce pagátultimó (R-CONV-8).
func (b bot) isHonestInvit(c Call) bool {
	next, _, err := b.Deal.Auction.ApplyCall(b.Rules, b.p, c)
	return err == nil && b.Deal.Auction.Invit == nil && next.Invit != nil &&
		b.hand.Has(next.Invit.Card) && b.countHeld(BigHonours) > 0
}

// passYields reports whether a pass would yield the game, and is provable (R-CONV-11).
func (b bot) passYields() bool {
	_, claims, err := b.Deal.Auction.ApplyCall(b.Rules, b.p, PassCall)
	yield := slices.ContainsFunc(claims, func(c Claim) bool { return c.ID == "B-YIELD" })
	return err == nil && yield && card.SetOf(XX).Minus(b.hand).Len() == 0 && b.countHeld(BigHonours) > 0
}
