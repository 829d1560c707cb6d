package record

import (
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
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
}

// learn finds out who had what. Cards that cannot be so break a rule.
func (r *referee) learn() error {
	r.know = holdings{}
	draw, decided := r.draw()
	for _, check := range []func([players]int, bool) error{r.checkSizes, r.checkTwice, r.readHands, r.compareHands, r.deduceHands} {
		if err := check(draw, decided); err != nil {
			return err
		}
	}
	return nil
}

// draw is what the bids give to each player of the talon, if they are complete
// and legal.
func (r *referee) draw() (draw [players]int, decided bool) {
	a := auction.New()
	for _, word := range r.words("bids") {
		var err error
		seat, call := cutSeat(word)
		if a, _, err = a.Apply(r.state.Rules, seat, auction.Call(call)); err != nil {
			return draw, false
		}
	}
	_, over := a.Speaker(r.state.Rules)
	o := a.Outcome(r.state.Rules)
	return o.Draw, over && !o.ThrownIn
}

// cutSeat splits "A three".
func cutSeat(word string) (seat int, rest string) {
	return strings.Index(seatNames, word[:1]), strings.TrimSpace(word[1:])
}

func (r *referee) checkSizes(draw [players]int, decided bool) error {
	for i := range r.deal.Lines {
		l := &r.deal.Lines[i]
		n, k := len(l.Cards), 0
		if decided && l.Seat != Nobody {
			k = draw[l.Seat]
		}
		switch {
		case l.Key == "dealt" && n != handSize:
			return r.wrong(l, "R-DEAL-2", "%d cards are dealt to a player, and not %d", handSize, n)
		case l.Key == "talon" && n != talonSize:
			return r.wrong(l, "R-DEAL-2", "the talon has %d cards, and not %d", talonSize, n)
		case l.Key == "drawn" && decided && n != k:
			return r.wrong(l, "R-TAL-1", "the player draws %d cards, and not %d", k, n)
		case l.Key == "cards" && decided && n != handSize+k:
			return r.wrong(l, "R-TAL-1", "the player has %d cards with those of the talon, and not %d", handSize+k, n)
		case l.Key == "discard" && decided && k == 0:
			return r.breach(l.At, l.Seat, "R-DISC-1", "drew nothing and lays nothing away")
		case l.Key == "trick" && n > players:
			return r.wrong(l, "R-PLAY-1", "a trick has %d cards, and not %d", players, n)
		}
	}
	return nil
}

// checkTwice refuses a card that is in two places at once.
func (r *referee) checkTwice([players]int, bool) error {
	for _, keys := range [][]string{{"dealt", "talon"}, {"dealt", "drawn"}, {"cards"}, {"discard", "trick"}} {
		seen := map[card.Face]int{}
		for i := range r.deal.Lines {
			l := &r.deal.Lines[i]
			if !slices.Contains(keys, l.Key) {
				continue
			}
			for j, f := range l.Cards {
				if at, twice := seen[f]; twice && f != Unknown {
					return r.breach(l.At, l.player(j), "R-CARD-1", "%s is there twice, in line %d too", deck.Name(f), at)
				}
				seen[f] = l.At
			}
		}
	}
	return nil
}

// player is whose the i-th card of a line is: of a trick, that of the player who
// laid it.
func (l *Line) player(i int) int {
	switch l.Key {
	case "trick":
		return (l.Seat + i) % players
	case "discard":
		return l.Seat
	}
	return Nobody
}

// readHands reads what the record says.
func (r *referee) readHands(draw [players]int, decided bool) error {
	talon := r.deal.cards("talon", Nobody)
	next := 0
	for i := range players {
		p := (r.declarer() + i) % players
		r.know.dealt[p] = r.deal.cards("dealt", p)
		r.know.drawn[p] = r.deal.cards("drawn", p)
		r.know.all[p] = r.deal.cards("cards", p)
		if !decided || talon == nil {
			continue
		}
		share := talon[next : next+draw[p]] // R-TAL-2
		next += draw[p]
		if l := r.deal.find("drawn", p); l != nil && !same(l.Cards, share) {
			return r.wrong(l, "R-TAL-2", "the talon is drawn in order: %s", cardNames(share, r.session.redLow()))
		}
		r.know.drawn[p] = share
	}
	return nil
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

// compareHands refuses cards that were dealt or drawn and are not there when both
// are together.
func (r *referee) compareHands([players]int, bool) error {
	for p := range players {
		l := r.deal.find("cards", p)
		if l == nil {
			continue
		}
		for _, part := range [][]card.Face{r.know.dealt[p], r.know.drawn[p]} {
			if gone := minus(part, l.Cards); len(gone) > 0 {
				return r.wrong(l, "R-DISC-1", "%s is missing, which the player was dealt or drew", cardNames(gone, r.session.redLow()))
			}
		}
	}
	return nil
}

// deduceHands finds what follows.
func (r *referee) deduceHands(draw [players]int, decided bool) error {
	k := &r.know
	for p := range players {
		played := r.played(p)
		laid := r.deal.cards("discard", p)
		switch {
		case k.all[p] != nil || !decided:
		case k.dealt[p] != nil && (draw[p] == 0 || k.drawn[p] != nil):
			k.all[p] = slices.Concat(k.dealt[p], k.drawn[p])
		case played != nil && len(laid) == draw[p] && !slices.Contains(laid, Unknown):
			k.all[p] = slices.Concat(played, laid)
		}
	}
	if decided {
		k.deduceLast(draw)
	}
	if err := r.checkKept(); err != nil {
		return err
	}
	for p := range players {
		if k.all[p] != nil && k.drawn[p] != nil {
			k.dealt[p] = minus(k.all[p], k.drawn[p])
		} else if k.all[p] != nil && k.dealt[p] != nil {
			k.drawn[p] = minus(k.all[p], k.dealt[p])
		}
		if k.discards[p] = r.deal.cards("discard", p); k.discards[p] == nil && k.all[p] != nil && r.played(p) != nil {
			k.discards[p] = minus(k.all[p], r.played(p))
		}
	}
	return nil
}

// checkKept refuses cards that were dealt or drawn and are not among those that
// the player must have had.
func (r *referee) checkKept() error {
	for i := range r.deal.Lines {
		l := &r.deal.Lines[i]
		if l.Key != "dealt" && l.Key != "drawn" || r.know.all[l.Seat] == nil {
			continue
		}
		if gone := minus(l.Cards, r.know.all[l.Seat]); len(gone) > 0 {
			return r.wrong(l, "R-DISC-1", "%s went nowhere: neither played nor laid away", cardNames(gone, r.session.redLow()))
		}
	}
	return nil
}

// deduceLast gives the one player of whom nothing is known the rest of the pack.
func (k *holdings) deduceLast(draw [players]int) {
	rest, who := deck.All.Faces(), Nobody
	for p, cards := range k.all {
		if cards == nil && who != Nobody {
			return
		}
		if cards == nil {
			who = p
		}
		rest = minus(rest, cards)
	}
	if who != Nobody && len(rest) == handSize+draw[who] {
		k.all[who] = rest
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

func same(a, b []card.Face) bool { return len(a) == len(b) && len(minus(a, b)) == 0 }
