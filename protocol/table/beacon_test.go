package table_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// asked is a table at which others ask for proofs of shuffles.
func asked(t *testing.T) try {
	t.Helper()
	return try{t, tryout(t, tabletest.Config{Seats: 4, Deals: 2, Suite: clear.Asking{}})}
}

// All that a game is held to, where what a seat falsifies is found when others have asked.
func TestConformanceAsking(t *testing.T) {
	tabletest.Run(t, cards, tabletest.Config{Seats: 4, Deals: 2, Playouts: 10, Suite: clear.Asking{}})
}

// Cards that count before their proof was asked for and answered.
func TestCardsCountWhenAnswered(t *testing.T) {
	try := asked(t)
	d := try.until(table.Shuffle)
	before, _ := try.State.Deck()
	try.play(try.honest(d))
	for _, seat := range try.State.Owed(0) {
		t.Errorf("seat 0, which is not in the deal, owes %v", seat)
	}
	for try.owe(table.Answer) == nil {
		if now, _ := try.State.Deck(); !slices.EqualFunc(now, before, same) {
			t.Fatal("the cards count before all values are revealed")
		}
		if seats := try.owe(table.Beacon); len(seats) != 1 || len(try.State.Duties()) != 1 || seats[0] == d.Seats[0] {
			t.Fatalf("owed: %v", try.State.Duties())
		}
		try.plays(1)
	}
	if seats := try.owe(table.Answer); !slices.Equal(seats, d.Seats) || len(try.State.Values()) != 2 {
		t.Fatalf("%v answer to %d values", seats, len(try.State.Values()))
	}
	try.plays(1)
	if now, _ := try.State.Deck(); slices.EqualFunc(now, before, same) {
		t.Error("the cards do not count after the answer")
	}
}

func same(a, b proof.Masked) bool { return bytes.Equal(a.Bytes(), b.Bytes()) }

// A seat that reveals what comes after the next value, what another has to, what it has
// revealed before, or anything else: each would let it choose after it has seen the cards.
func TestFalseBeacon(t *testing.T) {
	try := asked(t)
	d := try.until(table.Beacon)
	honest := try.honest(d)
	first := valueOf(t, honest)
	seat := d.Seats[0]
	reveals := func(value []byte) []byte {
		return try.made(try.Sign(seat, table.Beacon, wire.BeaconBody{Value: value}))
	}
	try.catches(reveals(make([]byte, 32)), table.CheckBeacon)
	try.catches(reveals(table.Link(try.State.ID(), seat, first)), table.CheckBeacon)
	try.catches(reveals(first[:31]), table.CheckBeacon)
	try.catches(reveals([]byte{}), table.CheckBeacon)
	try.catches(try.made(try.Sign(d.Seats[0], table.Beacon, wire.BeaconBody{Value: first}, []byte{1})), table.CheckProofs)
	try.play(honest)
	try.catches(reveals(first), table.CheckDue)
	other := try.until(table.Beacon)
	value := valueOf(t, try.honest(other))
	if bytes.Equal(value, first) {
		t.Error("two seats reveal the same value")
	}
	seat = other.Seats[0]
	try.catches(reveals(first), table.CheckBeacon)
	try.play(try.honest(other))
	for try.until(table.Beacon).Seats[0] != seat { // of the next shuffle
		try.play(try.honest(try.State.Duties()[0]))
	}
	try.catches(reveals(value), table.CheckBeacon) // once more
}

func valueOf(t *testing.T, entry []byte) []byte {
	t.Helper()
	e := parsed(t, entry)
	var body wire.BeaconBody
	decode(t, e.Message.Body, &body)
	return body.Value
}

// An answer that is given before all values are known, by another seat, or to the values of
// another table or shuffle; and a seat that shuffles anew when it knows what it is asked.
func TestFalseAnswer(t *testing.T) {
	try := asked(t)
	d := try.until(table.Shuffle)
	shuffle := try.honest(d)
	try.play(shuffle)
	at := try.Branch()
	try.until(table.Answer)
	answer := try.honest(try.State.Duties()[0])
	if _, err := tabletest.Apply(at.State, answer); err == nil {
		t.Error("an answer is applied before the values are there")
	}
	early := try
	early.Table = at
	proofs := try.proofs(answer)
	early.catches(early.made(early.Sign(d.Seats[0], table.Answer, wire.AnswerBody{}, proofs...)), table.CheckDue)
	again := wire.CardsBody{Cards: [][]byte{}}
	try.catches(try.made(try.Sign(d.Seats[0], table.Shuffle, again)), table.CheckDue)
	try.catches(try.made(try.Sign((d.Seats[0]+1)%4, table.Answer, wire.AnswerBody{}, proofs...)), table.CheckDue)
	try.catches(try.made(try.Sign(d.Seats[0], table.Answer, wire.AnswerBody{})), table.CheckProofs)

	there := try
	var err error
	if there.Table, err = tabletest.New(cards, tabletest.Config{Seats: 4, Deals: 2, Suite: clear.Asking{}}, 2); err != nil {
		t.Fatal(err)
	}
	owed := there.until(table.Answer)
	there.catches(there.made(there.Sign(owed.Seats[0], table.Answer, wire.AnswerBody{}, proofs...)), table.CheckShuffle)
	try.play(answer)
	next := try.until(table.Answer)
	try.catches(try.made(try.Sign(next.Seats[0], table.Answer, wire.AnswerBody{}, proofs...)), table.CheckShuffle)
}

func (t try) proofs(entry []byte) [][]byte {
	t.Helper()
	e := parsed(t.T, entry)
	return e.Message.Proofs
}

// A seat that is named for what it cannot give: a game of more shuffles than anybody foresaw, at
// which its values have run out.
func TestValuesRunOut(t *testing.T) {
	try := asked(t)
	d := try.until(table.Beacon)
	seat := d.Seats[0]
	if owed := table.Spend(try.State, seat, 1).Duties(); len(owed) != 1 || owed[0].Seats[0] != seat {
		t.Errorf("with a value left: %v", owed)
	}
	for s := range table.Seat(4) {
		if owed := table.Spend(try.State, seat, 0).Owed(s); len(owed) > 0 {
			t.Errorf("seat %d owes %v when there is no value left", s, owed)
		}
	}
}
