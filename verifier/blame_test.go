package verifier_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games/schwarzerpeter"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/verifiertest"
)

func replaced(list [][]byte, i int, b []byte) [][]byte {
	list = slices.Clone(list)
	list[i] = b
	return list
}

func flipped(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[at] ^= 1
	return b
}

func parse(t *testing.T, entry []byte) *wire.Entry {
	t.Helper()
	return testmust.Have(wire.Parse(entry))(t)
}

// words are the words that moves of Schwarzer Peter contain.
var words = tabletest.Vocabulary{
	Words: []string{"a", "7H", "QS"}, Verbs: []string{"draw", "lay"}, Move: func() any { return new(schwarzerpeter.Move) },
}

// One thing in one entry is altered by an outsider or signed again by its seat, and the rest of the
// game stays as it was. The verdict must name that seat and that entry, or nobody, and never an
// honest seat.
func TestBlame(t *testing.T) {
	sc := newScene(t, realSuite(t), 3, nil, 7)
	c := &tabletest.Campaign{
		Effort: tabletest.ChosenEffort(tabletest.Effort{Bytes: 2, Moves: 4}), Words: words, Legal: func(*tabletest.Table) error { return nil },
		Shows: func(t testing.TB, played *tabletest.Table, at int, m tabletest.Mutant, fault *table.Fault) {
			verifiertest.VerifyShown(t, played, at, m.Entry, fault)
		},
	}
	c.AlterNewKinds(t, sc.Table)
	c.RequireWords(t, "key", "shuffle", "show", "permute", "give", "move")
}

// A log that drops, repeats, exchanges or brings back honest entries, and signs the result as its
// only history, can only stop a game.
func TestLogCannotFrameASeat(t *testing.T) {
	sc := newScene(t, clear.Suite{}, 3, nil, 1)
	other := newScene(t, clear.Suite{}, 3, nil, 10)
	for i := range testmust.ChosenIndexes(t, len(sc.Entries)-1, 5) {
		at, entry := i+1, sc.Entries[i+1]
		next := min(at+1, len(sc.Entries)-1)
		for name, entries := range map[string][][]byte{
			"dropped":              slices.Delete(slices.Clone(sc.Entries), at, at+1),
			"repeated":             slices.Insert(slices.Clone(sc.Entries), at, entry),
			"brought back at end":  append(slices.Clone(sc.Entries), entry),
			"exchanged":            replaced(replaced(sc.Entries, at, sc.Entries[next]), next, entry),
			"other table's":        replaced(sc.Entries, at, other.Entries[min(at, len(other.Entries)-1)]),
			"moved before genesis": slices.Insert(slices.Delete(slices.Clone(sc.Entries), at, at+1), 0, entry),
			"emptied":              replaced(sc.Entries, at, []byte{}),
		} {
			r := sc.verify(t, sc.log(t, entries))
			testmust.Holdf(t, r.Verdict == verifier.Sound || r.Verdict == verifier.Unfinished, "entry %d %s: %s", at, name, r.Verdict)
			kept := name == "repeated" || name == "brought back at end"
			testmust.Holdf(t, kept == (r.Verdict == verifier.Sound) || at+1 >= len(sc.Entries), "entry %d %s: %s", at, name, r.Verdict)
		}
	}
}

// A log is broken, and no seat is to blame, if it shows entries that it did not sign, a history that
// contradicts one it signed before, or a wrong root.
func TestLogBroken(t *testing.T) {
	sc := newScene(t, clear.Suite{}, 3, nil, 1)
	honest := sc.log(t, sc.Entries)
	half := sc.log(t, sc.Entries[:len(sc.Entries)/2]).checkpoint
	for at := range testmust.ChosenIndexes(t, len(sc.Entries), 15) {
		for name, entries := range map[string][][]byte{
			"altered":   replaced(sc.Entries, at, flipped(sc.Entries[at], len(sc.Entries[at])/2)),
			"exchanged": replaced(replaced(sc.Entries, at, sc.Entries[0]), 0, sc.Entries[at]),
			"emptied":   replaced(sc.Entries, at, []byte{}),
		} {
			if name == "exchanged" && at == 0 {
				continue
			}
			testmust.Equal(t, sc.verify(t, shown{entries, honest.checkpoint}).Verdict, verifier.LogBroken, "entry", at, name, "under the old checkpoint")
		}
	}
	// The log signs a second history that is sound in itself but contradicts what it signed at half
	// the size. It also shows an older one.
	second := append([][]byte{[]byte("something else")}, sc.Entries...)
	testmust.Equal(t, sc.verify(t, sc.log(t, second), half).Verdict, verifier.LogBroken, "second history")
	testmust.Equal(t, sc.verify(t, honest, half, honest.checkpoint).Verdict, verifier.Sound, "checkpoints of this very history")
	wrongRoot := testmust.Have(tlog.SignCheckpoint(uint64(len(sc.Entries)), tlog.Hash{1}, sc.signer))(t)
	testmust.Equal(t, sc.verify(t, shown{sc.Entries, wrongRoot}).Verdict, verifier.LogBroken, "wrong root")
}

type noRandomness struct{}

func (noRandomness) Read([]byte) (int, error) { return 0, errors.New("no randomness") }

// A batch whose proofs cannot be checked must not count as sound.
func TestBatchThatCannotBeChecked(t *testing.T) {
	sc := newScene(t, realSuite(t), 3, nil, 7)
	forged := testmust.Have(sc.Forge(sc.Entries[1], func(m *wire.Message) { m.Proofs[0] = flipped(m.Proofs[0], 33) }))(t)
	reader := rand.Reader
	defer func() { rand.Reader = reader }()
	for name, entry := range map[string][]byte{"honest": sc.Entries[1], "forged": forged} {
		rand.Reader = reader
		log := sc.log(t, [][]byte{sc.Entries[0], entry})
		rand.Reader = noRandomness{}
		if _, err := sc.States[0].Apply(parse(t, entry), table.Facts{}); err == nil || errors.As(err, new(*table.Fault)) {
			t.Errorf("%s, applied: %v", name, err)
		}
		r, err := verifier.Verify(context.Background(), log, verifier.Options{Table: sc.State.ID(), Log: []note.Verifier{sc.key}, Catalogue: sc.Catalogue()})
		testmust.Fail(t, err, name, "verified", r.Verdict)
	}
}

// locked is a table of a suite that defers proofs, in a log.
func locked(t *testing.T, deals int, options map[string]string) *scene {
	t.Helper()
	return sceneOf(t, testmust.Have(tabletest.New(play.NewGame(tabletest.PlainHighCard{}), tabletest.Config{Seats: 4, Deals: deals, Options: options, Suite: clear.DeferredSuite{}}, 3))(t))
}

// until plays until a seat owes a duty of kind k.
func (sc *scene) until(t *testing.T, k table.Kind) table.Duty {
	t.Helper()
	return testmust.Have(sc.PlayUntil(k))(t)
}

// Ways to cheat: a table is called sound before all locks are disclosed; a seat that has disclosed is
// named, or one that has not is left out; the verdict gives a wrong entry since which a seat owes.
func TestSoundWhenAllIsDisclosed(t *testing.T) {
	sc := locked(t, 2, map[string]string{"silent": "forfeits"})
	sc.until(t, table.Disclose)
	since := uint64(len(sc.Entries) - 1)
	owing := []table.Seat{0, 1, 2, 3}
	for len(owing) > 0 {
		r := sc.verify(t, sc.log(t, sc.Entries))
		var named []table.Seat
		for _, o := range r.Owing {
			if named = append(named, o.Duty.Seats...); o.Since != since || o.Duty.Kind != table.Disclose {
				t.Errorf("%+v, want a disclosure since entry %d", o, since)
			}
		}
		testmust.Requiref(t, r.Verdict == verifier.Unfinished && r.Result == nil && slices.Equal(named, owing),
			"%s %v, named %v, want %v", r.Verdict, r.Result, named, owing)
		for _, c := range []table.Check{table.CheckStep, table.CheckDispute} { // what reads as if all were checked
			testmust.Holdf(t, slices.Contains(r.Checks, verifier.Check{ID: c, Outcome: verifier.NotReached}),
				"%d seats are silent, and %s is said to have passed: %v", len(owing), c, r.Checks)
		}
		if last := len(owing) == 1; (r.Forfeit != nil) != last || last && (r.Forfeit.Seat != owing[0] || r.Forfeit.Name != "seat-3") {
			t.Errorf("%d seats are silent: %+v", len(owing), r.Forfeit)
		}
		entry := testmust.Have(sc.HonestMessage(owing[0], table.Duty{Kind: table.Disclose}, nil))(t)
		testmust.Do(t, sc.Add(entry))
		owing = owing[1:]
	}
	r := sc.verify(t, sc.log(t, sc.Entries))
	want, _ := sc.State.Result()
	testmust.Holdf(t, r.Verdict == verifier.Sound && slices.Equal(r.Result, want) && r.Forfeit == nil, "%s %v, want sound %v", r.Verdict, r.Result, want)
	for _, c := range []table.Check{table.CheckLock, table.CheckStep, table.CheckDispute} {
		testmust.Holdf(t, slices.Contains(r.Checks, verifier.Check{ID: c, Outcome: verifier.Passed}), "%s has not passed: %v", c, r.Checks)
	}
}

// A dispute finds a wrong token. The verdict must name the seat that gave the token and that entry,
// not the seat that disputed, the last one that disclosed, or the entry of the dispute. It must count
// the disclosure as applied.
func TestBlameAtTheEarlierEntry(t *testing.T) {
	sc := locked(t, 1, nil)
	d := sc.until(t, table.Show)
	entry := testmust.Have(sc.HonestMessage(d.Seats[0], d, nil))(t)
	entry = testmust.Have(sc.Forge(entry, func(m *wire.Message) {
		var b wire.TokensBody
		testmust.Do(t, wire.DecodeBody(m.Body, &b))
		b.Tokens[0], b.Tokens[1] = b.Tokens[1], b.Tokens[0]
		m.Body, _ = wire.EncodeBody(b)
	}))(t)
	testmust.Do(t, sc.Add(entry))
	wrong := uint64(len(sc.Entries) - 1)
	testmust.Do(t, sc.Play(-1))
	last := uint64(len(sc.Entries) - 1)
	entries := append(slices.Clone(sc.Entries), sc.Entries[3])
	r := sc.verify(t, sc.log(t, entries))
	testmust.Requiref(t, r.Verdict == verifier.Foul && len(r.Owing) == 0 && r.Applied == int(last),
		"%s, %d applied of %d: %+v", r.Verdict, r.Applied, last, r.Owing)
	f := r.Findings[0]
	if f.Check != table.CheckStep || *f.Seat != d.Seats[0] || *f.Index != wrong || f.ShownBy == nil || *f.ShownBy != last {
		t.Errorf("%+v at %d, shown by %v; want %s by seat %d at %d, shown by %d", f, *f.Index, f.ShownBy, table.CheckStep, d.Seats[0], wrong, last)
	}
	for _, c := range r.Checks {
		want := map[table.Check]verifier.Outcome{table.CheckStep: verifier.Failed, table.CheckDispute: verifier.NotReached}[c.ID]
		testmust.Holdf(t, want == "" || c.Outcome == want, "%s: %s, want %s", c.ID, c.Outcome, want)
	}
}
