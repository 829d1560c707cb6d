package skat_test

import (
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/skat/deck"
	"github.com/pakli/pakli/protocol/table"
)

const (
	forehand   = "JC JS AC 10C KC QC 9C AS 10S AH"
	middlehand = "JH 8C 7C KS QS 9S KH QH 9H AD"
	rearhand   = "JD 10H 8H 7H 10D KD QD 9D 8D 7D"
	skatCards  = "8S 7S"
)

func conceded() skat.Move         { return skat.Move{Concede: new(true)} }
func agreed(b bool) skat.Move     { return skat.Move{Agree: &b} }
func answered(w string) skat.Move { return skat.Move{Answer: &w} }

// lays is what the declarer turns up at the end.
func (s *stacked) lays() skat.Move {
	s.Helper()
	v := s.View(s.public().Deal.Seats[s.public().Deal.Declarer])
	moves := skat.Rules{}.Moves(s.public(), v)
	if len(moves) != 1 || moves[0].Lay == nil && moves[0].Matadors == nil {
		s.Fatalf("%v waits for %v", s.public().Stage, moves)
	}
	return moves[0]
}

// The two cards that are left in hands, with the skat of a conceded hand game shown,
// taken for the declarer's (91.6, E-SKAT, SKIP-7).
func TestShownSkatImpliesNothing(t *testing.T) {
	s := lastCard(t, table.Config{Seats: 3, Deals: 1, Options: options{"concede": "one"}}, deck.ClubsGame, 45)
	d := &s.Deal
	d.Declarer, d.Skat = 2, []table.Card{30, 31}
	d.Hands[1] = []table.Card{28}
	d.Open, d.Tricks[9].Faces = d.Open[:28], d.Tricks[9].Faces[:1]
	s, _, err := skat.Rules{}.Apply(s, table.Input[skat.Move]{Seat: d.Seats[1], Move: conceded()})
	if err != nil || s.Stage != skat.ShowingSkat {
		t.Fatalf("%s: %v", s.Stage, err)
	}
	s = skat.Rules{}.Settle(s, map[table.Card]card.Face{30: 30, 31: 31})
	if s.Stage != skat.Laying || s.Deal.Implied().Len() > 0 {
		t.Errorf("%s, implied %v", s.Stage, deck.Faces(s.Deal.Implied()))
	}
}

// The card that is left in a hand taken for the declarer's, when his discards lie open
// with thirty others (91.6, E-TWELVE).
func TestOpenDiscardsImplyNothing(t *testing.T) {
	s := lastCard(t, table.Config{Seats: 3, Deals: 1, Options: options{"concede": "one"}}, deck.ClubsGame, 45)
	d := &s.Deal
	d.Declarer, d.Skat, d.Holder, d.Taker, d.Contract.Hand = 2, []table.Card{30, 31}, 2, 2, false
	d.Hands[1] = []table.Card{28}
	d.Open, d.Tricks[9].Faces = d.Open[:28], d.Tricks[9].Faces[:1]
	d.Open[4].Face = 28 // and middlehand is left with the jack of clubs
	s, _, err := skat.Rules{}.Apply(s, table.Input[skat.Move]{Seat: d.Seats[1], Move: conceded()})
	if err != nil || s.Stage != skat.Laying {
		t.Fatalf("%s: %v", s.Stage, err)
	}
	s, _, err = skat.Rules{}.Apply(s, table.Input[skat.Move]{Seat: d.Seats[2], Move: skat.Move{Lay: &[]deck.Face{29, 30, 31}}})
	testmust.Do(t, err)
	if m := matadors(*s.Past[0].Result); m != "without 2" {
		t.Errorf("%s, want without 2", m)
	}
}
