package skat_test

import (
	"fmt"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/table"
)

// inPlay is a deal in which middlehand, seat 2, plays next and has so many cards; the
// declarer is forehand.
func inPlay(t *testing.T, g skat.Game, led *skat.Face, cards int) skat.State {
	t.Helper()
	s, _, err := skat.Rules{}.Setup(table.Config{Seats: 3, Deals: 1})
	testmust.Do(t, err)
	s.Stage = skat.Playing
	s.Deal.Declarer, s.Deal.Bid, s.Deal.Contract = 0, 18, &skat.Contract{Game: g, Hand: true}
	for place := range cards {
		s.Deal.Hands[1] = append(s.Deal.Hands[1], table.Card(place))
	}
	// Eight of the last places are never in the hand here.
	s.Deal.Hands[0], s.Deal.Hands[2] = []table.Card{30}, []table.Card{31}
	if led != nil {
		s.Deal.Tricks = []skat.Trick{{Leader: 0, Faces: []skat.Face{*led}}}
	} else {
		s.Deal.Tricks = []skat.Trick{{Leader: 0, Faces: []skat.Face{0, 1, 2}}}
		s.Deal.Tricks[0].Leader = (4 - s.Deal.Winner(s.Deal.Tricks[0])) % 3 // middlehand took it
	}
	return s
}

// plays is what a card's player must prove.
func plays(t *testing.T, s skat.State, f skat.Face) table.Terms {
	t.Helper()
	_, terms, err := skat.Rules{}.Apply(s, table.Input[skat.Move]{Seat: 2, Move: skat.Move{Play: &skat.Play{Card: 0, Face: f}}})
	testmust.Do(t, err)
	return terms
}

// due is the class that terms prove to be missing, "none" if nothing is proved.
func due(t *testing.T, g skat.Game, terms table.Terms) string {
	t.Helper()
	if len(terms.Prove) == 0 {
		return "none"
	}
	c := terms.Prove[0]
	testmust.Requiref(t, len(terms.Prove) <= 1 && c.Min == 0 && c.Max == 0 && !c.Dealt && c.Group == "R",
		"%+v is not one proof that none of the rest is of a class", terms.Prove)
	for _, class := range append([]skat.Class{skat.Trump}, skat.Suits...) {
		if g.Cards(class) == c.Set {
			return string(class)
		}
	}
	return "?"
}

// A proof that is not asked for, asked for twice, of the wrong class, or of cards that
// are not the rest of the hand (91.5: P-VOID, P-NOTRUMP, P-NOJACK, P-VOIDN, SKIP-1 to
// SKIP-6).
func TestDue(t *testing.T) {
	testmust.EachVector(t, vectorsFolder, "due_vectors", func(t *testing.T, v struct {
		testmust.Vector
		Game     skat.Game
		Led      *skat.Face
		Plays    skat.Face
		Rest     int
		Void     []skat.Class
		Open     string
		OpenHand bool `json:"open_hand"`
		Expect   any
	}) {
		s := inPlay(t, v.Game, v.Led, v.Rest+1)
		s.Deal.Void[1] = v.Void
		if v.Open == "all trumps" {
			s.Deal.Open = shownBy(2, v.Game.Cards(skat.Trump))
		}
		if v.OpenHand {
			s.Deal.Declarer, s.Deal.OpenHand = 1, true
			hand := card.SetOf(card.Face(v.Plays)).Union(without(v.Game.Cards(v.Game.Class(card.Face(v.Plays))), v.Plays, v.Rest))
			s.Deal.Open = shownBy(1, hand)
			for i, open := range s.Deal.Open {
				if open.Face == v.Plays { // lies at place 0
					s.Deal.Open[0].Face, s.Deal.Open[i].Face = open.Face, s.Deal.Open[0].Face
				}
			}
		}
		terms := plays(t, s, v.Plays)
		got := fmt.Sprint(due(t, v.Game, terms))
		want, some := v.Expect.(map[string]any)
		if !some {
			testmust.Holdf(t, got == v.Expect, "proves %s, want %v", got, v.Expect)
			return
		}
		c := terms.Prove[0]
		size := 32 * (len(c.Cards) + c.Set.Len() + 5)
		if got != want["class"] || float64(c.Set.Len()) != want["T"] || float64(len(c.Cards)) != want["k"] || float64(size) != want["bytes"] {
			t.Errorf("proves %s of %d cards and %d faces, %d bytes; want %v", got, len(c.Cards), c.Set.Len(), size, want)
		}
	})
}

func shownBy(p int, s card.Set) (list []skat.ShownCard) {
	for i, f := range skat.Faces(s) {
		list = append(list, skat.ShownCard{By: p, Card: table.Card(i), Face: f})
	}
	return list
}

// without are n cards of s, and not f.
func without(s card.Set, f skat.Face, n int) card.Set {
	return card.SetOf(s.Minus(skat.SetOf(f)).Faces()[:n]...)
}

// A hand that is legal and must prove something else (SK-R-33).
func TestDueOfLegalCards(t *testing.T) {
	testmust.EachVector(t, vectorsFolder, "legal", func(t *testing.T, v struct {
		testmust.Vector
		Game   skat.Game
		Led    skat.Face
		Hand   []skat.Face
		Expect struct {
			Legal []skat.Face
			Due   string
		}
	}) {
		for _, f := range v.Expect.Legal {
			terms := plays(t, inPlay(t, v.Game, &v.Led, len(v.Hand)), f)
			want := map[string]string{"none": "none", "no trump": "T"}[v.Expect.Due]
			if want == "" {
				want = v.Expect.Due[len("no "):]
			}
			testmust.Equal(t, due(t, v.Game, terms), want, f, "proves")
		}
	})
}

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
	testmust.Requiref(s, len(moves) == 1 && (moves[0].Lay != nil || moves[0].Matadors != nil), "%v waits for %v", s.public().Stage, moves)
	return moves[0]
}

// The two cards that are left in hands, with the skat of a conceded hand game shown,
// taken for the declarer's (91.6, E-SKAT, SKIP-7).
func TestShownSkatImpliesNothing(t *testing.T) {
	s := lastCard(t, table.Config{Seats: 3, Deals: 1, Options: options{"concede": "one"}}, skat.ClubsGame, 45)
	d := &s.Deal
	d.Declarer, d.Skat = 2, []table.Card{30, 31}
	d.Hands[1] = []table.Card{28}
	d.Open, d.Tricks[9].Faces = d.Open[:28], d.Tricks[9].Faces[:1]
	s, _, err := skat.Rules{}.Apply(s, table.Input[skat.Move]{Seat: d.Seats[1], Move: conceded()})
	testmust.Requiref(t, err == nil && s.Stage == skat.ShowingSkat, "%s: %v", s.Stage, err)
	s = skat.Rules{}.Settle(s, map[table.Card]card.Face{30: 30, 31: 31})
	if s.Stage != skat.Laying || s.Deal.ImpliedSkat().Len() > 0 {
		t.Errorf("%s, implied %v", s.Stage, skat.Faces(s.Deal.ImpliedSkat()))
	}
}

// The card that is left in a hand taken for the declarer's, when his discards lie open
// with thirty others (91.6, E-TWELVE).
func TestOpenDiscardsImplyNothing(t *testing.T) {
	s := lastCard(t, table.Config{Seats: 3, Deals: 1, Options: options{"concede": "one"}}, skat.ClubsGame, 45)
	d := &s.Deal
	d.Declarer, d.Skat, d.Holder, d.Taker, d.Contract.Hand = 2, []table.Card{30, 31}, 2, 2, false
	d.Hands[1] = []table.Card{28}
	d.Open, d.Tricks[9].Faces = d.Open[:28], d.Tricks[9].Faces[:1]
	d.Open[4].Face = 28 // and middlehand is left with the jack of clubs
	s, _, err := skat.Rules{}.Apply(s, table.Input[skat.Move]{Seat: d.Seats[1], Move: conceded()})
	testmust.Requiref(t, err == nil && s.Stage == skat.Laying, "%s: %v", s.Stage, err)
	s, _, err = skat.Rules{}.Apply(s, table.Input[skat.Move]{Seat: d.Seats[2], Move: skat.Move{Lay: &[]skat.Face{29, 30, 31}}})
	testmust.Do(t, err)
	testmust.Equal(t, matadors(*s.Past[0].Result), "without 2")
}
