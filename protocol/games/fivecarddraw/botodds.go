package fivecarddraw

import (
	"math/rand/v2"
	"slices"
)

// samples is how often the hidden cards are dealt, for a chance right to about 4 in 100.
const samples = 150

// cardsToKeep returns at least so many cards of a hand that are worth keeping: a made hand, what makes
// pairs, four cards to a flush or a straight, or else the highest.
func cardsToKeep(cards []Face, least int, wheel bool) []Face {
	if KindOf(handClass(cards, wheel), wheel) >= Straight {
		return cards
	}
	count := map[Rank]int{}
	for _, f := range cards {
		count[f.Rank()]++
	}
	order := slices.Clone(cards)
	slices.SortStableFunc(order, func(a, b Face) int {
		if n := count[b.Rank()] - count[a.Rank()]; n != 0 {
			return n
		}
		return int(b.Rank() - a.Rank())
	})
	paired := 0
	for _, f := range order {
		if count[f.Rank()] > 1 {
			paired++
		}
	}
	if four := fourTo(cards); paired == 0 && four != nil {
		return four
	}
	if paired == 0 {
		paired = 1
		for paired < 2 && order[paired].Rank() >= Jack {
			paired++
		}
	}
	return order[:max(paired, least)]
}

// fourTo returns four cards to a flush or to a straight open at both ends, or nil.
func fourTo(cards []Face) []Face {
	for out := range cards {
		four := slices.Delete(slices.Clone(cards), out, out+1)
		slices.SortFunc(four, func(a, b Face) int { return int(a.Rank() - b.Rank()) })
		flush, run := true, four[3].Rank() < Ace
		for i := range four[1:] {
			flush = flush && four[i+1].Suit() == four[0].Suit()
			run = run && four[i+1].Rank() == four[i].Rank()+1
		}
		if flush || run {
			return four
		}
	}
	return nil
}

func handClass(cards []Face, wheel bool) int {
	return HandClass([HandSize]Face(cards), wheel)
}

// opponent is another player of the deal, with the number of cards drawn, or -1 before the exchange.
type opponent struct{ drew int }

// winChance returns how likely a hand is the best against others, where equal hands count by their
// share. It deals the cards that the player does not know at random to the others, who keep what
// anybody would. With toCome, every player first exchanges at most so many cards. Nobody else has known
// cards.
func winChance(own, known []Face, others []opponent, toCome bool, most int, wheel bool, random *rand.Rand) float64 {
	var pack []Face
	for f := range Face(DeckSize) {
		if !slices.Contains(own, f) && !slices.Contains(known, f) {
			pack = append(pack, f)
		}
	}
	won := 0.0
	for range samples {
		random.Shuffle(len(pack), func(i, j int) { pack[i], pack[j] = pack[j], pack[i] })
		rest := pack
		take := func(n int) []Face {
			n = min(n, len(rest))
			taken := rest[:n]
			rest = rest[n:]
			return taken
		}
		finish := func(cards []Face, keep int) int {
			kept := cardsToKeep(cards, keep, wheel)
			drawn := take(len(cards) - len(kept))
			full := append(slices.Clone(kept), drawn...)
			for _, f := range cards { // the stock is empty
				if len(full) < HandSize && !slices.Contains(full, f) {
					full = append(full, f)
				}
			}
			return handClass(full, wheel)
		}
		mine := handClass(own, wheel)
		if toCome {
			mine = finish(own, HandSize-most)
		}
		equal, best := 1, true
		for _, o := range others {
			theirs := theirHand(o, take, finish, toCome, most, wheel)
			if best = best && theirs >= mine; theirs == mine {
				equal++
			}
		}
		if best {
			won += 1 / float64(equal)
		}
	}
	return won / samples
}

// theirHand returns the class of a hand that another player may hold. A player who drew fewer cards has
// more: of several hands dealt it takes the first with which one would have drawn as many.
func theirHand(o opponent, take func(int) []Face, finish func([]Face, int) int, toCome bool, most int, wheel bool) int {
	cards := take(HandSize)
	if toCome {
		return finish(cards, HandSize-most)
	}
	if o.drew <= 0 {
		return min(handClass(cards, wheel), finish(cards, 0))
	}
	return finish(cards, HandSize-max(o.drew, 1))
}

// canBluff reports whether a hand is one to bluff with: one in eight of the weak hands, chosen only by
// the suits of its cards, which never count. So neither chance nor time distinguishes a bluff from a
// strong hand.
func canBluff(cards []Face) bool {
	sum := 0
	for _, f := range cards {
		sum = 4*sum + f.Suit()
	}
	return sum%8 == 5
}
