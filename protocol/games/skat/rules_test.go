package skat_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	seam "github.com/pakli/pakli/protocol/game"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/skat/record"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
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
		_, _, err := (skat.Rules{}).Setup(c.config)
		testmust.FailSaying(t, err, c.why, c.config)
	}
	_, _, err := (skat.Rules{}).Setup(table.Config{Seats: 4, Deals: 48, Options: options{"score": "bierlachs", "limit": "401", "bock": "lost60+re"}})
	testmust.Hold(t, err == nil, err)
	drawn, _, err := (skat.Rules{}).Setup(table.Config{Seats: 3, Deals: 1, Options: options{"seats-draw": "on"}})
	testmust.Holdf(t, err == nil && drawn.OtherShuffles() == 1, "seats are drawn by %d shuffles: %v", drawn.OtherShuffles(), err)
}

// An event that makes no Bock round, or one that happened and is not on the list
// (SK-R-78).
func TestEvents(t *testing.T) {
	for _, c := range []struct {
		bock   string
		points int
		game   skat.Game
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
		next, _, err := skat.Rules{}.Apply(s, table.Input[skat.Move]{Seat: s.Deal.Seats[2], Move: skat.Move{Play: &skat.Play{Card: last, Face: skat.Face(29)}}})
		testmust.Do(t, err)
		done := next.Past[0]
		testmust.Holdf(t, done.Cards[0] == c.points && slices.Equal(done.Events, c.want) && int(next.Bock) == 3*len(c.want),
			"%+v: %d points, events %v, %d deals to come", c, done.Cards[0], done.Events, next.Bock)
	}
}

// lastCard is a hand game of forehand in which rearhand has the last card, 10D, and
// forehand comes to so many points with the skat, KD and AD or others.
func lastCard(t *testing.T, c table.Config, g skat.Game, points int) skat.State {
	t.Helper()
	s, _, err := skat.Rules{}.Setup(c)
	testmust.Do(t, err)
	s.Stage = skat.Playing
	d := &s.Deal
	d.Declarer, d.Bid, d.Contract = 0, 18, &skat.Contract{Game: g, Hand: true}
	d.Hands = [3][]table.Card{{}, {}, {29}}
	for i := range skat.Face(29) {
		d.Open = append(d.Open, skat.ShownCard{By: int(i) % 3, Card: table.Card(i), Face: i})
	}
	for i := range skat.Face(10) {
		d.Tricks = append(d.Tricks, skat.Trick{Faces: []skat.Face{3 * i, 3*i + 1, 3*i + 2}})
	}
	// Forehand wins the tricks whose bit is set; the leader follows from that.
	for wins := range 1 << 10 {
		sum := skat.PointsOf(skat.SetOf(30, 31))
		for i := range d.Tricks {
			winner := wins >> i & 1 // 1 is forehand
			d.Tricks[i].Leader = 0
			d.Tricks[i].Leader = (3 + 1 - winner - d.Winner(d.Tricks[i])) % 3
			if winner == 1 {
				sum += skat.PointsOf(skat.SetOf(d.Tricks[i].Faces...))
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
	list := testmust.ReadVectors[[]struct {
		ID, Phase, Group, Rule, Option string
		Set                            any
		Max                            int
		Parts                          any
	}](t, vectorsFolder, "proofs")
	opens := testmust.ReadVectors[[]struct{ ID, Phase, Cards, By, Rule, Option string }](t, vectorsFolder, "openings")
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
	testmust.Holdf(t, slices.Equal(got, want), "the catalogue is\n%q, want\n%q", got, want)
}

// recorded plays a list by chance, and returns its record and its end.
func recorded(t *testing.T, c tabletest.Config, seed uint64) (*record.Recorder, skat.State) {
	t.Helper()
	choice := rand.New(rand.NewPCG(seed, 92))
	played := testmust.Have(tabletest.New(game, c, seed))(t)
	r := record.NewRecorder("table", []string{"ada", "bela", "cleo", "dora"}[:c.Seats], table.Config{})
	b := seam.NewRecord[skat.State, skat.Move](r)
	for len(played.State.Duties()) > 0 {
		before := played.State
		entry := testmust.Have(drawnMessage(played, choice))(t)
		testmust.Do(t, played.Add(entry))
		m := testmust.Have(wire.Parse(entry))(t).Message
		var body wire.MoveBody
		if m.Kind == wire.KindMove {
			testmust.Do(t, wire.DecodeBody(m.Body, &body))
			testmust.Do(t, b.AddMove(before, played.State, table.Seat(m.Seat), body.Move))
		}
	}
	testmust.Do(t, b.Close(played.State))
	last, _ := table.Public[skat.State](played.State)
	return r, last
}

// A record that says something else than was played: of random lists each line is read
// as what was written, and the scorer, who has nothing but the line, finds no broken rule
// and the scores of the table.
func TestRecorder(t *testing.T) {
	verdicts := map[record.Verdict]int{}
	untold := 0
	first, end := uint64(4), uint64(8) // lists of which two pass a deal in
	if testmust.Thorough() {
		first, end = 0, 20
	}
	for seed := first; seed < end; seed++ {
		c := tabletest.Config{Seats: 3 + int(seed%2), Deals: 8, Options: map[string]string{"early": []string{"open", "prove"}[seed%3/2]}}
		r, last := recorded(t, c, seed)
		lines := strings.Split(strings.TrimSpace(string(r.Lines())), "\n")
		for i, line := range lines {
			d, err := record.ParseLine(line)
			testmust.Requiref(t, err == nil, "%v\n%s", err, line)
			again := d.Line()
			testmust.Requiref(t, again == line, "written\n%s\nand read as\n%s", line, again)
			s := record.Score(d)
			verdicts[s.Verdict]++
			testmust.Requiref(t, len(s.Findings)+len(s.Customs) <= 0 && (s.Verdict == record.Scored || s.Verdict == record.PassedIn || s.Verdict == record.Untold),
				"seed %d: %s %v %v\n%s", seed, s.Verdict, s.Findings, s.Customs, line)
			if past := last.Past[i]; s.Result == nil && past.Result != nil {
				untold++ // its matadors were proved and not shown
				testmust.Requiref(t, c.Options["early"] != "open", "seed %d: %s, but no score\n%s", seed, past.How, line)
			} else if past.Result != nil && s.Result.Score != past.Result.Score {
				t.Fatalf("seed %d: scores %d, and the table %d\n%s", seed, s.Result.Score, past.Result.Score, line)
			}
		}
		testmust.Equal(t, len(lines), len(last.Past), "seed", seed, "lines of deals")
	}
	t.Logf("%v, %d not told", verdicts, untold)
	testmust.Holdf(t, untold == verdicts[record.Untold] && untold <= verdicts[record.Scored]/2 && verdicts[record.PassedIn] != 0,
		"%v, %d not told", verdicts, untold)
}

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
		testmust.Holdf(t, got == want["class"] && float64(c.Set.Len()) == want["T"] && float64(len(c.Cards)) == want["k"] && float64(size) == want["bytes"],
			"proves %s of %d cards and %d faces, %d bytes; want %v", got, len(c.Cards), c.Set.Len(), size, want)
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
