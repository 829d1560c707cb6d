package verifier_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"sync"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// shown is a log that shows these entries under this checkpoint, whether they match or not.
type shown struct {
	entries    [][]byte
	checkpoint tlog.Checkpoint
}

func (s shown) Checkpoint(context.Context) (tlog.Checkpoint, error) { return s.checkpoint, nil }

func (s shown) Entries(_ context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for i := start; i < end; i++ {
			if i >= uint64(len(s.entries)) {
				yield(nil, errors.New("no such tile"))
				return
			}
			if !yield(s.entries[i], nil) {
				return
			}
		}
	}
}

// scene is the key of a log, with a table to lie about.
type scene struct {
	*tabletest.Table
	signer note.Signer
	key    note.Verifier
}

func newScene(t *testing.T, s proof.Suite, seats int, options map[string]string, seed uint64) *scene {
	t.Helper()
	c := tabletest.Config{Seats: seats, Options: options, Suite: s}
	once, _ := played.LoadOrStore(fmt.Sprint(c, seed), sync.OnceValues(func() (*tabletest.Table, error) {
		game, _ := games.Lookup("schwarzer-peter/v1")
		return tabletest.Play(game, c, seed)
	}))
	return sceneOf(t, testmust.Have(once.(func() (*tabletest.Table, error))())(t).Branch())
}

// played caches tables of Schwarzer Peter for all tests that begin with the same table.
var played sync.Map

// sceneOf puts a table into a log.
func sceneOf(t testing.TB, played *tabletest.Table) *scene {
	t.Helper()
	sc := &scene{Table: played}
	sc.signer, sc.key = logKey(t, "log.example")
	return sc
}

func logKey(t testing.TB, name string) (note.Signer, note.Verifier) {
	t.Helper()
	skey, vkey, err := note.GenerateKey(nil, name)
	testmust.Do(t, err)
	signer := testmust.Have(note.NewSigner(skey))(t)
	v := testmust.Have(note.NewVerifier(vkey))(t)
	return signer, v
}

// log signs these entries as its own.
func (sc *scene) log(t testing.TB, entries [][]byte) shown {
	t.Helper()
	var tree tlog.Tree
	for _, e := range entries {
		tree.Append(tlog.LeafHash(e))
	}
	c := testmust.Have(tlog.SignCheckpoint(tree.Size(), tree.Root(), sc.signer))(t)
	return shown{entries, c}
}

// verify verifies, and requires that no seat is blamed unless the verdict is foul.
func (sc *scene) verify(t *testing.T, src tlog.EntryReader, believed ...tlog.Checkpoint) *verifier.Report {
	t.Helper()
	r, err := verifier.Verify(context.Background(), src, verifier.Options{
		Table: sc.State.ID(), Log: []note.Verifier{sc.key}, Catalogue: sc.Catalogue(), Believed: believed})
	testmust.Do(t, err, "cannot check")
	for _, f := range r.Findings {
		testmust.Holdf(t, (f.Seat != nil || f.Index != nil) == (r.Verdict == verifier.Foul),
			"verdict %s with a finding of seat %v at %v: %v", r.Verdict, f.Seat, f.Index, f.Err)
	}
	return r
}

func realSuite(t testing.TB) proof.Suite {
	t.Helper()
	s, _ := suite.Lookup(suite.Default)
	return s
}

// A game that stops somewhere is unfinished, waits for all seats that owe, and blames nobody. A seat
// that played its card owes since that card at the earliest, even if it owes the same again, as the
// winner of a trick does. A seat that did nothing owes since its duty began.
func TestSinceIsWithoutInterruption(t *testing.T) {
	again := 0
	for name, seats := range map[string]int{"tarokk/v1": 4, "schwarzer-peter/v1": 3} {
		game, _ := games.Lookup(name)
		sc := sceneOf(t, testmust.Have(tabletest.New(game, tabletest.Config{Seats: seats}, 7))(t))
		testmust.Do(t, sc.Play(140))
		since := map[string]uint64{}
		for i, s := range sc.States {
			before := since
			since = map[string]uint64{}
			count, stays := again, false
			e := testmust.Have(wire.Parse(sc.Entries[i]))(t)
			for _, d := range s.Duties() {
				at, owed := before[fmt.Sprint(d)]
				if m := e.Message; owed && m.Kind == d.Kind && d.Owes(table.Seat(m.Seat)) {
					again++
					owed = false
				}
				if stays = stays || owed; !owed {
					at = uint64(i)
				}
				since[fmt.Sprint(d)] = at
			}
			if count == again && !stays && i%20 > 0 {
				continue
			}
			r := sc.verify(t, sc.log(t, sc.Entries[:i+1]))
			if over := len(s.Duties()) == 0; (r.Verdict == verifier.Unfinished) == over || (r.Result != nil) != over || len(r.Owing) != len(s.Duties()) {
				t.Errorf("%s, after entry %d: %s, %v, owing %v, want %v", name, i, r.Verdict, r.Result, r.Owing, s.Duties())
			}
			for _, o := range r.Owing {
				testmust.Equal(t, o.Since, since[fmt.Sprint(o.Duty)], name, "after entry", i, o.Duty, "since entry")
			}
		}
	}
	testmust.Hold(t, again != 0, "nobody owed again what they had done")
}

// An honest game among other entries of a log must be sound, with the score that the rules give.
func TestHonestGameIsSound(t *testing.T) {
	for name, sc := range map[string]*scene{
		"article":  newScene(t, clear.Suite{}, 2, map[string]string{"rules": "article"}, 1),
		"common":   newScene(t, realSuite(t), 3, nil, 7),
		"clear, 8": newScene(t, clear.Suite{}, 8, nil, 3),
	} {
		entries := [][]byte{[]byte("rubbish"), {}}
		for i, e := range sc.Entries {
			entries = append(entries, e)
			if i%7 == 0 {
				entries = append(entries, []byte("between\n\n— x y\n"))
			}
		}
		r := sc.verify(t, sc.log(t, entries))
		want, _ := sc.State.Result()
		testmust.Holdf(t, r.Verdict == verifier.Sound && slices.Equal(r.Result, want), "%s: %s %v, want sound %v\n%+v", name, r.Verdict, r.Result, want, r)
		testmust.Equal(t, r.Applied, len(sc.Entries)-1, name, "messages applied")
		for _, c := range r.Checks {
			testmust.Equal(t, c.Outcome, verifier.Passed, name, "check", c.ID)
		}
	}
}

// A table that is not in the log, or of an unknown game, cannot be checked, which is no verdict.
func TestCannotCheckIsNoVerdict(t *testing.T) {
	sc := newScene(t, clear.Suite{}, 2, nil, 1)
	options := verifier.Options{Table: sc.State.ID(), Log: []note.Verifier{sc.key}, Catalogue: sc.Catalogue()}
	whole := sc.log(t, sc.Entries)
	cut := whole
	cut.entries = cut.entries[:len(cut.entries)-1]
	unknown := options
	unknown.Catalogue.Game = games.Lookup
	unknown.Catalogue.Suite = suite.Lookup
	stranger, _ := logKey(t, "log.example")
	foreign := testmust.Have(tlog.SignCheckpoint(whole.checkpoint.Size, whole.checkpoint.Root, stranger))(t)
	later := options
	later.Believed = []tlog.Checkpoint{whole.checkpoint}
	for name, try := range map[string]struct {
		src shown
		o   verifier.Options
	}{
		"another's key":  {shown{sc.Entries, foreign}, options},
		"an older copy":  {sc.log(t, sc.Entries[:3]), later},
		"empty log":      {sc.log(t, nil), options},
		"other table":    {sc.log(t, [][]byte{[]byte("x")}), options},
		"cut short":      {cut, options},
		"unknown suite":  {whole, unknown},
		"messages alone": {sc.log(t, sc.Entries[1:]), options},
	} {
		testmust.Fail(t, testmust.ErrorOf(verifier.Verify(context.Background(), try.src, try.o)), name, "verdict", "want an error")
	}
}

// Ways to fail: a second check is failed besides the one that the verdict rests on, or an earlier
// check is not reached (80.1.1 to 80.1.4); the count of void messages depends on entries before the
// genesis entry or after a foul (80.2.5).
func TestOutcomes(t *testing.T) {
	sc := newScene(t, clear.Suite{}, 2, nil, 1)
	n := len(sc.Entries)
	other := append(slices.Clone(sc.Entries[:n-1]), []byte("another last entry"))
	shuffle := slices.IndexFunc(sc.Entries, func(e []byte) bool { return bytes.Contains(e, []byte(`"kind":"shuffle"`)) })
	foul := testmust.Have(sc.Forge(sc.Entries[shuffle], func(m *wire.Message) { m.Proofs = [][]byte{} }))(t)
	for name, c := range map[string]struct {
		src      shown
		believed []tlog.Checkpoint
		failed   table.Check
		void     int
	}{
		"void messages": {src: sc.log(t, slices.Concat(sc.Entries[1:2], sc.Entries, sc.Entries[:2])), void: 2},
		"a foul":        {src: sc.log(t, slices.Concat(sc.Entries[:2], sc.Entries[:1], sc.Entries[2:shuffle], [][]byte{foul}, sc.Entries[shuffle:])), failed: table.CheckProofs, void: 1},
		"other entries": {src: shown{other, sc.log(t, sc.Entries).checkpoint}, failed: verifier.CheckTree},
		"two histories": {src: sc.log(t, append(slices.Clone(sc.Entries), []byte("more"))), believed: []tlog.Checkpoint{sc.log(t, other).checkpoint}, failed: verifier.CheckHistory},
	} {
		r, outcome := sc.verify(t, c.src, c.believed...), verifier.Passed
		for _, check := range r.Checks {
			if check.ID == c.failed {
				outcome = verifier.Failed
			}
			testmust.Equal(t, check.Outcome, outcome, name, check.ID)
			if outcome == verifier.Failed {
				outcome = verifier.NotReached
			}
		}
		testmust.Equal(t, r.Voided, c.void, name, "void")
	}
}

// A log that writes a message with its blobs as a leaf has not logged the message, since no receipt
// for the hash of the message can exist.
func TestLeafWithBlobsIsNoEntry(t *testing.T) {
	sc := newScene(t, clear.BulkySuite{}, 3, nil, 21)
	entries, blobs := apart(t, sc.Entries)
	for i, parcel := range sc.Entries {
		if len(parcel) == len(entries[i]) || len(parcel) > wire.MaxEntry {
			continue
		}
		entries[i] = parcel
		r, err := verified(sc, shelved{sc.log(t, entries), blobs})
		testmust.Holdf(t, err == nil && r.Verdict == verifier.Unfinished && r.Applied == i-1, "entry %d with its blobs as a leaf: %v, %v", i, r, err)
		return
	}
	t.Error("no message with short blobs: the test tests nothing")
}

// counted is a log that counts the entries read from it.
type counted struct {
	shown
	read *int
}

func (c counted) Entries(ctx context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for e, err := range c.shown.Entries(ctx, start, end) {
			*c.read++
			if !yield(e, err) {
				return
			}
		}
	}
}

// A page shows the verification while it runs. It must not be told of checks that the report lacks,
// of an entry twice or never, or of everything only at the end.
func TestSeen(t *testing.T) {
	for _, honest := range []bool{true, false} {
		sc := newScene(t, nil, 4, nil, 3)
		entries := slices.Clone(sc.Entries)
		if !honest { // of no table, and void
			entries = slices.Insert(entries, 20, []byte("x"), entries[10])
		}
		var read, first, late int
		var indexes []uint64
		outcomes := map[string]verifier.Outcome{}
		o := verifier.Options{Table: wire.HashEntry(entries[0]), Log: []note.Verifier{sc.key}, Catalogue: sc.Catalogue()}
		o.Seen = func(s verifier.Step) {
			if s.Check != nil {
				outcomes[string(s.Check.ID)] = s.Check.Outcome
				return
			}
			if indexes = append(indexes, s.Entry.Index); len(indexes) == 1 {
				first = read
			}
			late = read
		}
		watched := testmust.Have(verifier.Verify(t.Context(), counted{sc.log(t, entries), &read}, o))(t)
		o.Seen = nil
		alone, err := verifier.Verify(t.Context(), sc.log(t, entries), o)
		if err != nil || !reflect.DeepEqual(watched.Checks, alone.Checks) || watched.Headline() != alone.Headline() {
			t.Errorf("watched:\n%s\nalone: %v\n%s", watched.Headline(), err, alone.Headline())
		}
		for _, c := range alone.Checks {
			if got, told := outcomes[string(c.ID)]; c.Outcome != verifier.NotReached && got != c.Outcome || told && c.Outcome == verifier.NotReached {
				t.Errorf("%s: told %q, and is %q", c.ID, got, c.Outcome)
			}
		}
		want := make([]uint64, 0, len(entries))
		for i, e := range entries {
			if string(e) != "x" {
				want = append(want, uint64(i))
			}
		}
		testmust.Hold(t, slices.Equal(indexes, want), "told of entries", indexes, "of", len(want))
		testmust.Holdf(t, first <= len(entries)/2 && late == len(entries), "told of the first entry after %d of %d", first, len(entries))
	}
}
