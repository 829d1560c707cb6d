package fivecarddraw

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/table"
)

// beginDeal returns the state in which a deal has begun, with forced money posted (FD-R-10, FD-R-11).
func (s State) beginDeal(number int, dealer table.Seat) State {
	n := len(s.Chips)
	d := Deal{
		Number: number, Dealer: dealer, In: []table.Seat{}, Live: make([]bool, n), Began: s.Chips, Paid: make([]int, n),
		Round: NewRound(n, dealer), Dealt: make([][]table.Card, n), Hands: make([][]table.Card, n), Away: make([][]table.Card, n),
		Coming: make([][]table.Card, n), Asked: []table.Seat{}, Opener: nobody, Pots: []Pot{}, Back: make([]int, n), Shown: []Hand{}, Mucked: []table.Seat{},
	}
	for seat := range n {
		d.Dealt[seat], d.Hands[seat], d.Away[seat], d.Coming[seat] = []table.Card{}, []table.Card{}, []table.Card{}, []table.Card{}
		d.Live[seat] = s.Chips[seat] > 0
	}
	s.Deal, s.Stage = d, Shuffling
	s.Deal.In = s.Deal.liveSeats(dealer)
	for _, seat := range s.Deal.In {
		s = s.pay(seat, s.Rules.Ante)
	}
	return s.blinds()
}

// blinds posts both blinds; with two seats the dealer posts the small one.
func (s State) blinds() State {
	if s.Rules.BigBlind == 0 {
		return s
	}
	small, big := s.Deal.In[0], s.Deal.In[1]
	if len(s.Deal.In) == 2 {
		small, big = big, small
	}
	round := NewRound(len(s.Chips), big)
	for _, blind := range []struct {
		seat table.Seat
		size int
	}{{small, s.Rules.SmallBlind}, {big, s.Rules.BigBlind}} {
		posted := min(s.Chips[blind.seat], blind.size)
		s = s.pay(blind.seat, posted)
		round = round.Blind(blind.seat, posted, s.Rules.BigBlind)
	}
	s.Deal.Round = round
	return s
}

// pay puts chips of a seat into the middle, at most all it has.
func (s State) pay(seat table.Seat, chips int) State {
	chips = min(chips, s.Chips[seat])
	s.Chips = withValueAt(s.Chips, seat, s.Chips[seat]-chips)
	s.Deal.Paid = withValueAt(s.Deal.Paid, seat, s.Deal.Paid[seat]+chips)
	return s
}

// shufflers returns the seats of the deal from the dealer on (FD-R-10).
func (d Deal) shufflers() []table.Seat {
	last := len(d.In) - 1
	return slices.Concat(d.In[last:], d.In[:last])
}

// dealPlaces decides which places come to which seat (FD-R-12), or waits for a pick.
func (s State) dealPlaces() State {
	if s.Rules.Pick == OptOpponent {
		s.Stage = Picking
		return s
	}
	m := len(s.Deal.In)
	for i, seat := range s.Deal.In {
		var places []table.Card
		for j := range HandSize {
			places = append(places, table.Card(j*m+i))
		}
		s.Deal.Coming = withValueAt(s.Deal.Coming, seat, places)
	}
	s.Deal.Next = table.Card(HandSize * m)
	s.Stage = Dealing
	return s
}

// missingCards returns how many cards a seat is to get.
func (d Deal) missingCards(seat table.Seat) int {
	return HandSize - len(d.Hands[seat]) - len(d.Coming[seat])
}

// pickedFor returns the index in In of the first seat that lacks cards, for which the other seat of the
// two picks (FD-R-35).
func (d Deal) pickedFor() int {
	return slices.IndexFunc(d.In, func(seat table.Seat) bool { return d.missingCards(seat) > 0 })
}

// pickPlaces takes free places for the other seat (FD-R-35).
func (s State) pickPlaces(places []table.Card) (State, error) {
	seat := s.Deal.In[s.Deal.pickedFor()]
	if n := s.Deal.missingCards(seat); len(places) != n {
		return s, fmt.Errorf("FD-R-35: %d places picked for seat %s, which is to get %d", len(places), seat.Letter(), n)
	}
	if err := checkAscending("FD-R-35", places); err != nil {
		return s, err
	}
	for _, c := range places {
		if !s.Deal.IsFree(c) {
			return s, fmt.Errorf("FD-R-35: place %d is not free to be picked", c)
		}
	}
	s.Deal.Coming = withValueAt(s.Deal.Coming, seat, places)
	return s.awaitSupply(), nil
}

// IsFree reports whether a place is a place of the deal that nobody got.
func (d Deal) IsFree(c table.Card) bool {
	for seat := range d.Hands {
		if slices.Contains(d.Hands[seat], c) || slices.Contains(d.Away[seat], c) || slices.Contains(d.Coming[seat], c) {
			return false
		}
	}
	return int(c) < DeckSize
}

// showDuties returns the duties to show cards to the seats that get them.
func (d Deal) showDuties() (duties []table.Duty) {
	for _, seat := range d.In {
		if places := d.Coming[seat]; len(places) > 0 {
			duties = append(duties, table.Duty{Kind: table.Show, Cards: places, To: []table.Seat{seat}})
		}
	}
	return duties
}

// receiveCards puts the coming cards into the hands, and goes on.
func (s State) receiveCards() State {
	d := s.Deal
	d.Hands, d.Coming, d.Dealt = slices.Clone(d.Hands), slices.Clone(d.Coming), slices.Clone(d.Dealt)
	for seat, places := range d.Coming {
		d.Hands[seat] = slices.Sorted(slices.Values(slices.Concat(d.Hands[seat], places)))
		d.Coming[seat] = []table.Card{}
		if s.Stage == Dealing {
			d.Dealt[seat] = d.Hands[seat]
		}
	}
	s.Deal = d
	if s.Stage == Dealing {
		s.Stage = Betting
		return s.awaitBet()
	}
	return s.continueExchange()
}

// checkAscending refuses places that do not ascend or that repeat.
func checkAscending(rule string, places []table.Card) error {
	for i := 1; i < len(places); i++ {
		if places[i] <= places[i-1] {
			return fmt.Errorf("%s: place %d stands after %d; places ascend, each once", rule, places[i], places[i-1])
		}
	}
	return nil
}
