package skat_test

import (
	"slices"
	"testing"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/skat/auction"
	"github.com/pakli/pakli/protocol/games/skat/deck"
	"github.com/pakli/pakli/protocol/games/skat/value"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

const (
	forehand   = "JC JS AC 10C KC QC 9C AS 10S AH"
	middlehand = "JH 8C 7C KS QS 9S KH QH 9H AD"
	rearhand   = "JD 10H 8H 7H 10D KD QD 9D 8D 7D"
	skatCards  = "8S 7S"
)

func conceded() skat.Move         { return yes(func(m *skat.Move, b *bool) { m.Concede = b }, true) }
func agreed(b bool) skat.Move     { return yes(func(m *skat.Move, b *bool) { m.Agree = b }, b) }
func answered(w string) skat.Move { return skat.Move{Answer: &w} }

// clubs is a game of clubs of forehand, with 2, at a bid.
func clubs(t *testing.T, o options, hand bool, bid int, a skat.Announcement) *stacked {
	t.Helper()
	s := newStacked(t, tabletest.Config{Options: o}, dealt(t, forehand, middlehand, rearhand, skatCards))
	s.buy(auction.F, bid)
	a.Game = deck.ClubsGame
	if hand {
		s.do(auction.F, word(skat.Hand), s.announces(auction.F, "", a))
	} else {
		s.do(auction.F, word(skat.Take))
		s.do(auction.F, s.announces(auction.F, skatCards, a))
	}
	return s
}

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

// scored compares the last deal.
func (s *stacked) scored(how string, score int) {
	s.Helper()
	if done := s.last(); done.How != how || done.Result.Score != score {
		s.Fatalf("%s, %+v; want %s, %d", done.How, *done.Result, how, score)
	}
}

// A declarer who concedes with eight cards and no agreement, or who is asked for
// agreement with nine (SK-R-55, SK-R-56, E-TWELVE, C-NINE, AMB-S-14).
func TestDeclarerConcedes(t *testing.T) {
	s := clubs(t, nil, false, 18, skat.Announcement{})
	s.plays("AS 9S 10D")
	if n := len(s.public().Deal.Hands[0]); n != 9 {
		t.Fatalf("the declarer has %d cards", n)
	}
	s.do(0, conceded())
	if s.public().Stage != skat.Laying {
		t.Fatalf("%s after conceding with nine cards", s.public().Stage)
	}
	m := s.lays()
	short := (*m.Lay)[1:]
	s.refused(0, skat.Move{Lay: &short}, "SK-R-38")
	s.do(0, m)
	s.scored(skat.Conceded, -2*12*3)

	s = clubs(t, nil, false, 18, skat.Announcement{})
	s.plays("AS 9S 10D 10S QS KD")
	s.do(0, conceded())
	s.do(1, agreed(false))
	s.do(2, agreed(false))
	if s.public().Stage != skat.Playing {
		t.Fatalf("%s after a refused offer", s.public().Stage)
	}
	s.refused(0, conceded(), "SK-R-55")
	s.plays("AH 9H 7H")
	s.do(0, conceded())
	s.do(1, agreed(false))
	s.do(2, agreed(true))
	s.do(0, s.lays())
	s.scored(skat.Conceded, -2*12*3)
}

// A defender who binds the other though both must say it, or who is not bound though
// one suffices (SK-R-57, SK-R-58, AMB-S-07).
func TestDefendersConcede(t *testing.T) {
	s := clubs(t, nil, false, 18, skat.Announcement{})
	s.do(2, conceded())
	s.do(1, agreed(false))
	s.refused(2, conceded(), "SK-R-55")
	s.do(1, conceded())
	s.do(2, agreed(true))
	s.do(0, s.lays())
	s.scored(skat.GivenUp, 36)

	s = clubs(t, options{"concede": "one"}, false, 48, skat.Announcement{})
	s.do(1, conceded())
	s.do(0, s.lays())
	s.scored(skat.GivenUp, 48) // Schneider is needed, and not excluded

	s = clubs(t, options{"concede": "off"}, false, 18, skat.Announcement{})
	s.refused(0, conceded(), "OPT-CONCEDE")
	if d := s.State.Duties(); len(d) != 1 || !slices.Equal(d[0].Seats, []table.Seat{1}) {
		t.Errorf("nobody concedes, and play waits for %v", d)
	}
}

// The value of a hand game that ended early with its skat unseen, or with the skat of
// another (E-SKAT, SK-R-26, SK-R-54).
func TestHandGameConceded(t *testing.T) {
	s := clubs(t, nil, true, 18, skat.Announcement{})
	if faces := s.State.Faces(); len(faces) != 0 {
		t.Fatalf("%d cards are open in a hand game", len(faces))
	}
	s.do(0, conceded())
	var skatSeen []deck.Face
	for _, open := range s.public().Deal.Open {
		if open.By == auction.Nobody {
			skatSeen = append(skatSeen, open.Face)
		}
	}
	if !slices.Equal(skatSeen, faces(t, skatCards)) {
		t.Errorf("the skat shown is %v", skatSeen)
	}
	s.do(0, s.lays())
	s.scored(skat.Conceded, -2*12*4)
	if open := len(s.State.Faces()); open != 12 {
		t.Errorf("%d cards are open at the end, want twelve", open)
	}
}

// Matadors that are said and not so, against what lies open and against what is hidden
// (M-WITH, M-WITHOUT, OPT-EARLY).
func TestMatadorsProved(t *testing.T) {
	o := options{"early": "prove"}
	matadors := func(with bool, n int) skat.Move { return skat.Move{Matadors: &value.Matadors{With: with, N: n}} }
	for _, played := range []string{"", "JC 7C JD", "JC 7C JD JS JH 10H"} {
		s := clubs(t, o, false, 18, skat.Announcement{})
		s.plays(played)
		s.do(0, conceded())
		for range 2 { // with eight cards somebody must agree
			if s.public().Stage == skat.Agreeing {
				s.do(s.public().Deal.Asked, agreed(true))
			}
		}
		for _, m := range []skat.Move{matadors(true, 1), matadors(true, 3), matadors(true, 0), matadors(true, 12), matadors(false, 1), matadors(false, 4), matadors(true, -1)} {
			raw := encode(t, m)
			entry, err := s.Bluff(s.public().Deal.Seats[0], raw)
			if err == nil {
				_, err = tabletest.Apply(s.State, entry)
			}
			if err == nil {
				t.Fatalf("after %q: %s is accepted", played, raw)
			}
		}
		s.do(0, matadors(true, 2))
		s.scored(skat.Conceded, -72)
		if open := len(s.State.Faces()); open != len(splitNames(played)) {
			t.Errorf("%d cards are open at the end", open)
		}
	}
	// Eleven trumps: there is no trump after them.
	s := newStacked(t, tabletest.Config{Options: o}, dealt(t, "JC JS JH JD AC 10C KC QC 9C 8C", "AS 10S", "AH 10H", "7C AD"))
	s.buy(0, 18)
	s.do(0, word(skat.Hand), s.announces(0, "", skat.Announcement{Game: deck.ClubsGame}))
	s.do(0, conceded(), matadors(true, 11))
	s.scored(skat.Conceded, -2*12*13)
}

// A claim of cards that are not there, below the announced level, or of a level that is
// excluded; one that counts otherwise than claimed (SK-R-59, C-OPEN, C-ANSWER,
// AMB-S-08, AMB-S-15).
func TestClaims(t *testing.T) {
	claim := func(s *stacked, level int) skat.Move {
		faces := []deck.Face{}
		if d := s.public().Deal; !d.OpenHand {
			for _, c := range d.Hands[0] {
				faces = append(faces, deck.Face(s.View(d.Seats[0]).Faces[c]))
			}
		}
		return skat.Move{Claim: &skat.Claim{Level: level, Faces: faces}}
	}
	s := clubs(t, nil, false, 18, skat.Announcement{})
	s.refused(1, claim(s, 0), "SK-R-61")
	s.refused(0, claim(s, 3), "SK-R-59")
	s.refused(0, claim(s, -1), "SK-R-59")
	s.do(0, claim(s, 1))
	s.do(1, answered(skat.Accept))
	s.do(2, answered(skat.Accept))
	s.do(0, s.lays())
	s.scored(skat.Claimed, 48)
	if open := len(s.State.Faces()); open != 12 {
		t.Errorf("%d cards are open", open)
	}

	// One plays on: the declarer plays from open cards, and must follow.
	s = clubs(t, nil, false, 18, skat.Announcement{})
	s.do(0, claim(s, 2))
	s.do(1, answered(skat.PlayOn))
	s.refused(0, claim(s, 2), "SK-R-59")
	s.plays("9C JH JD KH 7H")
	s.refused(0, s.card(0, "AS"), "SK-R-33")
	wrong := s.card(0, "AH")
	wrong.Play.Face = faces(t, "10H")[0]
	s.refused(0, wrong, "SK-R-31")
	s.plays("AH")
	if open := len(s.State.Faces()); open != 10+4 {
		t.Errorf("%d cards are open", open)
	}
	s.refused(0, claim(s, 2), "SK-R-59") // the defenders have a trick
	s.do(0, claim(s, 1))
	s.do(1, answered(skat.Accept))
	s.do(2, answered(skat.PlayOn))
	s.plays("JC 8C 8H AS QS 7D 10S KS KD QC 7C QD KC 9S 9D 10C QH 8D AC AD 10D JS 9H 10H")
	s.scored(skat.Played, 36+12) // Schneider: the defenders have 23

	// Announced Schneider: a claim is not below it.
	s = clubs(t, nil, true, 18, skat.Announcement{Ann: 1})
	s.refused(0, claim(s, 0), "SK-R-59")
	s.do(0, claim(s, 1))
	s.do(1, answered(skat.Accept))
	s.do(2, answered(skat.Accept))
	s.do(0)
	s.scored(skat.Claimed, 12*(2+4))

	s = clubs(t, options{"claim": "off"}, false, 18, skat.Announcement{})
	s.refused(0, claim(s, 0), "OPT-CLAIM")
}

// A null that opens cards at its end, or goes on after the declarer's trick (SK-R-36,
// SK-R-60, E-NULL); an ouvert hand that is not all laid down (SK-R-31, O-OPEN).
func TestNullEndsEarly(t *testing.T) {
	null := func(t *testing.T, o options, a skat.Announcement) *stacked {
		s := newStacked(t, tabletest.Config{Options: o}, dealt(t, "7C 8C 9C 7S 8S 9S 7H 8H 9H 7D", "AC", "AS", "8D 9D"))
		s.buy(0, 18)
		a.Game = deck.Null
		s.do(0, word(skat.Hand), s.announces(0, "", a))
		return s
	}
	s := null(t, nil, skat.Announcement{})
	s.do(0, conceded())
	s.scored(skat.Conceded, -70)
	s = null(t, options{"concede": "one"}, skat.Announcement{})
	s.do(2, conceded())
	s.scored(skat.GivenUp, 35)
	if len(s.State.Faces()) != 0 {
		t.Error("cards were opened")
	}
	s = null(t, nil, skat.Announcement{Ouvert: true})
	if s.public().Stage != skat.Opening {
		t.Fatalf("ouvert: %s", s.public().Stage)
	}
	hand := seenBy(s, 0, s.public().Deal.Hands[0])
	nine := hand[1:]
	s.refused(0, skat.Move{Open: &nine}, "SK-R-31")
	twice := slices.Concat(hand[1:], hand[1:2])
	s.refused(0, skat.Move{Open: &twice}, "SK-R-31")
	s.do(0, skat.Move{Open: &hand})
	s.refused(0, skat.Move{Claim: &skat.Claim{Level: 1, Faces: []deck.Face{}}}, "SK-R-59")
	s.do(0, skat.Move{Claim: &skat.Claim{Faces: []deck.Face{}}})
	s.do(1, answered(skat.Accept))
	s.do(2, answered(skat.Accept))
	s.scored(skat.Claimed, 59)
}

func seenBy(s *stacked, p int, places []table.Card) (faces []deck.Face) {
	s.Helper()
	v := s.View(s.public().Deal.Seats[p])
	for _, c := range places {
		faces = append(faces, deck.Face(v.Faces[c]))
	}
	return faces
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
	if err != nil {
		t.Fatal(err)
	}
	if m := matadors(*s.Past[0].Result); m != "without 2" {
		t.Errorf("%s, want without 2", m)
	}
}
