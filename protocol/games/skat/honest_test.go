package skat_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// honest is a case of docs/spec/91 in which a player does what he may: what he says and
// plays, each with all that it asks of his cards and nothing besides.
type honest struct {
	id    string
	seats int
	deals int // of docs/spec/91 two, of others one, if not set
	o     options
	hands []string
	play  func(*stacked)
}

// asks makes an honest move that must ask for exactly this: "P-VOID 9 in 7", "open 1".
func (s *stacked) asks(p int, mv skat.Move, want ...string) {
	s.Helper()
	terms := testmust.Have(s.State.MoveTerms(s.seat(p), encode(s.T, mv)))(s.T)
	got := []string{}
	if n := len(terms.Open); n > 0 {
		got = append(got, fmt.Sprint("open ", n))
	}
	for _, c := range terms.Prove {
		got = append(got, fmt.Sprintf("%s %d in %d", c.Claim, len(c.Cards), c.Set.Len()))
	}
	if !slices.Equal(got, append([]string{}, want...)) {
		s.Fatalf("%s asks for %q, want %q", encode(s.T, mv), got, want)
	}
	s.do(p, mv)
}

// asksCard plays a card that asks for nothing but its face, and more if it is said.
func (s *stacked) asksCard(name string, more ...string) {
	s.Helper()
	p := s.public().Deal.OnTurn()
	s.asks(p, s.card(p, name), append([]string{"open 1"}, more...)...)
}

// ends plays lawful cards to the end of the deal. The last three ask for nothing.
func (s *stacked) ends() skat.SettledDeal {
	s.Helper()
	for deals := len(s.public().Past); len(s.public().Past) == deals; {
		if p := s.public().Deal.OnTurn(); len(s.public().Deal.Hands[p]) == 1 && !s.public().Deal.OpenHand {
			s.asks(p, s.firstCard(p), "open 1")
		} else {
			s.anyCard(p)
		}
	}
	return s.last()
}

// tenTrumps is a hand with ten trumps of clubs, the eleventh in the skat.
const tenTrumps = "JC JS JH JD AC 10C KC QC 9C 8C"

// lowest is a hand that wins a null.
var lowest = []string{"7C 8C 9C 7S 8S 9S 7H 8H 9H 7D", "AC", "AS", "8D 9D"}

var honestCases = []honest{
	{id: "OK-S-01", hands: []string{"", "7C 7S 7H 7D 8C 8S 8H 8D 9C 9S"}, play: func(s *stacked) {
		for _, c := range []struct {
			p int
			w string
		}{{m, "24"}, {f, "yes"}, {m, "60"}, {f, "pass"}, {r, "pass"}} {
			s.asks(c.p, skat.Move{Call: call(c.w)})
		}
		s.asks(m, word(skat.Take))
		s.asks(m, s.announces(m, "7C 7S", skat.Announcement{Game: skat.HeartsGame}))
		done := s.ends()
		testmust.Holdf(s, !done.Result.Won, "%+v", done.Result)
	}},
	{id: "OK-S-02", hands: three, play: func(s *stacked) {
		took(f, 18)(s)
		s.asks(f, s.announces(f, "JC AC", skat.Announcement{Game: skat.ClubsGame}))
	}},
	{id: "OK-S-03", hands: three, play: func(s *stacked) {
		took(f, 18)(s)
		s.asks(f, s.announces(f, skatCards, skat.Announcement{Game: skat.ClubsGame}))
	}},
	{id: "OK-S-04", hands: three, play: func(s *stacked) {
		took(r, 48)(s)
		s.asks(r, s.announces(r, skatCards, skat.Announcement{Game: skat.DiamondsGame}))
		done := s.ends()
		testmust.Holdf(s, done.Result.Overbid && !done.Result.Won, "%+v", done.Result)
	}},
	{id: "OK-S-05", hands: []string{"AH KH AD JC", "7C 8C 7D 8D 9D 7S 8S 9S QS KS", "7H 8H 9H 10H QH KD QD 10D AS 10S"}, play: func(s *stacked) {
		s.announced(f, 18, skat.ClubsGame, "")
		s.asksCard("AH")
		s.asksCard("7C", "P-VOID 9 in 7")
		s.plays("7H 7D KD AD")
		s.asksCard("KH")
		s.asksCard("8C")
	}},
	{id: "OK-S-06", hands: []string{"AH", "JD 7D 8D 9D QD 7S 8S 9S QS KS"}, play: func(s *stacked) {
		s.announced(f, 18, skat.ClubsGame, "")
		s.asksCard("AH")
		s.asksCard("7S", "P-VOID 9 in 7")
	}},
	{id: "OK-S-07", hands: three, play: func(s *stacked) { s.clubsTaken(f); s.ends() }},
	{id: "OK-S-08", hands: []string{"JC JS AC", "JH 7S", "JD 7H"}, play: func(s *stacked) {
		s.announced(f, 18, skat.Grand, "")
		s.plays("JC JH JD")
		s.asksCard("JS")
		s.asksCard("7S")
		s.asksCard("7H")
	}},
	{id: "OK-S-09", hands: []string{"10H", "7H JH"}, play: func(s *stacked) {
		s.announced(f, 18, skat.Grand, "")
		s.asksCard("10H")
		s.asksCard("7H")
	}},
	{id: "OK-S-10", hands: []string{"9H", "JH"}, play: func(s *stacked) {
		s.announced(f, 18, skat.Null, "")
		s.asksCard("9H")
		s.asksCard("JH")
	}},
	{id: "OK-S-11", hands: three, play: func(s *stacked) {
		s.announced(f, 18, skat.ClubsGame, "")
		done := s.ends()
		testmust.Holdf(s, done.Result.Matadors.N == 2 && done.Result.Matadors.With, "%+v", done.Result)
	}},
	{id: "OK-S-12", hands: []string{"JS JH JD AC 10C KC QC 9C 8C 7C", "", "", "JC 7S"}, play: func(s *stacked) {
		s.announced(f, 72, skat.ClubsGame, "")
		done := s.ends()
		testmust.Holdf(s, done.Result.Matadors.N == 11 && !done.Result.Overbid, "%+v", done.Result)
	}},
	{id: "OK-S-12", hands: []string{"JD AC 10C KC QC 9C 8C 7C AS 7S", "JS", "JH", "JC 8S"}, play: func(s *stacked) {
		s.announced(f, 72, skat.ClubsGame, "")
		done := s.ends()
		testmust.Holdf(s, done.Result.Matadors.N == 1 && done.Result.Overbid, "%+v", done.Result)
	}},
	{id: "OK-S-13", hands: []string{"7S", "AS", "8S"}, play: func(s *stacked) {
		s.announced(m, 18, skat.Null, "")
		s.asksCard("7S")
		s.asksCard("AS")
		s.asksCard("8S")
		done := s.last()
		testmust.Holdf(s, !done.Result.Won && len(done.Events) == 0 && done.Result.Score == -70, "%+v", done.Result)
	}},
	{id: "OK-S-14", hands: three, play: func(s *stacked) {
		s.clubsTaken(f)
		s.plays("JC JH JD")
		s.asks(f, conceded())
		s.asks(f, s.lays(), "open 11")
	}},
	{id: "OK-S-15", hands: three, play: func(s *stacked) {
		s.announced(f, 18, skat.ClubsGame, "")
		s.asks(f, conceded()) // the skat is shown by all, without a move
		s.asks(f, s.lays(), "open 10")
	}},
	{id: "OK-S-16", hands: aces, play: func(s *stacked) {
		s.announced(f, 18, skat.Grand, "")
		s.asks(f, s.claim(f, 0), "open 10")
		s.asks(m, answered(skat.PlayOn))
		s.asks(f, s.card(f, "AC"))
		s.asksCard("7C")
	}},
	{id: "OK-S-17", o: proved, hands: []string{"JC JS JH JD AS AC", "7C", "7H"}, play: func(s *stacked) {
		took(f, 18)(s)
		s.do(f, s.announces(f, "AS AC", skat.Announcement{Game: skat.Grand}))
		s.plays("JC")
		s.anyCard(m)
		s.anyCard(r)
		s.plays("JS")
		s.anyCard(m)
		s.anyCard(r)
		s.do(f, conceded())
		s.do(m, agreed(true))
		s.asks(f, s.lays(), "M-WITH 10 in 2")
	}},
	{id: "OK-S-18", o: proved, hands: []string{tenTrumps, "", "", "7C 7S"}, play: func(s *stacked) {
		took(f, 18)(s)
		s.do(f, s.announces(f, "7C 7S", skat.Announcement{Game: skat.ClubsGame}))
		s.do(f, conceded())
		s.asks(f, s.lays(), "M-WITH 12 in 11")
	}},
	{id: "OK-S-19", play: func(s *stacked) {
		dealer := s.public().Deal.Dealer
		for _, p := range []int{m, r, f} {
			s.asks(p, skat.Move{Call: call("pass")})
		}
		now := s.public().Deal
		testmust.Holdf(s, now.Number == 2 && now.Dealer != dealer && len(s.State.Faces()) == 0, "deal %d, dealt by %v", now.Number, now.Dealer)
	}},
	{id: "OK-S-20", o: options{"ramsch": "simple"}, hands: []string{"JC JS JH JD AC AS AH AD 10C KC"}, play: func(s *stacked) {
		s.allPass()
		done := s.ends()
		testmust.Holdf(s, done.Points[done.Seats[f]] == 120, "%+v", done)
	}},
	{id: "OK-S-21", o: options{"ramsch": "schieber"}, play: func(s *stacked) {
		s.allPass()
		for _, p := range []int{f, m, r} {
			s.asks(p, word(skat.Push))
		}
		done := s.ends()
		testmust.Holdf(s, done.Pushes == 3, "%+v", done)
	}},
	{id: "OK-S-22", seats: 4, hands: three, play: func(s *stacked) {
		sits := s.public().Deal.Dealer
		s.clubsTaken(f)
		s.ends()
		for at, entry := range s.Entries[1:] {
			if w := s.ParseMessage(entry); table.Seat(w.Seat) == sits && w.Kind != table.Key && s.States[at].Deal() == 1 {
				s.Errorf("%s sits out, and makes a %s", sits.Letter(), w.Kind)
			}
		}
	}},
	{id: "OK-S-23", hands: three, play: func(s *stacked) {
		took(f, 24)(s)
		s.asks(f, s.announces(f, skatCards, skat.Announcement{Game: skat.Null, Ouvert: true}))
	}},
	{id: "OK-S-23", hands: three, play: func(s *stacked) {
		s.buy(f, 33)
		s.do(f, word(skat.Hand))
		s.asks(f, s.announces(f, "", skat.Announcement{Game: skat.Null}))
	}},
}

// told are deals that the cases of docs/spec/91 lack: the table is over after each, and the
// referee says what it has come to.
var told = []honest{
	// SK-R-74 to SK-R-76, OPT-KONTRA, AMB-S-12: who says Kontra, and what both words count.
	{o: options{"kontra": "any"}, hands: three, play: func(s *stacked) {
		s.announced(f, 18, skat.ClubsGame, "")
		s.do(m, said(false, false))
		s.do(r, said(true, false))
		s.do(f, said(true, true), conceded())
		s.do(f, s.lays())
	}},
	{o: options{"kontra": "bid18"}, hands: three, play: func(s *stacked) {
		s.calls(m, "18", f, "yes", m, "pass", r, "pass")
		s.contract(f, skat.ClubsGame, "")
		s.do(m, said(true, false))
		s.do(f, said(false, true), conceded())
		s.do(f, s.lays())
	}},
	// SK-R-77 to SK-R-79, OPT-BOCK, AMB-S-13: a round of three deals after a Kontra that came true.
	{deals: 5, o: options{"kontra": "any", "bock": "kontra"}, hands: three, play: func(s *stacked) {
		s.announced(f, 18, skat.ClubsGame, "")
		s.do(m, said(true, false))
		s.do(f, said(false, true), conceded())
		s.do(f, s.lays())
		for range 4 {
			s.buy(r, 18)
			s.contract(r, skat.Null, "")
			s.do(f, said(false, false))
			s.do(m, said(false, false))
			s.do(r, conceded())
		}
	}},
	// SK-R-66, OPT-SCORE: a table of Bierlachs that is over in its first deal.
	{deals: 2, o: options{"score": "bierlachs"}, play: func(s *stacked) {
		s.announced(r, 264, skat.Grand, "")
		s.do(r, conceded())
		s.do(r, s.lays())
		_, over := s.State.Result()
		testmust.Hold(s, over, "the table goes on")
	}},
	// OPT-NULL-OVERBID: a null below the bid, which is not played.
	{o: options{"null-overbid": "lose"}, play: func(s *stacked) { s.announced(r, 36, skat.Null, "") }},
	// SK-R-72, SK-R-73, OPT-RAMSCH: cards that go from hand to hand.
	{o: options{"ramsch": "schieber"}, hands: three, play: func(s *stacked) {
		s.allPass()
		s.do(f, word(skat.Take))
		s.do(f, s.aside(f, "8S AH"))
		s.do(m, word(skat.Take))
		s.do(m, s.aside(m, "AH AD"))
		s.do(r, word(skat.Push))
		s.ends()
	}},
	// SK-R-55, SK-R-56, C-NINE, AMB-S-14: nine cards need no agreement, eight do.
	{hands: three, play: func(s *stacked) {
		s.clubsTaken(f)
		s.plays("AS 9S 10D")
		s.do(f, conceded())
		s.do(f, s.lays())
	}},
	{hands: three, play: func(s *stacked) {
		s.clubsTaken(f)
		s.plays("AS 9S 10D 10S QS KD")
		s.do(f, conceded())
		s.do(m, agreed(false))
		s.do(r, agreed(false))
		s.plays("AH 9H 7H")
		s.do(f, conceded())
		s.do(m, agreed(false))
		s.do(r, agreed(true))
		s.do(f, s.lays())
	}},
	// SK-R-57, SK-R-58, OPT-CONCEDE, AMB-S-07: both defenders, or one of them.
	{hands: three, play: func(s *stacked) {
		s.clubsTaken(f)
		s.do(r, conceded())
		s.do(m, agreed(false))
		s.do(m, conceded())
		s.do(r, agreed(true))
		s.do(f, s.lays())
	}},
	{o: options{"concede": "one"}, hands: three, play: func(s *stacked) {
		took(f, 48)(s)
		s.do(f, s.announces(f, skatCards, skat.Announcement{Game: skat.ClubsGame}))
		s.do(m, conceded())
		s.do(f, s.lays())
	}},
	// SK-R-59, C-OPEN, C-ANSWER, AMB-S-08, AMB-S-15: claims that are accepted, and one after
	// which play goes on from an open hand.
	{hands: three, play: func(s *stacked) {
		s.clubsTaken(f)
		s.do(f, s.claim(f, 1))
		s.do(m, answered(skat.Accept))
		s.do(r, answered(skat.Accept))
		s.do(f, s.lays())
	}},
	{hands: three, play: func(s *stacked) {
		s.clubsTaken(f)
		s.do(f, s.claim(f, 2))
		s.do(m, answered(skat.PlayOn))
		s.plays("9C JH JD KH 7H AH")
		s.do(f, s.claim(f, 1))
		s.do(m, answered(skat.Accept))
		s.do(r, answered(skat.PlayOn))
		s.plays("JC 8C 8H AS QS 7D 10S KS KD QC 7C QD KC 9S 9D 10C QH 8D AC AD 10D JS 9H 10H")
	}},
	{hands: three, play: func(s *stacked) {
		s.announced(f, 18, skat.ClubsGame, "schneider")
		s.do(f, s.claim(f, 1))
		s.do(m, answered(skat.Accept))
		s.do(r, answered(skat.Accept))
	}},
	// SK-R-60, E-NULL: a null that ends early opens no card.
	{hands: lowest, play: func(s *stacked) {
		s.announced(f, 18, skat.Null, "")
		s.do(f, conceded())
		testmust.Hold(s, len(s.State.Faces()) == 0, "cards are open")
	}},
	{o: options{"concede": "one"}, hands: lowest, play: func(s *stacked) { s.announced(f, 18, skat.Null, ""); s.do(r, conceded()) }},
	{hands: lowest, play: func(s *stacked) {
		s.announced(f, 18, skat.Null, "ouvert")
		open := s.opens()
		s.do(f, skat.Move{Open: &open})
		s.do(f, s.claim(f, 0))
		s.do(m, answered(skat.Accept))
		s.do(r, answered(skat.Accept))
	}},
}

// An honest player who has to prove what nobody needs to know, and a deal that goes or counts
// otherwise than the referee says (SK-R-12, SK-R-26, SK-R-30, O-OPEN): every case of the list, with what each of its moves asks for;
// some by the default suite.
func TestHonest(t *testing.T) {
	all := slices.Concat(honestCases, told)
	chosen := testmust.SomeOf(t, len(all), 5)
	for i, c := range all {
		t.Run(fmt.Sprint(c.id, " ", i), func(t *testing.T) {
			t.Parallel()
			config := tabletest.Config{Seats: c.seats, Deals: max(c.deals, 1), Options: c.o}
			if c.id != "" {
				config.Deals = 2
			}
			if chosen(i) {
				config.Suite = remasking()
			}
			s := newStacked(t, config, dealt(t, c.hands...))
			c.play(s)
			testmust.Have(judgeTable(s.Table))(t)
		})
	}
}

// An honest case of the specification that is tried nowhere.
func TestEveryHonestCaseIsTried(t *testing.T) {
	tried := map[string]bool{}
	for _, c := range honestCases {
		tried[c.id] = true
	}
	for _, v := range testmust.ReadVectors[[]struct {
		ID, Do string
		Proofs []string
	}](t, vectorsFolder, "honest_must_pass") {
		testmust.Hold(t, tried[v.ID], v.ID, "is not tried", v.Do)
	}
}
