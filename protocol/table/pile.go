package table

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
)

// What a game can do with cards besides the whole deck and its hands (50.8): put hand
// cards back, mix, cut and insert piles, mint cards. All of it is under the joint key of
// the deal, and on cards off which no token was taken.

// isOnPile reports whether a duty is taken by its seats in order, each on what the one
// before has made of it.
func (d Duty) isOnPile() bool { return d.Kind == Mix || d.Kind == Cut || d.Kind == Insert }

// beginEmpty begins a deal of all seats without a deck, for cards that are minted.
func (s *State) beginEmpty() {
	s.beginDeal(s.allSeats())
	s.deal.cards = nil
}

// mustLie panics if the rules ask for what cannot be done with the cards as they lie: a
// fault of the rules and not of any seat.
func (s *State) mustLie(duties []Duty) {
	for _, d := range duties {
		seen := map[Card]bool{}
		for _, c := range d.Cards {
			_, open := s.deal.faces[c]
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

// isUntouched reports whether no token was taken off a card: it is face down, or was minted open.
func (s *State) isUntouched(c Card) bool {
	return int(c) < len(s.deal.cards) && s.deal.cards[c].stripped == s.deal.seatsOutside()
}

// layMinted appends the open cards that these duties mint, which nobody owes.
func (s *State) layMinted(duties []Duty) {
	for _, d := range duties {
		if d.Kind != Mint || len(d.Seats) > 0 {
			continue
		}
		for _, set := range d.Sets {
			f := set.Faces()[0]
			s.deal.faces[Card(len(s.deal.cards))] = f
			s.deal.addMinted(s.deck.Cards()[f])
		}
	}
}

// addMinted appends a minted card.
func (d *deal) addMinted(masked proof.MaskedCard) {
	d.cards = append(d.cards, slot{masked: masked, stripped: d.seatsOutside(), minted: true})
}

// putMixed puts other masked cards in the places of a pile or hand. What was open is not any
// more, and if one of them may have the face of another card, each may.
func (d *deal) putMixed(cards []Card, masked []proof.MaskedCard, stripped seatSet) {
	minted := slices.ContainsFunc(cards, func(c Card) bool { return d.cards[c].minted })
	d.putMasked(cards, masked, stripped)
	for _, c := range cards {
		d.cards[c].minted = minted
		delete(d.faces, c)
	}
}

// pileStep is a mix, cut or insertion. A mix of one card is a cut of one: it is remasked.
func (s *State) pileStep(d Duty, raw json.RawMessage) (*step, error) {
	out, err := s.parseCards(raw, len(d.Cards))
	if err != nil {
		return nil, err
	}
	var statement proof.Statement = proof.Arrange{Family: d.Family(), Key: s.deal.joint, In: s.MaskedCards(d.Cards), Out: out}
	if d.Family() == "" {
		statement = proof.Shuffle{Key: s.deal.joint, By: s.keys[d.Seats[0]], In: s.MaskedCards(d.Cards), Out: out}
	}
	return &step{
		statements: []proof.Statement{statement},
		effect: func(next *State) error {
			next.deal.putMixed(d.Cards, out, s.deal.seatsOutside())
			next.takeDuty(d)
			return next.advancePhase()
		},
	}, nil
}

// Family is by which orders a duty has a pile arranged; none, if by any.
func (d Duty) Family() proof.Family {
	switch {
	case d.Kind == Insert:
		return proof.Insert
	case d.Kind == Cut || len(d.Cards) == 1:
		return proof.Cut
	}
	return ""
}

// giveBack is a return: hand cards are masked under the joint key again, and are dealt to
// nobody any more.
func (s *State) giveBack(d Duty, raw json.RawMessage) (*step, error) {
	cards, err := s.parseCards(raw, len(d.Cards))
	if err != nil {
		return nil, err
	}
	from := d.Seats[0]
	s.mustHold(from, d)
	st := &step{effect: func(next *State) error {
		next.deal.putMasked(d.Cards, cards, s.deal.seatsOutside())
		for _, c := range d.Cards {
			next.deal.cards[c].dealt = nil
		}
		next.takeDuty(d)
		return next.advancePhase()
	}}
	for i, old := range s.MaskedCards(d.Cards) {
		st.statements = append(st.statements, proof.Transfer{From: s.keys[from], To: s.deal.joint, Old: old, New: cards[i]})
	}
	return st, nil
}

func (s *State) mintStep(d Duty, raw json.RawMessage) (*step, error) {
	cards, err := s.parseCards(raw, len(d.Sets))
	if err != nil {
		return nil, err
	}
	st := &step{effect: func(next *State) error {
		next.deal.cards = slices.Clip(next.deal.cards)
		for _, c := range cards {
			next.deal.addMinted(c)
		}
		next.takeDuty(d)
		return next.advancePhase()
	}}
	for i, set := range d.Sets {
		st.statements = append(st.statements, proof.Mint{Key: s.deal.joint, Deck: s.deck, Card: cards[i], Set: set})
	}
	return st, nil
}

// notMinted refuses conditions on minted cards, which may repeat a face: a suite may use
// that no two cards of a condition have the same.
func (s *State) notMinted(cards []Card) error {
	for _, c := range cards {
		if s.deal.cards[c].minted {
			return newFoul(CheckHand, "card %d was minted, or mixed with such: it may have the face of another card, and nothing is proved of it", c)
		}
	}
	return nil
}
