package skat_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/verifiertest"
)

var game = play.NewGame(skat.Rules{})

type options = map[string]string

// shapes are the tables that the suite plays with all its attacks: every option that
// changes the course of play. Where deals may be conceded, chance concedes most of them
// early; where not, they are played out.
var shapes = []tabletest.Config{
	{Seats: 3, Deals: 2, Options: options{"concede": "off", "claim": "off", "score": "seeger-fabian"}},
	{Seats: 3, Deals: 3},
	{Seats: 3, Deals: 3, Options: options{"early": "prove", "claim": "off"}},
	{Seats: 3, Deals: 3, Options: options{"early": "prove", "concede": "off"}},
	{Seats: 3, Deals: 2, Options: options{"concede": "one", "kontra": "any", "null-overbid": "lose", "score": "bierlachs", "limit": "501"}},
	{Seats: 3, Deals: 2, Options: options{"concede": "off", "kontra": "bid18", "seats-draw": "on", "bock": "lost60+grandhand+kontra+re"}},
	{Seats: 4, Deals: 4, Options: options{"score": "seeger-fabian"}},
	{Seats: 4, Deals: 2, Options: options{"concede": "off", "claim": "off", "seats-draw": "on", "score": "bierlachs"}},
	{Seats: 3, Deals: 6, Options: options{"concede": "off", "ramsch": "simple"}},
	{Seats: 3, Deals: 6, Options: options{"concede": "one", "ramsch": "schieber", "score": "bierlachs"}},
}

// The kernel's promises hold for Skat, and every move that the rules let pass is legal
// to one who sees all cards, and the other way round.
func TestConformance(t *testing.T) {
	var configs []tabletest.Config
	chosen := testmust.SomeOf(t, len(shapes), 4)
	for i, c := range shapes {
		if !chosen(i) && i > 0 {
			continue
		}
		c.AnySum, c.Playouts = true, 2
		configs = append(configs, c)
		if i == 0 || (i == 2 || c.Seats == 4) && testmust.Thorough() {
			c.Deals, c.Playouts = 1, 1
			c.Suite, _ = suite.Lookup(suite.Default)
			configs = append(configs, c)
		}
	}
	for i := range configs { // they are played side by side: each has a referee of its own
		configs[i].Invariant, configs[i].Legal = watchTable()
	}
	tabletest.Run(t, game, configs...)
}

func public(t *tabletest.Table) skat.State {
	s, _ := table.Public[skat.State](t.State)
	return s
}

// What everybody and each seat sees of a deal: a discard or a skat shown to a seat that
// must not see it, a dealer who sits out and sees a card, or a rule that changes
// unnoticed.
func TestPlaythroughs(t *testing.T) {
	for _, v := range testmust.ReadVectors[[]deal](t, vectorsFolder, "deals") {
		if v.ID == "DEAL-04" {
			s := v.start(t)
			for _, f := range v.Plays {
				s.plays(f.String())
			}
			tabletest.Compare(t, "Diamonds after taking the skat, lost with 58", s.Table, "testdata/diamonds.playthrough.txt")
		}
	}
	s := newStacked(t, tabletest.Config{Seats: 4, Options: options{"early": "prove", "kontra": "any"}}, dealt(t, forehand, middlehand, rearhand, skatCards))
	s.buy(skat.Forehand, 22)
	b := true
	s.do(skat.Forehand, word(skat.Hand), skat.Move{Announce: &skat.Announcement{Game: skat.ClubsGame, Ann: 1}})
	s.do(skat.Middlehand, skat.Move{Kontra: &b})
	s.do(skat.Forehand, skat.Move{Re: &b})
	s.plays("JC 8C JD JS")
	s.do(skat.Middlehand, conceded())
	s.do(skat.Rearhand, agreed(true))
	s.do(skat.Forehand, s.lays())
	tabletest.Compare(t, "Four seats: a hand game with Schneider announced, given up after Kontra and Re", s.Table, "testdata/given-up.playthrough.txt")
}

// vocabulary is what stands in moves.
var vocabulary = tabletest.Vocabulary{
	Words: slices.Concat(strings.Fields("pass yes 18 20 23 24 264 25 take hand push accept play-on C S H D G N"), skat.FaceNames()),
	Verbs: strings.Fields("agree announce answer aside call choose claim concede kontra lay matadors open play re"),
	Move:  func() any { return new(skat.Move) },
}

func newCampaign(moves int) *tabletest.Campaign {
	return &tabletest.Campaign{Effort: tabletest.ChosenEffort(tabletest.Effort{Bytes: 2, Moves: moves}), Words: vocabulary, Shows: shows, Legal: func(t *tabletest.Table) error {
		_, err := judgeTable(t)
		return err
	}}
}

func shows(t testing.TB, played *tabletest.Table, at int, m tabletest.Mutant, fault *table.Fault) {
	verifiertest.VerifyShown(t, played, at, m.Entry, fault)
}

// Nothing slips through: for every kind of entry that a list of Skat has, each field,
// value, proof and signature altered, by an outsider and by the seat itself. A mutant that
// is applied, unless the referee finds it legal; a foul laid at another seat's door.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("alters every kind of entry")
	}
	c := newCampaign(8)
	var hides proof.Suite // nil is the clear suite: the whole log has real proofs
	if testmust.Thorough() {
		hides = remasking()
	}
	t.Run("tables", func(t *testing.T) {
		for i, h := range honestCases {
			t.Run(fmt.Sprint(h.id, " ", i), func(t *testing.T) {
				t.Parallel()
				s := newStacked(t, tabletest.Config{Seats: h.seats, Deals: 2, Suite: hides, Options: h.o}, dealt(t, h.hands...))
				h.play(s)
				c.AlterNewKinds(t, s.Table)
			})
		}
		for i, x := range rare {
			t.Run(fmt.Sprint("rare ", i), func(t *testing.T) {
				t.Parallel()
				s := newStacked(t, tabletest.Config{Deals: 2, Suite: hides, Options: x.o}, dealt(t, x.hands...))
				x.play(s)
				c.AlterNewKinds(t, s.Table)
			})
		}
	})
	proofs := strings.Fields("P-VOID P-NOTRUMP P-NOJACK P-VOIDN D-NOJACK M-WITH M-WITHOUT")
	c.RequireWords(t, slices.Concat(strings.Fields("key shuffle show give permute"), vocabulary.Verbs, proofs)...)
}

// rare are entries that the honest cases lack.
var rare = []honest{
	{o: options{"kontra": "any"}, hands: three, play: func(s *stacked) {
		s.announced(f, 18, skat.ClubsGame, "ouvert")
		s.do(m, said(true, false))
		s.do(f, said(true, true))
		open := s.opens()
		s.do(f, skat.Move{Open: &open})
	}},
	{hands: []string{"7S", "AH KH QH 7H 8H AD KD QD 7D 8D"}, play: func(s *stacked) { s.announced(m, 18, skat.Null, ""); s.plays("7S"); s.anyCard(m) }},
	{hands: []string{"JC AC AS", "7S 8S"}, play: func(s *stacked) { s.announced(f, 18, skat.Grand, ""); s.plays("JC"); s.anyCard(m); s.anyCard(r) }},
	{o: proved, hands: []string{"", "JC JS", "JH JD"}, play: func(s *stacked) { s.announced(f, 18, skat.ClubsGame, ""); s.do(f, conceded()); s.do(f, s.lays()) }},
	{o: options{"ramsch": "schieber"}, hands: []string{"7S 8S"}, play: func(s *stacked) {
		s.allPass()
		for _, p := range []int{f, m} {
			s.do(p, word(skat.Take))
			for _, mv := range (skat.Rules{}).Moves(s.public(), s.View(s.seat(p)))[:1] {
				s.do(p, mv)
			}
		}
	}},
	{hands: three, play: func(s *stacked) {
		s.clubsTaken(f)
		s.do(m, conceded())
		s.do(r, agreed(false))
	}},
}

// The same of every entry of a whole log of four seats, of whom one deals and sits out.
func TestMutantsOfLog(t *testing.T) {
	if testing.Short() {
		t.Skip("alters every entry of a log")
	}
	s := newStacked(t, tabletest.Config{Seats: 4, Deals: 2, Suite: remasking()}, dealt(t, three...))
	s.announced(f, 18, skat.ClubsGame, "")
	s.plays("JC")
	s.anyCard(m)
	s.do(f, conceded())
	s.steps()
	c := newCampaign(4)
	c.Shows = nil
	c.AlterAll(t, s.Table)
	c.RequireWords(t, "key", "shuffle", "show", "move")
}

const players = "FMR"

type deal struct {
	testmust.Vector
	Deck     []skat.Face
	Declarer string
	Bid      int
	Hand     bool
	Game     skat.Game
	Discards []skat.Face
	Plays    []skat.Face
	Expect   struct {
		Winners  []string
		Due      [][]any
		Matadors string
		Pts, Tr  int
		Won      bool
		Value    int
		Score    int
	}
}

// start deals, bids and announces.
func (v deal) start(t *testing.T) *stacked {
	t.Helper()
	s, p := newStacked(t, tabletest.Config{}, v.Deck), strings.Index(players, v.Declarer)
	s.buy(p, v.Bid)
	how := map[bool]string{true: skat.Hand, false: skat.Take}[v.Hand]
	s.do(p, word(how))
	var discards []string
	for _, f := range v.Discards {
		discards = append(discards, f.String())
	}
	s.do(p, s.announces(p, strings.Join(discards, " "), skat.Announcement{Game: v.Game}))
	return s
}

// A deal dealt, won, proved, or scored in another way than the specification's: whole
// deals as messages, with the proofs that each play carries (SK-R-11, SK-R-23, SK-R-32,
// SK-R-36, SK-R-39, E-COMP, AMB-S-05).
func TestVectorDeals(t *testing.T) {
	testmust.EachVector(t, vectorsFolder, "deals", func(t *testing.T, v deal) {
		s := v.start(t)
		var due [][]any
		for i, f := range v.Plays {
			p := s.public().Deal.OnTurn()
			d := s.public().Deal
			s.do(p, s.card(p, f.String()))
			e := testmust.Have(wire.Parse(s.Entries[len(s.Entries)-1]))(t)
			// The first proof is that of the card's token.
			for range e.Message.Proofs[1:] {
				led := d.Tricks[len(d.Tricks)-1].Faces[0]
				due = append(due, []any{i + 1, players[p : p+1], d.Game().Class(card.Face(led)), len(d.Hands[p]) - 1})
			}
		}
		done := s.last()
		testmust.Equal(t, fmt.Sprint(due), fmt.Sprint(v.Expect.Due), "proved")
		p := strings.Index(players, v.Declarer)
		r := done.Result
		testmust.Holdf(t, done.Tricks[p] == v.Expect.Tr && r.Won == v.Expect.Won && r.Value == v.Expect.Value && r.Score == v.Expect.Score,
			"%d points, %d tricks, %+v; want %+v", done.Cards[p], done.Tricks[p], r, v.Expect)
		testmust.Holdf(t, v.Game == skat.Null || done.Cards[p] == v.Expect.Pts, "%d points, want %d", done.Cards[p], v.Expect.Pts)
		if m := v.Expect.Matadors; m != "" && m != matadors(*r) {
			t.Errorf("%s, want %s", matadors(*r), m)
		}
		points, over := s.State.Result()
		testmust.Holdf(t, over && points[done.Seats[p]] == v.Expect.Score, "the list is %v, over %v", points, over)
		last := s.public().Last
		testmust.Require(t, last != nil, "the deal that ended is not kept")
		var winners []string
		for _, trick := range last.Tricks {
			w := last.Winner(trick)
			winners = append(winners, players[w:w+1])
		}
		testmust.Hold(t, slices.Equal(winners, v.Expect.Winners), "tricks go to", winners, "want", v.Expect.Winners)
	})
}

// fuzzed are the states of some tables in which moves are due, with the moves made there.
var fuzzed = sync.OnceValue(func() (list []*tabletest.Table) {
	for _, o := range []options{
		nil, {"concede": "off", "claim": "off"}, {"early": "prove"}, {"ramsch": "schieber", "concede": "off"},
		{"kontra": "any", "null-overbid": "lose", "bock": "kontra+re"},
	} {
		played := testmust.Need(tabletest.Play(game, tabletest.Config{Seats: 3, Deals: 3, Options: o, AnySum: true}, 1))
		list = append(list, played)
	}
	return list
})

// A move that a seat signed, whatever is in it, that panics, that changes the state it
// is made in, that stands under no number of the rules, or that leads to a state which
// panics when it is asked what is due.
func FuzzApply(f *testing.F) {
	for which, played := range fuzzed() {
		for i, entry := range played.Entries[1:] {
			e := testmust.Have(wire.Parse(entry))(f)
			var body wire.MoveBody
			if e.Message.Kind == wire.KindMove && json.Unmarshal(e.Message.Body, &body) == nil {
				f.Add(byte(which), uint16(i), byte(e.Message.Seat), []byte(body.Move))
			}
		}
	}
	f.Fuzz(func(t *testing.T, which byte, at uint16, seat byte, move []byte) {
		played := fuzzed()[int(which)%len(fuzzed())]
		state := played.States[int(at)%len(played.States)]
		s, _ := table.Public[skat.State](state)
		var m skat.Move
		due := skat.Rules{}.Duties(s)
		if len(due) == 0 || due[0].Kind != table.Move || wire.DecodeCanonical(move, &m) != nil {
			return
		}
		by := due[0].Seats[int(seat)%len(due[0].Seats)]
		before := encoded(t, s)
		next, terms, err := skat.Rules{}.Apply(s, table.Input[skat.Move]{Seat: by, Move: m, Faces: state.Faces()})
		testmust.Requiref(t, encoded(t, s) == before, "%s changed the state before it", move)
		if err != nil {
			testmust.Requiref(t, numbered.MatchString(err.Error()), "%s is refused under no number: %v", move, err)
			return
		}
		for _, c := range terms.Prove {
			testmust.Requiref(t, len(c.Cards) != 0 && c.Set.Len() != 0 && c.Min >= 0 && c.Min <= c.Max && c.Max <= len(c.Cards), "%s is to prove %+v", move, c)
		}
		again, _, _ := skat.Rules{}.Apply(s, table.Input[skat.Move]{Seat: by, Move: m, Faces: state.Faces()})
		testmust.Requiref(t, reflect.DeepEqual(next, again), "%s leads to two states", move)
		skat.Rules{}.Duties(next)
		if after := len(next.Past); after > len(s.Past) && next.Past[after-1].Declarer == nil && s.Deal.Declarer != skat.Nobody {
			t.Fatalf("%s: a game without its declarer", move)
		}
	})
}

func encoded(t *testing.T, s skat.State) string {
	return string(testmust.Have(json.Marshal(s))(t))
}
