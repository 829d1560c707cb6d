package tarokk

import (
	"cmp"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
	"github.com/pakli/pakli/protocol/games/trick"
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

// cards are the own cards, the best first. The rules drop those that may not be
// played.
func (b bot) cards() []Move {
	plays := playing{b.State}.plays(b.p, b.v)
	slices.SortStableFunc(plays, func(x, y Play) int {
		fx, _ := deck.Parse(x.Face)
		fy, _ := deck.Parse(y.Face)
		return cmp.Compare(b.merit(fy), b.merit(fx))
	})
	return each(plays, func(m *Move, p Play) { m.Play = &p })
}

// merit is what comes of playing f: its trick to friend or foe, what may be
// caught in it, and what f will not do any more.
func (b bot) merit(f card.Face) int {
	t := b.Deal.current()
	faces := append(t.faces(), f)
	gain := laterCards*(actives-len(faces)) + perPoint*trick.Points(deck.Tricks{}, faces)
	n := gain*b.favour(t, faces)/100 + b.hunt(t, faces) - b.price(f)
	if len(faces) == 1 {
		n += b.lead(f)
	}
	return n
}

// favour is how far the trick will go to a friend, from -100 to 100, if the
// cards of it are these.
func (b bot) favour(t Trick, faces []card.Face) int {
	best := trick.Winner(deck.Tricks{}, faces)
	favour := b.friend((t.Leader + best) % actives)
	for i := len(faces); i < actives; i++ {
		q := (t.Leader + i) % actives
		beats := b.beats(q, faces[best], deck.SuitOf(faces[0]))
		favour = (favour*(100-beats) + b.friend(q)*beats) / 100
	}
	return favour
}

// beats is how likely q beats a card, in percent.
func (b bot) beats(q int, best card.Face, led deck.Suit) int {
	higher := trick.Common(deck.Of(deck.SuitOf(best)), b.unseen).Without(deck.UpTo(best))
	switch {
	case led == deck.Tarokk:
		return b.has(q, higher)
	case deck.IsTarokk(best):
		return b.lacks(q, led) * b.has(q, higher) / 100
	}
	return b.has(q, higher) + b.lacks(q, led)*b.has(q, trick.Common(b.unseen, deck.Tarokks))/100
}

// has is how likely q holds one of some unseen cards, in percent, if they lie
// anywhere: tarokks and kings in others' hands, queens and less also in their
// discards.
func (b bot) has(q int, cards card.Set) int { return 100 - b.hasNone(q, cards) }

func (b bot) hasNone(q int, cards card.Set) int {
	if n := cards.Len(); n > 0 && b.Deal.void(q, deck.SuitOf(cards.Faces()[0])) {
		return 100
	}
	none, room := 100, b.unseen.Len()
	for range cards.Len() {
		none = none * (room - len(b.Deal.Held[q])) / room
	}
	return none
}

// lacks is how likely q is void of a suit, in percent.
func (b bot) lacks(q int, suit deck.Suit) int {
	if b.Deal.void(q, suit) {
		return 100
	}
	return b.hasNone(q, trick.Common(b.unseen, deck.Of(suit)))
}

// hunt is what the trick may bring or cost if the XXI falls under the skíz.
func (b bot) hunt(t Trick, faces []card.Face) int {
	skiz, xxi := slices.Index(faces, deck.Skiz), slices.Index(faces, deck.XXI)
	if xxi < 0 {
		return 0
	}
	loser := (t.Leader + xxi) % actives
	if skiz >= 0 {
		captor := (t.Leader + skiz) % actives
		return captureWorth * (b.friend(captor) - b.friend(loser)) / 200
	}
	risk := 0
	for i := len(faces); i < actives; i++ {
		q := (t.Leader + i) % actives
		risk += b.has(q, trick.Common(b.unseen, card.SetOf(deck.Skiz))) * (b.friend(q) - b.friend(loser)) / 200
	}
	return captureWorth * risk / 100
}

// price is what f will not do any more once it is played.
func (b bot) price(f card.Face) int {
	switch {
	case f == deck.Skiz && b.unseen.Has(deck.XXI):
		return surePrice + skizHunts
	case f == deck.Pagat && b.keepsPagat():
		return pagatKept
	case deck.IsTarokk(f) && b.count(deck.Tarokks) == 1 && b.announced(score.Item{Side: b.side().Other(), Figure: score.Ultimo}):
		return lastTarokk
	case deck.IsTarokk(f) && trick.Common(deck.Tarokks, b.unseen).Without(deck.UpTo(f)).Len() == 0:
		return surePrice + perNumber*deck.Number(f)
	case deck.IsTarokk(f) && f != deck.Pagat:
		return perNumber * deck.Number(f)
	}
	return 0
}

// keepsPagat reports whether the pagát may win the last trick: it was announced,
// or the other tarokks of the hand draw all that are out, two by two.
func (b bot) keepsPagat() bool {
	own, out := b.count(deck.Tarokks)-1, trick.Common(b.unseen, deck.Tarokks).Len()
	return b.announced(score.Item{Side: b.side(), Figure: score.Ultimo}) || 2*own >= out
}

// lead is what speaks for leading f beside its trick: the declarer's side draws
// tarokks, the opponents lead the suits of each other and leave tarokks alone,
// unless they are long or an ultimó is to be broken.
func (b bot) lead(f card.Face) int {
	suit := deck.SuitOf(f)
	switch draws := drawWorth * min(3, trick.Common(b.unseen, deck.Tarokks).Len()); {
	case suit == deck.Tarokk && (b.side() == score.Dec || b.count(deck.Tarokks) >= longHand):
		return draws
	case suit == deck.Tarokk && b.announced(score.Item{Side: score.Dec, Figure: score.Ultimo}):
		return draws
	case suit == deck.Tarokk:
		return -tarokkAgainst
	case deck.Kings.Has(f):
		return -kingLed
	case b.ledByFriend(suit):
		return suitAgain
	}
	return 0
}

// ledByFriend reports whether a friend has led a suit before.
func (b bot) ledByFriend(suit deck.Suit) bool {
	return slices.ContainsFunc(b.Deal.Tricks, func(t Trick) bool {
		return t.Leader != b.p && b.friend(t.Leader) > 0 && deck.SuitOf(t.faces()[0]) == suit
	})
}
