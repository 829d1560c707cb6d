package sra3072_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/sra255"
	"github.com/pakli/pakli/protocol/suite/sra3072"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/highcard"
	"github.com/pakli/pakli/protocol/wire"
)

// The suites whose locks are disclosed.
var (
	short = sra255.Discloser(sra255.NewDisclosed())
	long  = sra3072.Discloser(sra3072.NewDisclosed())
)

var game = play.Of(highcard.Rules{})

// try is a table of one of the suites.
type try struct {
	*testing.T
	*tabletest.Table
	locks proof.Prover
}

// eachSuite runs a test at a table of each suite. They have one source, and a deal of the
// longer one takes a hundred times as long.
func eachSuite(t *testing.T, deals int, f func(t try)) {
	for _, s := range []proof.Prover{short, long} {
		t.Run(s.Name(), func(t *testing.T) {
			if s == long {
				thorough.Only(t, "the other suite runs the same code, modulo a number of a twelfth the length")
			}
			begun, err := tabletest.New(game, tabletest.Config{Seats: 4, Deals: deals, Suite: s}, 1)
			if err != nil {
				t.Fatal(err)
			}
			f(try{t, begun, s})
		})
	}
}

func made[T any](t try, v T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (t try) until(k table.Kind) table.Duty {
	t.Helper()
	d, err := t.PlayUntil(k)
	return made(t, d, err)
}

// another is a lock that is no seat's.
func (t try) another() proof.Secret {
	t.Helper()
	x, err := t.locks.NewSecret(rand.Reader)
	return made(t, x, err)
}

// refused fails the test if an entry of a seat is not its foul by this check.
func (t try) refused(name string, entry []byte, seat table.Seat, check table.Check) {
	t.Helper()
	_, err := tabletest.Apply(t.State, entry)
	fault, ok := errors.AsType[*table.Fault](err)
	if !ok || fault.Class != table.Foul || fault.Check != check || fault.Seat != seat {
		t.Errorf("%s: got %v, want a foul of seat %d by %s", name, err, seat, check)
	}
}

// blamedLater plays on honestly after an entry that is false and was let pass, and fails the
// test if not its seat is blamed at it when the locks are disclosed.
func (t try) blamedLater(name string, entry []byte, seat table.Seat) {
	t.Helper()
	b := t.Branch()
	if err := b.Add(entry); err != nil {
		t.Errorf("%s: refused, which only a proof could do: %v", name, err)
		return
	}
	if err := b.Play(-1); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	f := b.State.Foul()
	if f == nil || f.Check != table.CheckStep || f.Seat != seat || f.Entry != wire.HashEntry(entry) {
		t.Errorf("%s: got %v, want %s by seat %d", name, f, table.CheckStep, seat)
	}
}

// A game under disclosed locks, with all attacks on every message: what the form does not
// show is blamed when the locks are there, and nobody honest ever is. Over the larger group
// the attacks are those of the other tests: each takes a second.
func TestConformance(t *testing.T) {
	tabletest.Run(t, game, tabletest.Config{Seats: 4, Deals: 3, Playouts: 2, Suite: short})
}

// Two deals over each group, whose table is over when all that was deferred is checked.
func TestPlay(t *testing.T) {
	eachSuite(t, 2, func(t try) {
		if err := t.Play(-1); err != nil {
			t.Fatal(err)
		}
		if _, over := t.State.Result(); !over || t.State.Foul() != nil {
			t.Errorf("over %v, foul %v", over, t.State.Foul())
		}
	})
}

// The keys of locks that lock nothing; a key that is no element; another seat's key, and the
// sum of all others', of which the seat knows no lock; and a key of a former deal, under which
// a card that was opened then would be known again.
func TestKeys(t *testing.T) {
	eachSuite(t, 2, func(t try) {
		t.until(table.Key)
		says := func(key []byte, by proof.Secret) []byte {
			p, err := by.Prove(t.State.Context(2, table.Key).Slot(0), proof.Ownership{Key: by.Key()}, nil, rand.Reader)
			entry, err := t.Sign(2, table.Key, wire.KeyBody{Key: key}, made(t, p, err))
			return made(t, entry, err)
		}
		mine, size := t.another(), len(t.another().Bytes())
		for name, b := range map[string][]byte{
			"zeros": make([]byte, size), "ones": bytes.Repeat([]byte{0xff}, size), "a byte less": mine.Key().Bytes()[1:],
		} {
			t.refused(name, says(b, mine), 2, table.CheckValues)
		}
		for name, e := range map[string][]byte{"0": make([]byte, size), "1": append([]byte{1}, make([]byte, size-1)...)} {
			if x, err := t.locks.ParseSecret(e); err == nil {
				t.Errorf("%s is a lock: %x", name, x.Bytes())
			}
		}
		t.refused("another seat's key", says(t.Hands[1].Secret.Key().Bytes(), mine), 2, table.CheckOwnership)
		others, err := t.locks.Encoding().Joint([]proof.Key{t.Hands[0].Secret.Key(), t.Hands[1].Secret.Key(), t.Hands[3].Secret.Key()})
		t.refused("the sum of all others", says(made(t, others, err).Bytes(), mine), 2, table.CheckOwnership)

		t.until(table.Move)
		former := t.Hands[2].Secret
		t.until(table.Key)
		t.refused("the key of a former deal", says(former.Key().Bytes(), former), 2, table.CheckKey)
	})
}

// Keys of the locks 1 and −1, and of 0, over the larger group: the classes of 2, of 1/2 and
// of 1.
func TestKeysThatLockNothing(t *testing.T) {
	e := long.Encoding()
	two := append(make([]byte, 383), 2)
	if _, err := e.ParseMasked(two); err != nil {
		t.Fatal("the attack is built wrong: 2 is no card")
	}
	x, err := long.NewSecret(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	// The class of 1/2 = (p + 1)/2 is that of (p − 1)/2, the largest.
	half := bytes.Clone(largest(t, e))
	for name, b := range map[string][]byte{"1": two, "−1": half, "0": append(make([]byte, 383), 1)} {
		if _, err := e.ParseKey(b); err == nil {
			t.Errorf("the key of the lock %s is one", name)
		}
	}
	if _, err := e.ParseMasked(append(make([]byte, 383), 1)); err == nil {
		t.Error("the identity is a card")
	}
	if k, err := e.ParseKey(x.Key().Bytes()); err != nil {
		t.Errorf("an honest key %v: %v", k, err)
	}
}

// largest finds by halving the largest bytes that are a card: all from 2 to it are.
func largest(t *testing.T, e proof.Encoding) []byte {
	t.Helper()
	b := make([]byte, 384)
	for bit := range 8 * len(b) {
		b[bit/8] |= 0x80 >> (bit % 8)
		if _, err := e.ParseMasked(b); err != nil {
			b[bit/8] &^= 0x80 >> (bit % 8)
		}
	}
	return b
}

// A deck whose shuffle fits no entry, so that the table waits for ever; and one that fits, and
// is refused.
func TestLargeDecks(t *testing.T) {
	played, err := tabletest.New(game, tabletest.Config{Seats: 4, Suite: short}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		suite proof.Prover
		cards int
		opens bool
	}{{short, 256, true}, {long, 126, true}, {long, 127, false}} {
		names := make([]string, c.cards)
		for i := range names {
			names[i] = fmt.Sprint(i)
		}
		faces, err := card.NewDeck("large", names)
		if err != nil {
			t.Fatal(err)
		}
		deck, err := c.suite.Encoding().Deck(faces)
		if opens := err == nil; opens != c.opens {
			t.Errorf("%s: a deck of %d: %v", c.suite.Name(), c.cards, err)
		}
		if err != nil {
			continue
		}
		body := wire.CardsBody{}
		for _, c := range deck.Cards() {
			body.Cards = append(body.Cards, c.Bytes())
		}
		entry, err := played.Sign(3, table.Shuffle, body)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := wire.Parse(entry); err != nil {
			t.Errorf("%s: the shuffle of %d cards: %v", c.suite.Name(), c.cards, err)
		}
	}
}

// A shuffle that is none, of every kind that the form does not show. Its maker says the order
// that it meant. It is blamed at its shuffle, wherever the lie shows first.
func TestFalseShuffles(t *testing.T) {
	eachSuite(t, 1, func(t try) {
		d := t.until(table.Shuffle)
		seat := d.Seats[0]
		x, other := t.Hands[seat].Secret, t.another()
		at := t.State.Context(seat, table.Shuffle).Slot(0)
		in, key := t.State.Deck()
		lock := func(by proof.Secret, cards []proof.Masked) ([]proof.Masked, []byte) {
			out, w, err := by.Shuffle(at, key, cards, t.Random)
			return made(t, out, err), w.(proof.Ordered).Order()
		}
		honest, order := lock(x, in)
		foreign, _ := lock(other, in)
		deck, err := card.NewDeck("another deck", []string{"one", "two"})
		made(t, deck, err)
		strange, err := t.locks.Encoding().Deck(deck)
		strangers, _ := lock(x, made(t, strange, err).Cards())
		with := func(i int, c proof.Masked) []proof.Masked {
			out := slices.Clone(honest)
			out[i] = c
			return out
		}
		signed := func(out []proof.Masked) []byte {
			body := wire.CardsBody{}
			for _, c := range out {
				body.Cards = append(body.Cards, c.Bytes())
			}
			if err := t.Hands[seat].Locks.KeepOrder(t.State.KeyNumber(seat), order); err != nil {
				t.Fatal(err)
			}
			entry, err := t.Sign(seat, table.Shuffle, body)
			return made(t, entry, err)
		}
		for name, out := range map[string][]proof.Masked{
			"another lock on one card": with(0, foreign[0]),
			"another lock on all":      foreign,
			"a card of another deck":   with(2, strangers[0]),
			"a card without a lock":    with(1, in[order[1]]),
			"cards as they were":       in,
		} {
			t.blamedLater(name, signed(out), seat)
		}
		t.refused("a card twice", signed(with(0, honest[1])), seat, table.CheckShuffle)
		t.refused("a card less", signed(honest[1:]), seat, table.CheckValues)

		// Two that are exchanged are a shuffle, in another order than its seat says.
		slices.Reverse(honest)
		b := t.Branch()
		if err := b.Add(signed(honest)); err != nil {
			t.Fatal(err)
		}
		err = b.Play(-1)
		if f, ok := errors.AsType[*table.Fault](err); !ok || f.Check != table.CheckLock || f.Seat != seat {
			t.Errorf("another order: got %v, want %s by seat %d", err, table.CheckLock, seat)
		}
	})
}

// Unlocking with another lock, so that a card is none; with the card of another place, so
// that another face appears; with the card itself.
func TestFalseUnlocks(t *testing.T) {
	eachSuite(t, 1, func(t try) {
		d := t.until(table.Show)
		seat, other := d.Seats[0], t.another()
		cards := t.State.Masked(d.Cards)
		tokens := func(token func(i int) []byte) []byte {
			body := wire.TokensBody{}
			for i := range cards {
				body.Tokens = append(body.Tokens, token(i))
			}
			entry, err := t.Sign(seat, table.Show, body)
			return made(t, entry, err)
		}
		honest := func(i int) []byte { return t.Hands[seat].Secret.Token(cards[i]).Bytes() }
		t.blamedLater("another lock", tokens(func(i int) []byte { return other.Token(cards[i]).Bytes() }), seat)
		t.blamedLater("two exchanged", tokens(func(i int) []byte { return honest((i + 1) % len(cards)) }), seat)
		t.blamedLater("the card itself", tokens(func(i int) []byte {
			if i == 0 {
				return cards[0].Bytes()
			}
			return honest(i)
		}), seat)
		stock := t.State.Masked([]table.Card{8}) // which is dealt to nobody
		body := wire.TokensBody{Tokens: [][]byte{t.Hands[3].Secret.Token(stock[0]).Bytes()}}
		entry, err := t.Sign(3, table.Show, body)
		_, err = tabletest.Apply(t.State, made(t, entry, err))
		if f, ok := errors.AsType[*table.Fault](err); !ok || f.Class != table.Void || f.Check != table.CheckDue {
			t.Errorf("a token for the stock: got %v, want it void by %s", err, table.CheckDue)
		}
	})
}

// A seat that says another lock than its own, its own with another order, or nothing; and one
// that disputes a card which is one. Each is blamed, or named, alone.
func TestFalseDisclosures(t *testing.T) {
	eachSuite(t, 1, func(t try) {
		move := t.until(table.Move)
		seat := move.Seats[0]
		disputed := try{t.T, t.Branch(), t.locks}
		entry, err := disputed.Message(seat, table.Duty{Kind: table.Dispute, Cards: disputed.State.Hand(seat)[:1]}, nil)
		if err := disputed.Add(made(t, entry, err)); err != nil {
			t.Fatal(err)
		}
		if err := disputed.Play(-1); err != nil {
			t.Fatal(err)
		}
		if f := disputed.State.Foul(); f == nil || f.Check != table.CheckDispute || f.Seat != seat || f.Entry != wire.HashEntry(entry) {
			t.Errorf("a false dispute: got %v", f)
		}

		d := t.until(table.Disclose)
		silent := d.Seats[0]
		honest, err := t.Message(silent, d, nil)
		says := func(name string, change func(d *wire.DisclosedDeal)) {
			entry, err := t.Forge(made(t, honest, err), func(m *wire.Message) {
				var b wire.DiscloseBody
				if err := wire.DecodeBody(m.Body, &b); err != nil {
					t.Fatal(err)
				}
				change(&b.Deals[0])
				m.Body, _ = wire.EncodeBody(b)
			})
			t.refused(name, made(t, entry, err), silent, table.CheckLock)
		}
		says("another seat's lock", func(d *wire.DisclosedDeal) { d.Lock = t.Hands[(silent+1)%4].Secret.Bytes() })
		says("nobody's lock", func(d *wire.DisclosedDeal) { d.Lock = t.another().Bytes() })
		says("a lock that is none", func(d *wire.DisclosedDeal) { d.Lock = bytes.Repeat([]byte{0xff}, len(d.Lock)) })
		says("another order", func(d *wire.DisclosedDeal) { slices.Reverse(d.Order) })
		for len(t.State.Duties()) > 1 || len(t.State.Duties()[0].Seats) > 1 {
			for _, d := range t.State.Duties() {
				for _, other := range d.Seats {
					if other != silent {
						entry, err := t.Message(other, d, nil)
						if err := t.Add(made(t, entry, err)); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
		}
		if _, over := t.State.Result(); over || t.State.Foul() != nil || t.State.Duties()[0].Seats[0] != silent {
			t.Errorf("who does not disclose: over %v, foul %v, owing %v", over, t.State.Foul(), t.State.Duties())
		}
	})
}
