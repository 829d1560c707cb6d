package fivecarddraw

import (
	"slices"

	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/table"
)

// StockSize returns how many cards nobody has, put away or is to get: places of the deal and, with
// reshuffle=discards, returned cards.
func (d Deal) StockSize() int {
	n := DeckSize + len(d.Returned)
	for _, seat := range d.In {
		n -= len(d.Hands[seat]) + len(d.Away[seat]) + len(d.Coming[seat])
		if d.Live[seat] {
			n -= d.missingCards(seat)
		}
	}
	return n
}

// drawFromStock takes n places from the stock, which continues with the returned cards.
func (d Deal) drawFromStock(n int) (Deal, []table.Card) {
	places := shared.PlacesFrom(d.Next, n)
	for i, c := range places {
		if c >= DeckSize {
			places[i] = d.Returned[c-DeckSize]
		}
	}
	d.Next += table.Card(n)
	return d, places
}

// Aside returns the cards that a seat put away and that still lie there.
func (d Deal) Aside(seat table.Seat) []table.Card {
	return slices.DeleteFunc(slices.Clone(d.Away[seat]), func(c table.Card) bool { return slices.Contains(d.Returned, c) })
}

// returnableCards returns the cards that would return to the stock for a seat (FD-R-34): what the
// others put away, except the opener, who may have to show cards put away (FD-R-61).
func (s State) returnableCards(seat table.Seat) (cards []table.Card) {
	if !s.Rules.Reshuffle {
		return nil
	}
	for other := range table.Seat(len(s.Chips)) {
		if other != seat && int(other) != s.Deal.Opener {
			cards = append(cards, s.Deal.Aside(other)...)
		}
	}
	return cards
}

// replenish lets the others return what they put away, for a seat that put away more than the stock
// has. That happens at most once in a deal: afterwards there are more cards than any seat may still ask
// for.
func (s State) replenish(seat table.Seat) State {
	s.Deal.Returned = slices.Sorted(slices.Values(s.returnableCards(seat)))
	s.Stage = Returning
	return s
}

// returnDuties returns the duties of the seats whose cards return.
func (d Deal) returnDuties() (duties []table.Duty) {
	for _, seat := range d.In {
		back := slices.DeleteFunc(slices.Clone(d.Away[seat]), func(c table.Card) bool { return !slices.Contains(d.Returned, c) })
		if len(back) > 0 {
			duties = append(duties, table.Duty{Kind: table.Return, Seats: []table.Seat{seat}, Cards: back})
		}
	}
	return duties
}
