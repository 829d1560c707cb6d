package table_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// signs is a message of a seat on a table that may differ from the log's: a player who was shown that
// table would sign it.
func signs(t *testing.T, w *markstest.Table, on *table.State, seat table.Seat) []byte {
	t.Helper()
	for _, d := range on.Duties() {
		if d.Owes(seat) {
			return testmust.Have(w.Hands[seat].SignMessage(on, d, nil, w.Random))(t)
		}
	}
	t.Fatalf("seat %s owes nothing", seat.Letter())
	return nil
}

// after is a table after an entry, as a reader has it who is shown no other entry.
func after(t *testing.T, on *table.State, entry []byte) *table.State {
	t.Helper()
	return testmust.Have(on.Apply(testmust.Have(wire.Parse(entry))(t), table.Facts{}))(t)
}

// awaiting is a clocked table of four whose card keys are due, in any order.
func awaiting(t *testing.T) *markstest.Table {
	t.Helper()
	game, _ := games.Lookup("schwarzer-peter/v1")
	return markstest.New(t, game, tabletest.Config{Seats: 4}, 54, nil)
}

// voided posts an entry that must be void, and not by anybody's fault.
func voided(t *testing.T, w *markstest.Table, entry []byte, check table.Check) {
	t.Helper()
	fault, ok := errors.AsType[*table.Fault](w.Post(entry))
	testmust.Requiref(t, ok && fault.Class == table.Void && fault.Check == check, "%v, want void by %s", fault, check)
}

// A player who was shown one of two messages in the log, and answered it, is timed out while everybody
// saw the other one: keepers hold nothing on that one. Its answer excuses it, and nobody else, until it
// is in the history again; the answer may be below one branch, or on a second entry of another. A
// message beside the next one excuses nobody: it is usual when several seats owe one.
func TestAnsweredOnABranch(t *testing.T) {
	w := awaiting(t)
	start := w.State
	branch := signs(t, w, start, 1)
	answer := signs(t, w, after(t, start, branch), 2)
	post(t, w, signs(t, w, start, 0))
	voided(t, w, branch, table.CheckParent)
	w.PassTime(302)
	wants(t, w, "before the answer is in the log", claimed(w, 2, 0, nil), "")
	voided(t, w, answer, table.CheckParent)
	wants(t, w, "against the seat that was led astray", claimed(w, 2, 0, nil), table.CheckBranch)
	wants(t, w, "against a seat whose message was beside the next one", claimed(w, 1, 0, nil), "")
	wants(t, w, "against a seat that did nothing", claimed(w, 3, 0, nil), "")
	anew := signs(t, w, w.State, 2)
	post(t, w, anew)
	w.PassTime(302)
	wants(t, w, "against a third", claimed(w, 3, 2, nil), "")
	voided(t, w, signs(t, w, after(t, after(t, start, branch), answer), 3), table.CheckParent)
	wants(t, w, "against it, deeper on the branch", claimed(w, 3, 2, nil), table.CheckBranch)
	for i, want := range []bool{false, false, false, true} {
		testmust.Equal(t, w.State.IsAstray(table.Seat(i)), want, "seat", i, "is astray")
	}
}

// A player whose message is in the log is shown an act on the same parent instead. It signs again on
// that act, with cards, and can sign nothing more. That its first message is in the history does not
// prove that it has seen it there.
func TestAnsweredBesideItsOwn(t *testing.T) {
	w := awaiting(t)
	start := w.State
	beside := w.Act(0, wire.KindAgree, wire.AgreeBody{To: wire.AgreePause})
	answer := signs(t, w, after(t, start, beside), 2)
	post(t, w, signs(t, w, start, 2))
	voided(t, w, beside, table.CheckParent)
	voided(t, w, answer, table.CheckParent)
	testmust.Hold(t, w.State.IsAstray(2), "it could be timed out")
}

// A player who is shown a claim that the log has put behind the message of the seat that was late, and then that this seat is back:
// it shuffles anew. Nobody can judge the claim who is not shown its marks; that it was followed is seen all the same. One whom
// somebody else signs for has not followed it.
func TestAnsweredBehindAClaim(t *testing.T) {
	w, shown := clocked(t, nil), clocked(t, nil)
	late, other := w.LateSeat()
	w.PassTime(62)
	shown.PassTime(62)
	var branch [][]byte
	follow := func(entry []byte) {
		t.Helper()
		post(t, shown, entry)
		branch = append(branch, entry)
	}
	follow(claimed(shown, late, other, nil))
	follow(shown.Act(late, wire.KindBack, wire.EmptyBody{}))
	for len(shown.State.DutiesOf(late)) > 0 {
		follow(testmust.Have(shown.Next())(t))
	}
	victim := shown.State.Duties()[0].Seats[0]
	answer := testmust.Have(wire.Parse(signs(t, shown, shown.State, victim)))(t)
	forged := testmust.Have(wire.Sign(answer.Message, w.Hands[late].Signer))(t)
	w.PlayMoves(1, 0)
	foreign := *testmust.Have(wire.Parse(branch[0]))(t).Act
	foreign.Table[0] ^= 1
	if e := testmust.Have(wire.Parse(testmust.Have(wire.Sign(&foreign, w.Hands[other].Signer))(t)))(t); testmust.Have(w.State.TakeBeside(e, table.Facts{}, nil))(t) != w.State {
		t.Error("a claim of another table lies beside, for who does not read by table")
	}
	for _, entry := range append(branch, forged) {
		voided(t, w, entry, table.CheckParent)
	}
	testmust.Hold(t, !w.State.IsAstray(victim), "a seat is astray that has signed nothing")
	voided(t, w, answer.Bytes(), table.CheckParent)
	testmust.Hold(t, w.State.IsAstray(victim) && !w.State.IsAstray(3-victim-late), "the seat that was led astray could be timed out, or a third could not")
	if on := answer.Parent(); w.State.StateAfter(on) != nil || !w.State.IsBeside(on) {
		t.Error("the table after a claim that was not judged is known, or the player is not told where it is")
	}
}

// Two good messages of a seat on one parent, the second beside the history, are that seat's fault. A
// message that the rules refuse, one signed by somebody else, a repeated one, or one of a former holder
// is not.
func TestTwoMessagesOnOneParent(t *testing.T) {
	w := clocked(t, nil)
	start := w.State
	seat, other := w.LateSeat()
	first, second := signs(t, w, start, seat), signs(t, w, start, seat)
	bad := testmust.Have(wire.Parse(second))(t).Message
	bad.Body = []byte("{}")
	refused := testmust.Have(wire.Sign(bad, w.Hands[seat].Signer))(t)
	forged := testmust.Have(wire.Sign(testmust.Have(wire.Parse(second))(t).Message, w.Hands[other].Signer))(t)
	post(t, w, first)
	w.PlayMoves(1, 1)
	for _, harmless := range [][]byte{first, refused, forged} {
		voided(t, w, harmless, table.CheckParent)
	}
	fault, ok := errors.AsType[*table.Fault](w.Post(second))
	testmust.Holdf(t, ok && fault.Class == table.Foul && fault.Check == table.CheckOnce && fault.Seat == seat && w.State.Foul() == fault,
		"%v, want a foul of seat %s by %s", fault, seat.Letter(), table.CheckOnce)
}

// A seat is blamed for what was signed before it changed hands; or a table without a clock keeps
// branches.
func TestNotAnswerable(t *testing.T) {
	w := clocked(t, nil)
	seat, _ := w.LateSeat()
	start := w.State
	second := signs(t, w, start, seat)
	post(t, w, signs(t, w, start, seat))
	hand, act, err := w.Substitute(seat)
	testmust.Do(t, err)
	post(t, w, act)
	w.Hands[seat] = hand
	voided(t, w, second, table.CheckParent)

	game, _ := games.Lookup("schwarzer-peter/v1")
	plain := testmust.Have(tabletest.New(game, tabletest.Config{Seats: 3}, 55))(t)
	e := testmust.Have(wire.Parse(testmust.Have(plain.Next())(t)))(t)
	next, err := plain.State.TakeBeside(e, table.Facts{}, nil)
	testmust.Holdf(t, next == plain.State && err == nil, "a table without a clock: %v", err)
}

// A branch is forgotten while a player may still be on it, or is kept for ever.
func TestOldBranchesAreForgotten(t *testing.T) {
	game, _ := games.Lookup("schwarzer-peter/v1")
	w := markstest.New(t, game, tabletest.Config{Seats: 4, Deals: 3}, 56, nil)
	branch := signs(t, w, w.State, 1)
	w.PlayMoves(1, 0)
	voided(t, w, branch, table.CheckParent)
	hash := wire.HashEntry(branch)
	w.PlayMoves(126, 0)
	testmust.Hold(t, w.State.IsBeside(hash) && w.State.StateAfter(hash) != nil, "a branch of 127 entries ago is forgotten")
	w.PlayMoves(1, 0)
	testmust.Hold(t, !w.State.IsBeside(hash) && w.State.StateAfter(hash) == nil, "a branch of 128 entries ago is kept")
}

// A seat that was led astray is late only after organiser and arbiter have used all their acts to move
// the head on: its answer is forgotten by then.
func TestAstrayForGood(t *testing.T) {
	judge, vkey := markstest.LineSigner(t, "judge.example")
	game, _ := games.Lookup("schwarzer-peter/v1")
	w := markstest.New(t, game, tabletest.Config{Seats: 3}, 57, func(g *wire.Genesis) { g.Arbiters = []string{vkey} })
	start := w.State
	branch := signs(t, w, start, 1)
	answer := signs(t, w, after(t, start, branch), 2)
	w.PassTime(302)
	post(t, w, signs(t, w, start, 0))
	voided(t, w, branch, table.CheckParent)
	voided(t, w, answer, table.CheckParent)
	for i := range 128 {
		act := w.ByOrganiser([]wire.Kind{wire.KindPause, wire.KindResume}[i%2], wire.EmptyBody{})
		if i >= 64 {
			act = testmust.Have(player.SignAct(w.State, vkey, judge, []wire.Kind{wire.KindPause, wire.KindResume}[i%2], wire.EmptyBody{}))(t)
		}
		post(t, w, act)
	}
	testmust.Hold(t, !w.State.IsBeside(wire.HashEntry(branch)), "the branch is not forgotten yet")
	w.PassTime(302)
	wants(t, w, "when the branch is forgotten", claimed(w, 2, 0, nil), table.CheckBranch)
	wants(t, w, "against one who was not astray", claimed(w, 1, 0, nil), "")
}

// Tables that are kept after each of the last heads, which takes many times the memory of the table; or one that is made again and is
// another than it was, so that an entry is judged otherwise.
func TestTablesAreMadeAgain(t *testing.T) {
	game, _ := games.Lookup("schwarzer-peter/v1")
	w := markstest.New(t, game, tabletest.Config{Seats: 4, Deals: 3}, 56, func(g *wire.Genesis) { g.Fouls = wire.WarnFouls })
	w.PlayMoves(100, 1)
	seat, _ := w.LateSeat()
	bad := testmust.Have(wire.Parse(testmust.Have(w.Next())(t)))(t).Message
	bad.Body = []byte("{}")
	fault, ok := errors.AsType[*table.Fault](w.Post(testmust.Have(wire.Sign(bad, w.Hands[seat].Signer))(t)))
	testmust.Requiref(t, ok && fault.Class == table.Tried, "%v, want an attempt", fault)
	post(t, w, w.ByOrganiser(wire.KindPause, wire.EmptyBody{}))
	post(t, w, w.ByOrganiser(wire.KindResume, wire.EmptyBody{}))
	w.PlayMoves(40, 1)
	n := keptTables(w.State)
	testmust.Holdf(t, n <= 128/16+1, "%d tables are kept", n)
	for _, then := range w.States[len(w.States)-128:] {
		if again := w.State.StateAfter(then.Head()); again == nil || !sameTable(again, then) {
			t.Errorf("the table after entry %s is another when it is made again", then.Head())
		}
	}
	testmust.Hold(t, w.State.StateAfter(w.States[len(w.States)-129].Head()) == nil, "the table is known after an entry of 128 entries ago")
}

// An organiser who signs ever more acts on an old head, of which each takes memory for a table: nothing can
// follow one that ends the table, and the others take what the log has of them.
func TestManyBesideOneHead(t *testing.T) {
	w := awaiting(t)
	old := w.State
	w.PlayMoves(1, 0)
	beside := func(act []byte) {
		t.Helper()
		w.State = testmust.Have(w.State.TakeBeside(testmust.Have(wire.Parse(act))(t), table.Facts{Index: 10}, nil))(t)
	}
	then := *w.Table
	then.State = old
	const acts = 20
	var last wire.Hash
	for i := range acts {
		before := w.State
		beside(testmust.Have(player.SignAct(old, old.Genesis().Organiser, w.Organiser, wire.KindClose, wire.CloseBody{Reason: wire.Text(fmt.Sprint(i))}))(t))
		testmust.Require(t, w.State == before, "an act that ends the table is noted beside the history, where nothing can build on it")
		_, act, err := then.Substitute(1)
		testmust.Do(t, err)
		beside(act)
		last = wire.HashEntry(act)
	}
	n := keptTables(w.State)
	testmust.Holdf(t, n <= 2, "%d tables are kept of %d acts", n, acts)
	on := w.State.StateAfter(last)
	testmust.Hold(t, on != nil && on.Head() == last, "the last act is not known")
}

// A long branch, on which each entry is judged by all before it, and two tables that went on from one, of which one sees what lies beside the other.
func TestLongBranch(t *testing.T) {
	game, _ := games.Lookup("schwarzer-peter/v1")
	w := markstest.New(t, game, tabletest.Config{Seats: 3}, 59, nil)
	other := markstest.New(t, game, tabletest.Config{Seats: 3}, 59, nil)
	other.State, other.Random = w.State, w.Random
	rival := signs(t, w, w.State, 1)
	w.PlayMoves(1, 0)
	testmust.Do(t, other.Post(rival))
	other.PlayMoves(40, 0)
	var tables []*table.State
	for _, entry := range other.Entries[1:] {
		voided(t, w, entry, table.CheckParent)
		tables = append(tables, w.State)
	}
	n := keptTables(w.State)
	testmust.Holdf(t, n <= 1+41/16, "%d tables are kept of a branch of 41 entries", n)
	half := testmust.Have(tables[20].TakeBeside(testmust.Have(wire.Parse(other.Entries[22]))(t), table.Facts{}, nil))(t)
	for i := range tables {
		hash := wire.HashEntry(other.Entries[i+1])
		if on := w.State.StateAfter(hash); on == nil || on.Head() != hash || half.IsBeside(hash) != (i <= 21) || tables[20].IsBeside(hash) != (i <= 20) {
			t.Errorf("entry %d of a branch is not where it was put", i)
		}
	}
}
