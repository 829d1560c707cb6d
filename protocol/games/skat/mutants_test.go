package skat_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/skat/deck"
	"github.com/pakli/pakli/protocol/games/skat/skattest/referee"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/mutants"
	"github.com/pakli/pakli/verifier/verifiertest"
)

// vocabulary is what stands in moves.
var vocabulary = mutants.Vocabulary{
	Words: slices.Concat(strings.Fields("pass yes 18 20 23 24 264 25 take hand push accept play-on C S H D G N"), deck.Names()),
	Verbs: strings.Fields("agree announce answer aside call choose claim concede kontra lay matadors open play re"),
	Move:  func() any { return new(skat.Move) },
}

func newCampaign(moves int) *mutants.Campaign {
	return &mutants.Campaign{Effort: mutants.Asked(mutants.Effort{Bytes: 2, Moves: moves}), Words: vocabulary, Shows: shows, Legal: func(t *tabletest.Table) error {
		_, err := referee.Judge(t)
		return err
	}}
}

func shows(t testing.TB, played *tabletest.Table, at int, m mutants.Mutant, fault *table.Fault) {
	verifiertest.Shown(t, played, at, m.Entry, fault)
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
	if thorough.Tests() {
		hides = remasking()
	}
	t.Run("tables", func(t *testing.T) {
		for i, h := range honestCases {
			t.Run(fmt.Sprint(h.id, " ", i), func(t *testing.T) {
				t.Parallel()
				s := newStacked(t, tabletest.Config{Seats: h.seats, Deals: 2, Suite: hides, Options: h.o}, dealt(t, h.hands...))
				h.play(s)
				c.Kinds(t, s.Table)
			})
		}
		for i, x := range rare {
			t.Run(fmt.Sprint("rare ", i), func(t *testing.T) {
				t.Parallel()
				s := newStacked(t, tabletest.Config{Deals: 2, Suite: hides, Options: x.o}, dealt(t, x.hands...))
				x.play(s)
				c.Kinds(t, s.Table)
			})
		}
	})
	proofs := strings.Fields("P-VOID P-NOTRUMP P-NOJACK P-VOIDN D-NOJACK M-WITH M-WITHOUT")
	c.Complete(t, slices.Concat(strings.Fields("key shuffle show give permute"), vocabulary.Verbs, proofs)...)
}

// rare are entries that the honest cases lack.
var rare = []honest{
	{o: options{"kontra": "any"}, hands: three, play: func(s *stacked) {
		s.announced(f, 18, deck.ClubsGame, "ouvert")
		s.do(m, said(true, false))
		s.do(f, said(true, true))
		open := s.opens()
		s.do(f, skat.Move{Open: &open})
	}},
	{hands: []string{"7S", "AH KH QH 7H 8H AD KD QD 7D 8D"}, play: func(s *stacked) { s.announced(m, 18, deck.Null, ""); s.plays("7S"); s.anyCard(m) }},
	{hands: []string{"JC AC AS", "7S 8S"}, play: func(s *stacked) { s.announced(f, 18, deck.Grand, ""); s.plays("JC"); s.anyCard(m); s.anyCard(r) }},
	{o: proved, hands: []string{"", "JC JS", "JH JD"}, play: func(s *stacked) { s.announced(f, 18, deck.ClubsGame, ""); s.do(f, conceded()); s.do(f, s.lays()) }},
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
	s.announced(f, 18, deck.ClubsGame, "")
	s.plays("JC")
	s.anyCard(m)
	s.do(f, conceded())
	s.steps()
	c := newCampaign(4)
	c.Shows = nil
	c.Log(t, s.Table)
	c.Complete(t, "key", "shuffle", "show", "move")
}
