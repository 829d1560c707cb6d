package play

import (
	"fmt"
	"maps"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
)

// See is what the seat whose secret this is sees.
func See(s *table.State, seat table.Seat, secret proof.Secret) (table.View, error) {
	hand, err := Peek(s, seat, secret)
	if err != nil {
		return table.View{}, err
	}
	dealt, err := PeekDealt(s, seat, secret)
	if err != nil {
		return table.View{}, err
	}
	return View(s, seat, hand, dealt), nil
}

// View is what seat sees, given the faces of its hand and of what it was dealt.
func View(s *table.State, seat table.Seat, hand, dealt map[table.Card]card.Face) table.View {
	v := table.View{Seat: seat, Faces: map[table.Card]card.Face{}, Dealt: maps.Clone(dealt)}
	maps.Copy(v.Faces, s.Faces())
	maps.Copy(v.Faces, hand)
	return v
}

// Peek returns the faces of the hand of the seat whose secret this is.
func Peek(s *table.State, seat table.Seat, secret proof.Secret) (map[table.Card]card.Face, error) {
	hand := s.Hand(seat)
	return unmask(s, hand, s.Masked(hand), secret)
}

// PeekDealt returns the faces that the cards had which were dealt to the seat
// whose secret this is.
func PeekDealt(s *table.State, seat table.Seat, secret proof.Secret) (map[table.Card]card.Face, error) {
	dealt := s.Dealt(seat)
	return unmask(s, dealt, s.MaskedDealt(dealt), secret)
}

func unmask(s *table.State, cards []table.Card, masked []proof.Masked, secret proof.Secret) (map[table.Card]card.Face, error) {
	faces := map[table.Card]card.Face{}
	for i, m := range masked {
		f, ok := s.Face(s.Suite().Encoding().Strip(m, secret.Token(m)))
		if !ok {
			return nil, fmt.Errorf("card %d has no face of the deck under this secret", cards[i])
		}
		faces[cards[i]] = f
	}
	return faces, nil
}
