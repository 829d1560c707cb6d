package tarokk

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/auction"
	"github.com/pakli/pakli/protocol/games/tarokk/claim"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
	"github.com/pakli/pakli/protocol/table"
)

// talonSize is the number of cards of the talon (R-DEAL-2).
const talonSize = 6

// around lists the members counter-clockwise, beginning with a place.
func (s State) around(place int) []table.Seat {
	return slices.Concat(s.Members[place:], s.Members[:place])
}

// seatCards are the cards that decide who sits where: one for each member.
func (s State) seatCards() []table.Card {
	cards := make([]table.Card, len(s.Members))
	for i := range cards {
		cards[i] = table.Card(i)
	}
	return cards
}

// takeSeats orders the members by the cards they drew from a shuffled pack, the
// highest first: a uniformly random order (R-SEAT-6). The first is A of the
// first deal, so the last deals (R-SEAT-5).
func (s State) takeSeats(open map[table.Card]card.Face) State {
	s.Members = slices.Clone(s.Members)
	slices.SortFunc(s.Members, func(a, b table.Seat) int {
		return cmp.Compare(open[table.Card(b)], open[table.Card(a)])
	})
	s.Dealer = len(s.Members) - 1
	return s
}

// cleared is a deal of which nothing is known yet.
func (d Deal) cleared() Deal {
	fresh := Deal{Number: d.Number, Packets: []int{}, Auction: auction.New(), Tricks: []Trick{}}
	for p := range actives {
		fresh.Cards[p], fresh.Proven[p], fresh.Fees[p] = []table.Card{}, []deck.Suit{}, []string{}
		fresh.Discards[p].Faces = []string{}
	}
	return fresh
}

// shuffle begins a deal of the present dealer (R-SEAT-3).
func (s State) shuffle() State {
	s.Deal = s.Deal.cleared()
	s.Deal.Number++
	s.Wishes = []string{}
	copy(s.Deal.Seats[:], s.around((s.Dealer+1)%len(s.Members)))
	s.Stage = Shuffling
	return s
}

func (s State) shuffled() State {
	if s.Rules.DealKnock {
		s.Stage = Knocking
		return s
	}
	return s.deal()
}

// packetChoosers are the players clockwise from the dealer's left
// (OPT-DEAL-KNOCK). The first of them knocks or cuts, too. With four members
// the dealer is D.
func (s State) packetChoosers() []int {
	if len(s.Members) == actives {
		return []int{2, 1, 0, 3}
	}
	return []int{3, 2, 1, 0}
}

// choosePacket knocks or cuts, and after a knock takes a packet; the last one
// is left to the last player.
func (s State) choosePacket(_ int, m Move) (State, table.Terms, error) {
	if !s.Deal.Knocked {
		knock, err := want(s, m, m.Knock, "knock")
		if err != nil || !knock {
			return s.deal(), table.Terms{}, err
		}
		s.Deal.Knocked = true
		return s, table.Terms{}, nil
	}
	packet, err := want(s, m, m.Packet, "packet")
	if err != nil {
		return s, table.Terms{}, err
	}
	if packet < 0 || packet >= actives || slices.Contains(s.Deal.Packets, packet) {
		return s, table.Terms{}, fmt.Errorf("OPT-DEAL-KNOCK: packet %d is not one of those left, of 0 to 3", packet)
	}
	s.Deal.Packets = append(slices.Clone(s.Deal.Packets), packet)
	if len(s.Deal.Packets) < actives-1 {
		return s, table.Terms{}, nil
	}
	last := 0
	for slices.Contains(s.Deal.Packets, last) {
		last++
	}
	s.Deal.Packets = append(s.Deal.Packets, last)
	return s.deal(), table.Terms{}, nil
}

// deal gives every player nine places of the deck: five and four (R-DEAL-3), or
// the packet chosen.
func (s State) deal() State {
	for i, p := range s.packetChoosers() {
		var cards []table.Card
		if s.Deal.Knocked {
			cards = run(talonSize+handSize*s.Deal.Packets[i], handSize)
		} else {
			cards = slices.Concat(run(talonSize+5*p, 5), run(talonSize+5*actives+4*p, 4))
		}
		s.Deal.Cards[p], s.Deal.Held[p] = cards, letters(handSize)
	}
	s.Stage = Dealing
	return s
}

func run(from, n int) []table.Card {
	cards := make([]table.Card, n)
	for i := range cards {
		cards[i] = table.Card(from + i)
	}
	return cards
}

// shows are the duties that let every player see the own cards.
func (s State) shows() []table.Duty {
	var list []table.Duty
	for p := range actives {
		list = append(list, table.Duty{Kind: table.Show, Seats: s.Members, Cards: s.Deal.Cards[p], To: s.Deal.seatsOf(p)})
	}
	return list
}

// bid is a call of the auction.
func (s State) bid(p int, m Move) (State, table.Terms, error) {
	call, err := want(s, m, m.Call, "call")
	if err != nil {
		return s, table.Terms{}, err
	}
	a, claims, err := s.Deal.Auction.Apply(s.Rules, p, call)
	if err != nil {
		return s, table.Terms{}, err
	}
	s.Deal.Auction = a
	terms := s.Deal.terms(p, claims)
	if _, over := a.Speaker(s.Rules); over {
		return s.bidden(), terms, nil
	}
	return s, terms, nil
}

// bidden ends the auction (R-BID-9).
func (s State) bidden() State {
	o := s.Deal.Auction.Outcome(s.Rules)
	switch {
	case o.ThrownIn:
		return s.throwIn(Settled{How: "passed"})
	case o.Confirm != nobody:
		s.Deal.Outcome, s.Stage = &o, Confirming
		return s
	}
	s.Deal.Outcome = &o
	return s.draw()
}

// confirm proves the card of an invit after the auction (OPT-CONV-COMMIT).
func (s State) confirm(p int, m Move) (State, table.Terms, error) {
	holds, err := want(s, m, m.Confirm, "confirm")
	if err != nil {
		return s, table.Terms{}, err
	}
	a, claims, err := s.Deal.Auction.Confirm(s.Rules, p, holds)
	if err != nil {
		return s, table.Terms{}, err
	}
	o := a.Outcome(s.Rules)
	s.Deal.Auction, s.Deal.Outcome = a, &o
	terms := s.Deal.terms(p, claims)
	if !holds {
		return s.forfeit(p), terms, nil
	}
	return s.draw(), terms, nil
}

// draw gives the talon out, in order, beginning with the declarer (R-TAL-1,
// R-TAL-2); in a trial to the declarer alone, until it is decided.
func (s State) draw() State {
	next := 0
	for _, p := range turns(s.Deal.Outcome.Declarer) {
		n := s.Deal.Outcome.Draw[p]
		if !s.Deal.Outcome.Trial || p == s.Deal.Outcome.Declarer || s.Stage == Trying {
			s = s.give(p, run(next, n))
		}
		next += n
	}
	if s.Deal.Outcome.Trial && s.Stage != Trying {
		s.Stage = DeclarerDraws
		return s
	}
	s.Stage = TalonDraws
	return s
}

func (s State) give(p int, talon []table.Card) State {
	s.Deal.Cards[p] = slices.Concat(s.Deal.Cards[p][:handSize], talon)
	s.Deal.Held[p] = letters(handSize + len(talon))
	return s
}

// try decides a trial bid: the declarer has an honour, or has none and pays
// (R-BID-16).
func (s State) try(p int, m Move) (State, table.Terms, error) {
	holds, err := want(s, m, m.Trial, "trial")
	if err != nil {
		return s, table.Terms{}, err
	}
	if holds {
		terms := s.Deal.terms(p, []claim.Claim{claim.AtLeast("T-TRIAL-OK", 1, claim.Exchanged, deck.Honours)})
		return s.draw(), terms, nil
	}
	terms := s.Deal.terms(p, []claim.Claim{claim.Every("T-TRIAL-FAIL", claim.Exchanged, deck.Not(deck.Honours))})
	return s.loseTrial(), terms, nil
}

// drawn goes on when everybody has the cards from the talon. Who drew none has
// nothing to lay away.
func (s State) drawn() State {
	for p := range actives {
		s.Deal.Discards[p].Said = s.Deal.drawn(p) == 0
	}
	if s.Rules.AnnulTime == ruleset.AnnulBeforeDiscard && s.Rules.AnnulHands != "" {
		s.Stage = AnnullingFirst
		return s
	}
	s.Stage = Permuting
	return s
}
