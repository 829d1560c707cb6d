package tarokk

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
)

// Strength of a hand, in half tricks or so. Every tarokk wins or draws one;
// those that few can beat count again, and so do kings, and suits in which a
// tarokk can be played at once. Nine cards of average luck make 16.
const (
	perTarokk = 2
	perKing   = 2
	perVoid   = 2
	perSingle = 1
)

var extra = map[card.Face]int{deck.Skiz: 5, deck.XXI: 4, deck.XX: 3, deck.XIX: 2, deck.XVIII: 1, deck.XVII: 1, deck.Pagat: 1}

func strength(hand card.Set) int {
	n := perTarokk*common(hand, deck.Tarokks).Len() + perKing*common(hand, deck.Kings).Len()
	for _, f := range hand.Faces() {
		n += extra[f]
	}
	for _, suit := range deck.PlainSuits {
		switch common(hand, deck.Of(suit)).Len() {
		case 0:
			n += perVoid
		case 1:
			n += perSingle
		}
	}
	return n
}

// kingsAlone is how few tarokks make four kings a burden: each of them wants to
// be brought home.
const kingsAlone = 5

// annulments throw in what may be thrown in, but for four kings with tarokks to
// bring them home.
func (b bot) annulments() []Move {
	hands := strings.Split(b.Rules.AnnulHands, "")
	if b.count(deck.Tarokks) >= kingsAlone {
		hands = slices.DeleteFunc(hands, func(h string) bool { return h == "a" })
	}
	return each(hands, func(m *Move, h string) { m.Annul = &h }, "")
}

// discardings lays away queens and riders, so that suits are void; never a
// tarokk if there is a choice, and then the lowest.
func (b bot) discardings() []Move {
	all := b.State.discards(b.p, b.v)
	slices.SortStableFunc(all, func(x, y string) int { return cmp.Compare(b.discardWorth(y), b.discardWorth(x)) })
	return each(all, func(m *Move, d string) { m.Discard = &d })
}

// What a discard is worth, in card points. A void saves about one trick; a
// tarokk kept is worth more than any queen, and a high one more than a low one.
const (
	voidWorth   = 5
	singleWorth = 1
	tarokkWorth = -20
)

func (b bot) discardWorth(letters string) int {
	gone := b.faces(b.Deal.places(b.p, letters))
	rest, worth := b.hand.Without(gone), 0
	for _, f := range gone.Faces() {
		if deck.IsTarokk(f) {
			worth += tarokkWorth - deck.Number(f)
		}
		worth += b.forUs() * deck.Points(f)
	}
	for _, suit := range deck.PlainSuits {
		switch left := common(rest, deck.Of(suit)); {
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
	if b.side() == score.Dec && b.p != b.Deal.Outcome.Declarer {
		return -1
	}
	return 1
}
