package table_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

var three = play.NewGame(tabletest.HighCard{}) // of four: seat 0 sits out of deal 1, seat 1 of deal 2

// beginDeals is a table of deals that each have three seats of four.
func beginDeals(t *testing.T, s proof.Suite, deals int) try {
	t.Helper()
	begun := newTable(t, three, tabletest.Config{Seats: 4, Deals: deals, Suite: s}, 1)
	return try{t, begun}
}

// shuffled is a shuffle of the deck by a seat that knows its own secret alone, proved
// under a key.
func (t try) shuffled(seat table.Seat, key proof.Key) []byte {
	t.Helper()
	in, _ := t.State.Deck()
	out, w, err := t.Hands[seat].Secret.Shuffle(t.State.Context(seat, table.Shuffle).Slot(0), key, in, t.Random)
	testmust.Do(t.T, err)
	body := cardsOf(out)
	p := t.made(t.Prove(seat, table.Shuffle, 0, proof.Shuffle{Key: key, In: in, Out: out}, w))
	return t.made(t.Sign(seat, table.Shuffle, body, p))
}

func (t try) sum(seats ...table.Seat) proof.Key {
	t.Helper()
	var keys []proof.Key
	for _, seat := range seats {
		keys = append(keys, t.State.CardKey(seat))
	}
	return testmust.Have(t.Config.Suite.Encoding().Joint(keys))(t.T)
}

// A deck masked under the keys of other seats than those of the deal. With too many of
// them no hand could be read; with the one who sits out in the place of another, two
// who collude could open what is dealt to the third.
func TestSumOfOtherSeats(t *testing.T) {
	for _, s := range suites(t) {
		for _, seats := range [][]table.Seat{{0, 1, 2, 3}, {0, 1, 2}, {1, 2}, {3, 1}} {
			t.Run(fmt.Sprint(s.Name(), seats), func(t *testing.T) {
				try := beginDeals(t, s, 1)
				try.until(table.Shuffle)
				try.catches(try.shuffled(1, try.sum(seats...)), table.CheckShuffle)
			})
		}
	}
}

// Card keys of a deal that cancel, so that its deck is masked under nothing, whereas
// those of all seats do not: in the first deal, and in one that comes later. The fault
// is that of who shuffles first, whatever its message says, since all its seats are in it.
func TestKeysOfADealCancel(t *testing.T) {
	ristretto, _ := suite.Lookup(suite.Names()[0])
	for _, s := range []proof.Suite{clear.Suite{}, ristretto} {
		for deal, of := range [][]table.Seat{{1, 2, 3}, {2, 3, 0}, {3, 0, 1}} {
			t.Run(fmt.Sprint(s.Name(), of), func(t *testing.T) {
				try := beginDeals(t, s, 3)
				try.cancel(of)
				for range deal {
					try.until(table.Shuffle)
					try.until(table.Move) // of a deal whose keys do not cancel
				}
				d := try.until(table.Shuffle)
				testmust.Requiref(t, d.Seats[0] == of[0], "seat %d shuffles first, want %d", d.Seats[0], of[0])
				try.catches(try.made(try.Sign(of[0], table.Shuffle, wire.CardsBody{Cards: [][]byte{}})), table.CheckKey)
				try.catches(try.shuffled(of[0], try.State.CardKey(of[0])), table.CheckKey)
				testmust.Fail(t, testmust.ErrorOf(try.HonestMessage(of[0], d, nil)), "an honest seat shuffles under no key")
			})
		}
	}
}

// cancel gives the last of three seats the secret that cancels those of the others.
func (t try) cancel(of []table.Seat) {
	t.Helper()
	prover := testmust.Have(proof.ProverOf(t.Config.Suite))(t.T)
	a, b := t.Hands[of[0]].Secret.Bytes(), t.Hands[of[1]].Secret.Bytes()
	c := make([]byte, len(a))
	if prover.Name() == clear.Name {
		for i := range c {
			c[i] = a[i] ^ b[i]
		}
	} else {
		order, _ := new(big.Int).SetString("27742317777372353535851937790883648493", 10)
		order.SetBit(order, 252, 1)
		sum := new(big.Int).Add(number(a), number(b))
		sum.Neg(sum).Mod(sum, order).FillBytes(c)
		slices.Reverse(c)
	}
	t.Hands[of[2]].Secret = testmust.Have(prover.ParseSecret(c))(t.T)
}

// number reads a scalar, which is little-endian.
func number(scalar []byte) *big.Int {
	b := slices.Clone(scalar)
	slices.Reverse(b)
	return new(big.Int).SetBytes(b)
}

// wayward is highcard with other duties.
type wayward struct {
	tabletest.HighCard
	duties func(s tabletest.HighCardState, duties []table.Duty) []table.Duty
}

func (w wayward) Duties(s tabletest.HighCardState) []table.Duty {
	return w.duties(s, w.HighCard.Duties(s))
}

// Rules that show or give a card to a seat outside the deal, whose tokens nobody waits
// for: the kernel would turn it up for everybody. And deals that have no seats to be
// among. They are a fault of the program, and must not become a verdict.
func TestRulesBringInASeatOutside(t *testing.T) {
	to := func(k table.Kind) func(tabletest.HighCardState, []table.Duty) []table.Duty {
		return func(s tabletest.HighCardState, duties []table.Duty) []table.Duty {
			for i, d := range duties {
				if d.Kind == k && len(d.To) > 0 {
					duties[i].To = []table.Seat{s.Dealer}
				}
			}
			return duties
		}
	}
	among := func(seats ...table.Seat) func(tabletest.HighCardState, []table.Duty) []table.Duty {
		return func(_ tabletest.HighCardState, duties []table.Duty) []table.Duty {
			if duties[0].Kind == table.Shuffle {
				duties[0].Seats = seats
			}
			return duties
		}
	}
	for name, duties := range map[string]func(tabletest.HighCardState, []table.Duty) []table.Duty{
		"show cards": to(table.Show), "give cards": to(table.Give),
		"seats []": among(), "seats [1]": among(1), "seats [1 2 1]": among(1, 2, 1), "seats [1 4]": among(1, 4), "seats [1 2 19]": among(1, 2, 19),
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				text := fmt.Sprint(recover())
				testmust.Holdf(t, strings.Contains(text, "rules of highcard/v1") && strings.Contains(text, name), "panicked with %q", text)
			}()
			played, err := tabletest.Play(play.NewGame(wayward{duties: duties}), tabletest.Config{Seats: 4}, 1)
			t.Errorf("played to %v (%v)", played.State.Duties(), err)
		})
	}
}

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

func (e keyless) DealEncoding(keys []proof.Key, d proof.Deck) (proof.Encoding, error) {
	return known{e.Encoding, e.suite.used}, e.suite.seated(keys, d)
}

func (keyless) ParseMasked([]byte) (proof.MaskedCard, error) {
	return nil, errors.New("a card is read without the keys of its seats")
}

func (keyless) ParseToken([]byte) (proof.Token, error) {
	return nil, errors.New("a token is read without the keys of its seats")
}

func (keyless) Strip(proof.MaskedCard, ...proof.Token) proof.MaskedCard {
	panic("a token is taken off without the keys of its seats")
}

type known struct {
	proof.Encoding
	used *int
}

func (e known) ParseMasked(b []byte) (proof.MaskedCard, error) {
	*e.used++
	return e.Encoding.ParseMasked(b)
}

func (e known) ParseToken(b []byte) (proof.Token, error) {
	*e.used++
	return e.Encoding.ParseToken(b)
}

func (e known) Strip(c proof.MaskedCard, tokens ...proof.Token) proof.MaskedCard {
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
		testmust.Equal(t, len(d.Cards()), 9, "a deck of cards")
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
		try.until(table.Move)
		testmust.Hold(t, *s.used != 0, "no value is read by the encoding of the deal")
	}
	try.plays(-1)
	for i, keys := range want {
		testmust.Holdf(t, slices.ContainsFunc(asked, func(k []byte) bool { return bytes.Equal(k, keys) }),
			"deal %d: its encoding was not asked for with its keys", i+1)
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
	testmust.FailBy(t, testmust.ErrorOf(tabletest.Apply(try.State, entry)), unfit, "does not say why")
}
