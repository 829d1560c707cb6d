package vectors_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

const endingsBase = "table/schwarzer-peter-endings.jsonl"

// left is a table with every kind of act and an attempt; at has the places of its acts by kind. The
// act agreed would have ended the table by all seats' agreement after one had left.
func left(t *testing.T) (m *maker, at map[wire.Kind]int, agreed []byte) {
	t.Helper()
	game, _ := games.Lookup("schwarzer-peter/v1")
	tb := testmust.Have(tabletest.New(game, tabletest.Config{Seats: 2, Deals: 3, Suite: theSuite(t), Fouls: wire.WarnFouls,
		Options: map[string]string{"rules": "article"}, Ends: &wire.Ends{Late: wire.LateForfeit, Forfeit: 5, Resign: true, Agree: true}}, 2))(t)
	at = map[wire.Kind]int{}
	act := func(entry []byte) {
		t.Helper()
		at[testmust.Have(wire.Parse(entry))(t).Act.Kind] = len(tb.Entries)
		testmust.Do(t, tb.Add(entry))
	}
	for len(tb.State.Sheet().Deals) < 1 {
		testmust.Do(t, tb.Play(1))
	}
	testmust.Have(tb.PlayUntil(table.Move))(t)
	act(tb.RulingAct(wire.KindPause, wire.EmptyBody{}))
	act(tb.RulingAct(wire.KindResume, wire.EmptyBody{}))
	act(tb.ActOf(0, wire.KindAgree, wire.AgreeBody{To: wire.AgreeEnd}))
	honest := testmust.Have(tb.Next())(t)
	wrong := testmust.Have(tb.Forge(honest, func(w *wire.Message) { w.Body = json.RawMessage(`{}`) }))(t)
	_, err := tabletest.Apply(tb.State, wrong)
	f, ok := errors.AsType[*table.Fault](err)
	testmust.Require(t, ok, err)
	tb.LogAttempt(wrong, f)
	act(tb.ActOf(1, wire.KindResign, wire.ResignBody{Scope: wire.ResignTable}))
	agreed = tb.ActOf(1, wire.KindAgree, wire.AgreeBody{To: wire.AgreeEnd})
	act(testmust.Have(tb.Expose(0, tb.State.Hand(0)...))(t))
	act(tb.ActOf(1, wire.KindBack, wire.EmptyBody{}))
	hand, reseat, err := tb.Substitute(1)
	testmust.Do(t, err)
	act(reseat)
	testmust.Do(t, tb.SitDown(hand))
	testmust.Do(t, tb.Play(6))
	act(tb.RulingAct(wire.KindClose, wire.CloseBody{Reason: "Elf Uhr – Schluß"}))
	return &maker{T: t, Table: tb, base: endingsBase}, at, agreed
}

// endingVariants are that table, and entries that others could have put into its log.
func endingVariants(t *testing.T) []any {
	m, at, agreed := left(t)
	same(t, endingsBase, lines(t, m.Entries))
	messages := m.State.CountApplied()
	result, _ := m.State.Result()
	whole := variant{Name: "whole", Comment: "a table that was left, played on by a substitute, and closed", Verdict: verifier.Adjudicated, Applied: messages, Result: result, Report: "report/endings-adjudicated.json"}
	m.add(whole)
	cutAt := func(name, comment string, before wire.Kind) {
		n := at[before]
		m.add(variant{Name: name, Comment: comment, Change: cut, At: n, Verdict: verifier.Unfinished, Applied: m.States[n-1].CountApplied(), Report: "report/endings-" + name + ".json"})
	}
	cutAt("stopped", "a seat has left, and nobody owes anything", wire.KindBack)
	cutAt("open", "a substitute plays on", wire.KindClose)
	void := func(name, comment string, place int, id table.Check, entry []byte) {
		m.add(variant{Name: name, Comment: comment, Change: insert, At: place, Entry: string(entry), Verdict: verifier.Adjudicated, Check: id, Applied: messages, Void: 1, Result: result})
	}
	on := func(place int, seat table.Seat, kind wire.Kind, body any) []byte {
		s := m.States[place-1]
		return testmust.Have(player.SignAct(s, s.HolderKey(seat), m.Hands[seat].Signer, kind, body))(t)
	}
	ruled := func(place int, kind wire.Kind, body any) []byte {
		s := m.States[place-1]
		return testmust.Have(player.SignAct(s, s.Genesis().Organiser, m.Organiser, kind, body))(t)
	}
	pause, stopped, end := at[wire.KindPause], at[wire.KindExpose], len(m.Entries)
	void("entitled", "closed by a seat", pause, table.CheckEntitled, on(pause, 0, wire.KindClose, wire.CloseBody{}))
	void("kind", "an act of no kind", pause, table.CheckEntitled, ruled(pause, "annul", wire.EmptyBody{}))
	void("resume", "let go on, and not paused", pause, table.CheckActBody, ruled(pause, wire.KindResume, wire.EmptyBody{}))
	void("body", "a body of another kind", pause, table.CheckActBody, ruled(pause, wire.KindClose, wire.EmptyBody{}))
	void("clock", "a claim at a table without a clock", pause, table.CheckClock, on(pause, 0, wire.KindTimeout, wire.EmptyBody{}))
	proved := testmust.Have(wire.Parse(on(pause, 0, wire.KindTimeout, wire.EmptyBody{})))(t).Act
	proved.Proofs = [][]byte{{1}}
	void("clock-proof", "a claim at a table without a clock, with a proof", pause, table.CheckClock, testmust.Have(wire.Sign(proved, m.Hands[0].Signer))(t))
	void("parent", "an act on another head", pause+1, table.CheckParent, ruled(pause, wire.KindClose, wire.CloseBody{}))
	void("unasked", "a seat given to a key that has not accepted it", pause, table.CheckActBody,
		ruled(pause, wire.KindReseat, wire.ReseatBody{Seat: 1, Key: m.State.Genesis().Organiser, Accept: make([]byte, 64)}))
	void("resigned", "a seat resigns where the table is stopped", stopped, table.CheckActBody, on(stopped, 0, wire.KindResign, wire.ResignBody{Scope: wire.ResignTable}))
	expose := testmust.Have(wire.Parse(m.Entries[stopped]))(t).Act
	expose.Proofs[0] = flipped(expose.Proofs[0], len(expose.Proofs[0])-32)
	void("reveal", "cards turned up with a wrong proof", stopped, table.CheckReveal, testmust.Have(wire.Sign(expose, m.Hands[0].Signer))(t))
	ended := testmust.Have(tabletest.Apply(m.States[stopped-1], agreed))(t)
	sum, _ := ended.Result()
	m.add(variant{Name: "agreed", Comment: "a seat has left an open deal, and then all agree to end the table", Change: insert, At: stopped, Entry: string(agreed),
		Verdict: verifier.Adjudicated, Applied: ended.CountApplied(), Void: end - stopped, Result: sum})
	long := testmust.Have(m.Forge(m.Entries[3], func(w *wire.Message) {
		w.Body = json.RawMessage(`{"cards":"sha256:` + strings.Repeat("0", 64) + `:2097152"}`)
	}))(t)
	m.add(variant{Name: "long-cards", Comment: "cards are a blob of more bytes than such a table takes: it is none of the table's entries", Change: insert, At: 3, Entry: string(long),
		Verdict: verifier.Adjudicated, Applied: messages, Result: result})
	void("over", "closed again", end, table.CheckOpen, ruled(end, wire.KindClose, wire.CloseBody{}))
	return append(m.list, comings(t)...)
}

// comings is a table that a seat has stopped, and come back to as often as it may by itself. There it
// then resigns deals: the ninth act is one too many.
func comings(t *testing.T) []any {
	game, _ := games.Lookup("schwarzer-peter/v1")
	tb := testmust.Have(tabletest.New(game, tabletest.Config{Seats: 2, Deals: 3, Suite: theSuite(t), Fouls: wire.WarnFouls,
		Options: map[string]string{"rules": "article"}, Ends: &wire.Ends{Late: wire.LateForfeit, Forfeit: 5, Resign: true, Agree: true}}, 3))(t)
	testmust.Have(tb.PlayUntil(table.Move))(t)
	for range 2 {
		testmust.Do(t, tb.Add(tb.ActOf(1, wire.KindResign, wire.ResignBody{Scope: wire.ResignTable})))
		testmust.Do(t, tb.Add(tb.ActOf(1, wire.KindBack, wire.EmptyBody{})))
	}
	again := func() []byte { return tb.ActOf(1, wire.KindResign, wire.ResignBody{Scope: wire.ResignDeal}) }
	for range 4 {
		testmust.Do(t, tb.Add(again()))
	}
	const base = "table/schwarzer-peter-comings.jsonl"
	applied, list := tb.State.CountApplied(), append(slices.Clone(tb.Entries), again())
	same(t, base, lines(t, list))
	m := &maker{T: t, Table: tb, base: base}
	m.add(variant{Name: "whole", Comment: "to come back by itself counts as the seat's act: its ninth is one too many", Verdict: verifier.Unfinished, Applied: applied, Void: 1})
	return m.list
}

const (
	branchesBase = "table/schwarzer-peter-branches.jsonl"
	reseatBase   = "table/schwarzer-peter-branch-reseat.jsonl"
)

// branchVariants are a table with a clock and, beside its history, a message of seat B and an answer
// of seat C, with what a seat could and could not be blamed for there.
func branchVariants(t *testing.T) []any {
	game, _ := games.Lookup("schwarzer-peter/v1")
	w := markstest.New(t, game, tabletest.Config{Seats: 3, Suite: theSuite(t)}, 4, nil)
	signs := func(on *table.State, seat table.Seat) []byte {
		return testmust.Have(w.Hands[seat].SignMessage(on, on.DutiesOf(seat)[0], nil, w.Random))(t)
	}
	after := func(on *table.State, entry []byte) *table.State {
		return testmust.Have(on.Apply(testmust.Have(wire.Parse(entry))(t), table.Facts{}))(t)
	}
	start := w.State
	first, second, beside := signs(start, 0), signs(start, 0), signs(start, 1)
	branch := after(start, beside)
	answer, again := signs(branch, 2), signs(branch, 2)
	testmust.Do(t, w.Post(first))
	base := [][]byte{w.Entries[0], first, beside, answer}
	for w.State.CountApplied() < 4 {
		w.PlayMoves(1, 0)
		base = append(base, w.Entries[len(w.Entries)-1])
	}
	same(t, branchesBase, lines(t, base))
	m := &maker{T: t, Table: w.Table, base: branchesBase}
	seatA, seatC := table.Seat(0), table.Seat(2)
	wrong := testmust.Have(w.Forge(second, func(m *wire.Message) { m.Body = json.RawMessage(`{}`) }))(t)
	m.add(variant{Name: "whole", Comment: "a message of another seat on the entry that the first builds on, and an answer to it, are void", Verdict: verifier.Unfinished, Applied: 4, Void: 2})
	m.add(variant{Name: "twice", Comment: "a second good message of seat A on one entry", Change: insert, At: 4, Entry: string(second), Verdict: verifier.Foul, Check: table.CheckOnce, Seat: &seatA, Applied: 1, Void: 2})
	m.add(variant{Name: "answered-twice", Comment: "two answers of seat C on one entry that is beside the history", Change: insert, At: 4, Entry: string(again), Verdict: verifier.Foul, Check: table.CheckOnce, Seat: &seatC, Applied: 1, Void: 2})
	m.add(variant{Name: "refused", Comment: "another message of seat A on one entry that would have been foul there: void, as one that a server has refused", Change: insert, At: 4, Entry: string(wrong), Verdict: verifier.Unfinished, Applied: 4, Void: 3})
	m.add(variant{Name: "before", Comment: "an answer that stands before what it builds on is not one", Change: insert, At: 2, Entry: string(again), Verdict: verifier.Unfinished, Applied: 4, Void: 3})
	m.add(variant{Name: "applied-again", Comment: "the first message again, behind one that lies beside it: the same bytes are no second message", Change: insert, At: 3, Entry: string(first), Verdict: verifier.Unfinished, Applied: 4, Void: 3})
	m.add(variant{Name: "beside-again", Comment: "a message that lies beside the history again, and the answer to it between", Change: insert, At: 4, Entry: string(beside), Verdict: verifier.Unfinished, Applied: 4, Void: 3})
	return append(m.list, reseated(t)...)
}

// reseated is a table beside whose history seat B is given away, its new holder posts a card key, and
// seat C answers that.
func reseated(t *testing.T) []any {
	game, _ := games.Lookup("schwarzer-peter/v1")
	w := markstest.New(t, game, tabletest.Config{Seats: 3, Suite: theSuite(t)}, 5, nil)
	hand, reseat, err := w.Substitute(1)
	testmust.Do(t, err)
	first := testmust.Have(w.Hands[0].SignMessage(w.State, w.State.DutiesOf(0)[0], nil, w.Random))(t)
	read := func(entry []byte) *wire.Entry { return testmust.Have(wire.Parse(entry))(t) }
	on := testmust.Have(w.State.Apply(read(reseat), table.Facts{}))(t)
	then := *w.Table
	then.State = on
	testmust.Do(t, then.SitDown(hand))
	key := testmust.Have(then.Hands[1].SignMessage(on, on.DutiesOf(1)[0], nil, w.Random))(t)
	on = testmust.Have(on.Apply(read(key), table.Facts{}))(t)
	answers := func() []byte { return testmust.Have(w.Hands[2].SignMessage(on, on.DutiesOf(2)[0], nil, w.Random))(t) }
	testmust.Do(t, w.Post(first))
	base := [][]byte{w.Entries[0], first, reseat, key, answers()}
	same(t, reseatBase, lines(t, base))
	m := &maker{T: t, Table: w.Table, base: reseatBase}
	seatC := table.Seat(2)
	m.add(variant{Name: "whole", Comment: "beside the history seat B is given to another, who posts a card key, and seat C answers: all void", Verdict: verifier.Unfinished, Applied: 1, Void: 3})
	m.add(variant{Name: "answered-twice", Comment: "two answers of seat C to the key of who holds seat B on the branch alone", Change: insert, At: 5, Entry: string(answers()), Verdict: verifier.Foul, Check: table.CheckOnce, Seat: &seatC, Applied: 1, Void: 3})
	return m.list
}
