package skat_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/table"
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
