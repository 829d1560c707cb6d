package sra_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/schwarzerpeter"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/suite/sra"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// g is the group of these tests.
var g = group.Ristretto255()

var locks = sra.Prover(sra.New(sra.Name, g))

// What a game is held to, with all attacks on every message: under locks, in deals that have not all
// seats; and under locks that are disclosed, where what the form does not show is blamed when they
// are there, and nobody honest ever is.
func TestConformance(t *testing.T) {
	tabletest.Run(t, play.NewGame(tabletest.PlainHighCard{}), tabletest.Config{Seats: 4, Deals: 3, Playouts: 2, Suite: locks})
	tabletest.Run(t, play.NewGame(tabletest.PlainHighCard{}), tabletest.Config{Seats: 4, Deals: 3, Playouts: 2, Suite: disclosing})
}

// A game that hands cards over opens under locks, and stops at the first hand-over.
func TestGamesThatNeedMoreDoNotOpen(t *testing.T) {
	_, err := tabletest.New(play.NewGame(schwarzerpeter.Rules{}), tabletest.Config{Seats: 2, Suite: locks}, 1)
	testmust.FailSaying(t, err, "transfer, permute: choose another suite", "schwarzer peter under locks")
	x := handtest.MustHave(locks.NewSecret(rand.Reader))
	for _, st := range []proof.Statement{proof.Transfer{}, proof.Condition{}} {
		testmust.Holdf(t, locks.Verify(handtest.Here, st, nil, locks.NewBatch()) != nil, "%T: accepted", st)
		b, err := x.Prove(handtest.Here, st, nil, rand.Reader)
		testmust.Holdf(t, err != nil, "%T: proved by %d bytes", st, len(b))
	}
	_, _, err = x.Transfer(handtest.Here, nil, x.Key(), rand.Reader)
	testmust.FailBy(t, err, proof.ErrFalse, "a hand-over")
}

// The keys of locks that lock nothing; and one for two deals, by which a card that was opened
// is known again.
func TestKeys(t *testing.T) {
	base := g.Generator()
	for name, key := range map[string][]byte{"1": base.Bytes(), "−1": g.Identity().Sub(base).Bytes(), "0": make([]byte, 32)} {
		testmust.Fail(t, testmust.ErrorOf(locks.Encoding().ParseKey(key)), "the key of the lock", name, "is one")
	}
	testmust.Hold(t, proof.KeysPerDeal(locks), "a lock is for two deals")
}

// Tokens out of turn: a token is for the card as it lies, so one that is made before
// another seat's is void when that is there, and nobody's fault.
func TestTokensForTheCardAsItLies(t *testing.T) {
	played := testmust.Have(tabletest.New(play.NewGame(tabletest.PlainHighCard{}), tabletest.Config{Seats: 4, Deals: 2, Suite: locks}, 1))(t)
	first := testmust.Have(played.PlayUntil(table.Show))(t)
	entry := testmust.Have(played.HonestMessage(first.Seats[0], first, nil))(t)
	before := played.State.MaskedCards(first.Cards)
	testmust.Do(t, played.Add(entry))
	for i, c := range played.State.MaskedCards(first.Cards) {
		testmust.Hold(t, !bytes.Equal(c.Bytes(), before[i].Bytes()), "card", first.Cards[i], "lies as it did")
	}
	_, err := tabletest.Apply(played.State, entry)
	fault, ok := errors.AsType[*table.Fault](err)
	testmust.Holdf(t, ok && fault.Class == table.Void && fault.Check == table.CheckParent, "got %v, want it to be void", err)
}

// disclosing is the suite whose locks are disclosed.
var disclosing = sra.Discloser(sra.NewDisclosed(sra.Disclosed, g))

// A shuffle that is none, of every kind that the form does not show: it is applied, and when the
// locks are disclosed its maker is blamed at it, wherever the lie shows first. What the form shows
// is refused at once. The maker says the order that it meant.
func TestFalseShuffles(t *testing.T) {
	at := testmust.Have(tabletest.New(play.NewGame(tabletest.PlainHighCard{}), tabletest.Config{Seats: 4, Deals: 1, Suite: disclosing}, 1))(t)
	seat := testmust.Have(at.PlayUntil(table.Shuffle))(t).Seats[0]
	other := testmust.Have(disclosing.NewSecret(rand.Reader))(t)
	in, key := at.State.Deck()
	lock := func(by proof.Secret, cards []proof.MaskedCard) ([]proof.MaskedCard, []byte) {
		out, w, err := by.Shuffle(at.State.Context(seat, table.Shuffle).Slot(0), key, cards, at.Random)
		testmust.Do(t, err)
		return out, w.(proof.OrderWitness).Order()
	}
	honest, order := lock(at.Hands[seat].Secret, in)
	foreign, _ := lock(other, in)
	two := testmust.Have(card.NewDeck("another deck", []string{"one", "two"}))(t)
	strangers, _ := lock(at.Hands[seat].Secret, testmust.Have(disclosing.Encoding().Deck(two))(t).Cards())
	with := func(i int, c proof.MaskedCard) []proof.MaskedCard {
		out := slices.Clone(honest)
		out[i] = c
		return out
	}
	reversed := slices.Clone(honest)
	slices.Reverse(reversed)
	for name, c := range map[string]struct {
		out   []proof.MaskedCard
		check table.Check
	}{
		"another lock on one card": {with(0, foreign[0]), table.CheckStep},
		"another lock on all":      {foreign, table.CheckStep},
		"a card of another deck":   {with(2, strangers[0]), table.CheckStep},
		"a card without a lock":    {with(1, in[order[1]]), table.CheckStep},
		"cards as they were":       {in, table.CheckStep},
		"a card twice":             {with(0, honest[1]), table.CheckShuffle},
		"a card less":              {honest[1:], table.CheckValues},
		"another order":            {reversed, table.CheckLock},
	} {
		body := wire.CardsBody{}
		for _, c := range c.out {
			body.Cards = append(body.Cards, c.Bytes())
		}
		testmust.Do(t, at.Hands[seat].Locks.KeepOrder(at.State.KeyNumber(seat), order))
		entry := testmust.Have(at.Sign(seat, table.Shuffle, body))(t)
		b := at.Branch()
		err := b.Add(entry)
		applied := err == nil
		testmust.Holdf(t, applied != (c.check == table.CheckShuffle || c.check == table.CheckValues), "%s: applied %v: %v", name, applied, err)
		if err == nil {
			err = b.Play(-1)
		}
		f, _ := errors.AsType[*table.Fault](err)
		if c.check == table.CheckStep {
			f = b.State.Foul()
		}
		testmust.Holdf(t, f != nil && f.Class == table.Foul && f.Check == c.check && f.Seat == seat && (c.check != table.CheckStep || f.Entry == wire.HashEntry(entry)),
			"%s: got %v (%v), want %s by seat %d", name, f, err, c.check, seat)
	}
}

// long is the other suite whose locks are disclosed. Both have one source: what can be false at a table is
// tried by the short one, since a deal of this takes a hundred times as long.
var long = sra.Discloser(sra.NewDisclosed(sra.Disclosed3072, group.Squares3072()))

// Two deals, whose table is over when all that was deferred is checked.
func TestLongLocks(t *testing.T) {
	testmust.OnlyThorough(t, "the other suite runs the same code, modulo a number of a twelfth the length")
	played := testmust.Have(tabletest.Play(play.NewGame(tabletest.PlainHighCard{}), tabletest.Config{Seats: 4, Deals: 2, Suite: long}, 1))(t)
	if _, over := played.State.Result(); !over || played.State.Foul() != nil {
		t.Errorf("over %v, foul %v", over, played.State.Foul())
	}
}

// Keys of the locks 1 and −1, and of 0, over the larger group: the classes of 2, of 1/2 and
// of 1.
func TestKeysThatLockNothing(t *testing.T) {
	e := long.Encoding()
	two := append(make([]byte, 383), 2)
	_, err := e.ParseMasked(two)
	testmust.Require(t, err == nil, "the attack is built wrong: 2 is no card")
	x := testmust.Have(long.NewSecret(rand.Reader))(t)
	// The class of 1/2 = (p + 1)/2 is that of (p − 1)/2, the largest.
	half := largest(e)
	for name, b := range map[string][]byte{"1": two, "−1": half, "0": append(make([]byte, 383), 1)} {
		testmust.Fail(t, testmust.ErrorOf(e.ParseKey(b)), "the key of the lock", name, "is one")
	}
	testmust.Fail(t, testmust.ErrorOf(e.ParseMasked(append(make([]byte, 383), 1))), "the identity is a card")
	k, err := e.ParseKey(x.Key().Bytes())
	testmust.Holdf(t, err == nil, "an honest key %v: %v", k, err)
}

// largest finds by halving the largest bytes that are a card: all from 2 to it are.
func largest(e proof.Encoding) []byte {
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
	played := testmust.Have(tabletest.New(play.NewGame(tabletest.PlainHighCard{}), tabletest.Config{Seats: 4, Suite: disclosing}, 1))(t)
	for _, c := range []struct {
		suite proof.Prover
		cards int
		opens bool
	}{{disclosing, 256, true}, {long, 126, true}, {long, 127, false}} {
		names := make([]string, c.cards)
		for i := range names {
			names[i] = fmt.Sprint(i)
		}
		deck, err := c.suite.Encoding().Deck(testmust.Have(card.NewDeck("large", names))(t))
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
		_, err = wire.Parse(testmust.Have(played.Sign(3, table.Shuffle, body))(t))
		testmust.Do(t, err, c.suite.Name(), "the shuffle of", c.cards, "cards")
	}
}
