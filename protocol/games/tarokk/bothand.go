package tarokk

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
)

// Strength of a hand, in units of about one and a half card points for the declarer's side. The weights
// are those that best fitted the results of a few thousand deals: length counts most, then the two
// tarokks that win for certain or nearly so. Kings made no difference: the exchange and the other
// players' tarokks decide what becomes of them.
const (
	perTarokk = 3
	perVoid   = 1
)

var extra = map[card.Face]int{Skiz: 4, XXI: 4, XX: 1, XIX: 2, XVIII: 1, XVII: 1, Pagat: 1}

func handStrength(hand card.Set) int {
	n := perTarokk * shared.CommonFaces(hand, Tarokks).Len()
	for _, f := range hand.Faces() {
		n += extra[f]
	}
	for _, suit := range PlainSuits {
		if shared.CommonFaces(hand, CardsOf(suit)).Len() == 0 {
			n += perVoid
		}
	}
	return n
}

// kingsAlone is the number of tarokks below which four kings are a burden, because each of them needs
// help to win its trick.
const kingsAlone = 5

// annulMoves throw in what may be thrown in, except four kings with enough tarokks to help them.
func (b bot) annulMoves() []Move {
	hands := strings.Split(b.Rules.AnnulHands, "")
	if b.countHeld(Tarokks) >= kingsAlone {
		hands = slices.DeleteFunc(hands, func(h string) bool { return h == kingsAnnulled })
	}
	return movesFrom(hands, func(m *Move, h string) { m.Annul = &h }, "")
}

// discardMoves discard queens and riders to make suits void; a tarokk only if there is no choice, and
// then the lowest.
func (b bot) discardMoves() []Move {
	all := discarding{b.State}.discardChoices(b.p, b.v)
	slices.SortStableFunc(all, func(x, y string) int { return cmp.Compare(b.discardWorth(y), b.discardWorth(x)) })
	return movesFrom(all, func(m *Move, d string) { m.Discard = &d })
}

// The worth of a discard, in card points. A void saves about one trick; a tarokk kept is worth more
// than any queen, and a high one more than a low one.
const (
	voidWorth   = 5
	singleWorth = 1
	tarokkWorth = -20
)

func (b bot) discardWorth(letters string) int {
	gone := facesAt(b.v.Faces, b.Deal.CardsAt(b.p, letters))
	rest, worth := b.hand.Minus(gone), 0
	for _, f := range gone.Faces() {
		if IsTarokk(f) {
			worth += tarokkWorth - TarokkNumber(f)
		}
		worth += b.forUs() * FacePoints(f)
	}
	for _, suit := range PlainSuits {
		switch left := shared.CommonFaces(rest, CardsOf(suit)); {
		case left.Len() == 0:
			worth += voidWorth
		case left.Len() == 1:
			worth += singleWorth
		}
	}
	return worth
}

// forUs is 1 if the bot's discard counts for its own side, else -1: what the partner discards counts
// for the opponents (R-DISC-5).
func (b bot) forUs() int {
	if b.ownSide() == DeclarerSide && b.p != b.Deal.Outcome.Declarer {
		return -1
	}
	return 1
}
