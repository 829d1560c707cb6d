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
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/games/schwarzerpeter"
	"github.com/pakli/pakli/protocol/replay"
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
			named = append(named, o.Duty.Seats...)
			testmust.Holdf(t, o.Since == since && o.Duty.Kind == table.Disclose, "%+v, want a disclosure since entry %d", o, since)
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

// ended is a scene at a table/v2 of three deals, in the middle of a deal.
func ended(t *testing.T, fouls wire.FoulRule) *scene {
	t.Helper()
	game, _ := games.Lookup("schwarzer-peter/v1")
	ends := &wire.Ends{Late: wire.LateForfeit, Forfeit: 5, Resign: true, Agree: true}
	played := testmust.Have(tabletest.New(game, tabletest.Config{Seats: 3, Deals: 3, Suite: clear.Suite{}, Fouls: fouls, Ends: ends}, 4))(t)
	testmust.Have(played.PlayUntil(table.Move))(t)
	return sceneOf(t, played)
}

func (sc *scene) must(t *testing.T, entries ...[]byte) {
	t.Helper()
	for _, e := range entries {
		testmust.Do(t, sc.Add(e))
	}
}

// finishDeal plays to the end of the current deal and into the next.
func (sc *scene) finishDeal(t *testing.T) {
	t.Helper()
	for n := len(sc.State.Sheet().Deals); len(sc.State.Sheet().Deals) == n; {
		testmust.Do(t, sc.Play(1))
	}
	testmust.Have(sc.PlayUntil(table.Move))(t)
}

func (sc *scene) agreeAll(t *testing.T, to string) {
	t.Helper()
	for seat := range table.Seat(3) {
		sc.must(t, sc.ActOf(seat, wire.KindAgree, wire.AgreeBody{To: to}))
	}
}

// For each way a table can end, a log gives the right verdict, exit code and counted deals.
func TestEndingsOfALog(t *testing.T) {
	resign := func(sc *scene, seat table.Seat, scope string) []byte {
		return sc.ActOf(seat, wire.KindResign, wire.ResignBody{Scope: scope})
	}
	for name, c := range map[string]struct {
		make    func(*scene)
		verdict verifier.Verdict
		code    int
		endings int
	}{
		"agreed":  {func(sc *scene) { sc.finishDeal(t); sc.agreeAll(t, "end") }, verifier.Sound, 0, 1},
		"undone":  {func(sc *scene) { sc.agreeAll(t, "undo") }, verifier.Unfinished, 3, 1},
		"closed":  {func(sc *scene) { sc.finishDeal(t); sc.must(t, sc.RulingAct(wire.KindClose, wire.CloseBody{})) }, verifier.Adjudicated, 6, 1},
		"stopped": {func(sc *scene) { sc.must(t, resign(sc, 1, "table")) }, verifier.Unfinished, 3, 1},
		"gave up": {func(sc *scene) { sc.must(t, resign(sc, 1, "deal")); testmust.Do(t, sc.Play(-1)) }, verifier.Adjudicated, 6, 1},
		"came back": {func(sc *scene) {
			sc.must(t, resign(sc, 1, "table"))
			sc.must(t, sc.ActOf(1, wire.KindBack, wire.EmptyBody{}))
			testmust.Do(t, sc.Play(-1))
		}, verifier.Adjudicated, 6, 1},
		"replaced": {func(sc *scene) {
			sc.must(t, resign(sc, 1, "table"))
			h, entry, err := sc.Substitute(1)
			testmust.Do(t, err)
			sc.must(t, entry)
			testmust.Do(t, sc.SitDown(h))
			testmust.Do(t, sc.Play(-1))
		}, verifier.Adjudicated, 6, 2},
		"paused": {func(sc *scene) { sc.must(t, sc.RulingAct(wire.KindPause, wire.EmptyBody{})) }, verifier.Unfinished, 3, 0},
	} {
		sc := ended(t, wire.RefuseFouls)
		c.make(sc)
		r := sc.verify(t, sc.log(t, sc.Entries))
		want, over := sc.State.Result()
		testmust.Holdf(t, r.Verdict == c.verdict && r.Verdict.ExitCode() == c.code && len(r.Endings) == c.endings && (!over || slices.Equal(r.Result, want)) && over == (r.Result != nil),
			"%s: %s (%d) with %v and %d endings, want %s (%d) with %v and %d", name, r.Verdict, r.Verdict.ExitCode(), r.Result, len(r.Endings), c.verdict, c.code, want, c.endings)
		testmust.Holdf(t, (name == "stopped") == (r.Stopped != nil) && (name == "paused") == r.Paused && (name != "stopped" || r.Stopped.Seat == 1 && len(r.Owing) == 0),
			"%s: stopped %v, paused %t, owing %v", name, r.Stopped, r.Paused, r.Owing)
	}
}

// A substitute is wrongly told to owe the card key since a time before the substitute had the seat.
func TestSubstituteOwesSinceThen(t *testing.T) {
	game, _ := games.Lookup("schwarzer-peter/v1")
	sc := sceneOf(t, testmust.Have(tabletest.New(game, tabletest.Config{Seats: 3, Suite: clear.Suite{}, Ends: &wire.Ends{Late: wire.LateUndo}}, 5))(t))
	_, entry, err := sc.Substitute(1)
	testmust.Do(t, err)
	sc.must(t, entry)
	for _, o := range sc.verify(t, sc.log(t, sc.Entries)).Owing {
		testmust.Equal(t, o.Since, 1, o.Names, "since entry")
	}
}

// A log is full of acts that others could have put there: of strangers, of seats without the right to
// act, after the end, repeated, of another place. None of them counts, and nobody is blamed.
func TestHostileActs(t *testing.T) {
	sc := ended(t, wire.WarnFouls)
	other := ended(t, wire.RefuseFouls)
	hostile := [][]byte{
		sc.ActOf(1, wire.KindClose, wire.CloseBody{}), sc.ActOf(2, wire.KindReseat, wire.ReseatBody{Seat: 1, Key: sc.State.HolderKey(0), Accept: make([]byte, 64)}),
		sc.RulingAct(wire.KindReseat, wire.ReseatBody{Seat: 1, Key: sc.State.HolderKey(0), Accept: make([]byte, 64)}),
		sc.RulingAct(wire.KindResume, wire.EmptyBody{}), sc.ActOf(0, wire.KindTimeout, wire.EmptyBody{}), sc.ActOf(0, wire.KindAgree, wire.EmptyBody{}),
		sc.RulingAct("x", wire.EmptyBody{}), other.RulingAct(wire.KindClose, wire.CloseBody{}),
	}
	entries := slices.Concat(sc.Entries, hostile)
	sc.must(t, sc.ActOf(0, wire.KindAgree, wire.AgreeBody{To: "end"}))
	sc.must(t, sc.ActOf(1, wire.KindAgree, wire.AgreeBody{To: "end"}))
	entries = append(entries, sc.Entries[len(sc.Entries)-2:]...)
	r := sc.verify(t, sc.log(t, append(entries, hostile...)))
	void := 2*len(hostile) - 2 // the acts of the other table do not count
	testmust.Holdf(t, r.Verdict == verifier.Unfinished && len(r.Findings) == 0 && len(r.Attempts) == 0 && r.Acts == 2 && r.Voided == void && len(r.Endings) == 0,
		"%s with %d acts, %d void (want %d), endings %v", r.Verdict, r.Acts, r.Voided, void, r.Endings)
	sc.must(t, sc.ActOf(2, wire.KindAgree, wire.AgreeBody{To: "end"}))
	after := sc.verify(t, sc.log(t, slices.Concat(sc.Entries, hostile, old(t, sc))))
	testmust.Holdf(t, after.Verdict == verifier.Sound && after.Acts == 3, "after the end: %s", after.Verdict)
}

// old returns messages of the table that their seats signed again for the current head.
func old(t *testing.T, sc *scene) (list [][]byte) {
	t.Helper()
	for _, entry := range sc.Entries[1:] {
		if e := parse(t, entry); e.Message != nil {
			again := testmust.Have(sc.Forge(entry, func(m *wire.Message) { m.Parent = sc.State.Head() }))(t)
			list = append(list, again)
		}
	}
	return list
}

// acted is a log that contains an act of every kind that can be applied, with the places of these
// acts.
func acted(t *testing.T) (*scene, []int) {
	t.Helper()
	sc := ended(t, wire.WarnFouls)
	var places []int
	act := func(entry []byte) {
		places = append(places, len(sc.Entries))
		sc.must(t, entry)
	}
	act(sc.RulingAct(wire.KindPause, wire.EmptyBody{}))
	act(sc.RulingAct(wire.KindResume, wire.EmptyBody{}))
	act(sc.ActOf(0, wire.KindAgree, wire.AgreeBody{To: "end"}))
	act(sc.ActOf(1, wire.KindResign, wire.ResignBody{Scope: "deal"}))
	_ = testmust.Have(sc.PlayUntil(table.Move))(t)
	act(sc.ActOf(1, wire.KindResign, wire.ResignBody{Scope: "table"}))
	expose := testmust.Have(sc.Expose(0, sc.State.Hand(0)...))(t)
	act(expose)
	act(sc.ActOf(1, wire.KindBack, wire.EmptyBody{}))
	h, reseat, err := sc.Substitute(1)
	testmust.Do(t, err)
	act(reseat)
	testmust.Do(t, sc.SitDown(h))
	testmust.Do(t, sc.Play(20))
	act(sc.RulingAct(wire.KindClose, wire.CloseBody{Reason: "Ten o’clock."}))
	return sc, places
}

// Ways to cheat: somebody on the way, or the log, changes a bit of an act unnoticed, or an honest
// seat is blamed for the change. The test changes every bit of each kind of act and leaves out each
// act.
func TestMutantsOfActs(t *testing.T) {
	sc, places := acted(t)
	tried := 0
	for _, at := range places {
		for i := range testmust.ChosenIndexes(t, 8*len(sc.Entries[at]), 300) {
			tried++
			mutant := bytes.Clone(sc.Entries[at])
			mutant[i/8] ^= 1 << (i % 8)
			p, ok := replay.NewLeaf(uint64(at), wire.HashEntry(mutant), mutant).Parse()
			if !ok {
				continue
			}
			s := replay.Judge(sc.States[at-1], p, sc.Catalogue(), nil, nil, nil)
			testmust.Holdf(t, s.IsVoid(), "act %d, byte %d: %v (%v)", at, i/8, s.Fault, s.Err)
		}
		r := sc.verify(t, sc.log(t, slices.Delete(slices.Clone(sc.Entries), at, at+1)))
		testmust.Equal(t, r.Verdict, verifier.Unfinished, "without act", at)
	}
	testmust.Holdf(t, tried >= 1_000 && (!testmust.Thorough() || tried >= 8_000), "%d mutants: the test tests nothing", tried)
}

// A seat that signs attempts sends two wrong messages wherever it owes one. The others play on, and
// the table ends as if it had not.
func TestAttemptsOfALog(t *testing.T) {
	sc := ended(t, wire.WarnFouls)
	tries := map[table.Seat]int{}
	for len(sc.State.Duties()) > 0 {
		entry := testmust.Have(sc.Next())(t)
		seat := table.Seat(parse(t, entry).Message.Seat)
		if tries[seat] < 2 {
			tries[seat]++
			wrong := testmust.Have(sc.Forge(entry, func(m *wire.Message) { m.Body = []byte(`{"a":1}`) }))(t)
			_, err := tabletest.Apply(sc.State, wrong)
			var f *table.Fault
			testmust.Requiref(t, errors.As(err, &f) && f.Class == table.Tried && f.Seat == seat, "%v, want an attempt of seat %s", err, seat.Letter())
			sc.LogAttempt(wrong, f)
			continue
		}
		sc.must(t, entry)
	}
	r := sc.verify(t, sc.log(t, sc.Entries))
	testmust.Holdf(t, r.Verdict == verifier.Sound && len(r.Attempts) == 6 && r.Attempted == 6, "%s with %d attempts", r.Verdict, len(r.Attempts))
}

// Finished deals of a table that is still running, or that ended with a foul, each count, and none is
// a result. This holds for a table of the first format, too.
func TestPartial(t *testing.T) {
	game, _ := games.Lookup("tarokk/v1")
	for _, fouls := range []bool{false, true} {
		sc := newScene(t, clear.Suite{}, 2, nil, 1)
		sc.Table = testmust.Have(tabletest.New(game, tabletest.Config{Seats: 4, Deals: 3, Suite: clear.Suite{}, Fouls: wire.RecordFouls}, 5))(t)
		for len(sc.State.Sheet().Deals) < 2 {
			testmust.Do(t, sc.Play(1))
		}
		want, entries := sc.State.Sheet().Sums(4), sc.Entries
		if fouls {
			entry := testmust.Have(sc.Next())(t)
			wrong := testmust.Have(sc.Forge(entry, func(m *wire.Message) { m.Body = []byte(`{}`) }))(t)
			entries = append(entries, wrong)
		}
		r := sc.verify(t, sc.log(t, entries))
		testmust.Hold(t, r.Partial == nil && r.Sheet == nil, "deals are counted that nobody asked for")
		r.CountPartial()
		testmust.Holdf(t, r.Partial != nil && len(r.Partial.Deals) == 2 && slices.Equal(r.Partial.Sums(4), want) && r.Result == nil && (r.Verdict == verifier.Foul) == fouls,
			"%s: %+v, want two deals that sum to %v", r.Verdict, r.Partial, want)
	}
}
