package sra255_test

import (
	"crypto/rand"
	"errors"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/sra255"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/highcard"
	"github.com/pakli/pakli/protocol/wire"
)

// disclosing is the suite whose locks are disclosed.
var disclosing = sra255.Discloser(sra255.NewDisclosed())

// A shuffle that is none, of every kind that the form does not show: it is applied, and when the
// locks are disclosed its maker is blamed at it, wherever the lie shows first. What the form shows
// is refused at once. The maker says the order that it meant.
func TestFalseShuffles(t *testing.T) {
	at := testmust.Have(tabletest.New(play.Of(highcard.Rules{}), tabletest.Config{Seats: 4, Deals: 1, Suite: disclosing}, 1))(t)
	seat := testmust.Have(at.PlayUntil(table.Shuffle))(t).Seats[0]
	other := testmust.Have(disclosing.NewSecret(rand.Reader))(t)
	in, key := at.State.Deck()
	lock := func(by proof.Secret, cards []proof.Masked) ([]proof.Masked, []byte) {
		out, w, err := by.Shuffle(at.State.Context(seat, table.Shuffle).Slot(0), key, cards, at.Random)
		testmust.Do(t, err)
		return out, w.(proof.Ordered).Order()
	}
	honest, order := lock(at.Hands[seat].Secret, in)
	foreign, _ := lock(other, in)
	two := testmust.Have(card.NewDeck("another deck", []string{"one", "two"}))(t)
	strangers, _ := lock(at.Hands[seat].Secret, testmust.Have(disclosing.Encoding().Deck(two))(t).Cards())
	with := func(i int, c proof.Masked) []proof.Masked {
		out := slices.Clone(honest)
		out[i] = c
		return out
	}
	reversed := slices.Clone(honest)
	slices.Reverse(reversed)
	for name, c := range map[string]struct {
		out   []proof.Masked
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
		if applied := err == nil; applied == (c.check == table.CheckShuffle || c.check == table.CheckValues) {
			t.Errorf("%s: applied %v: %v", name, applied, err)
		}
		if err == nil {
			err = b.Play(-1)
		}
		f, _ := errors.AsType[*table.Fault](err)
		if c.check == table.CheckStep {
			f = b.State.Foul()
		}
		if f == nil || f.Class != table.Foul || f.Check != c.check || f.Seat != seat || c.check == table.CheckStep && f.Entry != wire.HashEntry(entry) {
			t.Errorf("%s: got %v (%v), want %s by seat %d", name, f, err, c.check, seat)
		}
	}
}
