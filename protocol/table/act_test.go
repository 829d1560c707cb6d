package table_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// ends lets seats do all that they may, at a price.
var ends = &wire.Ends{Late: wire.LateForfeit, Forfeit: 5, Resign: true, Agree: true}

// ended is a table of two deals that may end, with so many messages played.
func ended(t *testing.T, c tabletest.Config, n int) *tabletest.Table {
	t.Helper()
	if c.Seats == 0 {
		c.Seats = 3
	}
	if c.Ends == nil {
		c.Ends = ends
	}
	c.Deals = max(c.Deals, 2)
	tb, err := tabletest.New(peter, c, 1)
	if err == nil {
		err = tb.Play(n)
	}
	testmust.Do(t, err)
	return tb
}

// inDeal plays until a deal is being played, with all hands dealt.
func inDeal(t *testing.T, tb *tabletest.Table) {
	t.Helper()
	testmust.Have(tb.PlayUntil(table.Move))(t)
}

// void checks that an entry fails this check, changes nothing, and blames nobody.
func void(t *testing.T, tb *tabletest.Table, what string, entry []byte, check table.Check) {
	t.Helper()
	_, err := tabletest.Apply(tb.State, entry)
	var f *table.Fault
	testmust.Holdf(t, errors.As(err, &f) && f.Class == table.Void && f.Check == check, "%s: %v, want void by %s", what, err, check)
}

func pause(tb *tabletest.Table) []byte { return tb.RulingAct(wire.KindPause, wire.EmptyBody{}) }

// over checks that a table is over with this result, including the forfeits.
func over(t *testing.T, tb *tabletest.Table, want []int, adjudicated bool) {
	t.Helper()
	result, over := tb.State.Result()
	if !over || !slices.Equal(result, want) || tb.State.IsAdjudicated() != adjudicated {
		t.Errorf("over %t with %v, adjudicated %t; want %v, %t", over, result, tb.State.IsAdjudicated(), want, adjudicated)
	}
	s, err := tabletest.Replay(tb.Entries, tb.Catalogue())
	testmust.Holdf(t, err == nil && tabletest.Fingerprint(s) == tabletest.Fingerprint(tb.State), "a replay comes to another state: %v", err)
}

// Somebody acts at a table/v1, so that verdicts on old logs change.
func TestNoActsAtTheFirstFormat(t *testing.T) {
	tb := newTable(t, peter, tabletest.Config{Seats: 2}, 1)
	void(t, tb, "close", tb.RulingAct(wire.KindClose, wire.CloseBody{}), table.CheckForm)
	leaves := 0
	r := replay.New(tb.Catalogue(), nil, 1, func(wire.Hash, replay.Step) { leaves++ })
	for i, entry := range [][]byte{tb.Entries[0], tb.RulingAct(wire.KindClose, wire.CloseBody{})} {
		r.TakeLeaf(replay.NewLeaf(uint64(i), wire.HashEntry(entry), entry))
	}
	r.SettleBatches()
	testmust.Holdf(t, leaves == 1, "%d entries of a table/v1 are told, and the act is of no table", leaves)
}

// A stranger or a seat does what only others may do, or what the table does not allow. (Attack 23)
func TestActsOfTheEntitled(t *testing.T) {
	tb := ended(t, tabletest.Config{Ends: &wire.Ends{Late: wire.LateUndo}}, 0)
	inDeal(t, tb)
	stranger := ended(t, tabletest.Config{Options: map[string]string{"pack": "52"}}, 0)
	close := tb.RulingAct(wire.KindClose, wire.CloseBody{Reason: "Late."})
	for what, c := range map[string]struct {
		entry []byte
		check table.Check
	}{
		"close by a seat":       {tb.ActOf(1, wire.KindClose, wire.CloseBody{}), table.CheckEntitled},
		"pause by a seat":       {tb.ActOf(1, wire.KindPause, wire.EmptyBody{}), table.CheckEntitled},
		"resign, not allowed":   {tb.ActOf(1, wire.KindResign, wire.ResignBody{Scope: "deal"}), table.CheckEntitled},
		"agree, not allowed":    {tb.ActOf(1, wire.KindAgree, wire.AgreeBody{To: "end"}), table.CheckEntitled},
		"resign by organiser":   {tb.RulingAct(wire.KindResign, wire.ResignBody{Scope: "deal"}), table.CheckEntitled},
		"back, and nobody gone": {tb.ActOf(1, wire.KindBack, wire.EmptyBody{}), table.CheckEntitled},
		"back, by organiser":    {tb.RulingAct(wire.KindBack, wire.EmptyBody{}), table.CheckActBody},
		"an unknown kind":       {tb.RulingAct("annul", wire.EmptyBody{}), table.CheckEntitled},
		"a message's kind":      {tb.ActOf(1, wire.KindMove, wire.EmptyBody{}), table.CheckEntitled},
		"a claim, and no clock": {tb.ActOf(1, wire.KindTimeout, wire.EmptyBody{}), table.CheckClock},
		"another table":         {stranger.RulingAct(wire.KindClose, wire.CloseBody{}), table.CheckTable},
		"a body of others":      {tb.RulingAct(wire.KindClose, wire.EmptyBody{}), table.CheckActBody},
		"resume, not paused":    {tb.RulingAct(wire.KindResume, wire.EmptyBody{}), table.CheckActBody},
		"another text":          {bytes.Replace(close, []byte("Late."), []byte("Soon."), 1), table.CheckSignature},
		"an old parent":         {bytes.Replace(close, []byte(tb.State.Head().String()), []byte(tb.State.ID().String()), 1), table.CheckParent},
	} {
		void(t, tb, what, c.entry, c.check)
	}
	key, signer := stranger.State.HolderKey(1), stranger.Hands[1].Signer
	entry := testmust.Have(player.SignAct(tb.State, key, signer, wire.KindClose, wire.CloseBody{}))(t)
	testmust.Requiref(t, strings.Contains(key, "seat-1"), "the stranger is %s", key)
	void(t, tb, "close by a stranger of a seat's name", entry, table.CheckEntitled)
}

// The stranger who offered a table and has its organiser's key gives a seat to a key of his own, closes
// the table when he is ahead, pauses it, lets a seat that left come back, or claims that somebody is
// late. (Attack 23)
func TestNobodyRules(t *testing.T) {
	tb := selfRuled(t)
	inDeal(t, tb)
	refused := func(when string) {
		t.Helper()
		_, reseat, err := tb.Substitute(2)
		testmust.Do(t, err)
		void(t, tb, "reseat"+when, reseat, table.CheckEntitled)
		for kind, body := range map[wire.Kind]any{wire.KindPause: wire.EmptyBody{}, wire.KindResume: wire.EmptyBody{}, wire.KindBack: wire.EmptyBody{},
			wire.KindClose: wire.CloseBody{}, wire.KindTimeout: wire.EmptyBody{}, wire.KindAgree: wire.AgreeBody{To: "end"},
			wire.KindResign: wire.ResignBody{Scope: "table"}, wire.KindExpose: wire.EmptyBody{}} {
			void(t, tb, string(kind)+when, tb.RulingAct(kind, body), table.CheckEntitled)
		}
		for _, kind := range []wire.Kind{wire.KindPause, wire.KindResume, wire.KindClose, wire.KindReseat} {
			void(t, tb, "of a seat: "+string(kind)+when, tb.ActOf(1, kind, wire.EmptyBody{}), table.CheckEntitled)
		}
	}
	leave, back := wire.ResignBody{Scope: wire.ResignTable}, wire.EmptyBody{}
	refused("")
	add(t, tb, tb.ActOf(2, wire.KindResign, leave))
	refused(", stopped")
	for range 2 {
		add(t, tb, tb.ActOf(2, wire.KindBack, back))
		add(t, tb, tb.ActOf(2, wire.KindResign, leave))
	}
	void(t, tb, "back for the third time", tb.ActOf(2, wire.KindBack, back), table.CheckEntitled)
	refused(", stopped for good")
}

// selfRuled is a table that nobody rules.
func selfRuled(t *testing.T) *tabletest.Table {
	t.Helper()
	free := *ends
	free.SelfRuled = true
	return ended(t, tabletest.Config{Ends: &free}, 0)
}

// A seat that has left holds the result of the others hostage, or ends the table; it is left out
// although it is back; or two seats stop the clock of a third one for ever.
func TestWhoHasLeftIsNotAsked(t *testing.T) {
	tb := selfRuled(t)
	inDeal(t, tb)
	agree := func(seat table.Seat, to string) []byte { return tb.ActOf(seat, wire.KindAgree, wire.AgreeBody{To: to}) }
	leave := func(tb *tabletest.Table, seat table.Seat) []byte {
		return tb.ActOf(seat, wire.KindResign, wire.ResignBody{Scope: wire.ResignTable})
	}
	void(t, tb, "pause", agree(0, "pause"), table.CheckActBody)
	add(t, tb, agree(0, "end"))
	add(t, tb, agree(1, "end"))
	testmust.Require(t, !tb.State.IsOver(), "two of three have agreed, nobody has left, and the table is over")
	add(t, tb, leave(tb, 2))
	testmust.Require(t, !tb.State.IsOver() && tb.State.WantedBy(0) == "", "what two wanted of three counts for what they want of two")
	for _, to := range []string{"end", ""} {
		void(t, tb, "agree to "+to+", having left", agree(2, to), table.CheckActBody)
	}
	void(t, tb, "pause, when one has left", agree(1, "pause"), table.CheckActBody)
	void(t, tb, "undo, when one has left", agree(1, "undo"), table.CheckActBody)
	add(t, tb, agree(0, "end"))
	add(t, tb, tb.ActOf(2, wire.KindBack, wire.EmptyBody{}))
	add(t, tb, agree(1, "end"))
	testmust.Require(t, !tb.State.IsOver() && tb.State.WantedBy(0) == "", "who is back is not asked")
	inDeal(t, tb)
	add(t, tb, leave(tb, 2))
	add(t, tb, agree(1, "end"))
	testmust.Require(t, !tb.State.IsOver(), "one of the two who are left has agreed, and the table is over")
	add(t, tb, agree(0, "end"))
	over(t, tb, []int{10, 10, -20}, true)
	acts := tb.State.EndingActs()
	last := acts[len(acts)-1]
	testmust.Holdf(t, !last.IsAgreed() && last.Seat != nil && *last.Seat == 2, "what ended it is %+v", last)

	tb = selfRuled(t) // before the first deal, where nothing is paid: not all have agreed all the same
	add(t, tb, leave(tb, 0))
	add(t, tb, agree(1, "end"))
	add(t, tb, agree(2, "end"))
	over(t, tb, []int{0, 0, 0}, true)
}

// A seat that has given up a deal pays nothing for it, or its cards open in the next deal.
func TestResignADeal(t *testing.T) {
	tb := ended(t, tabletest.Config{}, 0)
	inDeal(t, tb)
	inHand, deals, public := tb.Hand(0), tb.State.Deal(), tb.State
	add(t, tb, tb.ActOf(1, wire.KindResign, wire.ResignBody{Scope: wire.ResignDeal}))
	if len(inHand) == 0 || len(tb.State.Hand(0)) > 0 || tb.State.Deal() != deals+1 || tb.State.Duties()[0].Kind != table.Shuffle {
		t.Errorf("after a deal was resigned, play waits for %v in deal %d", tb.State.Duties(), tb.State.Deal())
	}
	was, _ := public.Public()
	now, _ := tb.State.Public()
	testmust.Hold(t, !bytes.Equal(was, now), "the rules' state is that of the deal that was resigned")
	plays(t, tb, -1)
	sheet := tb.State.Sheet()
	testmust.Holdf(t, len(sheet.Deals) == 2 && len(sheet.Forfeits) == 1 && slices.Equal(sheet.Forfeits[0].Points, []int{5, -10, 5}) && sheet.Forfeits[0].Deal == 1,
		"the sheet is %+v", sheet)
	over(t, tb, sheet.Sums(3), true)
}

// Tokens and shuffles of a deal that was undone are used for the next one: each of its messages, as it
// was signed, and signed again. (Attack 19)
func TestUndoneDealIsNoWay(t *testing.T) {
	tb := ended(t, tabletest.Config{}, 0)
	inDeal(t, tb)
	old := tb.Entries[4:]
	add(t, tb, tb.ActOf(1, wire.KindResign, wire.ResignBody{Scope: wire.ResignDeal}))
	for range 6 {
		for _, entry := range old {
			void(t, tb, "an old message", entry, table.CheckParent)
			e := parsed(t, entry)
			again := testmust.Have(tb.Forge(entry, func(m *wire.Message) { m.Parent = tb.State.Head() }))(t)
			_, err := tabletest.Apply(tb.State, again)
			testmust.Holdf(t, err != nil || len(e.Message.Proofs) == 0, "a %s of the undone deal is applied in the next", e.Message.Kind)
		}
		plays(t, tb, 1)
	}
}

// A table that has stopped cannot go on, goes on without the seat, or is stopped by one seat again and
// again; and what is paid before the first deal.
func TestResignTheTableAndBack(t *testing.T) {
	tb := ended(t, tabletest.Config{}, 1)
	resign := func(seat table.Seat) []byte {
		return tb.ActOf(seat, wire.KindResign, wire.ResignBody{Scope: wire.ResignTable})
	}
	add(t, tb, resign(2))
	if gone, stopped := tb.State.GoneSeat(); !stopped || gone != 2 || len(tb.State.Duties()) != 0 || tb.State.IsOver() || len(tb.State.Sheet().Forfeits) != 0 {
		t.Fatal("before the first deal the table is not just stopped")
	}
	void(t, tb, "resign, at a stopped table", resign(1), table.CheckActBody)
	void(t, tb, "back, by another seat", tb.ActOf(1, wire.KindBack, wire.EmptyBody{}), table.CheckEntitled)
	void(t, tb, "pause, at a stopped table", pause(tb), table.CheckActBody)
	add(t, tb, tb.ActOf(2, wire.KindBack, wire.EmptyBody{}))
	inDeal(t, tb)
	testmust.Hold(t, !tb.State.IsAdjudicated(), "nothing was lost, and the table is adjudicated")
	add(t, tb, resign(2))
	testmust.Fail(t, testmust.ErrorOf(tb.Next()), "somebody owes a message")
	add(t, tb, tb.ActOf(2, wire.KindBack, wire.EmptyBody{}))
	inDeal(t, tb)
	add(t, tb, resign(2))
	void(t, tb, "back, for the third time", tb.ActOf(2, wire.KindBack, wire.EmptyBody{}), table.CheckEntitled)
	add(t, tb, tb.RulingAct(wire.KindBack, wire.EmptyBody{}))
	plays(t, tb, -1)
	over(t, tb, tb.State.Sheet().Sums(3), true)
	testmust.Equal(t, len(tb.State.Sheet().Forfeits), 2, "forfeits for two deals left")
}

// The table ends although one seat has not agreed, or has agreed at another deal. (Attack 22)
func TestAgree(t *testing.T) {
	tb := ended(t, tabletest.Config{}, 0)
	inDeal(t, tb)
	agree := func(seat table.Seat, to string) []byte { return tb.ActOf(seat, wire.KindAgree, wire.AgreeBody{To: to}) }
	add(t, tb, agree(0, "end"))
	void(t, tb, "agree, again", agree(0, "end"), table.CheckActBody)
	add(t, tb, agree(1, "end"))
	testmust.Require(t, !tb.State.IsOver(), "two of three have agreed, and the table is over")
	add(t, tb, tb.ActOf(2, wire.KindResign, wire.ResignBody{Scope: wire.ResignDeal}))
	add(t, tb, agree(2, "end"))
	testmust.Require(t, !tb.State.IsOver() && tb.State.WantedBy(0) == "", "an agreement of the deal before counts")
	add(t, tb, agree(2, ""))
	for seat := range table.Seat(3) {
		add(t, tb, agree(seat, "pause"))
	}
	testmust.Hold(t, tb.State.IsPaused(), "all have agreed, and the table is not paused")
	void(t, tb, "pause, when paused", agree(0, "pause"), table.CheckActBody)
	add(t, tb, tb.RulingAct(wire.KindResume, wire.EmptyBody{}))
	for seat := range table.Seat(3) {
		add(t, tb, agree(seat, "end"))
	}
	over(t, tb, []int{5, 5, -10}, true)
	void(t, tb, "agree, after the end", agree(0, ""), table.CheckOpen)
}

// An end that all wanted is not sound, or a deal that all wanted undone counts.
func TestAllAgreeToEnd(t *testing.T) {
	tb := ended(t, tabletest.Config{}, 0)
	for tb.State.Deal() < 2 {
		plays(t, tb, 1)
	}
	inDeal(t, tb)
	want := tb.State.Sheet().Sums(3)
	for _, to := range []string{"undo", "end"} {
		for seat := range table.Seat(3) {
			add(t, tb, tb.ActOf(seat, wire.KindAgree, wire.AgreeBody{To: to}))
		}
	}
	if slices.Equal(want, make([]int, 3)) || tb.State.Deal() != 3 {
		t.Fatalf("the finished deal paid %v, deal %d", want, tb.State.Deal())
	}
	over(t, tb, want, false)
}

// A message after the table was closed in mid-deal is blamed on its seat; or a deal counts that was
// closed. (Attack 23)
func TestClose(t *testing.T) {
	tb := ended(t, tabletest.Config{}, 0)
	inDeal(t, tb)
	late := testmust.Have(tb.Next())(t)
	add(t, tb, tb.RulingAct(wire.KindClose, wire.CloseBody{Reason: "The hall closes at ten."}))
	late = testmust.Have(tb.Forge(late, func(m *wire.Message) { m.Parent = tb.State.Head() }))(t)
	void(t, tb, "a message after the end", late, table.CheckOpen)
	void(t, tb, "close, twice", tb.RulingAct(wire.KindClose, wire.CloseBody{}), table.CheckOpen)
	over(t, tb, []int{0, 0, 0}, true)
	list := tb.State.EndingActs()
	testmust.Holdf(t, len(list) == 1 && list[0].Deal == 1 && list[0].Reason == "The hall closes at ten.", "what ended it is %+v", list)
}

// A seat, or an arbiter, moves the head away from others for ever. (Attack 11)
func TestActsAreBounded(t *testing.T) {
	tb := ended(t, tabletest.Config{}, 0)
	inDeal(t, tb)
	for i := range 8 {
		add(t, tb, tb.ActOf(1, wire.KindAgree, wire.AgreeBody{To: []string{"end", ""}[i%2]}))
	}
	void(t, tb, "the ninth act", tb.ActOf(1, wire.KindAgree, wire.AgreeBody{To: "end"}), table.CheckBound)
	for range 8 {
		add(t, tb, tb.ActOf(2, wire.KindResign, wire.ResignBody{Scope: wire.ResignDeal}))
	}
	void(t, tb, "the ninth deal given up", tb.ActOf(2, wire.KindResign, wire.ResignBody{Scope: wire.ResignDeal}), table.CheckBound)
	void(t, tb, "an act more in a deal begun again", tb.ActOf(1, wire.KindAgree, wire.AgreeBody{To: "end"}), table.CheckBound)
	for len(tb.State.Sheet().Deals) == 0 {
		plays(t, tb, 1)
	}
	inDeal(t, tb)
	add(t, tb, tb.ActOf(1, wire.KindAgree, wire.AgreeBody{To: "end"}))
	for i := range 64 {
		add(t, tb, tb.RulingAct([]wire.Kind{wire.KindPause, wire.KindResume}[i%2], wire.EmptyBody{}))
	}
	void(t, tb, "the 65th act", pause(tb), table.CheckBound)
}

// A seat stops the table and comes back again and again: the acts it may do by itself count as its own
// (50.7.5).
func TestComingBackCounts(t *testing.T) {
	tb := ended(t, tabletest.Config{}, 0)
	inDeal(t, tb)
	for range 2 {
		add(t, tb, tb.ActOf(2, wire.KindResign, wire.ResignBody{Scope: wire.ResignTable}))
		add(t, tb, tb.ActOf(2, wire.KindBack, wire.EmptyBody{}))
	}
	for range 4 {
		add(t, tb, tb.ActOf(2, wire.KindResign, wire.ResignBody{Scope: wire.ResignDeal}))
	}
	void(t, tb, "the ninth act", tb.ActOf(2, wire.KindResign, wire.ResignBody{Scope: wire.ResignDeal}), table.CheckBound)
}

// A claim with a proof at a table without a clock: two verifiers would name different checks.
func TestClockIsAskedBeforeTheBody(t *testing.T) {
	tb := ended(t, tabletest.Config{}, 0)
	inDeal(t, tb)
	e := parsed(t, tb.ActOf(1, wire.KindTimeout, wire.EmptyBody{}))
	e.Act.Proofs = [][]byte{{1}}
	void(t, tb, "a claim with a proof", signed(t, e.Act, tb.Hands[1].Signer), table.CheckClock)
}

// A card is turned up that is not its seat's, is another card, or is in play; or a seat is blamed for a
// wrong proof of something it did not have to show. (Attack 20)
func TestExpose(t *testing.T) {
	tb := ended(t, tabletest.Config{}, 0)
	inDeal(t, tb)
	mine, others := tb.State.Hand(0), tb.State.Hand(1)
	testmust.Fail(t, testmust.ErrorOf(tb.Expose(0, mine[0])), "a card is exposed in play")
	add(t, tb, tb.ActOf(2, wire.KindResign, wire.ResignBody{Scope: wire.ResignTable}))
	testmust.Fail(t, testmust.ErrorOf(tb.Expose(0, others[0])), "a card of another seat is exposed")
	entry := testmust.Have(tb.Expose(0, mine...))(t)
	forge := func(change func(*wire.Act)) []byte {
		e := parsed(t, entry)
		change(e.Act)
		forged := signed(t, e.Act, tb.Hands[0].Signer)
		return forged
	}
	body := func(change func(*wire.ExposeBody)) []byte {
		return forge(func(a *wire.Act) {
			var b wire.ExposeBody
			decodeAct(t, a.Body, &b)
			change(&b)
			a.Body, _ = wire.EncodeBody(b)
		})
	}
	void(t, tb, "no proof", forge(func(a *wire.Act) { a.Proofs = nil }), table.CheckActBody)
	void(t, tb, "another proof", forge(func(a *wire.Act) { a.Proofs[0][7] ^= 1 }), table.CheckReveal)
	void(t, tb, "a token less", body(func(b *wire.ExposeBody) { b.Tokens = b.Tokens[1:] }), table.CheckActBody)
	void(t, tb, "tokens exchanged", body(func(b *wire.ExposeBody) { b.Tokens[0], b.Tokens[1] = b.Tokens[1], b.Tokens[0] }), table.CheckReveal)
	void(t, tb, "a card of another", body(func(b *wire.ExposeBody) { b.Cards[len(b.Cards)-1] = 31 }), table.CheckActBody)
	void(t, tb, "no token", body(func(b *wire.ExposeBody) { b.Tokens[0] = []byte{1} }), table.CheckActBody)
	truth := tb.Hand(0)
	add(t, tb, entry)
	for c, face := range truth {
		shown, open := tb.State.Faces()[c]
		testmust.Holdf(t, open && shown == face, "card %d shows %d, and is %d", c, shown, face)
	}
	add(t, tb, tb.ActOf(2, wire.KindBack, wire.EmptyBody{}))
	testmust.Hold(t, len(tb.State.Faces()) == 0 && len(tb.State.Hand(0)) == 0, "cards of an undone deal lie in the next")
}

// A seat is taken by somebody who was not asked, or who has or had a seat; a player who was replaced
// still signs; a substitute cannot play on. (Attacks 17, 18)
func TestReseat(t *testing.T) {
	tb := ended(t, tabletest.Config{}, 0)
	inDeal(t, tb)
	add(t, tb, tb.ActOf(2, wire.KindResign, wire.ResignBody{Scope: wire.ResignTable}))
	hand, entry, err := tb.Substitute(2)
	testmust.Do(t, err)
	e := parsed(t, entry)
	changed := func(change func(*wire.ReseatBody)) []byte {
		var body wire.ReseatBody
		decodeAct(t, e.Act.Body, &body)
		change(&body)
		return tb.RulingAct(wire.KindReseat, body)
	}
	void(t, tb, "for another seat", changed(func(b *wire.ReseatBody) { b.Seat = 1 }), table.CheckActBody)
	void(t, tb, "for no seat", changed(func(b *wire.ReseatBody) { b.Seat = 3 }), table.CheckActBody)
	void(t, tb, "unasked", changed(func(b *wire.ReseatBody) { b.Accept[0] ^= 1 }), table.CheckActBody)
	void(t, tb, "who has a seat", changed(func(b *wire.ReseatBody) {
		b.Key = tb.State.HolderKey(0)
		b.Accept, _ = wire.SignAccept(tb.Hands[0].Signer, tb.State.ID(), tb.State.Head(), 2)
	}), table.CheckActBody)
	before, old := tb.State.CardKey(2), tb.Hands[2]
	add(t, tb, entry)
	owed := tb.State.Duties()
	testmust.Requiref(t, len(owed) == 1 && owed[0].Kind == table.Key && owed[0].Seats[0] == 2, "play waits for %v", owed)
	body := wire.KeyBody{Key: before.Bytes()}
	late := testmust.Have(tb.Sign(2, table.Key, body, []byte{1}))(t)
	void(t, tb, "who was replaced", late, table.CheckSignature)
	void(t, tb, "an act of who was replaced", mustAct(t, tb, tb.State.Genesis().Seats[2], old), table.CheckEntitled)
	testmust.Do(t, tb.SitDown(hand))
	taken := testmust.Have(tb.Sign(2, table.Key, body, []byte{1}))(t)
	var f *table.Fault
	_, err = tabletest.Apply(tb.State, taken)
	testmust.Holdf(t, errors.As(err, &f) && f.Check == table.CheckKey, "the card key of who was replaced: %v", err)
	plays(t, tb, -1)
	over(t, tb, tb.State.Sheet().Sums(3), true)
}

func mustAct(t *testing.T, tb *tabletest.Table, key string, h player.Hand) []byte {
	t.Helper()
	return testmust.Have(player.SignAct(tb.State, key, h.Signer, wire.KindAgree, wire.AgreeBody{To: "end"}))(t)
}

// A broken rule costs the game at once, can be tried for ever, or changes something by opening a card
// or moving play. (Attack 21)
func TestWarn(t *testing.T) {
	tb := ended(t, tabletest.Config{Fouls: wire.WarnFouls}, 0)
	d := testmust.Have(tb.PlayUntil(table.Show))(t)
	seat := d.Seats[0]
	for i := range 3 {
		entry := testmust.Have(tb.HonestMessage(seat, d, nil))(t)
		wrong := testmust.Have(tb.Forge(entry, func(m *wire.Message) { m.Proofs[0][3] ^= 1 }))(t)
		_, err := tabletest.Apply(tb.State, wrong)
		f, ok := errors.AsType[*table.Fault](err)
		testmust.Requiref(t, ok && f.Class == []table.Class{table.Tried, table.Tried, table.Foul}[i] && f.Seat == seat && f.Check == table.CheckReveal,
			"attempt %d: %v", i+1, err)
		before := tb.State
		if tb.LogAttempt(wrong, f); i == 2 {
			break
		}
		testmust.Require(t, tb.State.Head() == wire.HashEntry(wrong) && len(tb.State.Faces()) == len(before.Faces()) && slices.EqualFunc(tb.State.Duties(), before.Duties(), table.Duty.Equal),
			"an attempt does more than move the head")
		void(t, tb, "the right message on the old head", entry, table.CheckParent)
	}
	if f := tb.State.Foul(); f == nil || f.Seat != seat || len(tb.State.Attempts()) != 2 {
		t.Errorf("after the third: %v, %v", f, tb.State.Attempts())
	}
}

// A replay of a whole log differs from one entry after another: attempts and acts in one batch with
// what is before and after them.
func TestReplayOfEndings(t *testing.T) {
	tb := ended(t, tabletest.Config{Fouls: wire.WarnFouls}, 0)
	for seat := range table.Seat(2) {
		plays(t, tb, 7)
		entry := testmust.Have(tb.Next())(t)
		wrong := testmust.Have(tb.Forge(entry, func(m *wire.Message) { m.Proofs = append(m.Proofs, []byte{1}) }))(t)
		var f *table.Fault
		_, err := tabletest.Apply(tb.State, wrong)
		testmust.Require(t, errors.As(err, &f) && f.Class == table.Tried, err)
		tb.LogAttempt(wrong, f)
		add(t, tb, tb.ActOf(seat, wire.KindAgree, wire.AgreeBody{To: "end"}))
	}
	add(t, tb, tb.RulingAct(wire.KindClose, wire.CloseBody{}))
	var last *table.State
	var tally replay.Tally
	r := replay.New(tb.Catalogue(), nil, 1, func(_ wire.Hash, s replay.Step) {
		tally.CountStep(s)
		last = s.After
	})
	for i, entry := range tb.Entries {
		r.TakeLeaf(replay.NewLeaf(uint64(i), wire.HashEntry(entry), entry))
	}
	r.SettleBatches()
	testmust.Hold(t, last != nil && tabletest.Fingerprint(last) == tabletest.Fingerprint(tb.State) && last.IsOver(),
		"a replay in one batch comes to another state")
	testmust.Holdf(t, tally.Attempted == 2 && tally.Acts == 3 && tally.Applied == 14 && tally.Voided == 0, "the tally is %+v", tally)
}
