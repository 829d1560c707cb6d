package replay_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

func play(t *testing.T, s proof.Suite, seed uint64) *tabletest.Table {
	t.Helper()
	game, _ := games.Lookup("schwarzer-peter/v1")
	return testmust.Have(tabletest.Play(game, tabletest.Config{Seats: 3, Suite: s}, seed))(t)
}

func parse(t *testing.T, entry []byte) *wire.Entry {
	t.Helper()
	return testmust.Have(wire.Parse(entry))(t)
}

// falsified alters the last byte of every proof.
func falsified(m *wire.Message) {
	for _, p := range m.Proofs {
		p[len(p)-1] ^= 1
	}
}

// cabal is a table whose seats go on for n messages after a false proof in entry at, with
// nothing but false ones, and end with what no rule knows.
func cabal(t *testing.T, s proof.Suite, seed uint64, at, n int) *tabletest.Table {
	t.Helper()
	c := play(t, s, seed)
	c.Entries, c.State = c.Entries[:at], c.States[at-1]
	for i := range n + 1 {
		entry, err := c.Next()
		if err == nil {
			change := falsified
			if i == n {
				change = func(m *wire.Message) { m.Body = json.RawMessage(`{"no":1}`) }
			}
			entry, err = c.Forge(entry, change)
		}
		testmust.Do(t, err)
		c.Entries = append(c.Entries, entry)
		if i < n {
			c.State = testmust.Have(c.State.Apply(parse(t, entry), table.Facts{Batch: s.NewBatch()}))(t)
		}
	}
	return c
}

// stuffed puts between entries what no honest log has there: others again, and rubbish.
func stuffed(entries [][]byte, r *rand.Rand) (list [][]byte) {
	for i, e := range entries {
		for list = append(list, e); r.IntN(2) == 0; {
			list = append(list, entries[r.IntN(len(entries))], entries[r.IntN(i+1)], []byte("rubbish"), append(slices.Clone(e), '\n'))
		}
	}
	return append(list, entries...)
}

// said is what a step says.
func said(s replay.Step) string {
	text := fmt.Sprint(s.Index, s.IsApplied(), s.IsVoid(), s.IsFoul(), s.Fault, s.Err)
	if s.After != nil {
		text += s.After.Head().String()
	}
	return text
}

// alone judges every entry by itself.
func alone(tb *tabletest.Table, log [][]byte, blobs replay.Blobs) (list []string) {
	var state *table.State
	for i, bytes := range log {
		shown := replay.NewLeaf(uint64(i), wire.HashEntry(bytes), bytes)
		if p, ok := shown.Parse(); ok && shown.Table == tb.State.ID() {
			s := replay.Judge(state, p, tb.Catalogue(), nil, blobs, nil)
			if state = s.After; !s.IsEarly() {
				list = append(list, said(s))
			}
			if s.Err != nil {
				break
			}
		}
	}
	return list
}

func noBlobs(wire.Blob) ([]byte, error) { return nil, wire.ErrDetached }

// A step that a batch changes: an entry that counts because of a proof that is false, a
// foul that is blamed on whoever came after the first, what was void for one reason and is
// void for another, or what is told before it is certain.
func TestTogetherAsAlone(t *testing.T) {
	real, _ := suite.Lookup(suite.Default)
	r := rand.New(rand.NewPCG(1, 1))
	var tables []*tabletest.Table
	seeds := uint64(1)
	if testmust.Thorough() {
		seeds = 4
	}
	for seed := range seeds {
		tables = append(tables, play(t, clear.Suite{}, seed), cabal(t, real, 10+seed, 5+int(seed), 8), cabal(t, clear.Suite{}, 20+seed, 7+int(seed), 4))
	}
	tables = append(tables, play(t, real, 30))
	fouls := 0
	for i, tb := range tables {
		log := stuffed(tb.Entries, r)
		want := alone(tb, log, noBlobs)
		for _, workers := range []int{1, replay.BatchBytes / 5000, replay.BatchBytes} { // entries settled all together, some, each
			var got []string
			together := replay.New(tb.Catalogue(), noBlobs, workers, func(id wire.Hash, s replay.Step) {
				if got = append(got, said(s)); s.IsFoul() {
					fouls++
				}
			})
			for index, entry := range slices.Concat(tb.Entries[1:3], log) { // the first come before the table
				if index >= 2 {
					index -= 2
				}
				together.TakeLeaf(replay.NewLeaf(uint64(index), wire.HashEntry(entry), entry))
			}
			together.SettleBatches()
			if !slices.Equal(got, want) {
				at := 0
				for at < min(len(got), len(want)) && got[at] == want[at] {
					at++
				}
				t.Fatalf("table %d, %d workers: %d steps, want %d; from the %dth on:\n%q, want\n%q", i, workers, len(got), len(want), at, got[at:min(at+3, len(got))], want[at:min(at+3, len(want))])
			}
		}
	}
	testmust.Equal(t, fouls, 3*2*int(seeds), "fouls: one of each table that has one, three times")
}

// A blob that is held back, after a false proof in the same batch: it must not hide the foul
// before it, and where there is none nothing may be said of what follows (80.2.3).
func TestMissingBlobHidesNoFoul(t *testing.T) {
	real, _ := suite.Lookup(suite.Default)
	const at = 5
	for name, tb := range map[string]*tabletest.Table{"honest": play(t, real, 40), "false": cabal(t, real, 40, at, 2)} {
		large := testmust.Have(tb.Forge(tb.Entries[at+1], func(m *wire.Message) { m.Proofs[0] = make([]byte, 1<<17) }))(t)
		bare, attached := wire.CutParcel(large)
		testmust.Require(t, len(attached) != 0, "the test is built wrong: no blob")
		var told []replay.Step
		r := replay.New(tb.Catalogue(), noBlobs, 1, func(_ wire.Hash, s replay.Step) { told = append(told, s) })
		for i, e := range append(slices.Clone(tb.Entries[:at+1]), bare, tb.Entries[at+2]) {
			r.TakeLeaf(replay.NewLeaf(uint64(i), wire.HashEntry(e), e))
		}
		r.SettleBatches()
		if name == "honest" && (len(told) != at+2 || told[at+1].Err == nil) {
			t.Errorf("%s: %d steps, the last of them %s", name, len(told), said(told[len(told)-1]))
		}
		if name == "false" && (len(told) != at+3 || !told[at].IsFoul() || !told[at+2].IsVoid()) {
			t.Errorf("%s: %d steps, the last of them %s", name, len(told), said(told[len(told)-1]))
		}
	}
}

// Entries of a table that was closed, or that comes again after it was dropped: they must
// be void, or begin it anew, and never bring back what was forgotten.
func TestClosedAndDropped(t *testing.T) {
	tb := play(t, clear.Suite{}, 50)
	var told []replay.Step
	r := replay.New(tb.Catalogue(), noBlobs, 1, func(_ wire.Hash, s replay.Step) { told = append(told, s) })
	take := func(n int) {
		told = nil
		for i, e := range tb.Entries[:n] {
			r.TakeLeaf(replay.NewLeaf(uint64(i), wire.HashEntry(e), e))
		}
		r.SettleBatches()
	}
	take(len(tb.Entries))
	testmust.Hold(t, len(told[len(told)-1].After.Duties()) == 0, "not over with its last entry")
	r.CloseTable(tb.State.ID())
	take(3)
	testmust.Holdf(t, len(told) == 3 && told[0].IsVoid() && told[2].IsVoid() && told[2].After == nil, "closed: %+v", told)
	r.Drop(tb.State.ID())
	take(3)
	testmust.Holdf(t, len(told) == 3 && told[0].IsApplied() && told[2].IsApplied(), "dropped: %+v", told)
}
