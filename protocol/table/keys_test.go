package table_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// renewing is a suite of which a card key is for one deal.
type renewing struct{ clear.Suite }

func (renewing) KeysPerDeal() bool { return true }

// owe are the seats that owe a duty of a kind.
func (t try) owe(k table.Kind) (seats []table.Seat) {
	for _, d := range t.State.Duties() {
		if d.Kind == k {
			seats = append(seats, d.Seats...)
		}
	}
	return seats
}

// A key that outlives its deal, where a card that is opened in one would be known again
// in the next; or a seat that sits out, and for whose key a deal waits.
func TestKeysPerDeal(t *testing.T) {
	try := beginDeals(t, renewing{}, 3)
	if got := try.owe(table.Key); !slices.Equal(got, []table.Seat{0, 1, 2, 3}) {
		t.Fatalf("before the first deal %v owe a key", got)
	}
	last := make([][]byte, 4)
	for n, of := range [][]table.Seat{{1, 2, 3}, {0, 2, 3}, {0, 1, 3}} {
		try.until(table.Move)
		for seat := range table.Seat(4) {
			key := try.State.CardKey(seat)
			plays := slices.Contains(of, seat)
			if n > 0 && plays != (key != nil) {
				t.Errorf("deal %d, seat %d: plays %v, key %v", n+1, seat, plays, key)
			}
			if key == nil {
				continue
			}
			if bytes.Equal(key.Bytes(), last[seat]) {
				t.Errorf("deal %d: seat %d has the key of a deal before", n+1, seat)
			}
			last[seat] = key.Bytes()
		}
		_, joint := try.State.Deck()
		if try.State.Deal() != n+1 || !bytes.Equal(joint.Bytes(), try.sum(of...).Bytes()) {
			t.Errorf("deal %d: the joint key is not that of its seats", try.State.Deal())
		}
		if n == 2 {
			break
		}
		try.until(table.Key)
		if next := [][]table.Seat{{0, 2, 3}, {0, 1, 3}}[n]; !slices.Equal(try.owe(table.Key), next) || len(try.State.Duties()) != 3 {
			t.Errorf("before deal %d: %v", n+2, try.State.Duties())
		}
		if cards, key := try.State.Deck(); key != nil || len(cards) != 9 {
			t.Errorf("before deal %d there are %d cards under %v", n+2, len(cards), key)
		}
	}
	try.plays(-1)
	if _, over := try.State.Result(); !over {
		t.Error("the table is not over")
	}
}

// A key of a former deal, one's own or another seat's, posted for a later one: who has
// seen a card opened under it finds that card again. And a key of one who sits out.
func TestKeyOfAFormerDeal(t *testing.T) {
	try := beginDeals(t, renewing{}, 2)
	try.until(table.Move)
	former := make([]proof.Secret, 4)
	for seat, h := range try.Hands {
		former[seat] = h.Secret
	}
	try.until(table.Key) // seats 0, 2 and 3
	posted := func(by, whose table.Seat) []byte {
		key := former[whose].Key()
		p := testmust.Have(former[whose].Prove(try.State.Context(by, table.Key).Slot(0), proof.Ownership{Key: key}, nil, try.Random))(t)
		return try.made(try.Sign(by, table.Key, wire.KeyBody{Key: key.Bytes()}, p))
	}
	for _, whose := range []table.Seat{0, 1, 2, 3} {
		try.catches(posted(0, whose), table.CheckKey)
	}
	try.catches(posted(1, 1), table.CheckDue)
	if n := try.State.KeyNumber(0); n != 2 {
		t.Errorf("the key that seat 0 owes is its number %d", n)
	}
}

// Seats of a later deal whose keys cancel, all of them in league: its first shuffle is
// foul, as where keys are for the whole table.
func TestKeysOfALaterDealCancel(t *testing.T) {
	try := beginDeals(t, renewing{}, 2)
	try.until(table.Move)
	try.until(table.Key)
	try.cancel([]table.Seat{2, 3, 0})
	d := try.until(table.Shuffle)
	try.catches(try.made(try.Sign(d.Seats[0], table.Shuffle, wire.CardsBody{Cards: [][]byte{}})), table.CheckKey)
}

// All that a game is held to, with keys that are dropped: a state that Apply has changed,
// a seat that is blamed for a key of before.
func TestConformanceWithKeysPerDeal(t *testing.T) {
	tabletest.Run(t, three, tabletest.Config{Seats: 4, Deals: 4, Playouts: 4, Suite: renewing{}})
}
