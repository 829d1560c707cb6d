package vectors_test

import (
	"encoding/json"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

const (
	branchesBase = "table/schwarzer-peter-branches.jsonl"
	reseatBase   = "table/schwarzer-peter-branch-reseat.jsonl"
)

// branchVariants are a table with a clock beside whose history are a message of seat B and an answer of seat C, and
// what a seat could be blamed for there, and what not.
func branchVariants(t *testing.T) []any {
	game, _ := games.Lookup("schwarzer-peter/v1")
	w := markstest.New(t, game, tabletest.Config{Seats: 3, Suite: theSuite(t)}, 4, nil)
	signs := func(on *table.State, seat table.Seat) []byte {
		return testmust.Have(w.Hands[seat].Message(on, on.Owed(seat)[0], nil, w.Random))(t)
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
	for w.State.Applied() < 4 {
		w.Moves(1, 0)
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

// reseated are a table beside whose history seat B is given away, its new holder posts a card key, and seat C answers that.
func reseated(t *testing.T) []any {
	game, _ := games.Lookup("schwarzer-peter/v1")
	w := markstest.New(t, game, tabletest.Config{Seats: 3, Suite: theSuite(t)}, 5, nil)
	hand, reseat, err := w.Substitute(1)
	testmust.Do(t, err)
	first := testmust.Have(w.Hands[0].Message(w.State, w.State.Owed(0)[0], nil, w.Random))(t)
	read := func(entry []byte) *wire.Entry { return testmust.Have(wire.Parse(entry))(t) }
	on := testmust.Have(w.State.Apply(read(reseat), table.Facts{}))(t)
	then := *w.Table
	then.State = on
	testmust.Do(t, then.SitDown(hand))
	key := testmust.Have(then.Hands[1].Message(on, on.Owed(1)[0], nil, w.Random))(t)
	on = testmust.Have(on.Apply(read(key), table.Facts{}))(t)
	answers := func() []byte { return testmust.Have(w.Hands[2].Message(on, on.Owed(2)[0], nil, w.Random))(t) }
	testmust.Do(t, w.Post(first))
	base := [][]byte{w.Entries[0], first, reseat, key, answers()}
	same(t, reseatBase, lines(t, base))
	m := &maker{T: t, Table: w.Table, base: reseatBase}
	seatC := table.Seat(2)
	m.add(variant{Name: "whole", Comment: "beside the history seat B is given to another, who posts a card key, and seat C answers: all void", Verdict: verifier.Unfinished, Applied: 1, Void: 3})
	m.add(variant{Name: "answered-twice", Comment: "two answers of seat C to the key of who holds seat B on the branch alone", Change: insert, At: 5, Entry: string(answers()), Verdict: verifier.Foul, Check: table.CheckOnce, Seat: &seatC, Applied: 1, Void: 3})
	return m.list
}
