package schwarzerpeter_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/card"
	sp "github.com/pakli/pakli/protocol/games/schwarzerpeter"
	"github.com/pakli/pakli/protocol/table"
)

// setup returns the first state of a table and the names of its deck's faces.
// settled is s after the protocol steps it waits for; this game turns no card up by them.
func settled(s sp.State) sp.State { return sp.Rules{}.Settle(s, nil) }

func setup(t *testing.T, seats, deals int, o options) (sp.State, []string) {
	t.Helper()
	s, deck, err := sp.Rules{}.Setup(table.Config{Seats: seats, Deals: deals, Options: o})
	if err != nil {
		t.Fatal(err)
	}
	var faces []string
	for f := range deck.Len() {
		faces = append(faces, deck.FaceName(card.Face(f)))
	}
	return s, faces
}

// laying returns a state in which seat 0 may lay down, with hands of these
// sizes, dealt one after another.
func laying(t *testing.T, o options, sizes ...int) sp.State {
	t.Helper()
	s, _ := setup(t, len(sizes), 1, o)
	return sized(s, sp.Laying, sizes)
}

// drawing returns a state in which turn must draw.
func drawing(t *testing.T, turn table.Seat, o options, sizes ...int) sp.State {
	t.Helper()
	s, _ := setup(t, len(sizes), 1, o)
	s = sized(s, sp.Drawing, sizes)
	s.Turn = turn
	return s
}

func sized(s sp.State, stage sp.Stage, sizes []int) sp.State {
	s.Stage, s.Turn = stage, 0
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
	if err == nil || !strings.Contains(err.Error(), rule) {
		t.Errorf("%s: got %v, want an error citing %s", what, err, rule)
	}
}

// SP-S1: a deck with a type missing, or with two Schwarze Peter.
func TestS1Deck(t *testing.T) {
	_, faces := setup(t, 2, 1, options{"rules": "article"})
	count := map[string]int{}
	for _, f := range faces {
		count[strings.TrimRight(f, "ab")]++
	}
	if len(faces) != 25 || len(count) != 13 || count["0"] != 1 {
		t.Errorf("deck %v", faces)
	}
	for i := 1; i <= 12; i++ {
		if n := count[fmt.Sprint(i)]; n != 2 {
			t.Errorf("type %d is there %d times, want 2", i, n)
		}
	}
}

// SP-S2: who shuffles when, and who gets which positions; the next deal with
// roles exchanged.
func TestS2Deal(t *testing.T) {
	s, _ := setup(t, 2, 2, options{"rules": "article"})
	if d := (sp.Rules{}).Duties(s); len(d) != 1 || d[0].Kind != table.Shuffle || !slices.Equal(d[0].Seats, []table.Seat{0, 1}) {
		t.Errorf("duties %v, want that seat 0 shuffles, then seat 1", d)
	}
	s = settled(s)
	for i := range table.Card(25) {
		owner := table.Seat(0)
		if i >= 13 {
			owner = 1
		}
		if !slices.Contains(s.Hands[owner], i) {
			t.Errorf("position %d is not dealt to seat %d", i+1, owner)
		}
	}
	if len(s.Hands[0]) != 13 || len(s.Hands[1]) != 12 {
		t.Errorf("hands of %d and %d cards, want 13 and 12", len(s.Hands[0]), len(s.Hands[1]))
	}
}

// SP-S3: a round begins with the second seat; one pair at most; none is fine.
func TestS3Laying(t *testing.T) {
	article := options{"rules": "article"}
	s, _ := setup(t, 2, 1, article)
	s = settled(settled(s))
	if s.Stage != sp.Laying || s.Turn != 1 {
		t.Fatalf("stage %s, turn %d: want that seat 1 may lay down first", s.Stage, s.Turn)
	}
	s, _, err := apply(s, lay())
	if err != nil || s.Stage != sp.Laying || s.Turn != 0 {
		t.Fatalf("stage %s, turn %d (%v): want that seat 0 may lay down next", s.Stage, s.Turn, err)
	}
	_, _, err = apply(s, lay(0, "1a", 1, "1b", 2, "2a", 3, "2b"))
	wants(t, "two pairs", err, "SP-S3")
	next, terms, err := apply(s, lay(4, "7b", 1, "7a"))
	if err != nil || len(next.Laid[0]) != 1 || slices.Contains(next.Hands[0], 4) || slices.Contains(next.Hands[0], 1) || len(next.Hands[0]) != 11 {
		t.Errorf("one pair: %v, %v", next, err)
	}
	if len(terms.Open) != 2 || terms.Open[0].Card != 4 || terms.Open[1].Card != 1 {
		t.Errorf("terms %v: both cards must be opened", terms)
	}
}

// Cheats of SP-S3, SP-C3 and SP-C1 that can be seen without looking at a card.
func TestLayingCheats(t *testing.T) {
	article, common := options{"rules": "article"}, options{}
	for _, c := range []struct {
		name string
		o    options
		move sp.Move
		rule string
	}{
		{"two unequal cards", article, lay(0, "3a", 1, "4a"), "SP-S3"},
		{"the odd card", article, lay(0, "0", 1, "1a"), "SP-S3"},
		{"the odd card twice", article, lay(0, "0", 1, "0"), "SP-S3"},
		{"one face twice", article, lay(0, "3a", 1, "3a"), "SP-S3"},
		{"one card twice", article, lay(0, "3a", 0, "3b"), "SP-S3"},
		{"a card of the other hand", article, lay(0, "3a", 6, "3b"), "SP-S3"},
		{"a card that does not exist", article, lay(0, "3a", 99, "3b"), "SP-S3"},
		{"a face that does not exist", article, lay(0, "13a", 1, "13b"), "SP-S1"},
		{"a draw", article, draw(1, 0), "SP-S3"},
		{"nothing and everything", article, sp.Move{}, "SP-S3"},
		{"both at once", article, sp.Move{Lay: lay().Lay, Draw: draw(1, 0).Draw}, "SP-S3"},
		{"two unequal cards", common, lay(0, "7H", 1, "8H"), "SP-C1"},
		{"two colours", common, lay(0, "7H", 1, "7C"), "SP-C1"},
		{"the card that was taken out", common, lay(0, "JS", 1, "JC"), "SP-C1"},
		{"a card of another hand", common, lay(0, "7H", 6, "7D"), "SP-C3"},
		{"a card laid down before in the move", common, lay(0, "7H", 1, "7D", 1, "8H", 2, "8D"), "SP-C3"},
		{"a draw", common, draw(1, 0), "SP-C3"},
	} {
		s := laying(t, c.o, 5, 4)
		next, _, err := apply(s, c.move)
		wants(t, c.name, err, c.rule)
		if fmt.Sprint(next) != fmt.Sprint(s) {
			t.Errorf("%s: the state changed", c.name)
		}
	}
}

// A card that lies on the table can not be laid down again.
func TestLaidCardsAreGone(t *testing.T) {
	for _, o := range []options{{"rules": "article"}, {}} {
		s := laying(t, o, 6, 5)
		move := lay(0, "7a", 1, "7b")
		if o["rules"] == "" {
			move = lay(0, "7H", 1, "7D")
		}
		next, _, err := apply(s, move)
		if err != nil {
			t.Fatal(err)
		}
		next.Stage, next.Turn = sp.Laying, 0
		_, _, err = apply(next, move)
		wants(t, "again", err, "3: card 0 is not")
	}
}

// SP-S4: an empty hand wins, but only after both had the chance.
func TestS4End(t *testing.T) {
	s := laying(t, options{"rules": "article"}, 3, 2)
	s.Turn, s.Lay = 1, []table.Seat{0}
	s, _, err := apply(s, lay(3, "4a", 4, "4b"))
	if err != nil || s.Stage != sp.Laying || s.Turn != 0 {
		t.Fatalf("stage %s, turn %d (%v): seat 0 has its chance", s.Stage, s.Turn, err)
	}
	s, _, err = apply(s, lay(0, "5a", 1, "5b"))
	if err != nil || s.Stage != sp.Over || !slices.Equal(s.Scores, []int{-1, 1}) {
		t.Fatalf("stage %s, scores %v (%v): seat 1 has won", s.Stage, s.Scores, err)
	}
	if d := (sp.Rules{}).Duties(s); len(d) != 0 {
		t.Errorf("duties %v after the end", d)
	}
}

// SP-S5: who has fewer cards draws; with equal numbers seat 0.
func TestS5Drawer(t *testing.T) {
	for _, c := range []struct{ first, second, drawer int }{{5, 4, 1}, {4, 5, 0}, {4, 4, 0}, {1, 2, 0}, {2, 1, 1}} {
		s := laying(t, options{"rules": "article"}, c.first, c.second)
		if c.first == 1 {
			s.Turn = 1
		}
		s, _, err := apply(s, lay())
		if err != nil || s.Stage != sp.Drawing || int(s.Turn) != c.drawer {
			t.Errorf("%d and %d cards: stage %s, turn %d (%v), want a draw by seat %d", c.first, c.second, s.Stage, s.Turn, err, c.drawer)
		}
	}
}

// SP-S5, SP-C4: cheats in drawing.
func TestDrawingCheats(t *testing.T) {
	article, common := options{"rules": "article"}, options{}
	for _, c := range []struct {
		name  string
		state sp.State
		move  sp.Move
		rule  string
	}{
		{"own card", drawing(t, 1, article, 5, 4), draw(1, 0), "SP-S5"},
		{"no such position", drawing(t, 1, article, 5, 4), draw(0, 5), "SP-S5"},
		{"negative position", drawing(t, 1, article, 5, 4), draw(0, -1), "SP-S5"},
		{"laying down instead", drawing(t, 1, article, 5, 4), lay(), "SP-S5"},
		{"own card", drawing(t, 1, common, 3, 3, 3), draw(1, 0), "SP-C4"},
		{"right neighbour", drawing(t, 1, common, 3, 3, 3), draw(0, 0), "SP-C4"},
		{"a seat that is out", drawing(t, 1, common, 3, 3, 0, 3), draw(2, 0), "SP-C4"},
		{"beyond a seat with cards", drawing(t, 1, common, 3, 3, 1, 3), draw(3, 0), "SP-C4"},
		{"a seat that does not exist", drawing(t, 1, common, 3, 3, 3), draw(7, 0), "SP-C4"},
		{"no such position", drawing(t, 1, common, 3, 3, 2), draw(2, 2), "SP-C4"},
		{"laying down instead", drawing(t, 1, common, 3, 3, 3), lay(), "SP-C4"},
	} {
		_, _, err := apply(c.state, c.move)
		wants(t, c.name, err, c.rule)
	}
}

// SP-S5, SP-S6: the card at the drawn position is handed over by its holder to
// the drawer, who permutes the whole hand with it.
func TestS6HandOver(t *testing.T) {
	s := drawing(t, 1, options{"rules": "article"}, 5, 4)
	s, terms, err := apply(s, draw(0, 3))
	if err != nil || len(terms.Open)+len(terms.Prove) > 0 {
		t.Fatalf("terms %v, %v", terms, err)
	}
	rules := sp.Rules{}
	want := table.Duty{Kind: table.Give, Seats: []table.Seat{0}, Cards: []table.Card{3}, To: []table.Seat{1}}
	if d := rules.Duties(s); len(d) != 1 || !d[0].Equal(want) {
		t.Fatalf("duties %v, want %v", d, want)
	}
	s = settled(s)
	want = table.Duty{Kind: table.Permute, Seats: []table.Seat{1}, Cards: []table.Card{5, 6, 7, 8, 3}}
	if d := rules.Duties(s); len(d) != 1 || !d[0].Equal(want) || !slices.Equal(s.Hands[0], []table.Card{0, 1, 2, 4}) {
		t.Fatalf("duties %v and hands %v, want %v", d, s.Hands, want)
	}
	if s = settled(s); s.Stage != sp.Laying || s.Turn != 1 {
		t.Errorf("stage %s, turn %d: the next round begins with seat 1", s.Stage, s.Turn)
	}
}

// SP-C1: the decks, with the right card taken out.
func TestC1Decks(t *testing.T) {
	for _, c := range []struct {
		pack, odd, without string
		size               int
	}{{"32", "jack", "JC", 31}, {"32", "queen", "QC", 31}, {"52", "jack", "JC", 51}, {"52", "queen", "QC", 51}} {
		_, faces := setup(t, 4, 1, options{"pack": c.pack, "odd": c.odd})
		ranks := map[string]int{}
		for _, f := range faces {
			ranks[f[:len(f)-1]]++
		}
		if len(faces) != c.size || slices.Contains(faces, c.without) || ranks[c.without[:1]] != 3 || len(ranks) != (c.size+1)/4 {
			t.Errorf("pack %s, odd %s: %v", c.pack, c.odd, faces)
		}
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
		s := laying(t, c.o, 5, 4)
		_, faces := setup(t, 2, 1, c.o)
		n := 0
		for _, f := range faces {
			for _, g := range faces {
				_, _, err := apply(s, lay(0, f, 1, g))
				if naive := naivePair(s.Options, f, g); (err == nil) != naive {
					t.Errorf("%v: %s and %s: %v, want a pair: %v", c.o, f, g, err, naive)
				}
				if err == nil {
					n++
				}
			}
		}
		if n != c.ordered {
			t.Errorf("%v: %d ordered pairs, want %d", c.o, n, c.ordered)
		}
	}
}

// SP-C2: all cards are dealt, one by one, from the first seat on.
func TestC2Deal(t *testing.T) {
	for _, pack := range []string{"32", "52"} {
		for seats := 2; seats <= 8; seats++ {
			s, faces := setup(t, seats, 3, options{"pack": pack})
			s = settled(s)
			dealt := map[table.Card]bool{}
			for seat, hand := range s.Hands {
				for i, c := range hand {
					dealt[c] = true
					if want := i*seats + seat; int(c) != want {
						t.Errorf("%d seats: card %d of seat %d is %d, want %d", seats, i, seat, c, want)
					}
				}
			}
			if len(dealt) != len(faces) || len(s.Hands[0])-len(s.Hands[seats-1]) > 1 {
				t.Errorf("%d seats: hands %v", seats, s.Hands)
			}
		}
	}
}

// SP-C3: everybody may lay down before the first draw, any number of pairs;
// whoever has fewer than two cards is not asked.
func TestC3Laying(t *testing.T) {
	s := laying(t, options{}, 5, 1, 0, 4)
	s.Lay = []table.Seat{1, 2, 3}
	next, terms, err := apply(s, lay(0, "7H", 3, "7D", 1, "KC", 4, "KS"))
	if err != nil || len(next.Hands[0]) != 1 || len(terms.Open) != 4 || next.Stage != sp.Laying || next.Turn != 3 {
		t.Fatalf("two pairs: %+v, %v, %v", next, terms, err)
	}
	next, _, err = apply(next, lay())
	if err != nil || next.Stage != sp.Drawing || next.Turn != 0 {
		t.Errorf("stage %s, turn %d (%v), want that seat 0 draws", next.Stage, next.Turn, err)
	}
}

// SP-C3: what bots are offered; keeping pairs only under keep-pairs, though
// nobody can be held to lay down.
func TestC3Offers(t *testing.T) {
	for _, c := range []struct {
		o    options
		want []int // pairs in each move offered
	}{{options{}, []int{2}}, {options{"keep-pairs": "true"}, []int{2, 1, 0}}} {
		s := laying(t, c.o, 5, 4)
		_, faces := setup(t, 2, 1, c.o)
		v := view(faces, "7H", "KC", "7D", "AS", "KS")
		var got []int
		for _, m := range (sp.Rules{}).Moves(s, v) {
			got = append(got, len(*m.Lay))
			if _, _, err := apply(s, m); err != nil {
				t.Errorf("offered move %v: %v", m, err)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: moves of %v pairs, want %v", c.o, got, c.want)
		}
		if _, _, err := apply(s, lay()); err != nil {
			t.Errorf("%v: keeping two pairs: %v", c.o, err)
		}
	}
}

// SP-C4: turns go round to the left, past seats that are out.
func TestC4Turns(t *testing.T) {
	s := drawing(t, 1, options{}, 0, 2, 0, 2, 2)
	s, _, err := apply(s, draw(3, 1))
	if err != nil || s.Drawn.Card != 3 {
		t.Fatalf("%+v, %v", s.Drawn, err)
	}
	s = settled(settled(s))
	if s.Stage != sp.Laying || s.Turn != 1 {
		t.Fatalf("stage %s, turn %d: seat 1 may lay down", s.Stage, s.Turn)
	}
	if s, _, err = apply(s, lay()); err != nil || s.Stage != sp.Drawing || s.Turn != 3 {
		t.Fatalf("stage %s, turn %d (%v): seat 3 draws, and from seat 4", s.Stage, s.Turn, err)
	}
	s, _, err = apply(s, draw(4, 0))
	s = settled(settled(s))
	if s, _, err = apply(s, lay()); err != nil || s.Turn != 4 {
		t.Fatalf("turn %d (%v), want 4", s.Turn, err)
	}
	if _, _, err = apply(s, draw(1, 0)); err != nil {
		t.Errorf("seat 4 draws from seat 1 over the empty seat 0: %v", err)
	}
}

// SP-C5: who is left with all the cards loses, at once when the last card of
// the others is drawn.
func TestC5End(t *testing.T) {
	for _, c := range []struct {
		holder string
		want   []int
	}{{"loses", []int{1, -3, 1, 1}}, {"wins", []int{-1, 3, -1, -1}}} {
		s := drawing(t, 1, options{"last-holder": c.holder}, 0, 2, 1, 0)
		s, _, err := apply(s, draw(2, 0))
		if err != nil {
			t.Fatal(err)
		}
		s = settled(s)
		if s.Stage != sp.Over || !slices.Equal(s.Scores, c.want) || !slices.Equal(s.Last, []table.Seat{1}) {
			t.Errorf("stage %s, scores %v, last %v: want %v", s.Stage, s.Scores, s.Last, c.want)
		}
	}
}

// SP-C5: a deal can end before the first draw.
func TestC5EndWithoutADraw(t *testing.T) {
	s := laying(t, options{}, 3, 0)
	s, _, err := apply(s, lay(0, "7H", 1, "7D"))
	if err != nil || s.Stage != sp.Over || !slices.Equal(s.Scores, []int{-1, 1}) {
		t.Errorf("stage %s, scores %v (%v)", s.Stage, s.Scores, err)
	}
}

// Several deals: the first seat moves on, scores are carried on, nothing else.
func TestDeals(t *testing.T) {
	s, _ := setup(t, 3, 3, nil)
	for deal := range 3 {
		if s.Deal != deal+1 || int(s.First) != deal || s.Stage != sp.Shuffling || s.Drawn != nil || len(s.Laid[0]) > 0 {
			t.Fatalf("deal %d: %+v", deal, s)
		}
		if d := (sp.Rules{}).Duties(s); int(d[0].Seats[0]) != deal {
			t.Errorf("deal %d: seat %d shuffles first", deal, d[0].Seats[0])
		}
		if s = settled(s); s.Hands[deal][0] != 0 {
			t.Errorf("deal %d: the first card goes to %v", deal, s.Hands)
		}
		s = sized(s, sp.Drawing, []int{1, 1, 0})
		s, _, _ = apply(s, draw(1, 0))
		s = settled(s)
	}
	if s.Stage != sp.Over || !slices.Equal(s.Scores, []int{-6, 3, 3}) || len(s.Last) != 3 {
		t.Errorf("after three deals: %+v", s)
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
	if _, _, err := (sp.Rules{}).Setup(table.Config{Seats: 2, Deals: 0}); err == nil {
		t.Error("a table of no deals")
	}
}
