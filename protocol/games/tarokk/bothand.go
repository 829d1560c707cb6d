package tarokk

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
)

// Strength of a hand, in units of which a declarer's side takes about one and a
// half card points each. The weights are those that fitted the results of some
// thousand deals best: length counts most, then the two that are sure or nearly
// so. Kings made no difference: the exchange and the others' tarokks decide what
// becomes of them.
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

// kingsAlone is how few tarokks make four kings a burden: each of them wants to
// be brought home.
const kingsAlone = 5

// annulMoves throw in what may be thrown in, but for four kings with tarokks to
// bring them home.
func (b bot) annulMoves() []Move {
	hands := strings.Split(b.Rules.AnnulHands, "")
	if b.countHeld(Tarokks) >= kingsAlone {
		hands = slices.DeleteFunc(hands, func(h string) bool { return h == kingsAnnulled })
	}
	return movesFrom(hands, func(m *Move, h string) { m.Annul = &h }, "")
}

// discardMoves lays away queens and riders, so that suits are void; never a
// tarokk if there is a choice, and then the lowest.
func (b bot) discardMoves() []Move {
	all := discarding{b.State}.discardChoices(b.p, b.v)
	slices.SortStableFunc(all, func(x, y string) int { return cmp.Compare(b.discardWorth(y), b.discardWorth(x)) })
	return movesFrom(all, func(m *Move, d string) { m.Discard = &d })
}

// What a discard is worth, in card points. A void saves about one trick; a
// tarokk kept is worth more than any queen, and a high one more than a low one.
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

// forUs is 1 if the own discard counts for the own side: what the partner lays
// away counts for the opponents (R-DISC-5).
func (b bot) forUs() int {
	if b.ownSide() == DeclarerSide && b.p != b.Deal.Outcome.Declarer {
		return -1
	}
	return 1
}
