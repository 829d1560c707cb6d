package table_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/schwarzerpeter"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

var (
	whist = play.NewGame(tabletest.Whistlet{})
	peter = play.NewGame(schwarzerpeter.Rules{})

	gameOfPeter = schwarzerpeter.Rules{}
)

// suites are one that any table can be played with, drawn by chance, or all, and the one that
// hides nothing.
func suites(t *testing.T) []proof.Suite {
	t.Helper()
	names := slices.DeleteFunc(testmust.ThoroughSuites(suite.NamesProving(proof.Relations()...)), func(name string) bool {
		s, _ := suite.Lookup(name)
		_, asks := proof.AsAsking(s) // those are in keys_test.go
		return asks
	})
	list := []proof.Suite{clear.Suite{}}
	for _, name := range testmust.ChosenSuites(t, names) {
		s, _ := suite.Lookup(name)
		list = append(list, s)
	}
	return list
}

// try is a table and the cheat to try at it.
type try struct {
	*testing.T
	*tabletest.Table
}

func begin(t *testing.T, game table.Game, s proof.Suite, seats int) try {
	t.Helper()
	return try{t, newTable(t, game, tabletest.Config{Seats: seats, Suite: s}, 1)}
}

func newTable(t testing.TB, game table.Game, c tabletest.Config, seed uint64) *tabletest.Table {
	t.Helper()
	return testmust.Have(tabletest.New(game, c, seed))(t)
}

func playedOut(t testing.TB, game table.Game, c tabletest.Config, seed uint64) *tabletest.Table {
	t.Helper()
	tb := newTable(t, game, c, seed)
	plays(t, tb, -1)
	return tb
}

func plays(t testing.TB, tb *tabletest.Table, n int) {
	t.Helper()
	testmust.Do(t, tb.Play(n))
}

func (t try) plays(n int) { t.Helper(); plays(t.T, t.Table, n) }

func add(t testing.TB, tb *tabletest.Table, entry []byte) {
	t.Helper()
	testmust.Do(t, tb.Add(entry))
}

func (t try) adds(entry []byte) { t.Helper(); add(t.T, t.Table, entry) }

func parsed(t testing.TB, entry []byte) *wire.Entry {
	t.Helper()
	return testmust.Have(wire.Parse(entry))(t)
}

func signed(t testing.TB, what any, by note.Signer) []byte {
	t.Helper()
	return testmust.Have(wire.Sign(what, by))(t)
}

func decode(t testing.TB, raw json.RawMessage, into any) {
	t.Helper()
	testmust.Do(t, wire.DecodeBody(raw, into))
}

// until plays up to the first duty of a kind.
func (t try) until(k table.Kind) table.Duty {
	t.Helper()
	return testmust.Have(t.PlayUntil(k))(t.T)
}

// honest is an honest message for a duty.
func (t try) honest(d table.Duty) []byte {
	t.Helper()
	var move json.RawMessage
	if d.Kind == table.Move {
		move = t.Moves(d.Seats[0])[0]
	}
	return t.made(t.HonestMessage(d.Seats[0], d, move))
}

func (t try) made(entry []byte, err error) []byte {
	t.Helper()
	testmust.Do(t.T, err)
	return entry
}

func (t try) forged(d table.Duty, change func(*wire.Message)) []byte {
	t.Helper()
	return t.made(t.Forge(t.honest(d), change))
}

// edited changes the body of a message.
func edited[B any](t try, change func(*B)) func(*wire.Message) {
	return func(m *wire.Message) {
		var b B
		decode(t.T, m.Body, &b)
		change(&b)
		m.Body = t.made(wire.EncodeBody(b))
	}
}

// cardsOf is a body of masked cards.
func cardsOf(cards []proof.MaskedCard) (body wire.CardsBody) {
	for _, c := range cards {
		body.Cards = append(body.Cards, c.Bytes())
	}
	return body
}

// cheat is a way to fail one check: it returns an entry for the state of its
// table.
type cheat struct {
	check table.Check
	name  string
	game  table.Game
	seats int
	build func(t try) []byte
}

var cheats = []cheat{
	{table.CheckForm, "the genesis entry again", whist, 3, func(t try) []byte { return t.Entries[0] }},
	{table.CheckTable, "a message of a twin table", whist, 3, func(t try) []byte {
		twin := begin(t.T, whist, t.Config.Suite, 3)
		return t.made(twin.Forge(twin.honest(twin.until(table.Key)), func(m *wire.Message) { m.Table[0] ^= 1 }))
	}},
	{table.CheckOpen, "a message after a foul", whist, 3, func(t try) []byte {
		entry := t.honest(t.until(table.Shuffle))
		t.State = t.State.WithFault(&table.Fault{Class: table.Foul, Check: table.CheckRules, Seat: 1, Err: errors.New("a foul")}, wire.Hash{})
		return entry
	}},
	{table.CheckParent, "two messages on one parent", whist, 3, func(t try) []byte {
		entry := t.honest(t.State.Duties()[0])
		t.adds(t.honest(t.State.Duties()[1]))
		return entry
	}},
	{table.CheckSeat, "a fourth seat of three", whist, 3, func(t try) []byte {
		return t.forged(t.until(table.Key), func(m *wire.Message) { m.Seat = 3 })
	}},
	{table.CheckSignature, "a message in another seat's name", whist, 3, func(t try) []byte {
		e := parsed(t.T, t.honest(t.State.Duties()[0]))
		return t.made(wire.Sign(e.Message, t.Hands[1].Signer))
	}},
	{table.CheckDue, "shuffling out of turn", whist, 3, func(t try) []byte {
		t.until(table.Shuffle)
		return t.made(t.Sign(2, table.Shuffle, wire.CardsBody{Cards: [][]byte{}}))
	}},
	{table.CheckBody, "tokens in place of cards", whist, 3, func(t try) []byte {
		return t.forged(t.until(table.Shuffle), func(m *wire.Message) { m.Body = json.RawMessage(`{"tokens":[]}`) })
	}},
	{table.CheckValues, "a card short", whist, 3, func(t try) []byte {
		return t.forged(t.until(table.Shuffle), edited(t, func(b *wire.CardsBody) { b.Cards = b.Cards[1:] }))
	}},
	{table.CheckValues, "bytes that are no token", whist, 3, func(t try) []byte {
		return t.forged(t.until(table.Show), edited(t, func(b *wire.TokensBody) { b.Tokens[0] = []byte{1, 2, 3} }))
	}},
	{table.CheckValues, "a key of zero bytes only", whist, 3, func(t try) []byte {
		return t.forged(t.until(table.Key), func(m *wire.Message) { m.Body = t.made(wire.EncodeBody(wire.KeyBody{Key: make([]byte, 32)})) })
	}},
	{table.CheckValues, "an open card among the masked", whist, 3, func(t try) []byte {
		d := t.until(table.Shuffle)
		deck, _ := t.State.Deck()
		return t.forged(d, edited(t, func(b *wire.CardsBody) { b.Cards[0] = deck[0].Bytes() }))
	}},
	{table.CheckKey, "the key of another seat, whose secret is shared", whist, 3, func(t try) []byte {
		t.adds(t.honest(t.State.Duties()[0]))
		t.Hands[2].Secret = t.Hands[0].Secret
		key := t.Hands[0].Secret.Key()
		p := t.made(t.Prove(2, table.Key, 0, proof.Ownership{Key: key}, nil))
		return t.made(t.Sign(2, table.Key, wire.KeyBody{Key: key.Bytes()}, p))
	}},
	{table.CheckRules, "a move the rules do not know", whist, 3, func(t try) []byte {
		return t.forged(t.until(table.Move), func(m *wire.Message) { m.Body = json.RawMessage(`{"move":{"bid":"three"},"tokens":[]}`) })
	}},
	{table.CheckRules, "a move that is no move", whist, 3, func(t try) []byte {
		return t.forged(t.until(table.Move), func(m *wire.Message) { m.Body = json.RawMessage(`{"move":{"bid":1},"tokens":[]}`) })
	}},
	{table.CheckRules, "a move with a field twice", whist, 3, func(t try) []byte {
		return t.forged(t.until(table.Move), func(m *wire.Message) { m.Body = json.RawMessage(`{"move":{"bid":"pass","bid":"pass"},"tokens":[]}`) })
	}},
	{table.CheckBody, "a move that is a list, where none of its tokens is one", whist, 3, func(t try) []byte {
		return t.forged(t.until(table.Move), func(m *wire.Message) { m.Body = json.RawMessage(`{"move":[],"tokens":["AQ=="]}`) })
	}},
	{table.CheckRules, "a move the rules do not know, with a token that is none", whist, 3, func(t try) []byte {
		return t.forged(t.until(table.Move), func(m *wire.Message) { m.Body = json.RawMessage(`{"move":{"bid":"three"},"tokens":["AQ=="]}`) })
	}},
	{table.CheckHand, "opening a card of another hand, with a token that is none", greedy, 3, func(t try) []byte {
		d := t.until(table.Move)
		return t.made(t.Sign(d.Seats[0], table.Move, wire.MoveBody{Move: json.RawMessage(`{"bid":"pass"}`), Tokens: [][]byte{{1}}}))
	}},
	{table.CheckValues, "a token too many, and no proof", whist, 3, func(t try) []byte {
		return t.forged(t.until(table.Show), func(m *wire.Message) {
			edited(t, func(b *wire.TokensBody) { b.Tokens = append(b.Tokens, b.Tokens[0]) })(m)
			m.Proofs = [][]byte{}
		})
	}},
	{table.CheckHand, "opening a card of another hand", greedy, 3, func(t try) []byte {
		d := t.until(table.Move)
		return t.made(t.Sign(d.Seats[0], table.Move, wire.MoveBody{Move: json.RawMessage(`{"bid":"pass"}`), Tokens: [][]byte{}}))
	}},
	{table.CheckHand, "one card twice in a condition", repeating, 3, func(t try) []byte {
		d := t.until(table.Move)
		return t.made(t.Sign(d.Seats[0], table.Move, wire.MoveBody{Move: json.RawMessage(`{"bid":"one"}`), Tokens: [][]byte{}}))
	}},
	{table.CheckProofs, "no proof", whist, 3, func(t try) []byte {
		return t.forged(t.until(table.Shuffle), func(m *wire.Message) { m.Proofs = [][]byte{} })
	}},
	{table.CheckFace, "another face than the true one", peter, 2, func(t try) []byte {
		d := t.until(table.Move)
		return t.made(t.Bluff(d.Seats[0], json.RawMessage(`{"lay":[[{"card":0,"face":"7H"},{"card":2,"face":"7D"}]]}`)))
	}},
	{table.CheckOwnership, "a key without its secret", whist, 3, func(t try) []byte {
		return t.forged(t.until(table.Key), func(m *wire.Message) {
			prover := testmust.Have(proof.ProverOf(t.Config.Suite))(t.T)
			other := testmust.Have(prover.NewSecret(t.Random))(t.T)
			m.Body = t.made(wire.EncodeBody(wire.KeyBody{Key: other.Key().Bytes()}))
		})
	}},
	{table.CheckShuffle, "a shuffle that lays a card aside", whist, 3, func(t try) []byte {
		d := t.until(table.Shuffle)
		t.adds(t.honest(d))
		in, key := t.State.Deck()
		marked := slices.Concat(in[1:2], in[1:])
		out, w, err := t.Hands[1].Secret.Shuffle(t.State.Context(1, table.Shuffle).Slot(0), key, marked, t.Random)
		testmust.Do(t.T, err)
		body := cardsOf(out)
		p := t.made(t.Prove(1, table.Shuffle, 0, proof.Shuffle{Key: key, In: marked, Out: out}, w))
		return t.made(t.Sign(1, table.Shuffle, body, p))
	}},
	{table.CheckReveal, "two tokens exchanged", whist, 3, func(t try) []byte {
		return t.forged(t.until(table.Show), edited(t, func(b *wire.TokensBody) { b.Tokens[0], b.Tokens[1] = b.Tokens[1], b.Tokens[0] }))
	}},
	{table.CheckReveal, "tokens of a seat outside the deal, with its proof", three, 4, func(t try) []byte {
		d := t.until(table.Show)
		outside, body := t.Hands[0].Secret, wire.TokensBody{}
		st := proof.Reveal{Key: outside.Key(), Cards: t.State.MaskedCards(d.Cards)}
		for _, c := range st.Cards {
			st.Tokens, body.Tokens = append(st.Tokens, outside.Token(c)), append(body.Tokens, outside.Token(c).Bytes())
		}
		p := t.made(outside.Prove(t.State.Context(d.Seats[0], table.Show).Slot(0), st, nil, t.Random))
		return t.made(t.Sign(d.Seats[0], table.Show, body, p))
	}},
	{table.CheckTransfer, "another card handed over", peter, 2, func(t try) []byte {
		d := t.until(table.Give)
		from, to := d.Seats[0], t.State.CardKey(d.To[0])
		hand := t.State.MaskedCards(slices.DeleteFunc(t.State.Hand(from), func(c table.Card) bool { return c == d.Cards[0] }))
		passed, w, err := t.Hands[from].Secret.Transfer(t.State.Context(from, table.Give).Slot(0), hand[0], to, t.Random)
		testmust.Do(t.T, err)
		p := t.made(t.Prove(from, table.Give, 0, proof.Transfer{From: t.State.CardKey(from), To: to, Old: hand[0], New: passed}, w))
		return t.made(t.Sign(from, table.Give, wire.CardsBody{Cards: [][]byte{passed.Bytes()}}, p))
	}},
	{table.CheckCondition, "a bid without what it promises", whist, 3, func(t try) []byte {
		for {
			d := t.until(table.Move)
			seat := d.Seats[0]
			if aces(t.Hand(seat)) != 2 {
				return t.made(t.Bluff(seat, json.RawMessage(`{"bid":"two"}`)))
			}
			t.plays(1)
		}
	}},
}

// greedy opens a card of the left neighbour with every move.
var greedy = tabletest.MutantGame(tabletest.Whistlet{}, func(terms table.Terms) table.Terms {
	terms.Open = append(terms.Open, table.ShownCard{Card: 5})
	return terms
})

// repeating names a card twice in its conditions.
var repeating = tabletest.MutantGame(tabletest.Whistlet{}, func(terms table.Terms) table.Terms {
	for i, c := range terms.Prove {
		terms.Prove[i].Cards = append(c.Cards[:1:1], c.Cards[:len(c.Cards)-1]...)
	}
	return terms
})

func aces[F ~uint16](hand map[table.Card]F) (n int) {
	for _, f := range hand {
		if f%4 == 3 {
			n++
		}
	}
	return n
}

// Every check catches the cheat that only it can catch, blames its signer and nobody else, and changes
// nothing.
func TestEveryCheck(t *testing.T) {
	hit := map[table.Check]bool{}
	for _, s := range suites(t) {
		for _, c := range cheats {
			t.Run(s.Name()+"/"+string(c.check)+"/"+c.name, func(t *testing.T) {
				table := begin(t, c.game, s, c.seats)
				entry := c.build(table)
				hit[c.check] = true
				table.catches(entry, c.check)
			})
		}
	}
	for _, check := range table.Checks() {
		testmust.Hold(t, hit[check], "no test fails check", check)
	}
}

// catches checks that entry fails exactly by a check.
func (t try) catches(entry []byte, check table.Check) {
	t.Helper()
	before := tabletest.Fingerprint(t.State)
	next, err := tabletest.Apply(t.State, entry)
	var fault *table.Fault
	testmust.Requiref(t, errors.As(err, &fault) && next == nil, "got %v, want a fault by %s", err, check)
	class := table.Foul
	if check[0] == 'T' {
		class = table.Void
	}
	testmust.Holdf(t, fault.Check == check && fault.Class == class, "got %v, want %s by %s", fault, class, check)
	if e, _ := wire.Parse(entry); class == table.Foul && fault.Seat != table.Seat(e.Message.Seat) {
		t.Errorf("blames seat %d for a message of seat %d", fault.Seat, e.Message.Seat)
	}
	testmust.Equal(t.T, tabletest.Fingerprint(t.State), before, "the state changed")
}

// E3: keys that cancel each other, so that the joint key hides nothing, or one that is
// found out only after the proof (50.4 has another order). It takes a suite in which a
// secret can be chosen for a key.
func TestCancellingKeys(t *testing.T) {
	played := begin(t, whist, clear.Suite{}, 3)
	sum := make([]byte, 32)
	for _, h := range played.Hands[:2] {
		for i, b := range h.Secret.Key().Bytes() {
			sum[i] ^= b
		}
	}
	var err error
	played.Hands[2].Secret, err = (clear.Suite{}).ParseSecret(sum)
	testmust.Require(t, err == nil, err)
	for seat := range table.Seat(2) {
		played.adds(played.made(played.HonestMessage(seat, played.State.DutiesOf(seat)[0], nil)))
	}
	key := played.Hands[2].Secret.Key().Bytes()
	played.catches(played.made(played.Sign(2, table.Key, wire.KeyBody{Key: key})), table.CheckKey) // before its proof is missed
}
