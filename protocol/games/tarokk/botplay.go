package tarokk

import (
	"cmp"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
)

// What a card costs and earns apart from the points of its trick, in hundredths of a card point. The
// game is worth a few points of the score and catching the XXI 21, so these stakes outweigh any trick.
const (
	perPoint      = 100
	laterCards    = 150  // points that each later player adds to the trick
	perNumber     = 10   // price of a tarokk for each step of its rank, so that tricks are won cheaply
	surePrice     = 300  // more for a card that no other can beat any more
	skizHunts     = 1000 // more for the skíz while the XXI may still fall to it
	captureWorth  = 4000 // the XXI under an opponent's skíz
	pagatKept     = 900  // it is to win the last trick
	lastTarokk    = 500  // kept against an opponent's announced ultimó
	drawWorth     = 100  // of leading a tarokk, for each that an opponent may lose
	suitAgain     = 60   // of leading a suit that a friend has led
	tarokkAgainst = 150  // price of leading tarokks as an opponent, which helps the declarer to draw
	kingLed       = 300  // price of leading a king, which is better kept for a friend's trick
	longHand      = 5    // number of tarokks with which an opponent draws too
)

// playMoves are the cards in hand, the best first. The rules drop those that may not be played.
func (b bot) playMoves() []Move {
	plays := playing{b.State}.possiblePlays(b.p, b.v)
	slices.SortStableFunc(plays, func(x, y Play) int {
		fx, _ := ParseFace(x.Face)
		fy, _ := ParseFace(y.Face)
		return cmp.Compare(b.playMerit(fy), b.playMerit(fx))
	})
	return movesFrom(plays, func(m *Move, p Play) { m.Play = &p })
}

// playMerit is the result of playing f: whether its trick goes to friend or opponent, what may be
// caught in it, and what f can no longer do.
func (b bot) playMerit(f card.Face) int {
	t := b.Deal.currentTrick()
	faces := append(t.parsedFaces(), f)
	gain := laterCards*(actives-len(faces)) + perPoint*shared.TrickPoints(TrickRules{}, faces)
	n := gain*b.trickFavour(t, faces)/100 + b.huntValue(t, faces) - b.cardPrice(f)
	if len(faces) == 1 {
		n += b.leadValue(f)
	}
	return n
}

// trickFavour is how far a trick with these cards will go to a friend, from -100 to 100.
func (b bot) trickFavour(t Trick, faces []card.Face) int {
	best := shared.TrickWinner(TrickRules{}, faces)
	favour := b.friendliness((t.Leader + best) % actives)
	for i := len(faces); i < actives; i++ {
		q := (t.Leader + i) % actives
		beats := b.beatChance(q, faces[best], SuitOf(faces[0]))
		favour = (favour*(100-beats) + b.friendliness(q)*beats) / 100
	}
	return favour
}

// beatChance is the probability that q beats a card, in percent.
func (b bot) beatChance(q int, best card.Face, led Suit) int {
	higher := shared.CommonFaces(CardsOf(SuitOf(best)), b.unseen).Minus(UpTo(best))
	switch {
	case led == Tarokk:
		return b.holdChance(q, higher)
	case IsTarokk(best):
		return b.voidChance(q, led) * b.holdChance(q, higher) / 100
	}
	return b.holdChance(q, higher) + b.voidChance(q, led)*b.holdChance(q, shared.CommonFaces(b.unseen, Tarokks))/100
}

// holdChance is the probability that q holds one of some unseen cards, in percent, if they may lie
// anywhere: tarokks and kings in other hands, queens and lower cards also in other discards.
func (b bot) holdChance(q int, cards card.Set) int { return 100 - b.hasNone(q, cards) }

func (b bot) hasNone(q int, cards card.Set) int {
	if n := cards.Len(); n > 0 && b.Deal.isKnownVoid(q, SuitOf(cards.Faces()[0])) {
		return 100
	}
	none, room := 100, b.unseen.Len()
	for range cards.Len() {
		none = none * (room - len(b.Deal.Held[q])) / room
	}
	return none
}

// voidChance is the probability that q is void of a suit, in percent.
func (b bot) voidChance(q int, suit Suit) int {
	if b.Deal.isKnownVoid(q, suit) {
		return 100
	}
	return b.hasNone(q, shared.CommonFaces(b.unseen, CardsOf(suit)))
}

// huntValue is what the trick may bring or cost if the XXI falls to the skíz.
func (b bot) huntValue(t Trick, faces []card.Face) int {
	skiz, xxi := slices.Index(faces, Skiz), slices.Index(faces, XXI)
	if xxi < 0 {
		return 0
	}
	loser := (t.Leader + xxi) % actives
	if skiz >= 0 {
		captor := (t.Leader + skiz) % actives
		return captureWorth * (b.friendliness(captor) - b.friendliness(loser)) / 200
	}
	risk := 0
	for i := len(faces); i < actives; i++ {
		q := (t.Leader + i) % actives
		risk += b.holdChance(q, shared.CommonFaces(b.unseen, card.SetOf(Skiz))) * (b.friendliness(q) - b.friendliness(loser)) / 200
	}
	return captureWorth * risk / 100
}

// cardPrice is the worth of what f can no longer do once it is played.
func (b bot) cardPrice(f card.Face) int {
	switch {
	case f == Skiz && b.unseen.Has(XXI):
		return surePrice + skizHunts
	case f == Pagat && b.keepsPagat():
		return pagatKept
	case IsTarokk(f) && b.countHeld(Tarokks) == 1 && b.isAnnounced(Item{Side: b.ownSide().OtherSide(), Figure: Ultimo}):
		return lastTarokk
	case IsTarokk(f) && shared.CommonFaces(Tarokks, b.unseen).Minus(UpTo(f)).Len() == 0:
		return surePrice + perNumber*TarokkNumber(f)
	case IsTarokk(f) && f != Pagat:
		return perNumber * TarokkNumber(f)
	}
	return 0
}

// keepsPagat reports whether the pagát may win the last trick: it was announced, or the other tarokks
// of the hand draw all that are out, two at a time.
func (b bot) keepsPagat() bool {
	own, out := b.countHeld(Tarokks)-1, shared.CommonFaces(b.unseen, Tarokks).Len()
	return b.isAnnounced(Item{Side: b.ownSide(), Figure: Ultimo}) || 2*own >= out
}

// leadValue is the value of leading f apart from its trick. The declarer's side draws tarokks; the
// opponents lead each other's suits and leave tarokks alone, unless they hold many or an ultimó must be
// broken.
func (b bot) leadValue(f card.Face) int {
	suit := SuitOf(f)
	switch draws := drawWorth * min(3, shared.CommonFaces(b.unseen, Tarokks).Len()); {
	case suit == Tarokk && (b.ownSide() == DeclarerSide || b.countHeld(Tarokks) >= longHand):
		return draws
	case suit == Tarokk && b.isAnnounced(Item{Side: DeclarerSide, Figure: Ultimo}):
		return draws
	case suit == Tarokk:
		return -tarokkAgainst
	case Kings.Has(f):
		return -kingLed
	case b.ledByFriend(suit):
		return suitAgain
	}
	return 0
}

// ledByFriend reports whether a friend has led the suit before.
func (b bot) ledByFriend(suit Suit) bool {
	return slices.ContainsFunc(b.Deal.Tricks, func(t Trick) bool {
		return t.Leader != b.p && b.friendliness(t.Leader) > 0 && SuitOf(t.parsedFaces()[0]) == suit
	})
}
