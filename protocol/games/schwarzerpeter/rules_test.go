package schwarzerpeter_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	sp "github.com/pakli/pakli/protocol/games/schwarzerpeter"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/suite/schindelhauer"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/verifiertest"
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

var game = play.NewGame(sp.Rules{})

type options = map[string]string

// tables are all shapes of a table: every option, the smallest and the largest
// number of seats, several deals.
var tables = []tabletest.Config{
	{Seats: 2, Options: options{"rules": "article"}},
	{Seats: 2, Deals: 2, Options: options{"rules": "article"}},
	{Seats: 2},
	{Seats: 3, Deals: 2},
	{Seats: 4, Options: options{"pair": "rank", "last-holder": "wins"}},
	{Seats: 5, Options: options{"pack": "52", "odd": "queen"}},
	{Seats: 3, Options: options{"keep-pairs": "true", "pair": "rank"}},
	{Seats: 8},
}

func TestConformance(t *testing.T) {
	var configs []tabletest.Config
	chosen := testmust.SomeOf(t, len(tables), 2)
	for i, c := range tables {
		if i > 0 && (!chosen(i) || c.Seats >= 5 && !testmust.Thorough()) {
			continue // the referee plays them
		}
		c.Playouts, c.Invariant, c.Legal = 12/c.Seats+1, invariant, legal
		configs = append(configs, c)
		for _, name := range testmust.ThoroughSuites(suite.NamesProving(proof.Relations()...)) {
			if i == 0 && (name == suite.Default || testmust.Thorough()) || i == 6 && name == suite.Default && testmust.Thorough() {
				c.Suite, _ = suite.Lookup(name)
				c.Playouts = 1
				configs = append(configs, c)
			}
		}
	}
	tabletest.Run(t, game, configs...)
}

func public(t *tabletest.Table) sp.State { return decode(t.State) }

func decode(s *table.State) (state sp.State) {
	raw, err := s.Public()
	if err == nil {
		err = json.Unmarshal(raw, &state)
	}
	if err != nil {
		panic(err)
	}
	return state
}

// legal is SP-S3 and SP-C3 with open cards.
func legal(t *tabletest.Table, seat table.Seat, move json.RawMessage) error {
	var m sp.Move
	if err := json.Unmarshal(move, &m); err != nil || m.Lay == nil {
		return err
	}
	hand := t.Hand(seat)
	for _, p := range *m.Lay {
		for _, c := range p {
			if f, held := hand[c.Card]; !held || t.State.FaceName(f) != c.Face {
				return fmt.Errorf("card %d is not %s", c.Card, c.Face)
			}
		}
		if !naivePair(public(t).Options, p[0].Face, p[1].Face) {
			return fmt.Errorf("%v is no pair", p)
		}
	}
	return nil
}

// invariant: what the public state says of hands is what the masks say, the
// pairs on the table and the cards in hands are the deck, and the odd card is
// never laid down.
func invariant(t *tabletest.Table) error {
	s := public(t)
	if t.State.Deal() == 0 || s.Stage == sp.Shuffling || s.Stage == sp.Dealing {
		return nil
	}
	var seen card.Set
	for seat, hand := range s.Hands {
		held := t.State.Hand(table.Seat(seat))
		if sorted := slices.Sorted(slices.Values(hand)); !slices.Equal(sorted, held) {
			return fmt.Errorf("the state says that seat %d holds %v, the masks say %v", seat, sorted, held)
		}
		for _, f := range t.Hand(table.Seat(seat)) {
			seen = seen.AddFace(f)
		}
	}
	inHands, open := seen.Len(), t.State.Faces()
	for c, f := range open {
		seen = seen.AddFace(f)
		if s.Options.Pair != "rank" && t.State.FaceName(f) == oddOf(s.Options) {
			return fmt.Errorf("card %d on the table is the odd one", c)
		}
	}
	deck, _ := t.State.Deck()
	if inHands+len(open) != len(deck) || seen.Len() != len(deck) {
		return fmt.Errorf("%d cards in hands, %d on the table, %d different: the deck has %d", inHands, len(open), seen.Len(), len(deck))
	}
	return nil
}

func oddOf(o sp.Options) string {
	switch {
	case o.Rules == "article":
		return "0"
	case o.Odd == "queen":
		return "QS"
	}
	return "JS"
}

func naivePair(o sp.Options, f, g string) bool {
	rank, kind := func(s string) string { return s[:len(s)-1] }, func(s string) byte { return s[len(s)-1] }
	if f == g || rank(f) != rank(g) {
		return false
	}
	if o.Rules == "article" || o.Pair == "rank" {
		return true
	}
	together := map[byte]byte{'C': 'S', 'S': 'C', 'H': 'D', 'D': 'H'}
	return together[kind(f)] == kind(g)
}

// What everybody and each seat sees of a whole game: a card shown to a seat
// that must not see it, or a rule that changes unnoticed.
func TestPlaythroughs(t *testing.T) {
	tabletest.Check(t, game, tabletest.Config{Seats: 2, Options: options{"rules": "article"}}, 5, "testdata/article.playthrough.txt")
	tabletest.Check(t, game, tabletest.Config{Seats: 3}, 2, "testdata/common.playthrough.txt")
}

// cheats are what a seat may try at the first duty of a kind.
var cheats = []struct {
	id, how string
	due     table.Kind
	lies    func(verifiertest.PlayedTable, table.Duty) []verifiertest.Lie
}{
	{"SP-S5, SP-C4", "hands over another card than was drawn", table.Give, func(p verifiertest.PlayedTable, d table.Duty) []verifiertest.Lie {
		other := slices.DeleteFunc(slices.Clone(p.State.Hand(d.Seats[0])), func(c table.Card) bool { return c == d.Cards[0] })
		return []verifiertest.Lie{p.GiveLie(d, p.State.MaskedCards(other[:1]))}
	}},
	{"SP-S6", "permutes a hand in which a card is another one's copy", table.Permute, func(p verifiertest.PlayedTable, d table.Duty) []verifiertest.Lie {
		seat, hand := d.Seats[0], p.State.MaskedCards(d.Cards)
		in := slices.Concat([]proof.MaskedCard{p.CopyCard(seat, hand[1])}, hand[1:])
		return []verifiertest.Lie{p.ShuffleLie("a copy", seat, table.Permute, p.State.CardKey(seat), hand, in)}
	}},
	{"SP-S3, SP-C1", "calls two cards a pair", table.Move, func(p verifiertest.PlayedTable, d table.Duty) []verifiertest.Lie {
		seat := d.Seats[0]
		faces, o := p.Hand(seat), public(p.Table).Options
		names := func(c table.Card) string { return p.State.FaceName(faces[c]) }
		cards := p.State.Hand(seat)
		i := slices.IndexFunc(cards, func(c table.Card) bool { return c != cards[0] && !naivePair(o, names(cards[0]), names(c)) })
		claim := map[string][2]string{"article": {"1a", "1b"}, "common": {"7H", "7D"}}[o.Rules]
		pair := sp.Pair{{Card: cards[0], Face: claim[0]}, {Card: cards[i], Face: claim[1]}}
		return p.Bluffs(table.CheckFace, seat, testmust.Have(json.Marshal(sp.Move{Lay: &[]sp.Pair{pair}}))(p.T))
	}},
}

func tried() (list []verifiertest.Cheat) {
	for _, rules := range []string{"article", "common"} {
		for _, c := range cheats {
			list = append(list, verifiertest.Cheat{ID: c.id, How: fmt.Sprint(c.how, " ", rules), Told: func(t *testing.T, config tabletest.Config) (*tabletest.Table, []verifiertest.Lie) {
				config.Seats, config.Options = 2, options{"rules": rules}
				p := verifiertest.PlayedTable{T: t, Table: testmust.Have(tabletest.New(game, config, 3))(t)}
				d := testmust.Have(p.PlayUntil(c.due))(t)
				return p.Table, c.lies(p, d)
			}})
		}
	}
	return list
}

// SP-S3, SP-S5, SP-S6, SP-C1, SP-C4: each cheat at a table of two, in both rule sets.
func TestCheats(t *testing.T) { verifiertest.TryCheats(t, tried()) }

// The same by the suites that cut and choose, whose proofs are sent apart from the entries: at the table
// alone. Where others ask for the proof of a shuffle, who cheats by one is blamed in his answer.
func TestCheatsByCutAndChoose(t *testing.T) {
	names, list := []string{"ristretto255-cutandchoose/v1", "ristretto255-cutandchoose-chosen40/v1"}, tried()
	chosen := testmust.SomeOf(t, len(names)*len(list), 2)
	for i := range len(names) * len(list) {
		name, c := names[i%2], list[i/2]
		if !chosen(i) {
			continue
		}
		t.Run(c.How+" "+name, func(t *testing.T) {
			s, _ := suite.Lookup(name)
			played, lies := c.Told(t, tabletest.Config{Suite: s})
			_, asks := played.State.AsksForProofs()
			if asks && lies[0].Check == table.CheckShuffle {
				testmust.Do(t, played.BlamedInAnswer(lies[0].Entry))
				return
			}
			_, err := tabletest.Apply(played.State, lies[0].Entry)
			f, _ := errors.AsType[*table.Fault](err)
			testmust.Holdf(t, f != nil && f.Class == table.Foul && f.Check == lies[0].Check, "%v, want a foul found by %s", err, lies[0].Check)
		})
	}
}

// residues is a suite of matrices modulo numbers of so many bits, which need be no
// secret.
func residues(bits int) proof.Suite {
	return schindelhauer.Prover(schindelhauer.New("schindelhauer-test/v1", bits))
}

// A whole game of the article with cards of the kind that it was written for: a deck that is a blob,
// a card that is read by another than should, a face twice.
func TestResidues(t *testing.T) {
	c := tabletest.Config{Seats: 2, Options: options{"rules": "article"}, Suite: residues(256)}
	if !testmust.Thorough() { // its proofs are attacked by the tests of the suite
		testmust.Do(t, judge(testmust.Have(tabletest.Play(game, c, 1))(t)))
		return
	}
	c.Suite, _ = suite.Lookup(schindelhauer.Name2048)
	c.Playouts, c.Invariant, c.Legal = 1, invariant, legal
	tabletest.Run(t, game, c)
}

// The same where others ask for shuffles: who shuffles sends its cards apart from the entry, and its
// proof two messages later.
func TestResiduesAsked(t *testing.T) {
	testmust.OnlyThorough(t, "another suite that asks is played by toolbox/v1, and this one is held to its contract by its own tests")
	c := tabletest.Config{Seats: 2, Options: options{"rules": "article"}, Playouts: 1, Invariant: invariant, Legal: legal}
	c.Suite, _ = suite.Lookup(schindelhauer.Chosen2048)
	tabletest.Run(t, game, c)
}

// A deck that is a blob: 51 cards of six rows and six columns, of 256 bits each, are more than an
// entry has. It is signed, and read back with its cards and without them.
func TestLargeDeck(t *testing.T) {
	played := testmust.Have(tabletest.New(game, tabletest.Config{Seats: 6, Suite: residues(256), Options: options{"pack": "52"}}, 1))(t)
	testmust.Do(t, played.Play(6))
	parcel := testmust.Have(played.Next())(t)
	e, err := wire.Parse(parcel)
	testmust.Requiref(t, err == nil && e.Message.Kind == table.Shuffle && len(e.Message.Blobs()) == 2 && e.Message.Blobs()[0].Size == 51*6*6*32,
		"the first shuffle: %v", err)
	entry, _ := wire.CutParcel(parcel)
	bare := testmust.Have(wire.Parse(entry))(t)
	testmust.FailBy(t, testmust.ErrorOf(played.State.Apply(bare, table.Facts{})), wire.ErrDetached, "without its cards")
	attached := map[[32]byte][]byte{}
	for i, b := range e.Message.BlobBytes() {
		attached[e.Message.Blobs()[i].Hash] = b
	}
	after, err := played.State.Resolve(bare, table.Facts{}, func(b wire.Blob) ([]byte, error) { return attached[b.Hash], nil })
	testmust.Holdf(t, err == nil && after.Head() == e.Hash, "with its cards: %v", err)
}
