package table_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

var cards = play.NewGame(tabletest.PlainHighCard{}) // of four: seat 0 sits out of deal 1, seat 1 of deal 2

// locked is a table of a suite that defers.
func locked(t *testing.T, deals int, options map[string]string) try {
	t.Helper()
	return try{t, tryout(t, tabletest.Config{Seats: 4, Deals: deals, Options: options, Suite: clear.DeferredSuite{}})}
}

func tryout(t *testing.T, c tabletest.Config) *tabletest.Table {
	t.Helper()
	begun := newTable(t, cards, c, 1)
	return begun
}

// Everything that a game is held to; and a seat that falsifies a message which a suite lets pass is
// blamed at that entry when locks are disclosed, and nobody else ever.
func TestConformanceDeferred(t *testing.T) {
	for _, disclose := range []string{"table", "deal"} {
		for _, fouls := range []wire.FoulRule{wire.RefuseFouls, wire.RecordFouls} {
			t.Run(string(fouls), func(t *testing.T) {
				tabletest.Run(t, cards, tabletest.Config{Seats: 4, Deals: 3, Playouts: 6, Suite: clear.DeferredSuite{},
					Fouls: fouls, Options: map[string]string{"disclose": disclose}})
			})
		}
	}
}

// play adds an entry that must be applied.
func (t try) play(entry []byte) wire.Hash {
	t.Helper()
	t.adds(entry)
	return wire.HashEntry(entry)
}

// finish plays honestly to the end.
func (t try) finish() {
	t.Helper()
	t.plays(-1)
}

// disclosedBy is the honest disclosure of a seat that owes it.
func (t try) disclosedBy(seat table.Seat) []byte {
	t.Helper()
	return t.made(t.HonestMessage(seat, table.Duty{Kind: table.Disclose}, nil))
}

// disclosing is a disclosure that says other things.
func (t try) disclosing(entry []byte, change func([]wire.DisclosedDeal) []wire.DisclosedDeal) []byte {
	t.Helper()
	return t.made(t.Forge(entry, edited(t, func(b *wire.DiscloseBody) { b.Deals = change(b.Deals) })))
}

// blames checks that the table ended with a foul of a seat at an entry that was applied.
func (t try) blames(check table.Check, seat table.Seat, entry wire.Hash) {
	t.Helper()
	f := t.State.Foul()
	testmust.Requiref(t, f != nil && f.Check == check && f.Seat == seat && f.Entry == entry && f.Class == table.Foul,
		"got %+v, want %s by seat %d at %s", f, check, seat, entry)
	_, over := t.State.Result()
	testmust.Hold(t, !over && len(t.State.Duties()) == 0, "a table that ended with a foul has a score, or waits for somebody")
}

// wrongTokens falsifies all tokens of a message, by those of another card.
func wrongTokens(m *wire.Message) {
	tabletest.EditValues(m, func(tokens [][]byte) [][]byte { slices.Reverse(tokens); return tokens })
}

// A seat refuses to disclose. It alone must be named, without a verdict and without a score, whoever
// asked for the locks; what it loses by that is for the rules to say.
func TestSilent(t *testing.T) {
	for _, options := range []map[string]string{{}, {"disclose": "deal"}, {"silent": "forfeits"}} {
		try := locked(t, 1, options)
		try.until(table.Disclose)
		owe := try.owe(table.Disclose)
		testmust.Requiref(t, slices.Equal(owe, []table.Seat{1, 2, 3}), "%v owe their locks", owe)
		for _, seat := range []table.Seat{3, 1} {
			_, _, ok := try.State.ForfeitScores()
			testmust.Hold(t, !ok, "forfeited while another seat is missing, too")
			try.play(try.disclosedBy(seat))
		}
		_, over := try.State.Result()
		if owe := try.owe(table.Disclose); over || !slices.Equal(owe, []table.Seat{2}) || len(try.State.Duties()) != 1 {
			t.Errorf("%v: over %v, owing %v", options, over, try.State.Duties())
		}
		silent, scores, ok := try.State.ForfeitScores()
		want := options["silent"] == "forfeits"
		testmust.Holdf(t, ok == want && (!want || silent == 2 && scores[2] < 0), "%v: forfeits %v, seat %d, %v", options, ok, silent, scores)
		try.play(try.disclosedBy(2))
		_, over = try.State.Result()
		testmust.Hold(t, over && try.State.Foul() == nil, "not over when all have disclosed")
	}
}

// A lock of another deal or seat, deals left out, in another order or not owed, an order that is not
// the shuffle's: none of it may pass for a disclosure.
func TestFalseDisclosure(t *testing.T) {
	try := locked(t, 3, nil)
	try.until(table.Disclose)
	honest := try.disclosedBy(3)
	says := func(name string, check table.Check, change func(d []wire.DisclosedDeal) []wire.DisclosedDeal) {
		t.Run(name, func(t *testing.T) {
			again := try
			again.T = t
			again.catches(again.disclosing(honest, change), check)
		})
	}
	type deals = []wire.DisclosedDeal
	says("the lock of another deal", table.CheckLock, func(d deals) deals { d[0].Lock = d[1].Lock; return d })
	says("the lock of another seat", table.CheckLock, func(d deals) deals { d[0].Lock = try.Hands[1].Secret.Bytes(); return d })
	says("no lock of any seat", table.CheckLock, func(d deals) deals { d[2].Lock[31] ^= 2; return d })
	says("a true lock and the order of another deal", table.CheckLock, func(d deals) deals { d[1].Order = d[0].Order; return d })
	says("an order that names a place twice", table.CheckLock, func(d deals) deals { d[1].Order[3] = d[1].Order[4]; return d })
	says("an order too short", table.CheckLock, func(d deals) deals { d[1].Order = d[1].Order[:8]; return d })
	says("a deal left out", table.CheckValues, func(d deals) deals { return slices.Delete(d, 0, 1) })
	says("descending deals", table.CheckValues, func(d deals) deals { slices.Reverse(d); return d })
	says("a deal twice", table.CheckValues, func(d deals) deals { return append(d, d[2]) })
	says("a deal that never was", table.CheckValues, func(d deals) deals { return append(d, wire.DisclosedDeal{Deal: 4, Lock: d[0].Lock, Order: d[0].Order}) })
	says("no deals", table.CheckBody, func(d deals) deals { return d[:0] })
	try.catches(try.made(try.Forge(honest, func(m *wire.Message) { m.Proofs = [][]byte{{1}} })), table.CheckProofs)

	try.play(try.disclosing(honest, func(d deals) deals { return d[:1] })) // in two messages
	left := try.State.UndisclosedDeals(3)
	testmust.Holdf(t, len(left) == 2 && left[0].Deal == 2 && try.State.LastCheckedDeal() == 0, "left to disclose: %+v", left)
	try.catches(try.disclosing(try.disclosedBy(3), func(d deals) deals { d[0].Deal = 1; return d }), table.CheckValues) // the first once more
	for _, seat := range []table.Seat{0, 1, 2} {
		testmust.Equal(t, try.State.LastCheckedDeal(), 0, "before seat", seat, "has disclosed, deals are checked")
		try.play(try.disclosedBy(seat))
	}
	testmust.Equal(t, try.State.LastCheckedDeal(), 1, "deals are checked, though of the second one a lock is missing")
	try.finish()
	if _, over := try.State.Result(); !over || try.State.LastCheckedDeal() != 3 {
		t.Errorf("over: %v, %d deals checked", over, try.State.LastCheckedDeal())
	}
}

// A wrong step in one deal and a false order in the next, said together, for which two programs might
// blame two entries: what is said of locks and orders is judged before any step.
func TestFalseOrderBesideAWrongStep(t *testing.T) {
	try := locked(t, 2, nil)
	for try.until(table.Shuffle).Seats[0] != 3 {
		try.plays(1)
	}
	at := try.play(try.swapped(try.State.Duties()[0], 0, 8)) // the last card is dealt to nobody
	try.until(table.Disclose)
	honest := try.disclosedBy(3)
	try.catches(try.disclosing(honest, func(d []wire.DisclosedDeal) []wire.DisclosedDeal { slices.Reverse(d[1].Order); return d }), table.CheckLock)
	try.play(honest)
	try.blames(table.CheckStep, 3, at)
}

// A shuffle that doubles a face. The replay finds it when both are open, blames nobody yet
// and goes no further; the disclosure blames the shuffle and nothing else, also where fouls
// are refused.
func TestDoubledFace(t *testing.T) {
	try := locked(t, 1, nil)
	d := try.until(table.Shuffle)
	at := try.play(try.swapped(d, 0, 1))
	try.until(table.Disclose) // by the first dispute, or the second open card
	_, ok := try.State.Result()
	testmust.Require(t, !ok && try.State.Foul() == nil, "decided before anybody has disclosed")
	for _, seat := range []table.Seat{2, 3} {
		try.play(try.disclosedBy(seat)) // honest ones, who are not blamed
	}
	owe := try.owe(table.Disclose)
	testmust.Requiref(t, slices.Equal(owe, []table.Seat{1}), "%v owe their locks", owe)
	last := try.disclosedBy(1)
	try.play(last)
	try.blames(table.CheckStep, 1, at)
	testmust.Equal(t, try.State.Head(), wire.HashEntry(last), "the disclosure that shows the foul is not applied")
	try.catches(try.made(try.Sign(2, table.Disclose, wire.DisputeBody{})), table.CheckOpen)
}

// Unlocking with another lock, so that the receiver holds a card that is none: the receiver
// disputes it, all disclose, and the one who unlocked is blamed at that entry.
func TestDispute(t *testing.T) {
	try := locked(t, 1, nil)
	d := try.until(table.Show)                                                                                                   // seat 1, for the upcard and the hands of seats 2 and 3
	at := try.play(try.forged(d, edited(try, func(b *wire.TokensBody) { b.Tokens[0], b.Tokens[1] = b.Tokens[1], b.Tokens[0] }))) // for cards of seat 2
	d = try.until(table.Move)
	testmust.Requiref(t, d.Seats[0] == 1, "seat %d is to move", d.Seats[0])
	_, is := try.Hands[1].DisputedCard(try.State)
	testmust.Hold(t, !is, "a seat with a good hand disputes it")
	try.play(try.made(try.HonestMessage(1, d, []byte(`{}`))))
	entry := try.made(try.Next())
	e, err := wire.Parse(entry)
	testmust.Requiref(t, err == nil && e.Message.Kind == table.Dispute && e.Message.Seat == 2, "%.200s", entry)
	try.play(entry)
	if owe := try.owe(table.Disclose); !slices.Equal(owe, []table.Seat{1, 2, 3}) || len(try.State.Duties()) != 3 {
		t.Fatalf("after a dispute: %v", try.State.Duties())
	}
	try.play(try.disclosedBy(2))
	try.play(try.disclosedBy(3))
	try.play(try.disclosedBy(1))
	try.blames(table.CheckStep, 1, at)
}

// A dispute about a card that is one, to get out of a hand that is lost: the seat is foul at
// its dispute, when all have disclosed, itself as well. If it does not, it is the one named.
func TestFalseDispute(t *testing.T) {
	try := locked(t, 2, nil)
	d := try.until(table.Move)
	seat := d.Seats[0]
	card := try.State.Hand(seat)[0]
	at := try.play(try.made(try.HonestMessage(seat, table.Duty{Kind: table.Dispute, Cards: []table.Card{card}}, nil)))
	testmust.Require(t, try.State.Foul() == nil, "foul before anybody has disclosed")
	for _, other := range []table.Seat{2, 3} {
		try.play(try.disclosedBy(other))
	}
	owe := try.owe(table.Disclose)
	testmust.Requiref(t, slices.Equal(owe, []table.Seat{seat}), "%v owe their locks", owe)
	_, _, ok := try.State.ForfeitScores()
	testmust.Hold(t, !ok, "a score, in a deal that was never ended")
	try.play(try.disclosedBy(seat))
	try.blames(table.CheckDispute, seat, at)
}

// A dispute in a late deal, for which seats would disclose the deals before as well, or instead:
// those are not over for anybody who has still to verify them. Nor does the foul at its end have them
// counted as checked, though of them nobody has disclosed a lock: those of the first all do so in the fifth.
func TestDisputeIsOfItsDeal(t *testing.T) {
	try := locked(t, 5, nil)
	for try.State.Deal() < 5 {
		try.plays(1)
	}
	seat := try.until(table.Move).Seats[0]
	former := try.Branch()
	at := try.play(try.made(try.HonestMessage(seat, table.Duty{Kind: table.Dispute, Cards: try.State.Hand(seat)[:1]}, nil)))
	owe := try.owe(table.Disclose)
	testmust.Requiref(t, slices.Equal(owe, []table.Seat{1, 2, 3}), "%v owe their locks", owe)
	for _, other := range owe {
		list := try.State.UndisclosedDeals(other)
		testmust.Holdf(t, len(list) == 1 && list[0].Deal == 5 && list[0].Number == former.State.KeyNumber(other), "seat %d has to disclose %+v", other, list)
	}
	for _, other := range owe {
		try.play(try.disclosedBy(other))
		testmust.Equal(t, try.State.LastCheckedDeal(), 0, "deals are checked")
	}
	try.blames(table.CheckDispute, seat, at)
}

// A dispute that is not the seat's business: about another seat's card, an open one, or one that does
// not exist; by a seat that owes nothing, holds nothing, or owes its locks.
func TestDisputeNotDue(t *testing.T) {
	try := locked(t, 1, map[string]string{"disclose": "deal"})
	says := func(seat table.Seat, c table.Card) []byte {
		return try.made(try.Sign(seat, table.Dispute, wire.DisputeBody{Card: int(c)}))
	}
	try.catches(says(1, 0), table.CheckDue) // it owes a key, and holds nothing
	d := try.until(table.Move)
	seat := d.Seats[0]
	others := try.State.Hand(2)
	try.catches(says(2, others[0]), table.CheckDue)
	try.catches(says(0, others[0]), table.CheckDue)
	try.catches(says(seat, others[0]), table.CheckHand)
	try.catches(says(seat, 6), table.CheckHand) // turned up
	try.catches(says(seat, 200), table.CheckHand)
	try.catches(try.made(try.Sign(seat, table.Dispute, wire.DisputeBody{Card: 300})), table.CheckBody)
	try.until(table.Disclose)
	for seat := range table.Seat(4) {
		for _, c := range try.State.Hand(seat) {
			try.catches(says(seat, c), table.CheckDue)
		}
	}
}

// Two steps of a seat that are wrong, in two deals: the first in the log is blamed, though
// all are shown in one message.
func TestFirstWrongStep(t *testing.T) {
	try := locked(t, 5, nil)
	var wrong []wire.Hash
	for len(try.owe(table.Disclose)) == 0 {
		d := try.State.Duties()[0]
		if last := try.State.Deal() == 1 || try.State.Deal() == 5; d.Kind == table.Shuffle && last && d.Seats[0] == 3 {
			wrong = append(wrong, try.play(try.swapped(d, 7, 8)))
		} else if err := try.Play(1); err != nil {
			t.Fatal(err)
		}
	}
	for _, seat := range []table.Seat{0, 2, 1, 3} {
		try.play(try.disclosedBy(seat))
	}
	testmust.Requiref(t, len(wrong) == 2, "%d false shuffles", len(wrong))
	if n := try.State.LastCheckedDeal(); n != 0 { // though all but the last seat have disclosed the first
		t.Errorf("%d deals are checked", n)
	}
	try.blames(table.CheckStep, 3, wrong[0])
	testmust.Equal(t, try.State.LastCheckedDeal(), 0, "deals are checked, though the first is wrong")
}

// swapped is a shuffle that leaves the order as it is, and has the face at one place in
// another as well. If these are 7 and 8, and it is the last of the deal, nobody notices it
// before the locks are disclosed, since neither is dealt.
func (t try) swapped(d table.Duty, from uint16, to int) []byte {
	t.Helper()
	in, key := t.State.Deck()
	order := make([]uint16, len(in))
	for i := range order {
		order[i] = uint16(i)
	}
	order[to] = from
	out, _, err := clear.Arrange(key, in, order, t.Random)
	testmust.Do(t.T, err)
	seat := d.Seats[0]
	testmust.Do(t.T, t.Hands[seat].Locks.KeepOrder(t.State.KeyNumber(seat), []byte{0, 1, 2, 3, 4, 5, 6, 7, 8}))
	return t.made(t.Sign(seat, table.Shuffle, cardsOf(out)))
}

// Two seats were both wrong: the one that discloses first is blamed at its own step, so that neither
// can hide behind the other's silence; the honest seat never.
func TestTwoWrong(t *testing.T) {
	for _, first := range []table.Seat{1, 2} {
		try := locked(t, 1, nil)
		at := map[table.Seat]wire.Hash{}
		for _, seat := range []table.Seat{1, 2} {
			for try.until(table.Shuffle).Seats[0] != seat {
				try.play(try.honest(try.State.Duties()[0]))
			}
			at[seat] = try.play(try.swapped(try.State.Duties()[0], uint16(seat), 8))
		}
		try.until(table.Disclose)
		try.play(try.disclosedBy(3))
		try.play(try.disclosedBy(first))
		try.blames(table.CheckStep, first, at[first])
	}
}

// A foul of another kind that comes before the disclosure: it ends the table, and what was
// wrong before stays unblamed, since nobody owes a lock any more.
func TestFoulBeforeDisclosure(t *testing.T) {
	try := locked(t, 1, nil)
	try.play(try.swapped(try.until(table.Shuffle), 7, 8))
	d := try.until(table.Move)
	bad := try.made(try.Sign(d.Seats[0], table.Move, wire.MoveBody{Move: []byte(`{"lay":{"card":200,"face":1}}`), Tokens: [][]byte{}}))
	try.catches(bad, table.CheckRules)
	_, err := tabletest.Apply(try.State, bad)
	var fault *table.Fault
	testmust.Require(t, errors.As(err, &fault), err)
	try.State = try.State.WithFault(fault, wire.HashEntry(bad))
	testmust.Holdf(t, len(try.State.Duties()) == 0 && try.State.Foul().Entry == (wire.Hash{}), "%v is owed after a foul", try.State.Duties())
	try.catches(try.made(try.Sign(1, table.Disclose, wire.DisputeBody{})), table.CheckOpen)
}

// A move that opens a card of its own with a false token, and says a face: nobody is foul by
// E7 for a card that is none, and the disclosure blames the mover. One that says another
// face than its true card has is foul by E7 at once, as everywhere.
func TestFalseTokenOfTheMover(t *testing.T) {
	try := locked(t, 1, nil)
	d := try.until(table.Move)
	seat := d.Seats[0]
	move := try.Moves(seat)[1]
	b := try
	b.Table = try.Branch()
	entry := b.play(b.made(b.Forge(b.made(b.HonestMessage(seat, d, move)), edited(try, func(body *wire.MoveBody) { body.Tokens[0][63] ^= 1 }))))
	was, err := try.State.Public()
	is, other := b.State.Public()
	testmust.Holdf(t, err == nil && other == nil && string(was) == string(is) && len(b.State.Faces()) == 1,
		"the rules were told of a move that opened a card which is none: %s, before it %s", is, was)
	for _, s := range []table.Seat{2, 3, seat} {
		b.play(b.disclosedBy(s))
	}
	b.blames(table.CheckStep, seat, entry)

	lie := tabletest.HighCardMove{Lay: &table.ShownCard{Card: try.State.Hand(seat)[0]}}
	for f := range card.Face(9) {
		if true, open := try.Hand(seat)[lie.Lay.Card], try.State.Faces()[6]; f != true && f != open {
			lie.Lay.Face = f
		}
	}
	raw := try.made(wire.EncodeBody(lie))
	try.catches(try.made(try.HonestMessage(seat, d, raw)), table.CheckFace)
}

// A game that needs what locks cannot prove; a table of another version, whose clocks and rulings know nothing
// of what is owed or asked for (G1); and deals that may ask a seat for more values than it has fixed, so that nobody could go on.
func TestSuitesOpenNothingElse(t *testing.T) {
	for _, s := range []proof.Suite{clear.DeferredSuite{}, clear.AskingSuite{}} {
		c := tryout(t, tabletest.Config{Seats: 4, Suite: s}).Catalogue()
		terms := wire.Genesis{Format: wire.TableFormat, Game: "highcard-plain/v1", Suite: s.Name(), Deals: 2}
		testmust.Do(t, table.CheckPlayable(&terms, 4, c))
		terms.Format = "table/v2"
		testmust.Fail(t, table.CheckPlayable(&terms, 4, c), s.Name(), "opens in another version")
		terms.Format, terms.Deals = wire.TableFormat, 3000
		if err := table.CheckPlayable(&terms, 4, c); (err == nil) != (s == clear.DeferredSuite{}) {
			t.Errorf("%s for more deals than there are values: %v", s.Name(), err)
		}
	}
	testmust.Fail(t, testmust.ErrorOf(tabletest.New(three, tabletest.Config{Seats: 4, Suite: clear.DeferredSuite{}}, 1)), "a game of cards handed over opens")
}

// Every message of tables with disclosures and disputes, with a byte of its body changed and
// signed by its seat: it is void, foul by that seat, found to be when locks are disclosed, or
// another move that is allowed. Nobody else is blamed, but who has lied before.
func TestLockedBytes(t *testing.T) {
	for _, scene := range []struct {
		name  string
		liar  table.Seat
		falls func(try) []byte // in place of an honest message; nil: nobody lies
	}{
		{"honest", 99, func(try) []byte { return nil }},
		{"a false token", 1, func(t try) []byte {
			if d := t.State.Duties()[0]; d.Kind == table.Show && d.Owes(1) {
				return t.forged(d, wrongTokens)
			}
			return nil
		}},
		{"a false dispute", 2, func(t try) []byte {
			if d := t.State.Duties()[0]; d.Kind == table.Move && d.Owes(2) {
				return t.made(t.HonestMessage(2, table.Duty{Kind: table.Dispute, Cards: t.State.Hand(2)[:1]}, nil))
			}
			return nil
		}},
	} {
		t.Run(scene.name, func(t *testing.T) {
			try, lied, altered := locked(t, 1, map[string]string{"disclose": "deal"}), table.Seat(99), map[string]int{}
			try.T = t
			for len(try.State.Duties()) > 0 {
				entry := scene.falls(try)
				if entry == nil {
					entry = try.made(try.Next())
				} else {
					lied = scene.liar
				}
				e := parsed(t, entry)
				stride := max(1, len(e.Message.Body)/30)
				for at := 0; at < len(e.Message.Body); at += stride {
					what := try.bytes(entry, at, lied)
					altered[string(e.Message.Kind)+": "+what]++
				}
				try.play(entry)
			}
			t.Log(altered)
		})
	}
}

// bytes alters a byte in the body of a message that is due, plays on honestly, and says what
// comes of it.
func (t try) bytes(entry []byte, at int, lied table.Seat) string {
	t.Helper()
	e := parsed(t.T, entry)
	m, seat := e.Message, table.Seat(e.Message.Seat)
	m.Body = slices.Clone(m.Body)
	m.Body[at] ^= 1 + byte(at%3)
	forged, err := wire.Sign(m, t.Hands[seat].Signer)
	if err != nil {
		return "does not parse"
	}
	b := t.Branch()
	var fault *table.Fault
	if err = b.Add(forged); err == nil {
		err = b.Play(-1)
		fault = b.State.Foul()
	}
	if errors.As(err, &fault); fault == nil {
		_, over := b.State.Result()
		testmust.Requiref(t, m.Kind == table.Move && over, "byte %d: nobody is blamed (%v): %s", at, err, forged)
		return "another move"
	}
	testmust.Requiref(t, fault.Class != table.Foul || fault.Seat == seat || fault.Seat == lied, "byte %d of seat %d: %v", at, seat, fault)
	return string(fault.Check)
}

// A long table whose locks no message holds: they must come in several, each an entry that a
// log takes, and cost no more than playing did.
func TestManyLocks(t *testing.T) {
	const deals = 344
	played := tryout(t, tabletest.Config{Seats: 4, Deals: deals, Suite: clear.DeferredSuite{}, Limit: 100_000})
	plays(t, played, -1)
	messages := 0
	for _, entry := range played.Entries[1:] {
		e := parsed(t, entry)
		if e.Message.Kind == table.Disclose {
			messages++
		}
	}
	_, over := played.State.Result()
	want := 4 * ((deals*3/4 + wire.MaxList - 1) / wire.MaxList)
	testmust.Holdf(t, over && messages == want, "over: %v, %d disclosures, want %d", over, messages, want)
}
