package tarokk

import (
	"math/rand/v2"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/table"
)

// Choose implements play.Rules. It plays as a beginner in a club would: by rules of thumb, from what
// its seat sees and everybody knows; it sees no other player's cards and plays no deal out to the end.
// Its ideas are tried in order, and the rules say which of them can be proved, so no rule is repeated
// here.
func (r Rules) Choose(s State, v table.View, random *rand.Rand) (Move, bool) {
	for _, m := range newBot(s, v, random).moveIdeas() {
		if r.Check(s, v, m) == nil {
			return m, true
		}
	}
	moves := r.Moves(s, v)
	if len(moves) == 0 {
		return Move{}, false
	}
	return moves[random.IntN(len(moves))], true
}

// PlayOutlook is how [Rules.Choose] judges a card: how far its trick will go to friends, from -100 to
// 100; what the hunt for the XXI gains by it; and the value of leading it.
func (Rules) PlayOutlook(s State, v table.View, f card.Face) (favour, hunt, lead int) {
	b, t := newBot(s, v, nil), s.Deal.currentTrick()
	return b.trickFavour(t, append(t.parsedFaces(), f)), b.huntValue(t, append(t.parsedFaces(), f)), b.leadValue(f)
}

// bot is a player looking at a state.
type bot struct {
	State
	v      table.View
	p      int      // the player; nobody between deals, and for a dealer who sits out
	hand   card.Set // the cards still in hand
	unseen card.Set // the cards in other players' hands or discards
	random *rand.Rand
}

func newBot(s State, v table.View, random *rand.Rand) bot {
	b := bot{State: s, v: v, p: s.Deal.playerAt(v.Seat), random: random}
	if b.p == nobody {
		return b
	}
	b.hand = facesAt(v.Faces, s.Deal.CardsAt(b.p, s.Deal.Held[b.p]))
	own := facesAt(v.Faces, s.Deal.CardsAt(b.p, s.Deal.Discards[b.p].Letters))
	b.unseen = AllBut(b.hand.Union(own).Union(s.Deal.openCards()))
	return b
}

// moveIdeas are moves, the best first. There are none where nothing needs thought; then any provable
// move will do.
func (b bot) moveIdeas() []Move {
	yes, no, goOn := true, false, wishGo
	switch b.Stage {
	case Between:
		return []Move{{Wish: &goOn}}
	case Knocking:
		if !b.Deal.Knocked {
			return []Move{{Knock: &no}} // choosing a packet gains nothing over the cut
		}
	case Bidding:
		return b.callMoves()
	case Confirming:
		return []Move{{Confirm: &yes}}
	case Trying:
		return []Move{{Trial: &yes}}
	case AnnullingFirst, Annulling:
		return b.annulMoves()
	case Discarding:
		return b.discardMoves()
	case Announcing:
		return b.turnMoves()
	case Playing:
		return b.playMoves()
	case Claiming:
		return []Move{{Claim: &yes}}
	}
	return nil
}

func (b bot) countHeld(set card.Set) int { return shared.CommonFaces(b.hand, set).Len() }

// ownSide is the bot's side. The called tarokk decides it; before the call, a binding invit does, or
// the XX, which is called by custom.
func (b bot) ownSide() Side {
	switch a := b.Deal.Announce; {
	case b.p == b.Deal.Outcome.Declarer:
		return DeclarerSide
	case a != nil && a.Sides[b.p] != UnknownSide:
		return a.Sides[b.p]
	case b.hand.Has(b.likelyCalled()):
		return DeclarerSide
	}
	return DefenderSide
}

// likelyCalled is the tarokk that was called, or that most probably will be.
func (b bot) likelyCalled() card.Face {
	switch a := b.Deal.Announce; {
	case a != nil && a.Called != nil:
		return *a.Called
	case b.Deal.Outcome.MustCall != nil:
		return *b.Deal.Outcome.MustCall
	}
	return XX
}

// friendliness is how far the bot takes another player for a friend: from -100 for an opponent to 100
// for itself and its partner.
func (b bot) friendliness(q int) int {
	mine, theirs := b.ownSide(), b.sideOf(q)
	switch {
	case q == b.p || mine == theirs:
		return 100
	case theirs != UnknownSide:
		return -100
	case mine == DeclarerSide:
		return -33 // the partner is one of three, and has not shown himself to the declarer
	}
	return 0 // the partner is one of two
}

// sideOf is the side of q, as far as the bot knows. The partner knows all sides; the opponents know all
// of them once two players have shown theirs.
func (b bot) sideOf(q int) Side {
	shown, declarer := b.Deal.Announce.Sides, b.Deal.Outcome.Declarer
	switch {
	case q == b.p:
		return b.ownSide()
	case shown[q] != UnknownSide || q == declarer:
		return shown[q]
	case b.knowsPartner():
		return DefenderSide
	case b.ownSide() == DefenderSide && b.thirdPlayerSide(q) == DefenderSide:
		return DeclarerSide
	}
	return UnknownSide
}

// knowsPartner reports whether the bot knows the declarer's partner: it is the partner, or it is the
// declarer and holds the called card itself.
func (b bot) knowsPartner() bool {
	return b.ownSide() == DeclarerSide && (b.p != b.Deal.Outcome.Declarer || b.hand.Has(b.likelyCalled()))
}

// thirdPlayerSide is the side of the player who is neither the declarer, the bot nor q.
func (b bot) thirdPlayerSide(q int) Side {
	i := slices.IndexFunc(playersFrom(0), func(p int) bool { return p != b.Deal.Outcome.Declarer && p != b.p && p != q })
	return b.Deal.Announce.Sides[i]
}
