package table

import (
	"maps"
	"math/bits"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
)

// deal is the cards of the present deal: how each place is masked now, and who
// holds it.
type deal struct {
	all   seatSet   // every seat of the table
	order []Seat    // the seats of the deal, as its shuffle lists them
	joint proof.Key // the sum of their keys; nil while there is none
	cards []slot
	faces map[Card]card.Face // of open cards

	encoding proof.Encoding // of its values, with a joint key
	unjoined error          // why its seats' keys make no joint key
}

// slot is one card of the deal: under the keys of all seats not in stripped. Seats
// outside the deal are in it from the beginning.
type slot struct {
	masked   proof.MaskedCard
	stripped seatSet
	owner    Seat             // to whom it was dealt
	dealt    proof.MaskedCard // under that seat's key alone, as it was then; nil before
	minted   bool             // it may have the face of another card
}

// newDeal is the whole deck on the table, open and in order.
func newDeal(all seatSet, order []Seat, open []proof.MaskedCard) deal {
	d := deal{all: all, order: order, cards: make([]slot, len(open)), faces: map[Card]card.Face{}}
	d.putMasked(d.allCards(), open, d.seatsOutside())
	return d
}

func (d *deal) clone() deal {
	e := *d
	e.cards, e.faces = slices.Clone(d.cards), maps.Clone(d.faces)
	return e
}

// Cards counts the cards of the present deal; 0 before the first.
func (d *deal) Cards() int { return len(d.cards) }

// Faces are the open cards of this deal.
func (d *deal) Faces() map[Card]card.Face { return maps.Clone(d.faces) }

// Hand lists the cards masked under seat's key alone.
func (d *deal) Hand(seat Seat) []Card { return d.cardsWhere(seat, d.holds) }

// DealtCards lists the cards that were dealt to seat, wherever they are now.
func (d *deal) DealtCards(seat Seat) []Card { return d.cardsWhere(seat, d.wasDealt) }

// Deck returns all cards of the deal as they are masked now, and the joint key of
// its seats, or nil if their keys cancel.
func (d *deal) Deck() ([]proof.MaskedCard, proof.Key) { return d.MaskedCards(d.allCards()), d.joint }

func (d *deal) allCards() []Card {
	all := make([]Card, len(d.cards))
	for i := range all {
		all[i] = Card(i)
	}
	return all
}

// seatsOutside is the seats that are not in the deal. It is not enough to leave them out
// of all: they would then hold every card that is open.
func (d *deal) seatsOutside() seatSet { return d.all &^ setOf(d.order) }

func (d *deal) allBut(seat Seat) seatSet { return d.all &^ (1 << seat) }

// holds reports whether a card is masked under seat's key alone.
func (d *deal) holds(seat Seat, c Card) bool {
	return int(c) < len(d.cards) && d.cards[c].stripped == d.allBut(seat)
}

func (d *deal) wasDealt(seat Seat, c Card) bool {
	return int(c) < len(d.cards) && d.cards[c].dealt != nil && d.cards[c].owner == seat
}

func (d *deal) cardsWhere(seat Seat, is func(Seat, Card) bool) []Card {
	return slices.DeleteFunc(d.allCards(), func(c Card) bool { return !is(seat, c) })
}

// MaskedCards returns cards of this deal as they are masked now.
func (d *deal) MaskedCards(cards []Card) []proof.MaskedCard {
	list := make([]proof.MaskedCard, len(cards))
	for i, c := range cards {
		list[i] = d.cards[c].masked
	}
	return list
}

// MaskedDealt returns cards that were dealt to a seat as they were masked when
// it received them.
func (d *deal) MaskedDealt(cards []Card) []proof.MaskedCard {
	list := make([]proof.MaskedCard, len(cards))
	for i, c := range cards {
		list[i] = d.cards[c].dealt
	}
	return list
}

// putMasked puts other masked cards in the places of cards.
func (d *deal) putMasked(cards []Card, masked []proof.MaskedCard, stripped seatSet) {
	for i, c := range cards {
		d.cards[c].masked, d.cards[c].stripped = masked[i], stripped
	}
}

// stripTokens takes seat's tokens off cards.
func (d *deal) stripTokens(seat Seat, cards []Card, tokens []proof.Token) {
	for i, c := range cards {
		slot := &d.cards[c]
		slot.masked = d.encoding.Strip(slot.masked, tokens[i])
		slot.stripped = slot.stripped.withSeat(seat)
	}
}

// noteDealt keeps each card as it is when it comes from the deck into the hand
// it is shown to. One shown to everybody is under one key alone for a while too,
// by the order of the tokens, but was not dealt to that seat.
func (d *deal) noteDealt(duties []Duty) {
	for _, duty := range duties {
		if duty.Kind != Show || len(duty.To) == 0 {
			continue
		}
		for _, c := range duty.Cards {
			if slot := &d.cards[c]; slot.dealt == nil && d.holds(duty.To[0], c) {
				slot.dealt, slot.owner = slot.masked, duty.To[0]
			}
		}
	}
}

// seatsOwingTokens lists, in the order of the shuffle, the seats that owe a Show for these
// duties: all whose token is on a card that is shown to others, and those to whom
// such a card is shown. A receiver without tokens to give signs that it receives:
// otherwise, if messages before were two on one parent, tokens that some seats
// give for it and others for another receiver would together open the card
// (docs/spec/46, 46.9).
func (d *deal) seatsOwingTokens(duties []Duty) []Seat {
	var owing seatSet
	for _, duty := range duties {
		if duty.Kind != Show {
			continue
		}
		receivers := setOf(duty.To)
		for _, c := range duty.Cards {
			if missing := d.all &^ d.cards[c].stripped &^ receivers; missing != 0 {
				owing |= missing | receivers
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(d.order), func(seat Seat) bool { return !owing.has(seat) })
}

// tokensOwed lists, ascending, the cards for which seat has to give tokens by these
// duties.
func (d *deal) tokensOwed(seat Seat, duties []Duty) []Card {
	var cards []Card
	for _, duty := range duties {
		if duty.Kind != Show || slices.Contains(duty.To, seat) {
			continue
		}
		for _, c := range duty.Cards {
			if !d.cards[c].stripped.has(seat) {
				cards = append(cards, c)
			}
		}
	}
	slices.Sort(cards)
	return slices.Compact(cards)
}

// seatSet is a set of seats; wire.MaxSeats fit.
type seatSet uint16

func (s seatSet) withSeat(seat Seat) seatSet { return s | 1<<seat }

func (s seatSet) len() int { return bits.OnesCount16(uint16(s)) }

func (s seatSet) has(seat Seat) bool { return s&(1<<seat) != 0 }

func setOf(seats []Seat) (set seatSet) {
	for _, seat := range seats {
		set = set.withSeat(seat)
	}
	return set
}
