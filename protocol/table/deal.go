package table

import (
	"maps"
	"math/bits"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
)

// deal is the cards of the present deal: for each place, how it is masked now and who holds it.
type deal struct {
	all   seatSet   // every seat of the table
	order []Seat    // the seats of the deal, as its shuffle lists them
	joint proof.Key // the sum of their keys; nil while there is none
	cards []slot
	faces map[Card]card.Face

	encoding proof.Encoding // of the deal's values; set with joint
	unjoined error          // why the seats' keys have no joint key
}

// slot is one card of the deal, masked under the keys of all seats that are not in stripped. A seat
// outside the deal is in stripped from the beginning.
type slot struct {
	masked   proof.MaskedCard
	stripped seatSet
	owner    Seat             // the seat it was dealt to
	dealt    proof.MaskedCard // under owner's key alone, as it was dealt; nil: not dealt
	minted   bool             // whether its face may be that of another card
}

// newDeal returns a deal with the whole deck on the table, open and in order.
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

// Cards counts the cards of the present deal; 0 before the first deal.
func (d *deal) Cards() int { return len(d.cards) }

// Faces returns the faces of the open cards of this deal.
func (d *deal) Faces() map[Card]card.Face { return maps.Clone(d.faces) }

// Hand lists the cards masked under seat's key alone.
func (d *deal) Hand(seat Seat) []Card { return d.cardsWhere(seat, d.holds) }

// DealtCards lists the cards that were dealt to seat, wherever they are now.
func (d *deal) DealtCards(seat Seat) []Card { return d.cardsWhere(seat, d.wasDealt) }

// Deck returns all cards of the deal as they are masked now, and the joint key of its seats. The
// key is nil if the seats' keys have no sum.
func (d *deal) Deck() ([]proof.MaskedCard, proof.Key) { return d.MaskedCards(d.allCards()), d.joint }

func (d *deal) allCards() []Card {
	all := make([]Card, len(d.cards))
	for i := range all {
		all[i] = Card(i)
	}
	return all
}

// seatsOutside returns the seats that are not in the deal. Leaving them out of all would not do:
// they would then hold every open card.
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

// MaskedDealt returns cards that were dealt to a seat, masked as the seat received them.
func (d *deal) MaskedDealt(cards []Card) []proof.MaskedCard {
	list := make([]proof.MaskedCard, len(cards))
	for i, c := range cards {
		list[i] = d.cards[c].dealt
	}
	return list
}

// putMasked puts masked cards in the places of cards.
func (d *deal) putMasked(cards []Card, masked []proof.MaskedCard, stripped seatSet) {
	for i, c := range cards {
		d.cards[c].masked, d.cards[c].stripped = masked[i], stripped
	}
}

// stripTokens strips the tokens of seat from cards.
func (d *deal) stripTokens(seat Seat, cards []Card, tokens []proof.Token) {
	for i, c := range cards {
		slot := &d.cards[c]
		slot.masked = d.encoding.Strip(slot.masked, tokens[i])
		slot.stripped = slot.stripped.withSeat(seat)
	}
}

// noteDealt keeps each card as it was masked when it came from the deck into its receiver's hand. A
// card shown to everybody is also under one key alone for a while, but was not dealt to that seat.
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

// seatsOwingTokens lists, in the order of the shuffle, the seats that owe a Show for these duties:
// all seats whose key is still on a card shown to others, and the receivers of such a card. A
// receiver that has no token to give signs that it receives. Otherwise, if earlier messages were
// two on one parent, the tokens that some seats give for one receiver and others for another would
// together open the card (docs/spec/46, 46.9).
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

// tokensOwed lists, ascending, the cards for which seat has to give tokens by these duties.
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

// seatSet is a set of seats, of at most wire.MaxSeats.
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
