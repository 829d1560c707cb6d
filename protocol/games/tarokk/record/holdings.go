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

// holdings are who had which cards, as far as the record tells or it follows:
// nil where it does not.
type holdings struct {
	dealt, drawn [players][]card.Face
	all          [players][]card.Face // both together
	discards     [players][]card.Face
	draw         [players]int // from the talon
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

// blame keeps what a line breaks, if nothing else is broken earlier.
func (r *referee) blame(moment int, l *Line, p int, rule, format string, args ...any) {
	if m := r.misfit; m == nil || moment < m.moment || moment == m.moment && l.At < m.breach.Line {
		r.misfit = &misfit{moment, r.breach(l.At, p, rule, format, args...)}
	}
}

// moment is how far the deal has come.
func (r *referee) moment() int {
	switch d := &r.state.Deal; {
	case d.Outcome == nil:
		return atDeal
	case !r.permuted:
		return afterBids
	case len(d.Tricks) == 0 && r.state.Stage != tarokk.Playing:
		return afterExchange
	default:
		n := 0
		for _, t := range d.Tricks {
			n += len(t.Faces)
		}
		return firstCard + n
	}
}

// deduce finds out who had which cards. A line that cannot be so is not believed.
func (r *referee) deduce() {
	r.know, r.misfit = holdings{}, nil
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
	r.checkPlayedTwice()
	r.deduceFromPlay()
	r.deduceLast()
	r.deduceRest()
}

// deduceDraw is what the bids give to each player of the talon.
func (r *referee) deduceDraw() {
	a := auction.New()
	for _, word := range r.words("bids") {
		var err error
		seat, call := cutSeat(word)
		if a, _, err = a.Apply(r.state.Rules, seat, auction.Call(call)); err != nil {
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
			r.blame(atDeal, l, Nobody, "R-DEAL-2", "%d cards are dealt to a player, and not %d", handSize, n)
		case l.Key == "talon" && n != talonSize:
			r.blame(atDeal, l, Nobody, "R-DEAL-2", "the talon has %d cards, and not %d", talonSize, n)
		case l.Key == "trick":
			if tricks++; n > players {
				r.blame(firstCard+players*tricks, l, Nobody, "R-PLAY-1", "a trick has %d cards, and not %d", players, n)
			}
		case !r.know.decided:
		case l.Key == "drawn" && n != drawn:
			r.blame(afterBids, l, Nobody, "R-TAL-1", "%s draws %d cards, and not %d", r.name(l.Seat), drawn, n)
		case l.Key == "cards" && n != handSize+drawn:
			r.blame(afterBids, l, Nobody, "R-TAL-1", "%s has %d cards with those of the talon, and not %d", r.name(l.Seat), handSize+drawn, n)
		case l.Key == "discard" && n != drawn:
			r.blame(afterExchange, l, l.Seat, "R-DISC-1", "draws %d cards and discards %d", drawn, n)
		}
	}
}

// checkTwice refuses a card that is in two hands.
func (r *referee) checkTwice(keys ...string) {
	seen := map[card.Face]int{}
	for i := range r.deal.Lines {
		l := &r.deal.Lines[i]
		if !slices.Contains(keys, l.Key) {
			continue
		}
		for _, f := range l.Cards {
			if at, twice := seen[f]; twice {
				r.blame(atDeal, l, Nobody, "R-CARD-1", "%s is there twice, in line %d too", r.cardName(f), at)
			}
			seen[f] = l.At
		}
	}
}

// leave is a card that leaves a hand: played or discarded.
type leave struct {
	line   *Line
	player int
	moment int
}

// checkPlayedTwice refuses a card that leaves two hands, or one hand twice. If the
// record tells whose it was, another player is to blame; or else nobody is.
func (r *referee) checkPlayedTwice() {
	seen, played := map[card.Face]leave{}, 0
	for i := range r.deal.Lines {
		l := &r.deal.Lines[i]
		if l.Key != "discard" && l.Key != "trick" {
			continue
		}
		for j, f := range l.Cards {
			now := leave{l, l.Seat, afterExchange}
			if l.Key == "trick" {
				now.player, now.moment = (l.Seat+j)%players, firstCard+played
				played++
			}
			before, twice := seen[f]
			if seen[f] = now; !twice || f == Unknown {
				continue
			}
			owner := r.know.owner(f)
			culprit, other := now, before
			if owner != Nobody && before.player != owner {
				culprit, other = before, now
			}
			who := culprit.player
			if owner == Nobody {
				who = Nobody
			}
			r.blame(culprit.moment, culprit.line, who, "R-CARD-1", "%s is there twice, in line %d too", r.cardName(f), other.line.At)
		}
	}
}

// owner is the player who had a card, or Nobody where it is not known.
func (k *holdings) owner(f card.Face) int {
	for p := range players {
		if slices.Contains(k.all[p], f) || slices.Contains(k.dealt[p], f) || slices.Contains(k.drawn[p], f) {
			return p
		}
	}
	return Nobody
}

// readHands reads what the record says.
func (r *referee) readHands() {
	k, talon := &r.know, r.deal.cards("talon", Nobody)
	for i := range players {
		p := (r.declarer() + i) % players
		k.dealt[p] = r.deal.cards("dealt", p)
		if drawn := r.deal.find("drawn", p); drawn != nil && (!k.decided || len(drawn.Cards) == k.draw[p]) {
			k.drawn[p] = drawn.Cards
		}
		if k.decided && talon != nil {
			r.readTalon(p, talon[:k.draw[p]])
			talon = talon[k.draw[p]:] // R-TAL-2
		}
		if k.decided && k.dealt[p] != nil && (k.draw[p] == 0 || k.drawn[p] != nil) {
			k.all[p] = slices.Concat(k.dealt[p], k.drawn[p])
		}
		r.readCards(p)
	}
}

// readTalon compares what a player drew with the share of the talon.
func (r *referee) readTalon(p int, share []card.Face) {
	if l := r.deal.find("drawn", p); l != nil && len(minus(share, l.Cards)) > 0 {
		r.blame(afterBids, l, Nobody, "R-TAL-2", "the talon is drawn in order: %s", cardNames(share, r.session.redLow()))
	}
	r.know.drawn[p] = share
}

// readCards reads the hand that a player had with the cards of the talon.
func (r *referee) readCards(p int) {
	l := r.deal.find("cards", p)
	if l == nil || r.know.decided && len(l.Cards) != handSize+r.know.draw[p] {
		return
	}
	if gone := minus(slices.Concat(r.know.dealt[p], r.know.drawn[p]), l.Cards); len(gone) > 0 {
		r.blame(afterBids, l, Nobody, "R-DISC-1", "%s is missing, which %s was dealt or drew", cardNames(gone, r.session.redLow()), r.name(p))
		return
	}
	r.know.all[p] = l.Cards
}

// declarer is who made the last positive call.
func (r *referee) declarer() int {
	last := 0
	for _, word := range r.words("bids") {
		if seat, call := cutSeat(word); call != string(auction.Pass) {
			last = seat
		}
	}
	return last
}

// deduceFromPlay finds a hand in what its player laid away and played, unless a
// card is there twice.
func (r *referee) deduceFromPlay() {
	for p := range players {
		played, laid := r.played(p), r.deal.find("discard", p)
		if r.misfit != nil || r.know.all[p] != nil || !r.know.decided || played == nil {
			continue
		}
		hand := played
		if laid != nil {
			hand = slices.Concat(played, laid.Cards)
		}
		if len(hand) != handSize+r.know.draw[p] || slices.Contains(hand, Unknown) {
			continue
		}
		r.believe(p, hand)
	}
}

// believe takes a hand for that of p, unless cards that p was dealt or drew are not
// among it: then they went nowhere.
func (r *referee) believe(p int, hand []card.Face) {
	for key, part := range map[string][]card.Face{"dealt": r.know.dealt[p], "drawn": r.know.drawn[p]} {
		gone := minus(part, hand)
		if len(gone) == 0 {
			continue
		}
		l := r.deal.find(key, p)
		if l == nil {
			l = r.deal.find("talon", Nobody)
		}
		r.blame(afterExchange, l, Nobody, "R-DISC-1", "%s went nowhere: %s neither played nor discarded it", cardNames(gone, r.session.redLow()), r.name(p))
	}
	if r.misfit == nil {
		r.know.all[p] = hand
	}
}

// deduceLast gives the one player whose hand is not known the rest of the pack.
func (r *referee) deduceLast() {
	rest, who := deck.All.Faces(), Nobody
	for p, hand := range r.know.all {
		if hand == nil && who != Nobody {
			return
		}
		if hand == nil {
			who = p
		}
		rest = minus(rest, hand)
	}
	if who != Nobody && r.know.decided && len(rest) == handSize+r.know.draw[who] {
		r.believe(who, rest)
	}
}

// deduceRest finds what was dealt or drawn where one of both is known, and what was
// discarded where all tricks are.
func (r *referee) deduceRest() {
	k := &r.know
	for p := range players {
		if k.all[p] != nil && k.drawn[p] != nil {
			k.dealt[p] = minus(k.all[p], k.drawn[p])
		} else if k.all[p] != nil && k.dealt[p] != nil {
			k.drawn[p] = minus(k.all[p], k.dealt[p])
		}
		told, played := r.deal.cards("discard", p), r.played(p)
		k.discards[p] = told
		if k.all[p] == nil || played == nil || told != nil && !slices.Contains(told, Unknown) {
			continue
		}
		rest := minus(k.all[p], played)
		if len(rest) == k.draw[p] && len(minus(told, append(rest, Unknown))) == 0 {
			k.discards[p] = rest
		}
	}
}

// played are the nine cards that a player laid to tricks, or nil if some are not
// told.
func (r *referee) played(p int) []card.Face {
	var list []card.Face
	for _, t := range r.deal.all("trick") {
		if i := (p - t.Seat + players) % players; i < len(t.Cards) {
			list = append(list, t.Cards[i])
		}
	}
	if len(list) != handSize {
		return nil
	}
	return list
}

// minus are the cards of a that are not in b.
func minus(a, b []card.Face) []card.Face {
	return slices.DeleteFunc(slices.Clone(a), func(f card.Face) bool { return slices.Contains(b, f) })
}
