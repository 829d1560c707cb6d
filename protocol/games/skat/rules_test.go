package skat_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/skat/auction"
	"github.com/pakli/pakli/protocol/games/skat/deck"
	"github.com/pakli/pakli/protocol/games/skat/skattest"
	"github.com/pakli/pakli/protocol/games/skat/value"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/verifier/verifiertest"
)

// A table that opens with rules that nobody can play, or that are refused by their name
// (SK-R-08, SK-R-67, 90.12.1, 90.12.2).
func TestSetupRefuses(t *testing.T) {
	for _, c := range []struct {
		config table.Config
		why    string
	}{
		{table.Config{Seats: 2, Deals: 1}, "SK-R-08"}, {table.Config{Seats: 5, Deals: 1}, "SK-R-08"}, {table.Config{Seats: 3}, "SK-R-67"},
		{table.Config{Seats: 3, Deals: 1, Options: options{"revolution": "on"}}, "GAP-3"},
		{table.Config{Seats: 3, Deals: 1, Options: options{"spitze": "on"}}, "spitze"},
		{table.Config{Seats: 3, Deals: 1, Options: options{"schenken": "on"}}, "SK-R-57"},
		{table.Config{Seats: 3, Deals: 1, Options: options{"forced-ramsch": "on"}}, "SK-R-69"},
		{table.Config{Seats: 3, Deals: 1, Options: options{"old-values": "on"}}, "SK-R-62"},
		{table.Config{Seats: 3, Deals: 1, Options: options{"defenders-claims": "on"}}, "SK-R-61"},
		{table.Config{Seats: 3, Deals: 1, Options: options{"limit": "301"}}, "OPT-LIMIT"},
		{table.Config{Seats: 3, Deals: 1, Options: options{"score": "bierlachs", "limit": "300"}}, "limit=300"},
		{table.Config{Seats: 3, Deals: 1, Options: options{"bock": "re+kontra"}}, "bock=re+kontra"},
		{table.Config{Seats: 3, Deals: 1, Options: options{"hats": "on"}}, "unknown option hats"},
	} {
		if _, _, err := (skat.Rules{}).Setup(c.config); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%+v: %v, want %s", c.config, err, c.why)
		}
	}
	if _, _, err := (skat.Rules{}).Setup(table.Config{Seats: 4, Deals: 48, Options: options{"score": "bierlachs", "limit": "401", "bock": "lost60+re"}}); err != nil {
		t.Error(err)
	}
}

// Cards that are dealt to another seat, and a deal that begins with another forehand
// (SK-R-09 to SK-R-12).
func TestPlaces(t *testing.T) {
	for _, seats := range []int{3, 4} {
		c := testmust.Have(tabletest.New(game, tabletest.Config{Seats: seats, Deals: 5, AnySum: true, Options: options{"concede": "off"}}, 1))(t)
		s := &stacked{verifiertest.Played{T: t, Table: c}, nil}
		for number := 1; number <= 5; number++ {
			d := s.public().Deal
			dealer := table.Seat((number - 1) % seats)
			want := [3]table.Seat{table.Seat(number % seats), table.Seat((number + 1) % seats), table.Seat((number + 2) % seats)}
			if d.Number != number || d.Dealer != dealer || d.Seats != want {
				t.Fatalf("deal %d: dealer %d, players %v", d.Number, d.Dealer, d.Seats)
			}
			shufflers := skat.Rules{}.Duties(s.public())[0].Seats
			order := []table.Seat{want[0], want[1], want[2]}
			if seats == 3 {
				order = []table.Seat{want[2], want[0], want[1]}
			}
			if !slices.Equal(shufflers, order) {
				t.Errorf("deal %d: %v shuffle, want %v", number, shufflers, order)
			}
			for s.public().Stage == skat.Shuffling || s.public().Stage == skat.Dealing {
				testmust.Do(t, s.Play(1))
			}
			hands := [3][]table.Card{{0, 1, 2, 11, 12, 13, 14, 23, 24, 25}, {3, 4, 5, 15, 16, 17, 18, 26, 27, 28}, {6, 7, 8, 19, 20, 21, 22, 29, 30, 31}}
			for p, seat := range want {
				if got := s.State.Hand(seat); !slices.Equal(got, hands[p]) {
					t.Errorf("deal %d: %s holds %v", number, seat.Letter(), got)
				}
			}
			if seats == 4 && len(s.State.Hand(dealer))+len(s.State.Owed(dealer)) > 0 {
				t.Errorf("deal %d: the dealer has cards or a duty", number)
			}
			for range 3 {
				s.passes()
			}
		}
	}
}

func (s *stacked) passes() {
	s.Helper()
	pass := auction.Pass
	p := s.public().Deal.Auction.Turn
	testmust.Do(s.T, s.try(p, skat.Move{Call: &pass}))
}

// A passed-in deal that is scored, or after which the same seat deals (SK-R-12,
// SK-R-20, SK-R-65).
func TestPassedIn(t *testing.T) {
	s := newStacked(t, tabletest.Config{Deals: 2, Options: options{"score": "seeger-fabian"}}, deck.Faces(deck.All))
	for range 6 {
		s.steps()
		s.passes()
	}
	if got, over := s.State.Result(); !over || !slices.Equal(got, []int{0, 0, 0}) || s.last().How != skat.PassedIn {
		t.Errorf("%v, over %v", got, over)
	}
	if past := s.public().Past; past[0].Dealer == past[1].Dealer || past[0].Declarer != nil {
		t.Errorf("%+v", past)
	}
}

// An announcement that everybody can see to be impossible, or discards that are not the
// declarer's (SK-R-24 to SK-R-30, D-ANY, A-PUB,
// AMB-S-04); a second announcement (AMB-S-03).
func TestAnnouncements(t *testing.T) {
	begin := func(how string, bid int, o options) *stacked {
		s := newStacked(t, tabletest.Config{Options: o}, dealt(t, forehand, middlehand, rearhand, skatCards))
		s.buy(0, bid)
		s.refused(0, word(skat.Push), "SK-R-24")
		s.do(0, word(how))
		return s
	}
	s := begin(skat.Take, 24, nil)
	for _, a := range []struct {
		pair *skat.Pair
		a    skat.Announcement
		rule string
	}{
		{&skat.Pair{0, 1}, skat.Announcement{Game: "X"}, "SK-R-27"}, {&skat.Pair{0, 1}, skat.Announcement{}, "SK-R-27"},
		{&skat.Pair{0, 1}, skat.Announcement{Game: "C", Ann: 1}, "SK-R-28"}, {&skat.Pair{0, 1}, skat.Announcement{Game: "G", Ann: 2, Ouvert: true}, "SK-R-28"},
		{&skat.Pair{0, 1}, skat.Announcement{Game: "G", Ouvert: true}, "SK-R-28"}, {&skat.Pair{0, 1}, skat.Announcement{Game: "N", Ann: 1}, "SK-R-28"},
		{&skat.Pair{0, 1}, skat.Announcement{Game: "C", Ann: 3}, "SK-R-28"}, {&skat.Pair{0, 1}, skat.Announcement{Game: "C", Ann: -1}, "SK-R-28"},
		{&skat.Pair{0, 1}, skat.Announcement{Game: "N"}, "SK-R-29"}, {nil, skat.Announcement{Game: "C"}, "SK-R-25"},
		{&skat.Pair{0, 0}, skat.Announcement{Game: "C"}, "SK-R-25"}, {&skat.Pair{1, 0}, skat.Announcement{Game: "C"}, "SK-R-25"},
		{&skat.Pair{0, 3}, skat.Announcement{Game: "C"}, "SK-R-25"}, {&skat.Pair{9, 99}, skat.Announcement{Game: "C"}, "SK-R-25"},
	} {
		a.a.Discard = a.pair
		s.refused(0, skat.Move{Announce: &a.a}, a.rule)
	}
	s.do(0, s.announces(0, "JC JS", skat.Announcement{Game: "N", Ouvert: true}))
	s.refused(0, skat.Move{Announce: &skat.Announcement{Game: "C", Discard: &skat.Pair{0, 1}}}, "90.15")
	s = begin(skat.Hand, 18, nil)
	s.refused(0, skat.Move{Announce: &skat.Announcement{Game: "C", Discard: &skat.Pair{0, 1}}}, "SK-R-26")
	s.refused(0, skat.Move{Announce: &skat.Announcement{Game: "C", Ann: 1, Ouvert: true}}, "SK-R-28")
	s.do(0, skat.Move{Announce: &skat.Announcement{Game: "D", Ann: 2, Ouvert: true}})
	// Diamonds at 264 cannot be won, and may be announced (SK-R-30).
	s = begin(skat.Hand, 264, nil)
	s.do(0, skat.Move{Announce: &skat.Announcement{Game: "D"}})

	// Discards stay the declarer's, and may not be played (SK-R-39, S-ORIGIN).
	s = begin(skat.Take, 18, nil)
	discarded := s.place(0, faces(t, "JC")[0])
	s.do(0, s.announces(0, "JC JS", skat.Announcement{Game: "C"}))
	s.refused(0, skat.Move{Play: &skat.Play{Card: discarded, Face: faces(t, "JC")[0]}}, "SK-R-35")
	s.refused(1, s.card(1, "JH"), "SK-R-32")
}

// A null below the bid that is played, or counts another value (OPT-NULL-OVERBID).
func TestNullBelowTheBid(t *testing.T) {
	s := newStacked(t, tabletest.Config{Options: options{"null-overbid": "lose"}}, deck.Faces(deck.All))
	s.buy(2, 36)
	s.do(2, word(skat.Hand), skat.Move{Announce: &skat.Announcement{Game: "N"}})
	s.scored(skat.NullOverbid, -92)
	if got, over := s.State.Result(); !over || got[0] != -92 {
		t.Errorf("%v, over %v", got, over)
	}
}

// A Kontra by who may not say it, twice, or that counts once for both (SK-R-74 to
// SK-R-76, OPT-KONTRA); one after the lead (AMB-S-12).
func TestKontra(t *testing.T) {
	kontra := func(b bool) skat.Move { return yes(func(m *skat.Move, b *bool) { m.Kontra = b }, b) }
	re := func(b bool) skat.Move { return yes(func(m *skat.Move, b *bool) { m.Re = b }, b) }
	s := clubs(t, options{"kontra": "any"}, true, 18, skat.Announcement{})
	s.refused(1, re(true), "90.15")
	s.do(1, kontra(false))
	s.do(2, kontra(true))
	s.do(0, re(true))
	s.do(0, conceded(), s.lays0())
	if done := s.last(); done.Factor != 4 || done.Points[done.Seats[0]] != -4*96 || done.Result.Score != -96 {
		t.Errorf("%+v", done)
	}
	// By bid18 alone who bid is asked: middlehand named 18.
	s = clubs(t, options{"kontra": "bid18"}, true, 18, skat.Announcement{})
	if s.public().Stage != skat.Playing {
		t.Errorf("nobody but forehand bid, and play waits for %s", s.public().Stage)
	}
	s = newStacked(t, tabletest.Config{Options: options{"kontra": "bid18"}}, dealt(t, forehand, middlehand, rearhand, skatCards))
	for _, c := range []auction.Call{18, auction.Yes, auction.Pass, auction.Pass} {
		s.do(s.public().Deal.Auction.Turn, skat.Move{Call: &c})
	}
	s.do(0, word(skat.Hand), skat.Move{Announce: &skat.Announcement{Game: "C"}})
	s.refused(1, re(true), "90.15")
	if d := s.State.Duties()[0]; s.public().Stage != skat.Doubling || !slices.Equal(d.Seats, []table.Seat{s.public().Deal.Seats[1]}) {
		t.Errorf("%s waits for %v", s.public().Stage, d.Seats)
	}
	s.do(1, kontra(true))
	s.do(0, re(false))
	s.do(0, conceded(), s.lays0())
	if s.last().Factor != 2 {
		t.Errorf("factor %d", s.last().Factor)
	}
	s = clubs(t, options{"kontra": "any"}, true, 18, skat.Announcement{})
	s.do(1, kontra(false))
	s.do(2, kontra(false))
	s.refused(1, kontra(true), "90.15")
}

// lays0 is what the declarer will turn up, asked before it is due.
func (s *stacked) lays0() skat.Move {
	s.Helper()
	faces := seenBy(s, 0, s.public().Deal.Hands[0])
	return skat.Move{Lay: &faces}
}

// Ramsch: the skat to the winner of the last trick, a march, everybody for himself
// (SK-R-69 to SK-R-71, SK-R-73, OPT-RAMSCH).
func TestRamsch(t *testing.T) {
	s := newStacked(t, tabletest.Config{Options: options{"ramsch": "simple", "bock": "lost60+re"}}, dealt(t, "JC JS JH JD AC AS AH AD 10C 10S", "7C 8C 9C 7S 8S 9S 7H 8H 9H 7D", "10H 10D KC KS KH KD QC QS QH QD", "8D 9D"))
	for range 3 {
		s.passes()
	}
	s.refused(0, conceded(), "SK-R-69")
	s.refused(0, skat.Move{Claim: &skat.Claim{Faces: []deck.Face{}}}, "SK-R-61")
	s.playAll()
	done := s.last()
	if done.How != skat.Ramsch || done.Points[done.Seats[0]] != 120 || done.Tricks != [3]int{10, 0, 0} || done.Cards != [3]int{120, 0, 0} {
		t.Errorf("%+v", done)
	}
	if tally := s.public().Tally; slices.Max(tally.Won) != 0 || slices.Max(tally.Lost) != 0 {
		t.Errorf("a Ramsch is no game won or lost: %+v", tally)
	}
}

// playAll plays the first card that each player may.
func (s *stacked) playAll() {
	s.Helper()
	number := len(s.public().Past)
	for len(s.public().Past) == number {
		d := s.public().Deal
		p := d.OnTurn()
		moves := skat.Rules{}.Moves(s.public(), s.View(d.Seats[p]))
		s.do(p, moves[0])
	}
}

// Schieberamsch: who takes sees two cards and passes two on, and jacks stay
// (SK-R-72, D-DRAW, D-GIVE, D-NOJACK, RM-4).
func TestSchieberamsch(t *testing.T) {
	order := dealt(t, forehand, middlehand, rearhand, skatCards)
	s := newStacked(t, tabletest.Config{Options: options{"ramsch": "schieber"}}, order)
	for range 3 {
		s.passes()
	}
	aside := func(p int, names string) skat.Move {
		list := faces(t, names)
		pair := skat.Pair{s.place(p, list[0]), s.place(p, list[1])}
		slices.Sort(pair[:])
		return skat.Move{Aside: &pair}
	}
	s.refused(0, word(skat.Hand), "SK-R-72")
	s.do(0, word(skat.Take))
	if entry, err := s.Bluff(s.public().Deal.Seats[0], encode(t, aside(0, "JC 8S"))); err == nil {
		if _, err = tabletest.Apply(s.State, entry); err == nil {
			t.Fatal("a jack is passed on")
		}
	}
	s.do(0, aside(0, "8S AH"))
	if s.public().Deal.Holder != 0 || len(s.State.Faces()) != 0 {
		t.Fatalf("%+v", s.public().Deal)
	}
	s.do(1, word(skat.Take))
	if hand := seenBy(s, 1, s.public().Deal.Hands[1]); !slices.Contains(hand, faces(t, "AH")[0]) || len(hand) != 12 {
		t.Fatalf("middlehand has %v", hand)
	}
	s.do(1, aside(1, "AH AD"))
	s.do(2, word(skat.Push))
	if d := s.public().Deal; s.public().Stage != skat.Playing || d.Pushes != 1 || d.Holder != 1 {
		t.Fatalf("%s, %+v", s.public().Stage, d)
	}
	s.playAll()
	done := s.last()
	if sum := done.Cards[0] + done.Cards[1] + done.Cards[2]; sum != 120 {
		t.Errorf("%d points in all", sum)
	}
	worst := slices.Max(done.Cards[:])
	for p, seat := range done.Seats {
		if want := map[bool]int{true: -2 * worst, false: 0}[done.Cards[p] == worst]; slices.Min(done.Tricks[:]) > 0 && done.Points[seat] != want {
			t.Errorf("%+v: %s scores %d", done, seat.Letter(), done.Points[seat])
		}
	}
}

// A Bock round that begins too early, ends too late, or is not begun (SK-R-77 to
// SK-R-79, OPT-BOCK, AMB-S-13).
func TestBockRound(t *testing.T) {
	s := newStacked(t, tabletest.Config{Deals: 6, Options: options{"kontra": "any", "bock": "kontra"}}, deck.Faces(deck.All))
	var factors []int
	for len(s.public().Past) < 6 {
		s.steps()
		if len(s.public().Past) > 0 {
			s.passes()
			s.passes()
			s.passes()
		} else {
			s.buy(0, 18)
			b := true
			s.do(0, word(skat.Hand), skat.Move{Announce: &skat.Announcement{Game: "C"}})
			s.do(1, skat.Move{Kontra: &b})
			b = false
			s.do(0, skat.Move{Re: &b}, conceded(), s.lays0())
		}
		factors = append(factors, s.last().Factor)
	}
	if want := []int{2, 2, 2, 2, 1, 1}; !slices.Equal(factors, want) {
		t.Errorf("factors %v, want %v", factors, want)
	}
	if past := s.public().Past; past[0].Bock || !past[1].Bock || !slices.Equal(past[0].Events, []string{"kontra"}) {
		t.Errorf("%+v", past[:2])
	}
}

// A table of Bierlachs that goes on after its limit (SK-R-66, 90.16.9).
func TestBierlachsEnds(t *testing.T) {
	s := newStacked(t, tabletest.Config{Deals: 9, Options: options{"score": "bierlachs"}}, deck.Faces(deck.All))
	for range 9 {
		if len(s.State.Duties()) == 0 {
			break
		}
		s.buy(2, 264)
		s.do(2, word(skat.Hand), skat.Move{Announce: &skat.Announcement{Game: "G"}})
		s.do(2, conceded(), skat.Move{Lay: ptr(seenBy(s, 2, s.public().Deal.Hands[2]))})
	}
	got, over := s.State.Result()
	if !over || len(s.public().Past) != 1 || !slices.Equal(got, []int{-528, 0, 0}) {
		t.Errorf("%v after %d deals, over %v", got, len(s.public().Past), over)
	}
}

func ptr[T any](v T) *T { return &v }

// Seats that are not drawn, or drawn cards that somebody chose (OPT-SEATS-DRAW, Q-DRAW,
// 90.16.2).
func TestSeatsDraw(t *testing.T) {
	orders := map[string]bool{}
	for seed := range uint64(12) {
		played := testmust.Have(tabletest.New(game, tabletest.Config{Seats: 3, Options: options{"seats-draw": "on"}}, seed))(t)
		if s := public(played); s.Stage != skat.DrawingSeats || s.OtherShuffles() != 1 {
			t.Fatalf("begins with %s", s.Stage)
		}
		for public(played).Stage != skat.Shuffling {
			testmust.Do(t, played.Play(1))
		}
		s := public(played)
		if played.State.Begun() != 0 && played.State.Deal() != 2 {
			t.Errorf("%d deals begun", played.State.Begun())
		}
		var name strings.Builder
		for _, seat := range s.Seats {
			name.WriteString(seat.Letter())
		}
		orders[name.String()] = true
		if s.Deal.Dealer != s.Seats[0] || s.Deal.Seats[0] != s.Seats[1] {
			t.Errorf("%v: dealer %v", s.Seats, s.Deal.Dealer)
		}
	}
	drawing, _, err := skat.Rules{}.Setup(table.Config{Seats: 4, Deals: 1, Options: options{"seats-draw": "on"}})
	if err != nil {
		t.Fatal(err)
	}
	drawing = skat.Rules{}.Settle(drawing, nil)
	drawn := skat.Rules{}.Settle(drawing, map[table.Card]card.Face{0: 3, 1: 31, 2: 0, 3: 8})
	if !slices.Equal(drawn.Seats, []table.Seat{1, 3, 0, 2}) || drawn.Deal.Dealer != 1 || drawn.Deal.Seats != [3]table.Seat{3, 0, 2} {
		t.Errorf("seats %v, dealer %d, players %v", drawn.Seats, drawn.Deal.Dealer, drawn.Deal.Seats)
	}
	if len(orders) < 3 {
		t.Errorf("twelve draws give the orders %v", orders)
	}
}

// An event that makes no Bock round, or one that happened and is not on the list
// (SK-R-78).
func TestEvents(t *testing.T) {
	for _, c := range []struct {
		bock   string
		points int
		game   deck.Game
		re     bool
		want   []string
	}{
		{"lost60", 60, "C", false, []string{"lost60"}}, {"lost60", 59, "C", false, []string{}}, {"grandhand", 60, "G", false, []string{}},
		{"grandhand", 61, "G", false, []string{"grandhand"}}, {"kontra", 60, "C", false, []string{"kontra"}}, {"kontra", 61, "C", false, []string{}},
		{"kontra+re", 60, "C", true, []string{"re"}}, {"lost60+grandhand+kontra+re", 60, "G", true, []string{"lost60", "re"}}, {"re", 61, "C", true, []string{"re"}},
	} {
		s := lastCard(t, table.Config{Seats: 3, Deals: 2, Options: options{"bock": c.bock, "kontra": "any"}}, c.game, c.points)
		s.Deal.Kontra, s.Deal.Re = 1, c.re
		last := s.Deal.Hands[2][0]
		next, _, err := skat.Rules{}.Apply(s, table.Input[skat.Move]{Seat: s.Deal.Seats[2], Move: skat.Move{Play: &skat.Play{Card: last, Face: deck.Face(29)}}})
		if err != nil {
			t.Fatal(err)
		}
		done := next.Past[0]
		if done.Cards[0] != c.points || !slices.Equal(done.Events, c.want) || int(next.Bock) != 3*len(c.want) {
			t.Errorf("%+v: %d points, events %v, %d deals to come", c, done.Cards[0], done.Events, next.Bock)
		}
	}
}

// lastCard is a hand game of forehand in which rearhand has the last card, 10D, and
// forehand comes to so many points with the skat, KD and AD or others.
func lastCard(t *testing.T, c table.Config, g deck.Game, points int) skat.State {
	t.Helper()
	s, _, err := skat.Rules{}.Setup(c)
	if err != nil {
		t.Fatal(err)
	}
	s.Stage = skat.Playing
	d := &s.Deal
	d.Declarer, d.Bid, d.Contract = 0, 18, &value.Contract{Game: g, Hand: true}
	d.Hands = [3][]table.Card{{}, {}, {29}}
	for i := range deck.Face(29) {
		d.Open = append(d.Open, skat.Shown{By: int(i) % 3, Card: table.Card(i), Face: i})
	}
	for i := range deck.Face(10) {
		d.Tricks = append(d.Tricks, skat.Trick{Faces: []deck.Face{3 * i, 3*i + 1, 3*i + 2}})
	}
	// Forehand wins the tricks whose bit is set; the leader follows from that.
	for wins := range 1 << 10 {
		sum := deck.PointsOf(deck.SetOf(30, 31))
		for i := range d.Tricks {
			winner := wins >> i & 1 // 1 is forehand
			d.Tricks[i].Leader = 0
			d.Tricks[i].Leader = (3 + 1 - winner - d.Winner(d.Tricks[i])) % 3
			if winner == 1 {
				sum += deck.PointsOf(deck.SetOf(d.Tricks[i].Faces...))
			}
		}
		if sum == points && wins != 0 && wins != 1<<10-1 && d.Tricks[9].Leader == 0 {
			d.Tricks[9].Faces = d.Tricks[9].Faces[:2]
			return s
		}
	}
	t.Fatalf("no tricks come to %d points", points)
	return s
}

// A proof or an opening that the code has under another id, group or rule than the
// specification.
func TestCatalogue(t *testing.T) {
	list := skattest.Read[[]struct {
		ID, Phase, Group, Rule, Option string
		Set                            any
		Max                            int
		Parts                          any
	}](t, "proofs")
	opens := skattest.Read[[]struct{ ID, Phase, Cards, By, Rule, Option string }](t, "openings")
	var want, got []string
	for _, p := range list {
		want = append(want, p.ID+" "+p.Rule+" "+p.Group+" "+strings.ToLower(strings.TrimPrefix(p.Option, "OPT-")))
	}
	for _, o := range opens {
		if o.Cards != "none" { // E-COMP opens nothing
			want = append(want, o.ID+" "+o.Rule)
		}
	}
	for _, p := range skat.Proofs() {
		if p.Opens {
			got = append(got, p.ID+" "+p.Rule)
			continue
		}
		got = append(got, p.ID+" "+p.Rule+" "+p.Group+" "+p.Option)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the catalogue is\n%q, want\n%q", got, want)
	}
}
