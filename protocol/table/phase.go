package table

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
)

// phase is what the rules wait for now, and how much of that is done.
type phase struct {
	duties []Duty
	// by duty: how many of its seats have shuffled, mixed, cut or inserted; for other kinds 1 if it
	// is done
	taken      []int
	tokenTurns []Seat // seats that still owe a Show, in turn
}

// maxSteps bounds the phases in a row that need no message. Rules that never wait for anybody are a
// fault of this program.
const maxSteps = 1_000

// enterPhase moves to the next phase in which somebody owes something, or to the end of the table.
// It changes s, which must be a fresh clone.
func (s *State) enterPhase() error {
	for range maxSteps {
		duties := s.game.phaseDuties(s.rules)
		s.phase = phase{duties: duties, taken: make([]int, len(duties))}
		if len(duties) > 0 && duties[0].Kind == Shuffle {
			s.beginDeal(duties[0].Seats)
		}
		if len(s.order) == 0 && len(duties) > 0 && duties[0].Kind == Mint {
			s.beginDeal(allSeats(len(s.seats))) // without a deck
			s.cards = nil
		}
		s.mustBePossible(duties)
		s.layMinted(duties, s.deck)
		s.phase.tokenTurns = s.seatsOwingTokens(duties)
		if err := s.uncoverCards(); err != nil {
			return err
		}
		if len(duties) == 0 || len(s.owedDuties()) > 0 {
			return nil
		}
		s.rules = s.game.settle(s.rules, s.faces)
	}
	panic(fmt.Sprintf("table: rules of %s went through %d phases without waiting for anybody", s.game.Name(), maxSteps))
}

// advancePhase moves on if nothing of the present phase is still owed.
func (s *State) advancePhase() error {
	if err := s.uncoverCards(); err != nil {
		return err
	}
	if len(s.owedDuties()) > 0 {
		return nil
	}
	s.rules = s.game.settle(s.rules, s.faces)
	return s.enterPhase()
}

// beginDeal puts the whole deck on the table, open and in order, for a deal among the seats of
// order. It panics if these are not at least two, each once: a fault of the rules and not of any
// seat.
func (s *State) beginDeal(order []Seat) {
	all, listed := seatSet(1<<len(s.seats)-1), setOf(order)
	if len(order) < 2 || listed.len() != len(order) || listed&^all != 0 {
		panic(fmt.Sprintf("table: rules of %s let seats %v shuffle, of %d", s.game.Name(), order, len(s.seats)))
	}
	s.deals++
	s.deal = newDeal(all, order, s.deck.Cards())
	s.began = s.rules
	s.wants, s.seatActs = make([]string, len(s.seats)), make([]int, len(s.seats))
	if s.deals > 1 && proof.KeysPerDeal(s.suite) {
		for i := range s.keys {
			s.dropKey(Seat(i), s.holders[i])
		}
	}
	if len(s.keysOwed()) == 0 { // else the last key joins them
		s.joinKeys()
	}
}

// dropKey puts away the card key of a seat, with its holder.
func (c *cardKeys) dropKey(seat Seat, holder string) {
	if k := c.keys[seat]; k != nil {
		c.former = append(slices.Clip(c.former), postedKey{seat, holder, k})
		c.keys[seat] = nil
	}
}

// joinKeys makes the joint key of the deal's seats and the encoding of its values. If the keys have
// no joint key, the seat that shuffles first fails E3.
func (s *State) joinKeys() {
	keys := make([]proof.Key, len(s.order))
	for i, seat := range s.order {
		keys[i] = s.keys[seat]
	}
	encoding := s.suite.Encoding()
	joint, err := encoding.Joint(keys)
	if err != nil {
		s.unjoined = errors.New("the card keys of those who shuffle this deal cancel each other")
		return
	}
	if s.encoding, s.unjoined = proof.DealEncoding(encoding, keys, s.deck); s.unjoined == nil {
		s.joint = joint
	}
}

// uncoverCards gives a face to every card from which all tokens have been stripped.
func (s *State) uncoverCards() error {
	for c, slot := range s.cards {
		if _, known := s.faces[Card(c)]; known || slot.stripped != s.all {
			continue
		}
		if stops, err := s.uncoverCard(Card(c)); stops || err != nil {
			return err
		}
	}
	return nil
}

// uncoverCard gives a card its face. Where the suite defers, play stops if the card has no face of
// the deck, or the face of another open card: nobody knows yet whose fault that is.
func (s *State) uncoverCard(c Card) (stops bool, err error) {
	f, ok := s.Face(s.cards[c].masked)
	if s.Defers() {
		for _, other := range s.faces {
			ok = ok && other != f
		}
		if !ok {
			s.dispute = &dispute{}
			return true, nil
		}
	}
	if !ok {
		return false, newFoul(CheckFace, "the open card is none of the deck")
	}
	s.faces[c] = f
	return false, nil
}

// Duties lists what is owed now: one duty for each seat and kind, with that seat alone in Seats;
// but a Move duty lists all seats that may move. A dispute comes before everything, then a proof
// that others ask for. Before the first deal every seat owes its key; where a key is for one deal,
// the seats of each later deal owe one before its shuffles. A Show comes before all other duties of
// its phase, one seat at a time. Locks that the rules did not ask for are owed when the rules wait
// for nothing more. If Duties is empty, the table is over or has stopped.
func (s *State) Duties() []Duty {
	if s.foul != nil || s.over != "" || s.gone != nil {
		return nil
	}
	return s.owedDuties()
}

// owedDuties returns what is owed, whether or not the table has stopped.
func (s *State) owedDuties() []Duty {
	if s.IsDisputed() {
		return s.locksOwed(s.order, s.deals)
	}
	if s.challengeState != nil && s.asked != nil {
		return s.askedFor(s.order)
	}
	if owed := s.keysOwed(); len(owed) > 0 {
		return owed
	}
	if len(s.phase.tokenTurns) > 0 {
		// The seats owe their tokens in turn and before all else in the phase. So no seat gives
		// tokens on a history that the seats before it have not signed, and nothing but its Show
		// can follow.
		seat := s.phase.tokenTurns[0]
		return []Duty{{Kind: Show, Seats: []Seat{seat}, Cards: s.tokensOwed(seat, s.phase.duties)}}
	}
	if len(s.phase.duties) == 0 {
		return s.locksOwed(allSeats(len(s.seats)), s.deals)
	}
	var owed []Duty
	for i, d := range s.phase.duties {
		switch d.Kind {
		case Shuffle:
			if next := s.phase.taken[i]; next < len(d.Seats) {
				owed = append(owed, Duty{Kind: Shuffle, Seats: d.Seats[next : next+1]})
			}
		case Mix, Cut, Insert:
			if next := s.phase.taken[i]; next < len(d.Seats) && len(d.Cards) > 0 {
				owed = append(owed, Duty{Kind: d.Kind, Seats: d.Seats[next : next+1], Cards: d.Cards})
			}
		case Mint:
			if s.phase.taken[i] == 0 && len(d.Seats) > 0 && len(d.Sets) > 0 {
				owed = append(owed, d)
			}
		case Give, Return:
			if s.phase.taken[i] == 0 && len(d.Cards) > 0 {
				owed = append(owed, d)
			}
		case Permute:
			if s.phase.taken[i] == 0 && len(d.Cards) > 1 {
				owed = append(owed, d)
			}
		case Disclose:
			owed = append(owed, s.locksOwed(d.Seats, s.deals)...)
		case Move:
			owed = append(owed, d)
		}
	}
	return owed
}

// keysOwed returns the keys owed: before the first deal by all seats of the table, even those that
// will not be in it, and later by the seats of the deal.
func (s *State) keysOwed() []Duty {
	var owed []Duty
	for i, k := range s.keys {
		if k == nil && (s.deals == 0 || slices.Contains(s.order, Seat(i))) {
			owed = append(owed, Duty{Kind: Key, Seats: []Seat{Seat(i)}})
		}
	}
	return owed
}

// DutiesOf lists the duties that seat can discharge.
func (s *State) DutiesOf(seat Seat) []Duty {
	return slices.DeleteFunc(s.Duties(), func(d Duty) bool { return !d.Owes(seat) })
}

// findDuty returns the duty that a message of seat and kind discharges.
func (s *State) findDuty(seat Seat, kind Kind) (Duty, bool) {
	for _, d := range s.DutiesOf(seat) {
		if d.Kind == kind {
			return d, true
		}
	}
	if cards := s.DisputableCards(seat); kind == Dispute && len(cards) > 0 {
		return Duty{Kind: Dispute, Seats: []Seat{seat}, Cards: cards}, true
	}
	return Duty{}, false
}

// takeDuty marks the first duty like d as taken, for one of its seats.
func (p *phase) takeDuty(d Duty) {
	for i, e := range p.duties {
		again := e.Kind == d.Kind && (e.Kind == Shuffle || e.isOnPile() && slices.Equal(e.Cards, d.Cards))
		if p.taken[i] == 0 && e.Equal(d) || again && p.taken[i] < len(e.Seats) {
			p.taken[i]++
			return
		}
	}
}
