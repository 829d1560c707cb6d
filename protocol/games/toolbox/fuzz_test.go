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
	"github.com/pakli/pakli/protocol/games/toolbox/toolboxtest"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

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
		played := testmust.Have(tabletest.New(toolboxtest.Game, tabletest.Config{Seats: 2, Options: map[string]string{"faces": "6"}}, 1))(t)
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
			testmust.Do(t, toolboxtest.Steps(played), "a step after", played.Entries[len(played.Entries)-1])
			testmust.Do(t, consistent(played))
			toolboxtest.Sign(played, seat, string(move)) // most are refused
		}
	})
}
