package schwarzerpeter_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	sp "github.com/pakli/pakli/protocol/games/schwarzerpeter"
	"github.com/pakli/pakli/protocol/table"
)

func setup(t *testing.T, seats, deals int, o options) (sp.State, []string) {
	t.Helper()
	s, deck, err := sp.Rules{}.Setup(table.Config{Seats: seats, Deals: deals, Options: o})
	testmust.Do(t, err)
	var faces []string
	for f := range deck.Len() {
		faces = append(faces, deck.FaceName(card.Face(f)))
	}
	return s, faces
}

// at is a state in which turn may lay down, or must draw, with hands of these sizes, dealt one after another.
func at(t *testing.T, stage sp.Stage, turn table.Seat, o options, sizes ...int) sp.State {
	t.Helper()
	s, _ := setup(t, len(sizes), 1, o)
	s.Stage, s.Turn = stage, turn
	next := table.Card(0)
	for seat, n := range sizes {
		s.Hands[seat] = nil
		for range n {
			s.Hands[seat] = append(s.Hands[seat], next)
			next++
		}
	}
	return s
}

// lay is the move of laying down cards two by two: card, face, card, face…
func lay(cards ...any) sp.Move {
	pairs := []sp.Pair{}
	for i := 0; i < len(cards); i += 4 {
		pairs = append(pairs, sp.Pair{
			{Card: table.Card(cards[i].(int)), Face: cards[i+1].(string)},
			{Card: table.Card(cards[i+2].(int)), Face: cards[i+3].(string)},
		})
	}
	return sp.Move{Lay: &pairs}
}

func draw(from table.Seat, position int) sp.Move {
	return sp.Move{Draw: &sp.Draw{From: from, Position: position}}
}

// view is what seat 0 sees, whose cards are numbered from 0.
func view(faces []string, hand ...string) table.View {
	v := table.View{Faces: map[table.Card]card.Face{}}
	for i, f := range hand {
		v.Faces[table.Card(i)] = card.Face(slices.Index(faces, f))
	}
	return v
}

func apply(s sp.State, m sp.Move) (sp.State, table.Terms, error) {
	return sp.Rules{}.Apply(s, table.Input[sp.Move]{Seat: s.Turn, Move: m})
}

// wants checks that err cites a rule.
func wants(t *testing.T, what string, err error, rule string) {
	t.Helper()
	testmust.FailSaying(t, err, rule, what, "want an error citing")
}

// SP-S3, SP-S5, SP-C1, SP-C3, SP-C4: cheats in laying down and in drawing that can be seen without looking at a card.
func TestForbiddenMoves(t *testing.T) {
	article, common := options{"rules": "article"}, options{}
	laying := []sp.State{at(t, sp.Laying, 0, article, 5, 4), at(t, sp.Laying, 0, common, 5, 4)}
	for _, c := range []struct {
		name  string
		state sp.State
		move  sp.Move
		rule  string
	}{
		{"two pairs", laying[0], lay(0, "1a", 1, "1b", 2, "2a", 3, "2b"), "SP-S3"},
		{"two unequal cards", laying[0], lay(0, "3a", 1, "4a"), "SP-S3"},
		{"the odd card", laying[0], lay(0, "0", 1, "1a"), "SP-S3"},
		{"the odd card twice", laying[0], lay(0, "0", 1, "0"), "SP-S3"},
		{"one face twice", laying[0], lay(0, "3a", 1, "3a"), "SP-S3"},
		{"one card twice", laying[0], lay(0, "3a", 0, "3b"), "SP-S3"},
		{"a card of the other hand", laying[0], lay(0, "3a", 6, "3b"), "SP-S3"},
		{"a card that does not exist", laying[0], lay(0, "3a", 99, "3b"), "SP-S3"},
		{"a face that does not exist", laying[0], lay(0, "13a", 1, "13b"), "SP-S1"},
		{"a draw", laying[0], draw(1, 0), "SP-S3"},
		{"nothing and everything", laying[0], sp.Move{}, "SP-S3"},
		{"both at once", laying[0], sp.Move{Lay: lay().Lay, Draw: draw(1, 0).Draw}, "SP-S3"},
		{"two unequal cards", laying[1], lay(0, "7H", 1, "8H"), "SP-C1"},
		{"two colours", laying[1], lay(0, "7H", 1, "7C"), "SP-C1"},
		{"the card that was taken out", laying[1], lay(0, "JS", 1, "JC"), "SP-C1"},
		{"a card of another hand", laying[1], lay(0, "7H", 6, "7D"), "SP-C3"},
		{"a card laid down before in the move", laying[1], lay(0, "7H", 1, "7D", 1, "8H", 2, "8D"), "SP-C3"},
		{"a draw", laying[1], draw(1, 0), "SP-C3"},
		{"own card", at(t, sp.Drawing, 1, article, 5, 4), draw(1, 0), "SP-S5"},
		{"no such position", at(t, sp.Drawing, 1, article, 5, 4), draw(0, 5), "SP-S5"},
		{"negative position", at(t, sp.Drawing, 1, article, 5, 4), draw(0, -1), "SP-S5"},
		{"laying down instead", at(t, sp.Drawing, 1, article, 5, 4), lay(), "SP-S5"},
		{"own card", at(t, sp.Drawing, 1, common, 3, 3, 3), draw(1, 0), "SP-C4"},
		{"right neighbour", at(t, sp.Drawing, 1, common, 3, 3, 3), draw(0, 0), "SP-C4"},
		{"a seat that is out", at(t, sp.Drawing, 1, common, 3, 3, 0, 3), draw(2, 0), "SP-C4"},
		{"beyond a seat with cards", at(t, sp.Drawing, 1, common, 3, 3, 1, 3), draw(3, 0), "SP-C4"},
		{"a seat that does not exist", at(t, sp.Drawing, 1, common, 3, 3, 3), draw(7, 0), "SP-C4"},
		{"no such position", at(t, sp.Drawing, 1, common, 3, 3, 2), draw(2, 2), "SP-C4"},
		{"laying down instead", at(t, sp.Drawing, 1, common, 3, 3, 3), lay(), "SP-C4"},
	} {
		before := fmt.Sprint(c.state)
		next, _, err := apply(c.state, c.move)
		wants(t, c.name, err, c.rule)
		testmust.Equal(t, fmt.Sprint(next), before, c.name, "the state changed")
	}
}

// SP-S1, SP-C1: a deck with a type missing, or from which another card was taken.
func TestDecks(t *testing.T) {
	for _, c := range []struct {
		o            options
		size, ranks  int
		odd, without string
	}{
		{options{"rules": "article"}, 25, 13, "0", "0a"},
		{options{"pack": "32", "odd": "jack"}, 31, 8, "JS", "JC"}, {options{"pack": "32", "odd": "queen"}, 31, 8, "QS", "QC"},
		{options{"pack": "52", "odd": "jack"}, 51, 13, "JS", "JC"}, {options{"pack": "52", "odd": "queen"}, 51, 13, "QS", "QC"},
	} {
		_, faces := setup(t, 2, 1, c.o)
		ranks := map[string]bool{}
		for _, f := range faces {
			ranks[strings.TrimRight(f, "abCSHD")] = true
		}
		testmust.Holdf(t, len(faces) == c.size && len(ranks) == c.ranks && slices.Contains(faces, c.odd) && !slices.Contains(faces, c.without),
			"%v: %v", c.o, faces)
	}
}

// SP-C1, SP-S3: every pair of faces of every deck, and how many of them are
// pairs, counted by hand.
func TestPairs(t *testing.T) {
	for _, c := range []struct {
		o       options
		ordered int
	}{
		{options{"rules": "article"}, 12 * 2},
		{options{}, (16 - 1) * 2},
		{options{"pack": "52", "odd": "queen"}, (26 - 1) * 2},
		{options{"pair": "rank"}, 7*4*3 + 3*2},
		{options{"pair": "rank", "pack": "52"}, 12*4*3 + 3*2},
	} {
		s := at(t, sp.Laying, 0, c.o, 5, 4)
		_, faces := setup(t, 2, 1, c.o)
		n := 0
		for _, f := range faces {
			for _, g := range faces {
				_, _, err := apply(s, lay(0, f, 1, g))
				testmust.Equal(t, naivePair(s.Options, f, g), (err == nil), c.o, f, g, err, "want a pair")
				if err == nil {
					n++
				}
			}
		}
		testmust.Equal(t, n, c.ordered, c.o, "ordered pairs")
	}
}

// SP-C3: what bots are offered; keeping pairs only under keep-pairs, though
// nobody can be held to lay down.
func TestC3Offers(t *testing.T) {
	for _, c := range []struct {
		o    options
		want []int // pairs in each move offered
	}{{options{}, []int{2}}, {options{"keep-pairs": "true"}, []int{2, 1, 0}}} {
		s := at(t, sp.Laying, 0, c.o, 5, 4)
		_, faces := setup(t, 2, 1, c.o)
		v := view(faces, "7H", "KC", "7D", "AS", "KS")
		var got []int
		for _, m := range (sp.Rules{}).Moves(s, v) {
			got = append(got, len(*m.Lay))
			_, _, err := apply(s, m)
			testmust.Do(t, err, "offered move", m)
		}
		testmust.Hold(t, slices.Equal(got, c.want), c.o, "moves of", got, "pairs, want", c.want)
		_, _, err := apply(s, lay())
		testmust.Do(t, err, c.o, "keeping two pairs")
	}
}

// Options that make no sense together, or none at all.
func TestOptions(t *testing.T) {
	for _, c := range []struct {
		seats int
		o     options
		want  string
	}{
		{3, options{"rules": "article"}, "SP-S2: 3 seats"},
		{2, options{"rules": "article", "pack": "32"}, "option pack"},
		{2, options{"rules": "article", "keep-pairs": "false"}, "option keep-pairs"},
		{2, options{"rules": "article", "last-holder": "loses"}, "option last-holder"},
		{2, options{"rules": "other"}, "must be one of common, article"},
		{2, options{"pack": "36"}, "must be one of 32, 52"},
		{2, options{"odd": "king"}, "must be one of jack, queen"},
		{2, options{"pair": "suit"}, "must be one of colour, rank"},
		{2, options{"keep-pairs": "yes"}, "must be one of false, true"},
		{2, options{"last-holder": ""}, "must be one of loses, wins"},
		{2, options{"joker": "1"}, "unknown option joker"},
		{2, options{"rules": "article", "joker": "1"}, "unknown option joker"},
		{1, nil, "SP-C2: 1 seats"},
		{9, nil, "SP-C2: 9 seats"},
	} {
		_, _, err := sp.Rules{}.Setup(table.Config{Seats: c.seats, Deals: 1, Options: c.o})
		wants(t, fmt.Sprintf("%d seats %v", c.seats, c.o), err, c.want)
	}
	_, _, err := (sp.Rules{}).Setup(table.Config{Seats: 2, Deals: 0})
	testmust.Fail(t, err, "a table of no deals")
}
