package tarokk

import (
	"cmp"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
)

// What a card costs and earns beside the points of its trick, in hundredths of a
// card point. The game is worth a few points of the score and the XXI caught
// 21; so what is at stake with it outweighs any trick.
const (
	perPoint      = 100
	laterCards    = 150  // what a player after the bot adds to the trick
	perNumber     = 10   // a tarokk's price for each step of its rank: win cheaply
	surePrice     = 300  // more for one that no other beats any more
	skizHunts     = 1000 // more for the skíz while the XXI may fall to it
	captureWorth  = 4000 // the XXI under a foe's skíz
	pagatKept     = 900  // the last trick is to be won with it
	lastTarokk    = 500  // kept against a foe's announced ultimó
	drawWorth     = 100  // of leading a tarokk, for each that a foe may lose
	suitAgain     = 60   // of leading a suit that a friend has led
	tarokkAgainst = 150  // what an opponent loses who helps the declarer to draw
	kingLed       = 300  // what a king loses that is led: it is for a friend's trick
	longHand      = 5    // tarokks with which an opponent draws, too
)

// playMoves are the own cards, the best first. The rules drop those that may not be
// played.
func (b bot) playMoves() []Move {
	plays := playing{b.State}.possiblePlays(b.p, b.v)
	slices.SortStableFunc(plays, func(x, y Play) int {
		fx, _ := ParseFace(x.Face)
		fy, _ := ParseFace(y.Face)
		return cmp.Compare(b.playMerit(fy), b.playMerit(fx))
	})
	return movesFrom(plays, func(m *Move, p Play) { m.Play = &p })
}

// playMerit is what comes of playing f: its trick to friend or foe, what may be
// caught in it, and what f will not do any more.
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

// trickFavour is how far the trick will go to a friend, from -100 to 100, if the
// cards of it are these.
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

// beatChance is how likely q beats a card, in percent.
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

// holdChance is how likely q holds one of some unseen cards, in percent, if they lie
// anywhere: tarokks and kings in others' hands, queens and less also in their
// discards.
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

// voidChance is how likely q is void of a suit, in percent.
func (b bot) voidChance(q int, suit Suit) int {
	if b.Deal.isKnownVoid(q, suit) {
		return 100
	}
	return b.hasNone(q, shared.CommonFaces(b.unseen, CardsOf(suit)))
}

// huntValue is what the trick may bring or cost if the XXI falls under the skíz.
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

// cardPrice is what f will not do any more once it is played.
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

// keepsPagat reports whether the pagát may win the last trick: it was announced,
// or the other tarokks of the hand draw all that are out, two by two.
func (b bot) keepsPagat() bool {
	own, out := b.countHeld(Tarokks)-1, shared.CommonFaces(b.unseen, Tarokks).Len()
	return b.isAnnounced(Item{Side: b.ownSide(), Figure: Ultimo}) || 2*own >= out
}

// leadValue is what speaks for leading f beside its trick: the declarer's side draws
// tarokks, the opponents lead the suits of each other and leave tarokks alone,
// unless they are long or an ultimó is to be broken.
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

// ledByFriend reports whether a friend has led a suit before.
func (b bot) ledByFriend(suit Suit) bool {
	return slices.ContainsFunc(b.Deal.Tricks, func(t Trick) bool {
		return t.Leader != b.p && b.friendliness(t.Leader) > 0 && SuitOf(t.parsedFaces()[0]) == suit
	})
}
