package toolbox_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/toolbox"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/verifiertest"
)

// operated is a table on which seats do what a test says.
type operated struct {
	verifiertest.PlayedTable
}

func newOperated(t *testing.T, c tabletest.Config) *operated {
	t.Helper()
	c.Suite, _ = suite.Lookup(suite.Default)
	return newClear(t, c)
}

// newClear is a table without cryptography, unless c has a suite.
func newClear(t *testing.T, c tabletest.Config) *operated {
	t.Helper()
	played := testmust.Have(tabletest.New(verifiertest.Game, c, 1))(t)
	o := &operated{verifiertest.PlayedTable{T: t, Table: played}}
	o.steps()
	return o
}

// steps takes the steps of the protocol that are due.
func (o *operated) steps() {
	o.Helper()
	testmust.Do(o.T, verifiertest.TakeSteps(o.Table))
}

// signs makes a seat's move, and leaves what it needs to be done.
func (o *operated) signs(seat table.Seat, move string) {
	o.Helper()
	testmust.Do(o.T, verifiertest.SignMove(o.Table, seat, move))
}

// does makes a seat's move, and all that it needs.
func (o *operated) does(seat table.Seat, move string) {
	o.Helper()
	o.signs(seat, move)
	o.steps()
}

const a, b = table.Seat(0), table.Seat(1)

// referee says what is wrong with a table after its last move, if all cards lie open: no
// card is at two places, nobody holds what is another's, and what was shown or said is true.
func referee(t *tabletest.Table) error {
	s, _ := table.Public[toolbox.State](t.State)
	lists := slices.Clone(s.Hands)
	for _, pile := range s.Piles {
		lists = append(lists, pile)
	}
	all := slices.Concat(lists...)
	slices.Sort(all)
	if n := len(all); n != len(slices.Compact(all)) {
		return fmt.Errorf("a card is at two places: %v", lists)
	}
	e, err := wire.Parse(t.Entries[len(t.Entries)-1])
	if err != nil {
		return err
	}
	var body wire.MoveBody
	var m toolbox.Move
	if err := wire.DecodeBody(e.Message.Body, &body); err != nil {
		return err
	}
	if err := json.Unmarshal(body.Move, &m); err != nil {
		return err
	}
	before := *t
	before.State = t.States[len(t.States)-2]
	hand, in := before.Hand(table.Seat(e.Message.Seat)), 0
	if m.Cards == nil || m.Faces == nil {
		return nil
	}
	for i, c := range *m.Cards {
		if m.Op == "show" && hand[c] != (*m.Faces)[i] {
			return fmt.Errorf("card %d is shown as %d and is %d", c, (*m.Faces)[i], hand[c])
		}
		if slices.Contains(*m.Faces, hand[c]) {
			in++
		}
	}
	if m.Op == "state" && (in < m.Min || in > m.Max) {
		return fmt.Errorf("%d of %v are in %v", in, *m.Cards, *m.Faces)
	}
	return nil
}

// Nothing slips through: of every entry of a log with every operation, each field, value,
// proof and signature altered, by an outsider and by the seat itself. A mutant that is
// applied, unless the referee finds it legal; a foul that another seat is blamed for.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("alters every entry of a log")
	}
	c := &tabletest.Campaign{
		Effort: tabletest.ChosenEffort(tabletest.Effort{Bytes: 2, Moves: 8}),
		Words: tabletest.Vocabulary{
			Words: []string{"p", "q", "r", "A", "B", "cut", "mix", "deck", "coin", "reveal", "0", "1"},
			Verbs: []string{"pile", "to", "seat", "cards", "faces", "n", "min", "max", "value"},
			Move:  func() any { return new(toolbox.Move) },
		},
		Legal: referee,
	}
	s, _ := suite.Lookup(suite.Default)
	played := testmust.Have(verifiertest.PlayEverything(tabletest.Config{Suite: s}, 1))(t)
	c.AlterAll(t, played)
	c.RequireWords(t, "key", "shuffle", "show", "give", "permute", "return", "mix", "cut", "insert", "mint", "move")
}

// The same of entries that ask for proofs, or give them, and of those that others ask about: what is
// wrong with a commitment its seat is blamed for when it answers.
func TestMutantsAsked(t *testing.T) {
	if testing.Short() {
		t.Skip("alters every kind of entry")
	}
	s, _ := suite.Lookup("ristretto255-cutandchoose-chosen40/v1")
	played := testmust.Have(verifiertest.PlayEverything(tabletest.Config{Suite: s}, 1))(t)
	c := &tabletest.Campaign{Effort: tabletest.ChosenEffort(tabletest.Effort{Bytes: 2})}
	for at, before := range played.States[:len(played.States)-1] {
		e := testmust.Have(wire.Parse(played.Entries[at+1]))(t)
		_, asked := before.Question()
		_, asks := played.States[at+1].Question()
		if kind := e.Message.Kind; (asked || asks || kind == table.Key) && c.IsNewKind(string(kind)) {
			c.Alter(t, played, at+1)
		}
	}
	c.RequireWords(t, "key", "shuffle", "permute", "mix", "beacon", "answer")
}

var (
	ops = []string{"deck", "create", "create", "mask", "mask", "private", "random", "mix", "cut", "equal", "insert", "insert", "return", "return",
		"join", "split", "take", "deal", "deal", "deal", "show", "give", "draw", "permute", "state", "coin", "no"}
	names = []string{"p", "q", "deck", "deck", "r", "", "P"}
)

// operation is any operation, with fields that it may have or not, as bytes say.
func operation(next func(int) int) toolbox.Move {
	m := toolbox.Move{Op: ops[next(len(ops))], Pile: names[next(len(names))]}
	list := func(n int) (l []int) {
		for range next(n) {
			l = append(l, next(12))
		}
		return l
	}
	switch m.Op {
	case "deck", "permute", "coin":
		m.Pile = ""
	case "equal", "join", "split", "take":
		m.To, m.N = names[next(len(names))], next(6)-1
	case "deal":
		m.Seat, m.N = table.Seat(next(3)).Letter(), next(5)
	}
	if m.Op == "equal" || m.Op == "join" {
		m.N = 0
	}
	if slices.Contains([]string{"insert", "return", "show", "give", "draw", "state"}, m.Op) {
		cards := []table.Card{}
		for _, c := range list(4) {
			cards = append(cards, table.Card(c))
		}
		if m.Cards = &cards; m.Op != "insert" && m.Op != "return" {
			m.Pile = ""
		}
		if m.Op == "give" {
			m.Seat = table.Seat(next(3)).Letter()
		}
	}
	if slices.Contains([]string{"create", "private", "random", "state"}, m.Op) || m.Op == "show" && next(2) == 0 {
		faces := []card.Face{}
		for _, f := range list(5) {
			faces = append(faces, card.Face(f))
		}
		if m.Op != "create" {
			slices.Sort(faces)
		}
		m.Faces = &faces
	}
	if m.Op == "state" {
		m.Min, m.Max = next(3)-1, next(4)
	}
	return m
}

// consistent says where the rules and the table differ about where cards are.
func consistent(t *tabletest.Table) error {
	s, _ := table.Public[toolbox.State](t.State)
	if s.Places != t.State.Cards() {
		return fmt.Errorf("%d places, and %d cards", s.Places, t.State.Cards())
	}
	seen := map[table.Card]bool{}
	for seat, hand := range s.Hands {
		held := t.State.Hand(table.Seat(seat))
		for _, c := range hand {
			if seen[c] || !slices.Contains(held, c) {
				return fmt.Errorf("card %d of seat %d is elsewhere", c, seat)
			}
			seen[c] = true
		}
	}
	for name, pile := range s.Piles {
		for _, c := range pile {
			if seen[c] || int(c) >= s.Places || slices.ContainsFunc(t.Hands, func(h player.Hand) bool { return slices.Contains(t.State.Hand(h.Seat), c) }) {
				return fmt.Errorf("card %d of pile %s is elsewhere", c, name)
			}
			seen[c] = true
		}
	}
	return nil
}

// Operations in any order, most of which must not be done, that stop the program, or after
// which a card is at two places, or where the table does not know it; and steps that an honest
// seat cannot take.
func FuzzOperations(f *testing.F) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 15 {
		seed := make([]byte, 1_500)
		for i := range seed {
			seed[i] = byte(random.Uint32())
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		played := testmust.Have(tabletest.New(verifiertest.Game, tabletest.Config{Seats: 2, Options: map[string]string{"faces": "6"}}, 1))(t)
		next := func(n int) int {
			if len(data) == 0 {
				return 0
			}
			b := int(data[0])
			data = data[1:]
			return b % n
		}
		for tries := 0; len(data) > 0 && tries < 400; tries++ {
			seat := table.Seat(next(2))
			move := testmust.Have(json.Marshal(operation(next)))(t)
			testmust.Do(t, verifiertest.TakeSteps(played), "a step after", played.Entries[len(played.Entries)-1])
			testmust.Do(t, consistent(played))
			verifiertest.SignMove(played, seat, string(move)) // most are refused
		}
	})
}
