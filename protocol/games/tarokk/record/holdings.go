package record

import (
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
)

// Sizes of R-SEAT-1 and R-DEAL-2.
const (
	players   = 4
	handSize  = 9
	talonSize = 6
)

// unknown is a hand about which the record does not tell enough.
var unknown card.Set

// holdings are the cards of each player, as far as the record tells them or they follow from it.
type holdings struct {
	namedDeal
	rules        tarokk.RuleSet
	misfit       *misfit
	dealt, drawn [players]card.Set
	all          [players]card.Set // by player, both together
	discards     [players][]card.Face
	draw         [players]int // by player, the number of cards from the talon
	decided      bool         // the bids are complete and legal, so that draw is known
}

// The moments of a deal at which a line about cards can break a rule. firstCard + n is the turn of the
// n-th card played.
const (
	atDeal = iota
	afterBids
	afterExchange
	firstCard
)

// misfit is a rule that lines about cards break by themselves. It is reported when the replay comes to
// its moment, so that what was said or done earlier comes first.
type misfit struct {
	moment int
	breach *Breach
}

// blameLine keeps the rule that a line breaks, unless another is broken earlier.
func (k *holdings) blameLine(moment int, l *Line, p int, rule, format string, args ...any) {
	if m := k.misfit; m == nil || moment < m.moment || moment == m.moment && l.At < m.breach.Line {
		k.misfit = &misfit{moment, k.newBreach(l.At, p, rule, format, args...)}
	}
}

// currentMoment is the moment that the replay has come to.
func (r *replay) currentMoment() int {
	d := &r.state.Deal
	switch {
	case d.Outcome == nil:
		return atDeal
	case !r.permuted:
		return afterBids
	case r.state.Stage != tarokk.Playing && len(d.Tricks) == 0:
		return afterExchange
	}
	now := firstCard
	for _, t := range d.Tricks {
		now += len(t.Faces)
	}
	return now
}

// deduceHands finds out who had which cards. It ignores lines that cannot be true.
func (k *holdings) deduceHands() {
	k.deduceDraw()
	k.checkSizes()
	k.checkTwice("dealt", "talon")
	k.checkTwice("dealt", "drawn")
	k.checkTwice("cards")
	if k.misfit != nil && k.misfit.moment == atDeal {
		return
	}
	k.readHands()
	k.deduceLast()
	k.checkLeaving()
	k.deduceFromPlay()
	k.deduceLast()
	k.deduceParts()
}

// deduceDraw finds the number of cards that each player drew, from the bids.
func (k *holdings) deduceDraw() {
	a := tarokk.NewAuction()
	for _, word := range k.deal.lineWords("bids") {
		var err error
		seat, call := cutSeat(word)
		if a, _, err = a.ApplyCall(k.rules, seat, tarokk.Call(call)); err != nil {
			return
		}
	}
	if _, over := a.Speaker(k.rules); over {
		o := a.Outcome(k.rules)
		k.draw, k.decided = o.Draw, !o.ThrownIn
	}
}

// cutSeat splits a text such as "A three".
func cutSeat(word string) (seat int, rest string) {
	return strings.Index(seatNames, word[:1]), strings.TrimSpace(word[1:])
}

func (k *holdings) checkSizes() {
	tricks := 0
	for i := range k.deal.Lines {
		l := &k.deal.Lines[i]
		n, drawn := len(l.Cards), 0
		if l.Seat != Nobody {
			drawn = k.draw[l.Seat]
		}
		switch {
		case l.Key == "dealt" && n != handSize:
			k.blameLine(atDeal, l, Nobody, "R-DEAL-2", "%d cards are dealt to a player, and not %d", handSize, n)
		case l.Key == "talon" && n != talonSize:
			k.blameLine(atDeal, l, Nobody, "R-DEAL-2", "the talon has %d cards, and not %d", talonSize, n)
		case l.Key == "trick":
			if tricks++; n > players {
				k.blameLine(firstCard+players*tricks, l, Nobody, "R-PLAY-1", "a trick has %d cards, and not %d", players, n)
			}
		case !k.decided:
		case l.Key == "drawn" && n != drawn:
			k.blameLine(afterBids, l, Nobody, "R-TAL-1", "%s draws %d cards, and not %d", k.memberName(l.Seat), drawn, n)
		case l.Key == "cards" && n != handSize+drawn:
			k.blameLine(afterBids, l, Nobody, "R-TAL-1", "%s has %d cards with those of the talon, and not %d", k.memberName(l.Seat), handSize+drawn, n)
		case l.Key == "discard" && n != drawn:
			k.blameLine(afterExchange, l, l.Seat, "R-DISC-1", "drew %d and discards %d", drawn, n)
		}
	}
}

// checkTwice refuses a card that lines put into two hands.
func (k *holdings) checkTwice(keys ...string) {
	seen := map[card.Face]int{}
	for i := range k.deal.Lines {
		l := &k.deal.Lines[i]
		for _, f := range l.Cards {
			if !slices.Contains(keys, l.Key) {
				break
			}
			if at, twice := seen[f]; twice {
				k.blameLine(atDeal, l, Nobody, "R-CARD-1", "%s is there twice, in line %d too", k.cardName(f), at)
			}
			seen[f] = l.At
		}
	}
}

// checkLeaving refuses a card that leaves another hand than its owner's, or leaves twice. If the record
// does not tell whose card it was, nobody is blamed.
func (k *holdings) checkLeaving() {
	seen, played := map[card.Face]int{}, 0
	for i := range k.deal.Lines {
		l := &k.deal.Lines[i]
		for j, f := range l.Cards {
			p, moment, rule := l.Seat, afterExchange, "R-DISC-1"
			switch l.Key {
			default:
				continue
			case "trick":
				p, moment, rule = (p+j)%players, firstCard+played, "R-PLAY-1"
				played++
			case "discard":
			}
			owner := k.ownerOf(f)
			at, twice := seen[f]
			switch seen[f] = l.At; {
			case f == Unknown:
			case twice && owner == Nobody:
				k.blameLine(moment, l, Nobody, "R-CARD-1", "%s is there twice, in line %d too", k.cardName(f), at)
			case twice:
				k.blameLine(moment, l, p, "R-CARD-1", "%s is there twice, in line %d too", k.cardName(f), at)
			case owner != Nobody && owner != p:
				k.blameLine(moment, l, p, rule, "has no %s: %s has it", k.cardName(f), k.nameAndSeat(owner))
			}
		}
	}
}

// ownerOf is the player who had a card, or Nobody if that is not known.
func (k *holdings) ownerOf(f card.Face) int {
	for p := range players {
		if k.all[p].Union(k.dealt[p]).Union(k.drawn[p]).Has(f) {
			return p
		}
	}
	return Nobody
}

// readHands reads the hands that the record tells, in the order of the talon (R-TAL-2).
func (k *holdings) readHands() {
	talon := k.deal.lineCards("talon", Nobody)
	for i := range players {
		p := (k.lastBidder() + i) % players
		n := k.draw[p]
		k.dealt[p] = card.SetOf(k.deal.lineCards("dealt", p)...)
		l := k.deal.findLine("drawn", p)
		if l != nil && (!k.decided || len(l.Cards) == n) {
			k.drawn[p] = card.SetOf(l.Cards...)
		}
		if k.decided && talon != nil {
			if k.drawn[p] = card.SetOf(talon[:n]...); l != nil && card.SetOf(l.Cards...) != k.drawn[p] {
				k.blameLine(afterBids, l, Nobody, "R-TAL-2", "the talon is drawn in order: %s", k.namesOf(k.drawn[p]))
			}
			talon = talon[n:]
		}
		if k.decided && k.dealt[p] != unknown && (n == 0 || k.drawn[p] != unknown) {
			k.all[p] = k.dealt[p].Union(k.drawn[p])
		}
		k.readCards(p)
	}
}

// readCards reads a player's hand, including the cards from the talon.
func (k *holdings) readCards(p int) {
	l := k.deal.findLine("cards", p)
	if l == nil || k.decided && len(l.Cards) != handSize+k.draw[p] {
		return
	}
	k.all[p] = card.SetOf(l.Cards...)
	if gone := k.dealt[p].Union(k.drawn[p]).Minus(k.all[p]); gone != unknown {
		k.blameLine(afterBids, l, Nobody, "R-DISC-1", "%s is missing, which %s was dealt or drew", k.namesOf(gone), k.memberName(p))
		k.all[p] = unknown
	}
}

// lastBidder is the seat that made the last positive call.
func (k *holdings) lastBidder() int {
	last := 0
	for _, word := range k.deal.lineWords("bids") {
		if seat, call := cutSeat(word); call != string(tarokk.PassCall) {
			last = seat
		}
	}
	return last
}

// deduceFromPlay finds a hand from what its player played and discarded, with what he was dealt or
// drew, unless a card occurs twice.
func (k *holdings) deduceFromPlay() {
	for p := range players {
		laid := card.SetOf(k.deal.lineCards("discard", p)...)
		hand := k.playedCards(p).Union(laid)
		if laid.Len() < k.draw[p] {
			hand = hand.Union(k.dealt[p]).Union(k.drawn[p])
		}
		if k.all[p] == unknown && hand.Len() == handSize+k.draw[p] {
			k.believeHand(p, hand)
		}
	}
}

// deduceLast gives the rest of the pack to the one player whose hand is not known.
func (k *holdings) deduceLast() {
	rest, who := tarokk.AllFaces, Nobody
	for p, hand := range k.all {
		if hand == unknown && who != Nobody {
			return
		}
		if hand == unknown {
			who = p
		}
		rest = rest.Minus(hand)
	}
	if who != Nobody && rest.Len() == handSize+k.draw[who] {
		k.believeHand(who, rest)
	}
}

// believeHand takes a hand as that of p, unless it lacks cards that p was dealt or drew, which would
// then have gone nowhere.
func (k *holdings) believeHand(p int, hand card.Set) {
	if !k.decided {
		return
	}
	for _, key := range []string{"dealt", "drawn"} {
		part, l := k.dealt[p], k.deal.findLine(key, p)
		if key == "drawn" {
			part = k.drawn[p]
		}
		if l == nil {
			l = k.deal.findLine("talon", Nobody)
		}
		if gone := part.Minus(hand); gone != unknown {
			k.blameLine(afterExchange, l, Nobody, "R-DISC-1", "%s went nowhere: %s neither played nor discarded it", k.namesOf(gone), k.memberName(p))
		}
	}
	if k.misfit == nil {
		k.all[p] = hand
	}
}

// deduceParts finds what was dealt or drawn if one of the two is known, and what was discarded if all
// tricks are known.
func (k *holdings) deduceParts() {
	for p, all := range k.all {
		if k.drawn[p] != unknown || k.decided && k.draw[p] == 0 {
			k.dealt[p] = all.Minus(k.drawn[p]).Union(k.dealt[p])
		} else if k.dealt[p] != unknown {
			k.drawn[p] = all.Minus(k.dealt[p])
		}
		k.discards[p] = k.deal.lineCards("discard", p)
		seen, played := card.SetOf(k.discards[p]...), k.playedCards(p)
		rest := all.Minus(played)
		if all != unknown && played != unknown && rest.Len() == k.draw[p] && seen.Minus(rest) == unknown {
			k.discards[p] = rest.Faces()
		}
	}
}

// playedCards are the nine cards that a player played, if the record tells all of them.
func (k *holdings) playedCards(p int) card.Set {
	var cards card.Set
	for _, t := range k.deal.linesOf("trick") {
		if i := (p - t.Seat + players) % players; i < len(t.Cards) {
			cards = cards.AddFace(t.Cards[i])
		}
	}
	if cards.Len() != handSize {
		return unknown
	}
	return cards
}
