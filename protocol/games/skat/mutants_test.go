package skat_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/skat/deck"
	"github.com/pakli/pakli/protocol/games/skat/skattest/referee"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/mutants"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// vocabulary is what stands in moves.
var vocabulary = mutants.Vocabulary{
	Words: slices.Concat(strings.Fields("pass yes 18 20 23 24 264 25 take hand push accept play-on C S H D G N"), deck.Names()),
	Verbs: strings.Fields("agree announce answer aside call choose claim concede kontra lay matadors open play re"),
	Move:  func() any { return new(skat.Move) },
}

func newCampaign() *campaign {
	return &campaign{mutants.Campaign{Effort: mutants.Asked(mutants.Effort{Bytes: 2, Moves: 8}), Words: vocabulary, Legal: func(t *tabletest.Table) error {
		_, err := referee.Judge(t)
		return err
	}}}
}

// kindOf says of what kind an entry is: of a move also which field it sets, and what it
// proves and turns up.
func (s *stacked) kindOf(at int) string {
	w := s.parse(s.Entries[at])
	if w.Kind != table.Move {
		return string(w.Kind)
	}
	var body wire.MoveBody
	var fields map[string]json.RawMessage
	if err := wire.DecodeBody(w.Body, &body); err != nil {
		s.Fatal(err)
	}
	if err := json.Unmarshal(body.Move, &fields); err != nil {
		s.Fatal(err)
	}
	terms, err := s.States[at-1].Terms(table.Seat(w.Seat), body.Move)
	if err != nil {
		s.Fatal(err)
	}
	words := slices.Collect(maps.Keys(fields))
	if len(terms.Open) > 0 {
		words = append(words, "open")
	}
	for _, c := range terms.Prove {
		words = append(words, c.Claim)
	}
	return strings.Join(words, " ")
}

// campaign is of kinds of entries that are told with their fields.
type campaign struct{ mutants.Campaign }

// alter alters the first entry of every kind that no other table had.
func (c *campaign) alter(s *stacked) {
	s.Helper()
	for at := range s.Entries[1:] {
		at++
		if c.New(s.kindOf(at)) {
			c.Alter(s.T, s.Table, at, func(x mutants.Mutant, fault *table.Fault) { s.show(at, x, fault) })
		}
	}
}

// show shows a mutant to the verifier, in a log with what came before and after it: it
// must say what the replay says.
func (s *stacked) show(at int, x mutants.Mutant, fault *table.Fault) {
	s.Helper()
	memory, key, err := ledgertest.NewMemory("log.example/skat")
	if err != nil {
		s.Fatal(err)
	}
	for _, entry := range slices.Concat(s.Entries[:at], [][]byte{x.Entry}, s.Entries[at+1:min(len(s.Entries), at+4)]) {
		if _, err := memory.Append(s.Context(), entry); err != nil {
			s.Fatal(err)
		}
	}
	report, err := verifier.Verify(s.Context(), memory, verifier.Options{Table: s.State.ID(), Log: []note.Verifier{key}, Catalogue: s.Catalogue()})
	if err != nil {
		s.Fatal(err)
	}
	foul := fault != nil && fault.Class == table.Foul
	switch {
	case foul != (report.Verdict == verifier.Foul), foul != (len(report.Findings) == 1):
		s.Errorf("entry %d, %s: %s %v, want %v", at, x.Name, report.Verdict, report.Findings, fault)
	case foul && (*report.Findings[0].Seat != fault.Seat || report.Findings[0].Check != fault.Check || *report.Findings[0].Index != uint64(at)):
		s.Errorf("entry %d, %s: seat %d is blamed by %s, want %v", at, x.Name, *report.Findings[0].Seat, report.Findings[0].Check, fault)
	}
}

// Nothing slips through: for every kind of entry that a list of Skat has, each field,
// value, proof and signature altered, by an outsider and by the seat itself. A mutant that
// is applied, unless the referee finds it legal; a foul laid at another seat's door.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("alters every kind of entry")
	}
	c := newCampaign()
	t.Run("tables", func(t *testing.T) {
		for i, h := range honestCases {
			t.Run(fmt.Sprint(h.id, " ", i), func(t *testing.T) {
				t.Parallel()
				s := newStacked(t, tabletest.Config{Seats: h.seats, Deals: 2, Suite: twoSuites(t)[1], Options: h.o}, dealt(t, h.hands...))
				h.play(s)
				c.alter(s)
			})
		}
		for i, x := range rare {
			t.Run(fmt.Sprint("rare ", i), func(t *testing.T) {
				t.Parallel()
				s := newStacked(t, tabletest.Config{Deals: 2, Suite: twoSuites(t)[1], Options: x.o}, dealt(t, x.hands...))
				x.play(s)
				c.alter(s)
			})
		}
	})
	c.complete(t)
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
		s.calls(m, "pass", r, "pass", f, "pass")
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

// complete fails if a kind of message, a field of moves or a proof was met by no mutant.
func (c *campaign) complete(t *testing.T) {
	t.Helper()
	proofs := strings.Fields("P-VOID P-NOTRUMP P-NOJACK P-VOIDN D-NOJACK M-WITH M-WITHOUT")
	c.Complete(t, slices.Concat(strings.Fields("key shuffle show give permute"), vocabulary.Verbs, proofs)...)
}

// The same of every entry of a whole log of four seats, of whom one deals and sits out.
func TestMutantsOfLog(t *testing.T) {
	if testing.Short() {
		t.Skip("alters every entry of a log")
	}
	s := newStacked(t, tabletest.Config{Seats: 4, Deals: 2, Suite: twoSuites(t)[1]}, dealt(t, three...))
	s.announced(f, 18, deck.ClubsGame, "")
	s.plays("JC")
	s.anyCard(m)
	s.do(f, conceded())
	s.steps()
	c := newCampaign()
	c.Effort = mutants.Asked(mutants.Effort{Bytes: 2, Moves: 4})
	c.Log(t, s.Table)
	c.Complete(t, "key", "shuffle", "show", "move")
}
