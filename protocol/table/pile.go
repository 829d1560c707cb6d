package table

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
)

// What a game can do with cards besides the whole deck and its hands (50.8): return hand cards,
// mix, cut and insert piles, and mint cards. All of it is under the joint key of the deal, on cards
// from which no token was stripped.

// isOnPile reports whether the seats of a duty take it in order, each on the pile that the seat
// before has made.
func (d Duty) isOnPile() bool { return d.Kind == Mix || d.Kind == Cut || d.Kind == Insert }

// mustBePossible panics if the rules ask for what the cards as they lie do not allow, or show or
// give a card to a seat outside the deal, whose card the tokens of the deal's seats would open to
// everybody. That is a fault of the rules and not of any seat.
func (s *State) mustBePossible(duties []Duty) {
	for _, d := range duties {
		for _, to := range d.To {
			if !slices.Contains(s.order, to) {
				panic(fmt.Sprintf("table: rules of %s %s cards to seat %d, which is not in the deal", s.game.Name(), d.Kind, to))
			}
		}
		seen := map[Card]bool{}
		for _, c := range d.Cards {
			_, open := s.faces[c]
			twice, lies := seen[c], s.isUntouched(c)
			if seen[c] = true; d.isOnPile() && (twice || !lies) || d.Kind == Show && lies && open {
				panic(fmt.Sprintf("table: rules of %s %s card %d, which does not lie face down, or twice", s.game.Name(), d.Kind, c))
			}
		}
		for _, set := range d.Sets {
			if set.Len() == 0 || !set.Within(s.pack) || len(d.Seats) == 0 && set.Len() > 1 || len(d.Seats) > 1 {
				panic(fmt.Sprintf("table: rules of %s let %v mint one of %v", s.game.Name(), d.Seats, set.Faces()))
			}
		}
	}
}

// isUntouched reports whether no token was stripped from a card: it is face down, or was minted
// open.
func (d *deal) isUntouched(c Card) bool {
	return int(c) < len(d.cards) && d.cards[c].stripped == d.seatsOutside()
}

// layMinted appends the open cards of Mint duties that no seat owes.
func (d *deal) layMinted(duties []Duty, deck proof.Deck) {
	for _, duty := range duties {
		if duty.Kind != Mint || len(duty.Seats) > 0 {
			continue
		}
		for _, set := range duty.Sets {
			f := set.Faces()[0]
			d.faces[Card(len(d.cards))] = f
			d.addMinted(deck.Cards()[f])
		}
	}
}

func (d *deal) addMinted(masked proof.MaskedCard) {
	d.cards = append(d.cards, slot{masked: masked, stripped: d.seatsOutside(), minted: true})
}

// noteMixed records that cards lie in an unknown order. None of them is open any more, and if one
// may have the face of another card, each may.
func (d *deal) noteMixed(cards []Card) {
	minted := slices.ContainsFunc(cards, func(c Card) bool { return d.cards[c].minted })
	for _, c := range cards {
		d.cards[c].minted = minted
		delete(d.faces, c)
	}
}

// Family returns the family of orders in which a duty arranges its pile; empty: any order.
func (d Duty) Family() proof.Family {
	switch {
	case d.Kind == Insert:
		return proof.Insert
	case d.Kind == Cut || len(d.Cards) == 1:
		return proof.Cut
	}
	return ""
}
