// Package tarokk is Hungarian tarokk in the Paskievics form, the XX-calling game:
// a whole session of four or five members, with every option of the book.
//
// The numbered rules are in docs/spec/61-tarokk.md, and the proofs that they require about hidden cards
// in docs/spec/62-tarokk-proofs.md; comments and errors cite both. Five parts need no hand: deck.go and
// claim.go (cards, and what can be proved about them), ruleset.go (options), auction*.go, announce*.go,
// and score*.go with rounds.go and pool.go. The other files deal, exchange, play and settle, and turn
// what those parts require into conditions of the kernel.
//
// A deal goes through phases. Each is a type, in the file of its name, that says whom the table waits
// for, what a move does and what follows: cutting, bidding, annulling, discarding, disclosing,
// announcing, playing, opening, claiming and paying. ending pays a deal, and betweenDeals belongs to
// the session.
//
// No condition marks a card, and the cards of hand and talon are permuted together before any is
// discarded; so whether there is a message, of what kind and of what size, follows from public events
// alone. What the rules leave unproved on purpose (who holds the called card, why a figure was
// announced) stays unproved.
package tarokk

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
)

// Rules implements table.Rules, and play.Rules for players.
type Rules struct{}

// Name implements table.Rules.
func (Rules) Name() string { return "tarokk/v1" }

// Setup implements table.Rules.
func (Rules) Setup(c table.Config) (State, card.Deck, error) {
	r, err := ParseRuleSet(c)
	if err != nil {
		return State{}, card.Deck{}, err
	}
	if c.Deals < 1 {
		return State{}, card.Deck{}, fmt.Errorf("R-SESS-1: a session of %d deals", c.Deals)
	}
	pack, err := card.NewDeck("tarokk/v1/"+string(r.RedLow), FaceNames(r.RedLow))
	if err != nil {
		return State{}, card.Deck{}, err
	}
	s := State{Rules: r, Session: Session{Deals: c.Deals, Scores: make([]int, c.Seats), Wishes: []string{}}, Deal: newDeal(0, nil), Past: []SettledDeal{}}
	for seat := range c.Seats {
		s.Members = append(s.Members, table.Seat(seat))
	}
	s.Dealer = c.Seats - 1 // R-SEAT-5: the first member of the list is A
	if r.SeatDraw {
		s.Stage = DrawingSeats
		return s, pack, nil
	}
	return s.beginDeal(), pack, nil
}

// Duties implements table.Rules.
func (Rules) Duties(s State) []table.Duty {
	d, list := s.Deal, []table.Duty(nil)
	switch s.Stage {
	case Over:
		return nil
	case DrawingSeats, Shuffling:
		return []table.Duty{{Kind: table.Shuffle, Seats: s.membersFrom(s.Dealer)}}
	case ShowingSeats:
		return []table.Duty{{Kind: table.Show, Seats: s.Members, Cards: s.seatCards()}}
	case Dealing, DeclarerDraws, TalonDraws:
		for p := range actives {
			list = append(list, table.Duty{Kind: table.Show, Seats: s.Members, Cards: d.Cards[p], To: d.seatsOf(p)})
		}
		return list
	case Permuting:
		for p := range actives {
			if d.CountDrawn(p) > 0 {
				list = append(list, table.Duty{Kind: table.Permute, Seats: d.seatsOf(p), Cards: d.Cards[p]})
			}
		}
		return list
	}
	phase, _ := s.currentPhase()
	return []table.Duty{{Kind: table.Move, Seats: phase.awaitedSeats()}}
}

// Settle implements table.Rules.
func (Rules) Settle(s State, open map[table.Card]card.Face) State {
	switch s.Stage {
	case DrawingSeats:
		s.Stage = ShowingSeats
	case ShowingSeats:
		s.Session = s.takeSeats(open)
		return s.beginDeal()
	case Shuffling:
		if !s.Rules.DealKnock {
			return cutting{s}.dealHands()
		}
		s.Stage = Knocking
	case Dealing:
		s.Stage = Bidding
	case DeclarerDraws:
		s.Stage = Trying
	case TalonDraws:
		return s.beginExchange()
	case Permuting:
		s.Stage = Discarding
	default:
		panic("tarokk: stage " + s.Stage + " has no steps to settle")
	}
	return s
}

// Apply implements table.Rules.
func (Rules) Apply(s State, in table.Input[Move]) (State, table.Terms, error) {
	phase, field := s.currentPhase()
	if in.Move.fieldName() != field {
		return s, table.Terms{}, fmt.Errorf("in the stage %q a move has the field %q and no other", s.Stage, field)
	}
	next, terms, err := phase.applyMove(s.Deal.playerAt(in.Seat), in.Move)
	if err != nil {
		return s, table.Terms{}, err
	}
	return next, terms, nil
}

// Result implements table.Rules.
func (Rules) Result(s State) []int { return slices.Clone(s.Scores) }
