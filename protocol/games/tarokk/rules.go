// Package tarokk is Hungarian tarokk in the Paskievics form, the XX-calling game:
// a whole session of four or five members, with every option of the book.
//
// The numbered rules are docs/spec/61-tarokk.md, the proofs that they demand of
// hidden cards docs/spec/62-tarokk-proofs.md; comments and errors cite both. The
// packages below this one each hold a part that needs no hand: deck, ruleset,
// auction, announce and score. This package deals, exchanges, plays and settles,
// and turns what they demand into conditions of the kernel.
//
// No condition marks a card, and hand and talon cards are permuted together
// before any is laid away; so kind, size and presence of every message follow
// from public events alone. What the rules leave unproved on purpose (who holds
// the called card, why a figure was announced) stays unproved.
package tarokk

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
	"github.com/pakli/pakli/protocol/table"
)

// Rules implements table.Rules, and play.Rules for players.
type Rules struct{}

// Name implements table.Rules.
func (Rules) Name() string { return "tarokk/v1" }

// Setup implements table.Rules.
func (Rules) Setup(c table.Config) (State, card.Deck, error) {
	r, err := ruleset.Parse(c)
	if err != nil {
		return State{}, card.Deck{}, err
	}
	if c.Deals < 1 {
		return State{}, card.Deck{}, fmt.Errorf("R-SESS-1: a session of %d deals", c.Deals)
	}
	pack, err := card.NewDeck("tarokk/v1/"+string(r.RedLow), deck.Names(r.RedLow))
	if err != nil {
		return State{}, card.Deck{}, err
	}
	s := State{Rules: r, Deals: c.Deals, Scores: make([]int, c.Seats), Wishes: []string{}, Past: []Settled{}}
	for seat := range c.Seats {
		s.Members = append(s.Members, table.Seat(seat))
	}
	s.Dealer = c.Seats - 1 // R-SEAT-5: the first member of the list is A
	s.Deal = Deal{}.cleared()
	if r.SeatDraw {
		s.Stage = DrawingSeats
		return s, pack, nil
	}
	return s.shuffle(), pack, nil
}

// Duties implements table.Rules.
func (Rules) Duties(s State) []table.Duty {
	d := s.Deal
	switch s.Stage {
	case Over:
		return nil
	case DrawingSeats, Shuffling:
		return []table.Duty{{Kind: table.Shuffle, Seats: s.around(s.Dealer)}}
	case ShowingSeats:
		return []table.Duty{{Kind: table.Show, Seats: s.Members, Cards: s.seatCards()}}
	case Dealing, DeclarerDraws, TalonDraws:
		return s.shows()
	case Permuting:
		var list []table.Duty
		for p := range actives {
			if d.drawn(p) > 0 {
				list = append(list, table.Duty{Kind: table.Permute, Seats: d.seatsOf(p), Cards: d.Cards[p]})
			}
		}
		return list
	case Between:
		return moveOf(s.around(s.Dealer)[len(s.Wishes)])
	}
	return moveOf(d.seatsOf(s.movers()...)...)
}

func moveOf(seats ...table.Seat) []table.Duty {
	return []table.Duty{{Kind: table.Move, Seats: seats}}
}

// movers are the players who may move in a stage of moves.
func (s State) movers() []int {
	d := s.Deal
	switch s.Stage {
	case Knocking:
		return []int{s.packetChoosers()[len(d.Packets)]}
	case Bidding:
		p, _ := d.Auction.Speaker(s.Rules)
		return []int{p}
	case Confirming:
		return []int{d.Outcome.Confirm}
	case Trying:
		return []int{d.Outcome.Declarer}
	case AnnullingFirst, Annulling:
		return []int{turns(d.Outcome.Declarer)[d.Asked]}
	case Discarding:
		return d.players(func(p int) bool { return len(d.Discards[p].Letters) < d.drawn(p) })
	case Disclosing:
		return d.players(func(p int) bool { return !d.Discards[p].Said })[:1]
	case Announcing:
		p, _ := d.Announce.Speaker()
		return []int{p}
	case Playing:
		return []int{d.onTurn()}
	case Opening:
		return d.players(func(p int) bool { return slices.Contains(d.Discards[p].Faces, "") })
	case Claiming:
		return []int{s.claimants()[d.Asked]}
	case Paying:
		return []int{d.players(func(p int) bool { return d.drawn(p) > 0 })[d.Asked]}
	}
	panic("tarokk: stage " + s.Stage + " waits for no player")
}

// players lists those for whom is holds, counter-clockwise from the declarer.
func (d Deal) players(is func(p int) bool) []int {
	return slices.DeleteFunc(turns(d.Outcome.Declarer), func(p int) bool { return !is(p) })
}

// Settle implements table.Rules.
func (Rules) Settle(s State, open map[table.Card]card.Face) State {
	switch s.Stage {
	case DrawingSeats:
		s.Stage = ShowingSeats
		return s
	case ShowingSeats:
		return s.takeSeats(open).shuffle()
	case Shuffling:
		return s.shuffled()
	case Dealing:
		s.Stage = Bidding
		return s
	case DeclarerDraws:
		s.Stage = Trying
		return s
	case TalonDraws:
		return s.drawn()
	case Permuting:
		s.Stage = Discarding
		return s
	}
	panic("tarokk: stage " + s.Stage + " has no steps to settle")
}

// Apply implements table.Rules.
func (Rules) Apply(s State, in table.Input[Move]) (State, table.Terms, error) {
	m := in.Move
	if s.Stage == Between {
		return s.wish(m)
	}
	p := s.Deal.player(in.Seat)
	switch s.Stage {
	case Knocking:
		return s.choosePacket(p, m)
	case Bidding:
		return s.bid(p, m)
	case Confirming:
		return s.confirm(p, m)
	case Trying:
		return s.try(p, m)
	case AnnullingFirst, Annulling:
		return s.annul(p, m)
	case Discarding:
		return s.discard(p, m)
	case Disclosing:
		return s.disclose(p, m)
	case Announcing:
		return s.speak(p, m)
	case Playing:
		return s.play(p, m)
	case Opening:
		return s.openDiscards(p, m)
	case Claiming:
		return s.claimLate(p, m)
	case Paying:
		return s.payFee(p, m)
	}
	panic("tarokk: stage " + s.Stage + " has no moves")
}

// Result implements table.Rules.
func (Rules) Result(s State) []int { return slices.Clone(s.Scores) }
