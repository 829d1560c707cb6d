package table_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// knowing is a suite whose values of a deal are read by an encoding that knows its keys.
type knowing struct {
	clear.Suite
	seated func(keys []proof.Key, d proof.Deck) error
	used   *int // values read or stripped by that encoding
}

func (s knowing) Encoding() proof.Encoding { return keyless{s.Suite.Encoding(), s} }

type keyless struct {
	proof.Encoding
	suite knowing
}

func (e keyless) Seated(keys []proof.Key, d proof.Deck) (proof.Encoding, error) {
	return known{e.Encoding, e.suite.used}, e.suite.seated(keys, d)
}

func (keyless) ParseMasked([]byte) (proof.Masked, error) {
	return nil, errors.New("a card is read without the keys of its seats")
}

func (keyless) ParseToken([]byte) (proof.Token, error) {
	return nil, errors.New("a token is read without the keys of its seats")
}

func (keyless) Strip(proof.Masked, ...proof.Token) proof.Masked {
	panic("a token is taken off without the keys of its seats")
}

type known struct {
	proof.Encoding
	used *int
}

func (e known) ParseMasked(b []byte) (proof.Masked, error) {
	*e.used++
	return e.Encoding.ParseMasked(b)
}

func (e known) ParseToken(b []byte) (proof.Token, error) {
	*e.used++
	return e.Encoding.ParseToken(b)
}

func (e known) Strip(c proof.Masked, tokens ...proof.Token) proof.Masked {
	*e.used++
	return e.Encoding.Strip(c, tokens...)
}

// A value that is read for other seats than those of its deal: where its form depends on
// their keys, a card of a former deal would pass for one of this.
func TestValuesAreReadForTheSeatsOfTheDeal(t *testing.T) {
	var asked [][]byte
	s := knowing{used: new(int), seated: func(keys []proof.Key, d proof.Deck) error {
		var all []byte
		for _, k := range keys {
			all = append(all, k.Bytes()...)
		}
		if len(d.Cards()) != 9 {
			t.Errorf("a deck of %d cards", len(d.Cards()))
		}
		asked = append(asked, all)
		return nil
	}}
	try := beginDeals(t, s, 2)
	var want [][]byte
	for _, of := range [][]table.Seat{{1, 2, 3}, {2, 3, 0}} {
		try.until(table.Shuffle)
		var all []byte
		for _, seat := range of {
			all = append(all, try.State.CardKey(seat).Bytes()...)
		}
		want = append(want, all)
		*s.used = 0
		if try.until(table.Move); *s.used == 0 {
			t.Error("no value is read by the encoding of the deal")
		}
	}
	try.plays(-1)
	for i, keys := range want {
		if !slices.ContainsFunc(asked, func(k []byte) bool { return bytes.Equal(k, keys) }) {
			t.Errorf("deal %d: its encoding was not asked for with its keys", i+1)
		}
	}
}

// Keys under which the suite can mask no deck: who shuffles first is at fault, and
// nobody's card is masked under them.
func TestNoDeckUnderTheseKeys(t *testing.T) {
	unfit := errors.New("two moduli have a factor in common")
	s := knowing{used: new(int), seated: func([]proof.Key, proof.Deck) error { return unfit }}
	try := beginDeals(t, s, 1)
	d := try.until(table.Shuffle)
	entry := try.made(try.Sign(d.Seats[0], table.Shuffle, wire.CardsBody{Cards: [][]byte{}}))
	try.catches(entry, table.CheckKey)
	if _, err := tabletest.Apply(try.State, entry); !errors.Is(err, unfit) {
		t.Errorf("%v does not say why", err)
	}
}
