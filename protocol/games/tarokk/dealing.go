package tarokk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/table"
)

// talonSize is the number of cards of the talon (R-DEAL-2).
const talonSize = 6

// Cut is how the pack is divided: by a cut, or after a knock into packets of nine that the players
// choose (OPT-DEAL-KNOCK).
type Cut struct {
	Packets []int `json:"packets"` // chosen after a knock, clockwise from the dealer's left
	Knocked bool  `json:"knocked"`
}

// Hands are the cards of the players, each named by a letter of its player.
type Hands struct {
	Cards [actives][]table.Card `json:"cards"` // by letter: first the cards of the deal, then those from the talon
	Held  [actives]string       `json:"held"`  // the letters of the cards still in hand
}

// CardAt is the card behind a letter of a player.
func (h Hands) CardAt(p int, letter byte) table.Card { return h.Cards[p][letter-'a'] }

// CardsAt are the cards behind letters of a player.
func (h Hands) CardsAt(p int, letters string) []table.Card {
	list := make([]table.Card, len(letters))
	for i := range letters {
		list[i] = h.CardAt(p, letters[i])
	}
	return list
}

// CountDrawn is the number of cards that a player drew from the talon.
func (h Hands) CountDrawn(p int) int { return len(h.Cards[p]) - handSize }

// giveCards adds cards of the talon to the cards of p.
func (h Hands) giveCards(p int, talon []table.Card) Hands {
	h.Cards[p] = slices.Concat(h.Cards[p], talon)
	h.Held[p] = firstLetters(len(h.Cards[p]))
	return h
}

// checkPicked checks that letters are cards in the hand of p, in ascending order.
func (h Hands) checkPicked(rule string, p int, letters string) error {
	for i := range letters {
		if !strings.Contains(h.Held[p], letters[i:i+1]) || i > 0 && letters[i] <= letters[i-1] {
			return fmt.Errorf("%s: %.20q are not different cards of the hand %q in ascending order", rule, letters, h.Held[p])
		}
	}
	return nil
}

// firstLetters are the letters of n cards.
func firstLetters(n int) string { return "abcdefghijklmnopqrstuvwxyz"[:n] }

func withoutLetters(hand, gone string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(gone, r) {
			return -1
		}
		return r
	}, hand)
}

// beginDeal begins a deal of the present dealer (R-SEAT-3).
func (s State) beginDeal() State {
	s.Deal = newDeal(s.Deal.Number+1, s.membersFrom((s.Dealer+1)%len(s.Members)))
	s.Wishes = []string{}
	s.Stage = Shuffling
	return s
}

// cutting waits for the knock or the cut, and after a knock for the packets.
type cutting struct{ State }

// packetChoosers are the players clockwise from the dealer's left; the first of them also knocks or
// cuts. With four members the dealer is D.
func (c cutting) packetChoosers() []int {
	if len(c.Members) == actives {
		return []int{2, 1, 0, 3}
	}
	return []int{3, 2, 1, 0}
}

func (c cutting) awaitedSeats() []table.Seat {
	return c.Deal.seatsOf(c.packetChoosers()[len(c.Deal.Packets)])
}

func (c cutting) possibleMoves(int, table.View) []Move {
	if c.Deal.Knocked {
		return movesFrom([]int{0, 1, 2, 3}, func(m *Move, n int) { m.Packet = &n })
	}
	return movesFrom(yesNo, func(m *Move, b bool) { m.Knock = &b })
}

func (c cutting) applyMove(_ int, m Move) (State, table.Terms, error) {
	switch {
	case m.Knock != nil && *m.Knock:
		c.Deal.Knocked = true
		return c.State, table.Terms{}, nil
	case m.Knock != nil:
		return c.dealHands(), table.Terms{}, nil
	}
	var err error
	if c.Deal.Cut, err = c.Deal.takePacket(*m.Packet); err != nil || len(c.Deal.Packets) < actives {
		return c.State, table.Terms{}, err
	}
	return c.dealHands(), table.Terms{}, nil
}

// takePacket gives the next chooser a packet, and the last one what is left.
func (c Cut) takePacket(packet int) (Cut, error) {
	if packet < 0 || packet >= actives || slices.Contains(c.Packets, packet) {
		return c, fmt.Errorf("OPT-DEAL-KNOCK: packet %d is not one of those left, of 0 to 3", packet)
	}
	c.Packets = append(slices.Clone(c.Packets), packet)
	if len(c.Packets) == actives-1 {
		c.Packets = append(c.Packets, 0+1+2+3-c.Packets[0]-c.Packets[1]-c.Packets[2])
	}
	return c, nil
}

// dealHands gives every player nine places of the deck: first five and then four (R-DEAL-3), or the
// packet he chose.
func (c cutting) dealHands() State {
	for i, p := range c.packetChoosers() {
		cards := slices.Concat(shared.PlacesFrom(table.Card(talonSize+5*p), 5), shared.PlacesFrom(table.Card(talonSize+5*actives+4*p), 4))
		if c.Deal.Knocked {
			cards = shared.PlacesFrom(table.Card(talonSize+handSize*c.Deal.Packets[i]), handSize)
		}
		c.Deal.Hands = c.Deal.giveCards(p, cards)
	}
	c.Stage = Dealing
	return c.State
}
