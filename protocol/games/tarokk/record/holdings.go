package record

import (
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/auction"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
)

// Sizes of R-SEAT-1 and R-DEAL-2.
const (
	players   = 4
	handSize  = 9
	talonSize = 6
)

// unknown is a hand of which the record does not tell enough.
var unknown card.Set

// holdings are who had which cards, as far as the record tells or it follows.
type holdings struct {
	dealt, drawn [players]card.Set
	all          [players]card.Set // both together
	discards     [players][]card.Face
	draw         [players]int // cards from the talon
	decided      bool         // the bids are complete and legal, so that draw is known
}

// Moments of a deal, in which lines about cards can break a rule; moment
// firstCard + n is the turn of the n-th card that is played.
const (
	atDeal = iota
	afterBids
	afterExchange
	firstCard
)

// misfit is a rule that lines about cards break by themselves. It is told when
// play comes to its moment: what was said or done before comes first.
type misfit struct {
	moment int
	breach *Breach
}

// blameLine keeps what a line breaks, if nothing else is broken earlier.
func (r *referee) blameLine(moment int, l *Line, p int, rule, format string, args ...any) {
	if m := r.misfit; m == nil || moment < m.moment || moment == m.moment && l.At < m.breach.Line {
		r.misfit = &misfit{moment, r.newBreach(l.At, p, rule, format, args...)}
	}
}

// currentMoment is how far the deal has come.
func (r *referee) currentMoment() int {
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

// deduceHands finds out who had which cards. A line that cannot be so is not believed.
func (r *referee) deduceHands() {
	r.deduceDraw()
	r.checkSizes()
	r.checkTwice("dealt", "talon")
	r.checkTwice("dealt", "drawn")
	r.checkTwice("cards")
	if r.misfit != nil && r.misfit.moment == atDeal {
		return
	}
	r.readHands()
	r.deduceLast()
	r.checkLeaving()
	r.deduceFromPlay()
	r.deduceLast()
	r.deduceParts()
}

// deduceDraw is what the bids give to each player of the talon.
func (r *referee) deduceDraw() {
	a := auction.New()
	for _, word := range r.lineWords("bids") {
		var err error
		seat, call := cutSeat(word)
		if a, _, err = a.ApplyCall(r.state.Rules, seat, auction.Call(call)); err != nil {
			return
		}
	}
	if _, over := a.Speaker(r.state.Rules); over {
		o := a.Outcome(r.state.Rules)
		r.know.draw, r.know.decided = o.Draw, !o.ThrownIn
	}
}

// cutSeat splits "A three".
func cutSeat(word string) (seat int, rest string) {
	return strings.Index(seatNames, word[:1]), strings.TrimSpace(word[1:])
}

func (r *referee) checkSizes() {
	tricks := 0
	for i := range r.deal.Lines {
		l := &r.deal.Lines[i]
		n, drawn := len(l.Cards), 0
		if l.Seat != Nobody {
			drawn = r.know.draw[l.Seat]
		}
		switch {
		case l.Key == "dealt" && n != handSize:
			r.blameLine(atDeal, l, Nobody, "R-DEAL-2", "%d cards are dealt to a player, and not %d", handSize, n)
		case l.Key == "talon" && n != talonSize:
			r.blameLine(atDeal, l, Nobody, "R-DEAL-2", "the talon has %d cards, and not %d", talonSize, n)
		case l.Key == "trick":
			if tricks++; n > players {
				r.blameLine(firstCard+players*tricks, l, Nobody, "R-PLAY-1", "a trick has %d cards, and not %d", players, n)
			}
		case !r.know.decided:
		case l.Key == "drawn" && n != drawn:
			r.blameLine(afterBids, l, Nobody, "R-TAL-1", "%s draws %d cards, and not %d", r.memberName(l.Seat), drawn, n)
		case l.Key == "cards" && n != handSize+drawn:
			r.blameLine(afterBids, l, Nobody, "R-TAL-1", "%s has %d cards with those of the talon, and not %d", r.memberName(l.Seat), handSize+drawn, n)
		case l.Key == "discard" && n != drawn:
			r.blameLine(afterExchange, l, l.Seat, "R-DISC-1", "drew %d and discards %d", drawn, n)
		}
	}
}

// checkTwice refuses a card that is in two hands.
func (r *referee) checkTwice(keys ...string) {
	seen := map[card.Face]int{}
	for i := range r.deal.Lines {
		l := &r.deal.Lines[i]
		for _, f := range l.Cards {
			if !slices.Contains(keys, l.Key) {
				break
			}
			if at, twice := seen[f]; twice {
				r.blameLine(atDeal, l, Nobody, "R-CARD-1", "%s is there twice, in line %d too", r.cardName(f), at)
			}
			seen[f] = l.At
		}
	}
}

// checkLeaving refuses a card that leaves another hand than that of its owner, or is
// there twice. Where the record does not tell whose it was, nobody is to blame.
func (r *referee) checkLeaving() {
	seen, played := map[card.Face]int{}, 0
	for i := range r.deal.Lines {
		l := &r.deal.Lines[i]
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
			owner := r.know.ownerOf(f)
			at, twice := seen[f]
			switch seen[f] = l.At; {
			case f == Unknown:
			case twice && owner == Nobody:
				r.blameLine(moment, l, Nobody, "R-CARD-1", "%s is there twice, in line %d too", r.cardName(f), at)
			case twice:
				r.blameLine(moment, l, p, "R-CARD-1", "%s is there twice, in line %d too", r.cardName(f), at)
			case owner != Nobody && owner != p:
				r.blameLine(moment, l, p, rule, "has no %s: %s has it", r.cardName(f), r.nameAndSeat(owner))
			}
		}
	}
}

// ownerOf is the player who had a card, or Nobody where it is not known.
func (k *holdings) ownerOf(f card.Face) int {
	for p := range players {
		if k.all[p].Union(k.dealt[p]).Union(k.drawn[p]).Has(f) {
			return p
		}
	}
	return Nobody
}

// readHands reads what the record says, in the order of the talon (R-TAL-2).
func (r *referee) readHands() {
	k, talon := &r.know, r.deal.lineCards("talon", Nobody)
	for i := range players {
		p := (r.lastBidder() + i) % players
		n := k.draw[p]
		k.dealt[p] = card.SetOf(r.deal.lineCards("dealt", p)...)
		l := r.deal.findLine("drawn", p)
		if l != nil && (!k.decided || len(l.Cards) == n) {
			k.drawn[p] = card.SetOf(l.Cards...)
		}
		if k.decided && talon != nil {
			if k.drawn[p] = card.SetOf(talon[:n]...); l != nil && card.SetOf(l.Cards...) != k.drawn[p] {
				r.blameLine(afterBids, l, Nobody, "R-TAL-2", "the talon is drawn in order: %s", r.namesOf(k.drawn[p]))
			}
			talon = talon[n:]
		}
		if k.decided && k.dealt[p] != unknown && (n == 0 || k.drawn[p] != unknown) {
			k.all[p] = k.dealt[p].Union(k.drawn[p])
		}
		r.readCards(p)
	}
}

// readCards reads the hand that a player had with the cards of the talon.
func (r *referee) readCards(p int) {
	l := r.deal.findLine("cards", p)
	if l == nil || r.know.decided && len(l.Cards) != handSize+r.know.draw[p] {
		return
	}
	r.know.all[p] = card.SetOf(l.Cards...)
	if gone := r.know.dealt[p].Union(r.know.drawn[p]).Minus(r.know.all[p]); gone != unknown {
		r.blameLine(afterBids, l, Nobody, "R-DISC-1", "%s is missing, which %s was dealt or drew", r.namesOf(gone), r.memberName(p))
		r.know.all[p] = unknown
	}
}

// lastBidder is who made the last positive call.
func (r *referee) lastBidder() int {
	last := 0
	for _, word := range r.lineWords("bids") {
		if seat, call := cutSeat(word); call != string(auction.Pass) {
			last = seat
		}
	}
	return last
}

// deduceFromPlay finds a hand in what its player played and discarded, or besides was
// dealt or drew, unless a card is there twice.
func (r *referee) deduceFromPlay() {
	k := &r.know
	for p := range players {
		laid := card.SetOf(r.deal.lineCards("discard", p)...)
		hand := r.playedCards(p).Union(laid)
		if laid.Len() < k.draw[p] {
			hand = hand.Union(k.dealt[p]).Union(k.drawn[p])
		}
		if k.all[p] == unknown && hand.Len() == handSize+k.draw[p] {
			r.believeHand(p, hand)
		}
	}
}

// deduceLast gives the one player whose hand is not known the rest of the pack.
func (r *referee) deduceLast() {
	rest, who := deck.All, Nobody
	for p, hand := range r.know.all {
		if hand == unknown && who != Nobody {
			return
		}
		if hand == unknown {
			who = p
		}
		rest = rest.Minus(hand)
	}
	if who != Nobody && rest.Len() == handSize+r.know.draw[who] {
		r.believeHand(who, rest)
	}
}

// believeHand takes a hand for that of p, unless cards that p was dealt or drew are not
// among it: then they went nowhere.
func (r *referee) believeHand(p int, hand card.Set) {
	if !r.know.decided {
		return
	}
	for _, key := range []string{"dealt", "drawn"} {
		part, l := r.know.dealt[p], r.deal.findLine(key, p)
		if key == "drawn" {
			part = r.know.drawn[p]
		}
		if l == nil {
			l = r.deal.findLine("talon", Nobody)
		}
		if gone := part.Minus(hand); gone != unknown {
			r.blameLine(afterExchange, l, Nobody, "R-DISC-1", "%s went nowhere: %s neither played nor discarded it", r.namesOf(gone), r.memberName(p))
		}
	}
	if r.misfit == nil {
		r.know.all[p] = hand
	}
}

// deduceParts finds what was dealt or drawn where one of both is known, and what was
// discarded where all tricks are.
func (r *referee) deduceParts() {
	k := &r.know
	for p, all := range k.all {
		if k.drawn[p] != unknown || k.decided && k.draw[p] == 0 {
			k.dealt[p] = all.Minus(k.drawn[p]).Union(k.dealt[p])
		} else if k.dealt[p] != unknown {
			k.drawn[p] = all.Minus(k.dealt[p])
		}
		k.discards[p] = r.deal.lineCards("discard", p)
		seen, played := card.SetOf(k.discards[p]...), r.playedCards(p)
		rest := all.Minus(played)
		if all != unknown && played != unknown && rest.Len() == k.draw[p] && seen.Minus(rest) == unknown {
			k.discards[p] = rest.Faces()
		}
	}
}

// playedCards are the nine cards that a player laid to tricks, if all are told.
func (r *referee) playedCards(p int) card.Set {
	var cards card.Set
	for _, t := range r.deal.linesOf("trick") {
		if i := (p - t.Seat + players) % players; i < len(t.Cards) {
			cards = cards.AddFace(t.Cards[i])
		}
	}
	if cards.Len() != handSize {
		return unknown
	}
	return cards
}
