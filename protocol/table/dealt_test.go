package table_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// statements is a game of nothing but statements: where it asks for a move, any
// seat may claim anything of any cards, turn up a card, or go on.
type statements struct{}

var lab = play.NewGame[said, say](statements{})

// said is a state: how many deals and steps of the script are over.
type said struct {
	Deals, Deal, Step int
}

// say is one of a claim, a card turned up, and neither, to go on.
type say struct {
	Claim *claim           `json:"claim,omitempty"`
	Open  *table.ShownCard `json:"open,omitempty"`
}

// claim: all Cards have one of Faces.
type claim struct {
	Cards []table.Card `json:"cards"`
	Faces []card.Face  `json:"faces"`
	Dealt bool         `json:"dealt"`
}

// script is one deal of ten cards: in asking it stops for moves.
var (
	asking = []table.Duty{{Kind: table.Move, Seats: []table.Seat{0, 1, 2}}}
	script = [][]table.Duty{
		{{Kind: table.Shuffle, Seats: []table.Seat{0, 1, 2}}},
		{
			{Kind: table.Show, Cards: []table.Card{0, 1, 2, 3}, To: []table.Seat{0}},
			{Kind: table.Show, Cards: []table.Card{4, 5}, To: []table.Seat{1}},
			{Kind: table.Show, Cards: []table.Card{9}},
		},
		asking,
		{{Kind: table.Permute, Seats: []table.Seat{0}, Cards: []table.Card{0, 1, 2, 3}}},
		asking,
		{{Kind: table.Give, Seats: []table.Seat{0}, Cards: []table.Card{0}, To: []table.Seat{1}}},
		{
			{Kind: table.Permute, Seats: []table.Seat{1}, Cards: []table.Card{4, 5}},
			{Kind: table.Show, Cards: []table.Card{2, 6}, To: []table.Seat{0}}, // 2 is there already
		},
		{{Kind: table.Permute, Seats: []table.Seat{0}, Cards: []table.Card{2, 3, 6}}},
		{{Kind: table.Permute, Seats: []table.Seat{1}, Cards: []table.Card{0, 4, 5}}},
		asking,
	}
)

func (statements) Name() string { return "statements/v1" }

func (statements) Setup(c table.Config) (said, card.Deck, error) {
	var names []string
	for f := range 10 {
		names = append(names, fmt.Sprint(f))
	}
	deck, err := card.NewDeck("statements", names)
	return said{Deals: c.Deals}, deck, err
}

func (statements) Duties(s said) []table.Duty {
	if s.Deal == s.Deals {
		return nil
	}
	return script[s.Step]
}

func (s said) next() said {
	s.Step = (s.Step + 1) % len(script)
	if s.Step == 0 {
		s.Deal++
	}
	return s
}

func (statements) Settle(s said, _ map[table.Card]card.Face) said { return s.next() }

func (statements) Apply(s said, in table.Input[say]) (said, table.Terms, error) {
	switch m := in.Move; {
	case m.Claim != nil && len(m.Claim.Cards) > 0 && !slices.ContainsFunc(m.Claim.Faces, func(f card.Face) bool { return f >= 10 }):
		n := len(m.Claim.Cards)
		c := table.Condition{Cards: m.Claim.Cards, Set: card.SetOf(m.Claim.Faces...), Min: n, Max: n, Dealt: m.Claim.Dealt}
		return s, table.Terms{Prove: []table.Condition{c}}, nil
	case m.Open != nil:
		return s, table.Terms{Open: []table.ShownCard{*m.Open}}, nil
	case m.Claim == nil:
		return s.next(), table.Terms{}, nil
	}
	return s, table.Terms{}, errors.New("a claim of no cards, or of no faces")
}

func (statements) Moves(said, table.View) []say { return []say{{}} }

func (s statements) Choose(at said, v table.View, r *rand.Rand) (say, bool) {
	return play.RandomMove(s.Moves(at, v), r)
}

func (statements) Result(said) []int { return []int{0, 0, 0} }

// toStep plays to a step of the script at which moves are asked for.
func (t try) toStep(deal, step int) {
	t.Helper()
	for {
		var now said
		raw, err := t.State.Public()
		if err == nil {
			err = json.Unmarshal(raw, &now)
		}
		testmust.Do(t.T, err)
		if now.Deal == deal && now.Step == step {
			return
		}
		t.plays(1)
		for seat := range table.Seat(3) {
			testmust.Requiref(t, !slices.Contains(t.State.DealtCards(seat), 9),
				"after message %d: a card for everybody is dealt to seat %d", t.State.CountApplied(), seat)
		}
	}
}

func (t try) encode(s say) json.RawMessage { return t.made(wire.EncodeBody(s)) }

// holds claims what is true and allowed.
func (t try) holds(seat table.Seat, c claim) {
	t.Helper()
	entry, err := t.HonestMessage(seat, t.State.DutiesOf(seat)[0], t.encode(say{Claim: &c}))
	if err == nil {
		err = t.Add(entry)
	}
	testmust.Do(t.T, err, "seat", seat, "cannot claim", c)
}

// isFalse claims what is not true.
func (t try) isFalse(seat table.Seat, c claim) {
	t.Helper()
	_, err := t.HonestMessage(seat, t.State.DutiesOf(seat)[0], t.encode(say{Claim: &c}))
	testmust.FailBy(t.T, err, proof.ErrFalse, "seat", seat, "proves", c)
	t.catches(t.made(t.Bluff(seat, t.encode(say{Claim: &c}))), table.CheckCondition)
}

// isAnothers claims something of cards that the seat may not speak of.
func (t try) isAnothers(seat table.Seat, dealt bool, cards ...table.Card) {
	t.Helper()
	all := []card.Face{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	move := t.encode(say{Claim: &claim{cards, all[:9], dealt}})
	t.catches(t.made(t.Sign(seat, table.Move, wire.MoveBody{Move: move, Tokens: [][]byte{}}, make([]byte, 64))), table.CheckHand)
}

// remembers checks all that seat can say of the cards dealt to it.
func (t try) remembers(seat table.Seat, dealt map[table.Card]card.Face) {
	t.Helper()
	got := t.DealtFaces(seat)
	testmust.Holdf(t, maps.Equal(got, dealt), "seat %d sees that it was dealt %v, want %v", seat, got, dealt)
	for _, c := range slices.Sorted(maps.Keys(dealt)) {
		f := dealt[c]
		t.holds(seat, claim{[]table.Card{c}, []card.Face{f}, true})
		t.isFalse(seat, claim{[]table.Card{c}, []card.Face{(f + 1) % 10}, true})
	}
	cards, faces := slices.Sorted(maps.Keys(dealt)), slices.Sorted(maps.Values(dealt))
	t.holds(seat, claim{cards, faces, true})
	t.isFalse(seat, claim{cards, faces[1:], true})
	t.isAnothers(seat, true, cards[0], cards[0])
	for c := range table.Card(10) {
		if _, mine := dealt[c]; !mine {
			t.isAnothers(seat, true, c)
			t.isAnothers(seat, true, append(cards, c)...)
		}
	}
	t.isAnothers(seat, true, 10)
	t.isAnothers(seat, true, 65535)
}

// E5 and P5 for cards as they were dealt: what was dealt to another seat or to
// nobody, and what lies there now, must not pass for it; and what was dealt
// must not be lost when places are permuted, turned up, given away or received.
func TestCardsAsDealt(t *testing.T) {
	for _, s := range suites(t) {
		t.Run(s.Name(), func(t *testing.T) {
			t.Parallel()
			played := newTable(t, lab, tabletest.Config{Seats: 3, Deals: 2, Suite: s}, 2)
			all := try{t, played}
			first := all.toldInTheFirstDeal()
			all.forgets(first)
		})
	}
}

func (t try) toldInTheFirstDeal() (first map[table.Card]card.Face) {
	t.Helper()
	t.toStep(0, 2)
	first, second := t.Hand(0), t.Hand(1)
	t.remembers(0, first)
	t.remembers(1, second)
	t.isAnothers(2, true, 7)
	t.sameAsTheHand(0)

	t.toStep(0, 4)
	t.remembers(0, first)
	t.isNotWhatLiesThere(0, first)
	now := t.Hand(0)
	t.mustAdd(0, say{Open: &table.ShownCard{Card: 1, Face: now[1]}})
	t.isAnothers(0, false, 1)
	t.remembers(0, first)
	t.remembers(1, second)

	t.toStep(0, 7)
	drawn := t.Hand(0)
	first[6] = drawn[6]
	t.toStep(0, 9)
	t.remembers(0, first)
	t.remembers(1, second)
	t.isAnothers(0, false, 0)
	given := t.Hand(1)[0]
	t.holds(1, claim{[]table.Card{0}, []card.Face{given}, false})
	t.isAnothers(1, true, 0)
	return first
}

// forgets: nothing of the first deal is left in the second.
func (t try) forgets(first map[table.Card]card.Face) {
	t.Helper()
	t.until(table.Shuffle)
	for seat := range table.Seat(3) {
		dealt := t.DealtFaces(seat)
		testmust.Holdf(t, len(dealt) == 0, "a deal begins, and seat %d was dealt %v", seat, dealt)
	}
	t.toStep(1, 2)
	second := t.Hand(0)
	t.remembers(0, second)
	t.isAnothers(0, true, 6)
	changed := false
	for _, c := range slices.Sorted(maps.Keys(second)) {
		f := second[c]
		if first[c] != f {
			changed = true
			t.isFalse(0, claim{[]table.Card{c}, []card.Face{first[c]}, true})
		}
	}
	testmust.Require(t, changed, "both deals are the same: choose another seed")
}

func (t try) mustAdd(seat table.Seat, s say) {
	t.Helper()
	t.adds(t.made(t.HonestMessage(seat, t.State.DutiesOf(seat)[0], t.encode(s))))
}

// sameAsTheHand: before any permutation both ways to speak of a card are one
// statement.
func (t try) sameAsTheHand(seat table.Seat) {
	t.Helper()
	var lists [][]proof.Statement
	for _, dealt := range []bool{false, true} {
		c := claim{t.State.Hand(seat), []card.Face{1, 2}, dealt}
		body := t.made(wire.EncodeBody(wire.MoveBody{Move: t.encode(say{Claim: &c}), Tokens: [][]byte{}}))
		list := testmust.Have(t.State.Statements(seat, table.Move, body))(t.T)
		lists = append(lists, list)
	}
	testmust.Holdf(t, len(lists[0]) == 1 && reflect.DeepEqual(lists[0], lists[1]), "of the hand: %v\nas dealt: %v", lists[0], lists[1])
}

// isNotWhatLiesThere: after a permutation the two ways to speak of a card differ,
// and a true proof for one is none for the other.
func (t try) isNotWhatLiesThere(seat table.Seat, dealt map[table.Card]card.Face) {
	t.Helper()
	moved := 0
	hand := t.Hand(seat)
	for _, c := range slices.Sorted(maps.Keys(hand)) {
		now := hand[c]
		t.holds(seat, claim{[]table.Card{c}, []card.Face{now}, false})
		if now == dealt[c] {
			continue
		}
		moved++
		t.isFalse(seat, claim{[]table.Card{c}, []card.Face{now}, true})
		t.isFalse(seat, claim{[]table.Card{c}, []card.Face{dealt[c]}, false})

		move := t.encode(say{Claim: &claim{[]table.Card{c}, []card.Face{now}, true}})
		body := wire.MoveBody{Move: move, Tokens: [][]byte{}}
		list := testmust.Have(t.State.Statements(seat, table.Move, t.made(wire.EncodeBody(body))))(t.T)
		asItLies := list[0].(proof.Condition)
		asItLies.Cards = t.State.MaskedCards([]table.Card{c})
		t.catches(t.made(t.Sign(seat, table.Move, body, t.made(t.Prove(seat, table.Move, 0, asItLies, nil)))), table.CheckCondition)
	}
	testmust.Require(t, moved != 0, "the permutation moved nothing: choose another seed")
}

// A hand that others can read, or what was dealt: only the seat's own secret reads it.
func TestOnlyTheHolderReadsAHand(t *testing.T) {
	for _, s := range suites(t)[1:] {
		played := begin(t, lab, s, 3)
		played.toStep(0, 4)
		secret := played.Hands[1].Secret
		testmust.Fail(t, testmust.ErrorOf(play.Peek(played.State, 0, secret)), s.Name(), "seat 1 reads", "of seat 0")
		testmust.Fail(t, testmust.ErrorOf(play.PeekDealt(played.State, 0, secret)), s.Name(), "seat 1 reads what was dealt")
		if hand, dealt := played.Hand(0), played.DealtFaces(0); len(hand) != 4 || len(dealt) != 4 {
			t.Errorf("%s: seat 0 reads %v, and %v as dealt", s.Name(), hand, dealt)
		}
	}
}

// lessAble is a suite that proves these relations alone.
type lessAble struct {
	clear.Suite
	proves []string
}

func (s lessAble) Proves(relation string) bool { return slices.Contains(s.proves, relation) }

// modest is a game that needs these relations alone.
type modest struct {
	tabletest.HighCard
	needs []string
}

func (g modest) Needs(table.Config) []string { return g.needs }

// A table that opens although its suite cannot do what its game will ask for: it would
// stop in the middle of a deal, and whoever has to prove would be at fault. And one that
// does not open although the suite can.
func TestNeeds(t *testing.T) {
	five := []string{"ownership", "shuffle", "reveal", "transfer", "condition"}
	for _, c := range []struct {
		name    string
		game    table.Game
		suite   proof.Suite
		lacking string
	}{
		{"neither says", three, clear.Suite{}, ""},
		{"the suite says all", three, lessAble{proves: proof.Relations()}, ""},
		{"the suite lacks one", three, lessAble{proves: five}, "no proof of permute:"},
		{"the suite lacks two", three, lessAble{proves: five[:3]}, "no proof of transfer, condition, permute:"},
		{"the game does without", play.NewGame(modest{needs: five[:3]}), lessAble{proves: five[:3]}, ""},
		{"the game needs nothing", play.NewGame(modest{}), lessAble{}, ""},
		{"the game needs what is not known", play.NewGame(modest{needs: []string{"forge"}}), clear.Suite{}, "no proof of forge:"},
	} {
		_, err := tabletest.New(c.game, tabletest.Config{Seats: 4, Suite: c.suite}, 1)
		switch {
		case c.lacking == "" && err != nil:
			t.Errorf("%s: the table does not open: %v", c.name, err)
		case c.lacking != "" && (err == nil || !strings.Contains(err.Error(), c.lacking)):
			t.Errorf("%s: %v, want %q", c.name, err, c.lacking)
		}
	}
}

// A suite of the catalogue that takes for granted what its prover does not do, or the
// other way round: those over ElGamal prove all that a game can need.
func TestProves(t *testing.T) {
	s, _ := suite.Lookup(suite.Default)
	for _, relation := range proof.Relations() {
		testmust.Hold(t, proof.Proves(s, relation), s.Name(), "does not prove", relation)
	}
	testmust.Hold(t, !proof.Proves(s, "forge"), "a relation is proved that there is not")
}

// Tokens out of turn. If a seat could give its own before those of the seats before
// it are there, two honest seats could give them on two histories, and both
// together open cards that are shown to nobody in either.
func TestTokensInTurn(t *testing.T) {
	try := begin(t, peter, clear.Suite{}, 3)
	first := try.until(table.Shuffle).Seats[0]
	order := []table.Seat{first, (first + 1) % 3, (first + 2) % 3}
	var gave []table.Seat
	for d := try.until(table.Show); d.Kind == table.Show; d = try.State.Duties()[0] {
		for seat := range table.Seat(3) {
			if seat != d.Seats[0] {
				try.catches(try.made(try.Sign(seat, table.Show, wire.TokensBody{Tokens: [][]byte{}})), table.CheckDue)
			}
		}
		testmust.Equal(t, len(try.State.Duties()), 1, "duties at once")
		gave = append(gave, d.Seats...)
		try.adds(try.honest(d))
	}
	testmust.Hold(t, slices.Equal(gave, order), "tokens by", gave, "want", order, "which is the order of the shuffle")
}

// A seat that only receives cards is passed over: then others give tokens for it on
// a history that it has not signed, while it gives its own elsewhere, for the same
// cards and another receiver.
func TestReceiverSigns(t *testing.T) {
	try := begin(t, lab, clear.Suite{}, 3)
	try.until(table.Give)
	d := try.until(table.Show) // card 6, to seat 0 alone
	testmust.Requiref(t, d.Seats[0] == 0 && len(d.Cards) == 0, "owed is %+v, want the assent of seat 0", d)
	entry := try.honest(d)
	m := parsed(t, entry).Message
	testmust.Holdf(t, string(m.Body) == `{"tokens":[]}` && len(m.Proofs) == 0, "the receiver signs %s with %d proofs", m.Body, len(m.Proofs))
	token := wire.TokensBody{Tokens: [][]byte{try.Hands[0].Secret.Token(try.State.MaskedCards([]table.Card{6})[0]).Bytes()}}
	try.catches(try.made(try.Sign(0, table.Show, token)), table.CheckValues)
	try.adds(entry)
	d = try.until(table.Show)
	testmust.Holdf(t, d.Seats[0] == 1 && slices.Equal(d.Cards, []table.Card{6}), "next is owed %+v, want the token of seat 1", d)
}

// A message of another seat where a Show is owed: a seat whose Show was lost to it
// would give its token again, in a history that lacks the first one.
func TestNothingBesideAShow(t *testing.T) {
	try := begin(t, lab, clear.Suite{}, 3)
	try.until(table.Give)
	for range 3 {
		if d := try.until(table.Show); len(try.State.Duties()) != 1 {
			t.Errorf("owed are %+v", try.State.Duties())
		} else if err := try.Add(try.honest(d)); err != nil {
			t.Fatal(err)
		}
	}
	d := try.State.Duties()
	testmust.Holdf(t, len(d) == 1 && d[0].Kind == table.Permute && d[0].Seats[0] == 1, "then are owed %+v, want the permutation of seat 1", d)
}

// listening is a clocked table whose keepers must have said that they hold nothing.
func listening(t *testing.T, change func(*wire.Genesis)) *markstest.Table {
	t.Helper()
	return clocked(t, func(g *wire.Genesis) {
		g.Clock.Silence = true
		if change != nil {
			change(g)
		}
	})
}

func saying(lines [][]byte) func(*wire.TimeoutBody) {
	return func(b *wire.TimeoutBody) { b.Silence = lines }
}

// A log that has withheld a message, and claims without keepers, or with lines that are of
// something else: another seat, table, head or key, one keeper twice, one second too early, a hold
// in place of a silence, a cosignature's key. (Attacks 12, 14, 16)
func TestSilence(t *testing.T) {
	w := listening(t, nil)
	w.PlayMoves(1, 10)
	stale := w.Place(0)
	w.PlayMoves(1, 10)
	late, other := w.LateSeat()
	w.PassTime(61)
	early := w.Silence(late)
	w.PassTime(1)
	lines := w.Silence(late)
	line := func(k int, p keeper.Place) []byte {
		return testmust.Have(keeper.SignSilence(w.Lines[k], w.Now.Unix(), p))(t)
	}
	elsewhere := w.Place(late)
	elsewhere.Table[0] ^= 1
	stale.Seat = int(late)
	hold := testmust.Have(keeper.SignHold(w.Lines[1], w.Now.Unix(), w.Place(late), wire.Hash{}))(t)
	_, stranger := w.LateSeat()
	for what, list := range map[string][][]byte{
		"none":              {},
		"one":               lines[:1],
		"one twice":         {lines[0], lines[0]},
		"a second early":    {early[0], early[1], lines[2]},
		"of another seat":   {line(0, w.Place(stranger)), lines[1]},
		"of another table":  {line(0, elsewhere), lines[1]},
		"of a stale head":   {line(0, stale), lines[1]},
		"a hold":            {lines[0], hold},
		"bytes of another":  {lines[0], append(append([]byte{}, lines[1][:12]...), lines[2][12:]...)},
		"another's as own":  {lines[0], append(append([]byte{}, lines[1][:4]...), lines[0][4:]...)},
		"an altered time":   {lines[0], later(lines[1])},
		"no signature left": {lines[0], make([]byte, keeper.Size)},
	} {
		wants(t, w, what, claimed(w, late, other, saying(list)), table.CheckSilence)
	}
	wants(t, w, "two of three", claimed(w, late, other, saying(lines[1:])), "")
	wants(t, w, "all of them", claimed(w, late, other, saying(lines)), "")
}

func later(line []byte) []byte {
	b := append([]byte{}, line...)
	b[11]++
	return b
}

// Keepers whose clocks are wrong by a day, or run back, and one of them that lies about the time:
// each is measured by its own clock, and one alone proves nothing.
func TestSilenceByWrongClocks(t *testing.T) {
	w := listening(t, nil)
	w.Wrong[0] = func(now time.Time) time.Time { return now.Add(24 * time.Hour) }
	w.Wrong[1] = func(now time.Time) time.Time { return now.Add(-24 * time.Hour) }
	w.PlayMoves(1, 10)
	late, other := w.LateSeat()
	w.PassTime(61)
	wants(t, w, "in time, and one that says otherwise", claimed(w, late, other, saying(w.Silence(late))), table.CheckOver)
	w.PassTime(1)
	wants(t, w, "late by clocks that are a day apart", claimed(w, late, other, saying(w.Silence(late))), "")
	w.Wrong[2] = func(now time.Time) time.Time { return now.Add(-time.Hour) }
	wants(t, w, "with the one that has gone back", claimed(w, late, other, saying(w.Silence(late, 1, 2))), table.CheckSilence)
	wants(t, w, "without it", claimed(w, late, other, saying(w.Silence(late, 0, 1))), "")
}

// A bank that is used up before: what is left of it is what a keeper must have waited.
func TestSilenceOfBank(t *testing.T) {
	w := listening(t, func(g *wire.Genesis) { g.Clock.Move, g.Clock.Bank, g.Clock.Increment = 0, 30, 0 })
	late, other := w.LateSeat()
	w.PassTime(31)
	before := w.Silence(late)
	w.PassTime(1)
	wants(t, w, "said as the last second ran", claimed(w, late, other, saying(before)), table.CheckSilence)
	wants(t, w, "said after it", claimed(w, late, other, saying(w.Silence(late))), "")
}

// A clock that asks for no silence, and one that does with a claim of a server that knows of no
// keepers: silence changes nothing there, and is missing here.
func TestSilenceUnasked(t *testing.T) {
	w := clocked(t, nil)
	late, other := w.LateSeat()
	w.PassTime(62)
	wants(t, w, "lines that nobody asks for", claimed(w, late, other, saying(w.Silence(late))), "")
}
