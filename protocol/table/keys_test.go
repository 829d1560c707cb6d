package table_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"reflect"
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
	"github.com/pakli/pakli/protocol/transcript"
	"github.com/pakli/pakli/protocol/wire"
)

// renewing is a suite whose card keys last for one deal.
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

// A key outlives its deal, so that a card opened in one deal would be recognised in the next; or a deal
// waits for the key of a seat that sits out.
func TestKeysPerDeal(t *testing.T) {
	try := beginDeals(t, renewing{}, 3)
	got := try.owe(table.Key)
	testmust.Requiref(t, slices.Equal(got, []table.Seat{0, 1, 2, 3}), "before the first deal %v owe a key", got)
	last := make([][]byte, 4)
	for n, of := range [][]table.Seat{{1, 2, 3}, {0, 2, 3}, {0, 1, 3}} {
		try.until(table.Move)
		for seat := range table.Seat(4) {
			key := try.State.CardKey(seat)
			plays := slices.Contains(of, seat)
			testmust.Holdf(t, n <= 0 || plays == (key != nil), "deal %d, seat %d: plays %v, key %v", n+1, seat, plays, key)
			if key == nil {
				continue
			}
			testmust.Hold(t, !bytes.Equal(key.Bytes(), last[seat]), "deal", n+1, "seat", seat, "has the key of a deal before")
			last[seat] = key.Bytes()
		}
		_, joint := try.State.Deck()
		testmust.Holdf(t, try.State.Deal() == n+1 && bytes.Equal(joint.Bytes(), try.sum(of...).Bytes()),
			"deal %d: the joint key is not that of its seats", try.State.Deal())
		if n == 2 {
			break
		}
		try.until(table.Key)
		if next := [][]table.Seat{{0, 2, 3}, {0, 1, 3}}[n]; !slices.Equal(try.owe(table.Key), next) || len(try.State.Duties()) != 3 {
			t.Errorf("before deal %d: %v", n+2, try.State.Duties())
		}
		cards, key := try.State.Deck()
		testmust.Holdf(t, key == nil && len(cards) == 9, "before deal %d there are %d cards under %v", n+2, len(cards), key)
	}
	try.plays(-1)
	_, over := try.State.Result()
	testmust.Hold(t, over, "the table is not over")
}

// A key of a former deal, the seat's own or another's, is posted for a later one: a player who has seen
// a card opened under it would recognise the card. So is the key of a seat that sits out.
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
	testmust.Equal(t, try.State.KeyNumber(0), 2, "number of the key that seat 0 owes")
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

// 50.6: a part of the context that is left out, or is that of another message.
// The parts are taken from the history and not from the state.
func TestContext(t *testing.T) {
	played := playedOut(t, peter, tabletest.Config{Seats: 3, Deals: 2}, 1)
	_, deck, err := gameOfPeter.Setup(table.Config{Seats: 3, Deals: 2})
	testmust.Do(t, err)
	var keys [3][]byte
	deal, shuffles := 0, 0
	for i, entry := range played.Entries {
		m := parsed(t, entry).Message
		if m != nil && m.Kind == wire.KindKey {
			var b wire.KeyBody
			decode(t, m.Body, &b)
			keys[m.Seat] = b.Key
		}
		if m != nil && m.Kind == wire.KindShuffle {
			shuffles++
		}
		if s := played.States[i]; len(s.Duties()) > 0 && s.Duties()[0].Kind == wire.KindShuffle && shuffles%3 == 0 {
			deal = shuffles/3 + 1
		}
		for seat := range table.Seat(3) {
			want := transcript.Bind(clear.Name, "schwarzer-peter/v1",
				transcript.Table{ID: wire.HashEntry(played.Entries[0])}, transcript.Deck{ID: deck.ID()}, hashOf(keys[:]),
				transcript.Deal(deal), transcript.Parent{Hash: wire.HashEntry(entry)}, "give", transcript.Seat(seat))
			got := played.States[i].Context(seat, table.Give)
			testmust.Requiref(t, reflect.DeepEqual(got, want), "after entry %d: context of seat %d\ngot  %q\nwant %q", i, seat, got, want)
		}
	}
	testmust.Equal(t, deal, 2, "deals")
}

func hashOf(keys [][]byte) transcript.Keys {
	var b []byte
	for _, k := range keys {
		b = append(binary.BigEndian.AppendUint64(b, uint64(len(k))), k...)
	}
	return transcript.Keys{Hash: sha256.Sum256(b)}
}

// noting is a suite that notes the statements of shuffles it verifies.
type noting struct {
	clear.Suite
	seen *[]proof.Shuffle
}

func (s noting) Verify(c transcript.Context, st proof.Statement, p []byte, b proof.Batch) error {
	if shuffle, ok := st.(proof.Shuffle); ok {
		*s.seen = append(*s.seen, shuffle)
	}
	return s.Suite.Verify(c, st, p, b)
}

// A shuffle that is stated to be another seat's: under a suite of locks that seat's
// lock would be on the deck twice, and the sender's not at all. The deck's joint key
// and the holder's of a hand stay what they were.
func TestShuffleIsBySender(t *testing.T) {
	var seen []proof.Shuffle
	try := beginDeals(t, noting{seen: &seen}, 1)
	for _, kind := range []table.Kind{table.Shuffle, table.Permute} {
		for d := try.until(kind); d.Kind == kind; d = try.State.Duties()[0] {
			seen = nil
			joint, own := try.sum(1, 2, 3), try.State.CardKey(d.Seats[0])
			try.adds(try.honest(d))
			key := joint
			if kind == table.Permute {
				key = own
			}
			testmust.Holdf(t, len(seen) == 1 && bytes.Equal(seen[0].By.Bytes(), own.Bytes()) && bytes.Equal(seen[0].Key.Bytes(), key.Bytes()),
				"%s of seat %d is stated as %v", kind, d.Seats[0], seen)
		}
	}
}

// asked is a table at which others ask for proofs of shuffles.
func asked(t *testing.T) try {
	t.Helper()
	return try{t, tryout(t, tabletest.Config{Seats: 4, Deals: 2, Suite: clear.AskingSuite{}})}
}

// All that a game is held to, where what a seat falsifies is found when others have asked.
func TestConformanceAsking(t *testing.T) {
	tabletest.Run(t, cards, tabletest.Config{Seats: 4, Deals: 2, Playouts: 10, Suite: clear.AskingSuite{}})
}

// Cards count before their proof was asked for and answered.
func TestCardsCountWhenAnswered(t *testing.T) {
	try := asked(t)
	d := try.until(table.Shuffle)
	before, _ := try.State.Deck()
	try.play(try.honest(d))
	for _, seat := range try.State.DutiesOf(0) {
		t.Errorf("seat 0, which is not in the deal, owes %v", seat)
	}
	for try.owe(table.Answer) == nil {
		now, _ := try.State.Deck()
		testmust.Require(t, slices.EqualFunc(now, before, same), "the cards count before all values are revealed")
		if seats := try.owe(table.Beacon); len(seats) != 1 || len(try.State.Duties()) != 1 || seats[0] == d.Seats[0] {
			t.Fatalf("owed: %v", try.State.Duties())
		}
		try.plays(1)
	}
	if seats := try.owe(table.Answer); !slices.Equal(seats, d.Seats) || len(try.State.AskedValues()) != 2 {
		t.Fatalf("%v answer to %d values", seats, len(try.State.AskedValues()))
	}
	try.plays(1)
	now, _ := try.State.Deck()
	testmust.Hold(t, !slices.EqualFunc(now, before, same), "the cards do not count after the answer")
}

func same(a, b proof.MaskedCard) bool { return bytes.Equal(a.Bytes(), b.Bytes()) }

// A seat reveals the value after the next one, one that another seat must reveal, one revealed before, or
// anything else: each would let it choose after it has seen the cards.
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
	try.catches(reveals(table.LinkBefore(try.State.ID(), seat, first)), table.CheckBeacon)
	try.catches(reveals(first[:31]), table.CheckBeacon)
	try.catches(reveals([]byte{}), table.CheckBeacon)
	try.catches(try.made(try.Sign(d.Seats[0], table.Beacon, wire.BeaconBody{Value: first}, []byte{1})), table.CheckProofs)
	try.play(honest)
	try.catches(reveals(first), table.CheckDue)
	other := try.until(table.Beacon)
	value := valueOf(t, try.honest(other))
	testmust.Hold(t, !bytes.Equal(value, first), "two seats reveal the same value")
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

// An answer is given before all values are known, by another seat, or to the values of another table or
// shuffle; or a seat shuffles again when it knows what it is asked.
func TestFalseAnswer(t *testing.T) {
	try := asked(t)
	d := try.until(table.Shuffle)
	shuffle := try.honest(d)
	try.play(shuffle)
	at := try.Branch()
	try.until(table.Answer)
	answer := try.honest(try.State.Duties()[0])
	testmust.Fail(t, testmust.ErrorOf(tabletest.Apply(at.State, answer)), "an answer is applied before the values are there")
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
	there.Table, err = tabletest.New(cards, tabletest.Config{Seats: 4, Deals: 2, Suite: clear.AskingSuite{}}, 2)
	testmust.Require(t, err == nil, err)
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

// A seat is named for what it cannot give: its values have run out in a game of more shuffles than
// anybody foresaw.
func TestValuesRunOut(t *testing.T) {
	try := asked(t)
	d := try.until(table.Beacon)
	seat := d.Seats[0]
	spendValues(try.State, seat, 1)
	owed := try.State.Duties()
	testmust.Holdf(t, len(owed) == 1 && owed[0].Seats[0] == seat, "with a value left: %v", owed)
	spendValues(try.State, seat, 0)
	for s := range table.Seat(4) {
		owed := try.State.DutiesOf(s)
		testmust.Holdf(t, len(owed) == 0, "seat %d owes %v when there is no value left", s, owed)
	}
}

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
