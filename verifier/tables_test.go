package verifier_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"weak"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/tableset"
)

// lookupSuite finds every suite that tests play with.
func lookupSuite(name string) (proof.Suite, bool) {
	if s, ok := clear.Lookup(name); ok {
		return s, true
	}
	return suite.Lookup(name)
}

// entered is a table with the entries that a log has of it.
type entered struct {
	name    string
	id      wire.Hash
	entries [][]byte
}

// entrants are tables of every kind: honest, unfinished, foul in many ways, and full of void entries.
func entrants(t *testing.T) []entered {
	var list []entered
	add := func(name string, sc *scene, entries [][]byte) {
		list = append(list, entered{name, sc.State.ID(), entries})
	}
	for i, s := range []proof.Suite{realSuite(t), clear.Suite{}} {
		few, apart := uint64(3), 7 // tables of a kind, and the distance of the chosen mutants
		if !testmust.Thorough() {
			few, apart = []uint64{1, 3}[i], []int{35, 12}[i]
		}
		for seed := range few {
			sc := newScene(t, s, 2+int(seed), nil, 100*uint64(i)+seed)
			add("honest", sc, sc.Entries)
		}
		sc := newScene(t, s, 3, nil, 7)
		add("unfinished", sc, sc.Entries[:len(sc.Entries)/2])
		for n, at := range new(tabletest.Campaign).FirstOfKinds(t, sc.Table) {
			for k, most := n, n+1; k < most; k += apart {
				other := newScene(t, s, 2, nil, 1000*uint64(i+1)+uint64(100*n+k))
				if at >= len(other.Entries) {
					continue // another deal ends sooner
				}
				all := testmust.Have(tabletest.MutantsOf(other.Table, at, tabletest.Effort{Bytes: 1, Moves: 1}, words))(t)
				tried := 0 // a fifth of the void ones is enough
				all = slices.DeleteFunc(all, func(m tabletest.Mutant) bool { tried++; return len(m.Foul) == 0 && tried%5 > 0 })
				if most = len(all); k < most {
					add(all[k].Name, other, replaced(other.Entries, at, all[k].Entry))
				}
			}
		}
		for seed := range few {
			sc, entries := cabal(t, s, 100*uint64(i)+60+seed)
			add("cabal", sc, entries)
		}
	}
	sc := newScene(t, clear.Suite{}, 2, nil, 170)
	add("stuffed", sc, stuffed(sc.Entries))
	sc = newScene(t, clear.Suite{}, 2, nil, 151)
	add("without a beginning", sc, sc.Entries[1:])
	return list
}

// cabal is a table whose seats continue after a wrong proof with more of them, and end with a
// malformed move. Only the first wrong proof can be blamed.
func cabal(t *testing.T, s proof.Suite, seed uint64) (*scene, [][]byte) {
	t.Helper()
	sc := newScene(t, s, 3, nil, seed)
	at := 5 + int(seed%7)
	entries := slices.Clone(sc.Entries[:at])
	sc.State = sc.States[at-1]
	unchecked := s.NewBatch()
	for range 8 {
		entry := testmust.Have(sc.Next())(t)
		forged := testmust.Have(sc.Forge(entry, func(m *wire.Message) {
			for i, p := range m.Proofs {
				m.Proofs[i] = flipped(p, len(p)-1)
			}
		}))(t)
		entries = append(entries, forged)
		sc.State = testmust.Have(sc.State.Apply(parse(t, forged), table.Facts{Batch: unchecked}))(t)
	}
	entry := testmust.Have(sc.Next())(t)
	entry = testmust.Have(sc.Forge(entry, func(m *wire.Message) { m.Body = json.RawMessage(`{"no":1}`) }))(t)
	return sc, append(entries, entry)
}

// stuffed repeats entries, out of their place and after the end.
func stuffed(entries [][]byte) [][]byte {
	list := slices.Clone(entries[:1])
	for i, e := range entries[1:] {
		list = append(list, entries[i/2], e, e, []byte("rubbish"), append(slices.Clone(e), '\n'))
	}
	return append(list, entries...)
}

// mixed is one log of all tables.
func mixed(t *testing.T, tables []entered, seed uint64) (shown, note.Verifier) {
	t.Helper()
	sc := sceneOf(t, nil)
	return sc.log(t, interleaved(tables, seed)), sc.key
}

// interleaved returns the entries of all tables, each table's in order, with other data between.
func interleaved(tables []entered, seed uint64) [][]byte {
	r := rand.New(rand.NewPCG(seed, 0))
	var entries [][]byte
	next := make([]int, len(tables))
	for open := make([]int, 0, 12); len(open) > 0 || slices.Contains(next, 0); {
		for i := range tables { // a dozen tables are in play at a time
			if next[i] == 0 && len(open) < cap(open) && !slices.Contains(open, i) {
				open = append(open, i)
			}
		}
		at := r.IntN(len(open))
		i := open[at]
		entries = append(entries, tables[i].entries[next[i]])
		if next[i]++; next[i] == len(tables[i].entries) {
			open = slices.Delete(open, at, at+1)
		}
		if r.IntN(20) == 0 {
			entries = append(entries, fmt.Appendf(nil, "rubbish %d", r.IntN(9)))
		}
	}
	return entries
}

func text(t *testing.T, v any) string {
	t.Helper()
	return string(testmust.Have(json.Marshal(v))(t))
}

// A table among others, in batches with honest and worse ones, must get the same report as alone, and
// its foul must not spoil another. The test takes two seconds because some tables have real proofs.
func TestTogetherAsAlone(t *testing.T) {
	tables := entrants(t)
	log, key := mixed(t, tables, 1)
	o := verifier.Options{Log: []note.Verifier{key}, Catalogue: table.Catalogue{Game: games.Lookup, Suite: lookupSuite}}
	var ids []wire.Hash
	want := map[wire.Hash]string{}
	verdicts := map[verifier.Verdict]int{}
	for _, e := range tables {
		alone := o
		alone.Table = e.id
		r, err := verifier.Verify(context.Background(), log, alone)
		ids, want[e.id] = append(ids, e.id), text(t, verifier.Table{Report: r, Err: err})
		verdicts[r.Verdict]++
	}
	testmust.Holdf(t, verdicts[verifier.Sound] >= 5 && verdicts[verifier.Unfinished] >= 5 && verdicts[verifier.Foul] >= 12,
		"verdicts %v: the test tests little", verdicts)
	workers := []int{3}
	if testmust.Thorough() {
		workers = append(workers, 1)
	}
	for _, workers := range workers {
		together := testmust.Have(tableset.VerifyTables(context.Background(), log, tableset.Options{Options: o, Tables: ids, Workers: workers}))(t)
		for i, r := range together.Tables {
			if got := text(t, r); got != want[r.Table] || r.Table != ids[i] {
				t.Errorf("%d workers, table %d (%s):\ntogether %s\nalone    %s", workers, i, tables[i].name, got, want[r.Table])
			}
		}
		testmust.Equal(t, together.ExitCode(), verifier.Foul.ExitCode(), "exit code among fouls")
		if workers == 1 {
			continue
		}
		// The log is read once for every few tables.
		all := testmust.Have(tableset.VerifyTables(context.Background(), log, tableset.Options{Options: o, Workers: workers, Open: 5}))(t)
		if begun := len(ids) - 1; len(all.Tables) != begun { // one has no beginning
			t.Errorf("%d tables found, want %d", len(all.Tables), begun)
		}
		for _, r := range all.Tables {
			testmust.Equal(t, text(t, r), want[r.Table], "few tables open at a time", "alone")
		}
		testmust.Equal(t, text(t, all.Standings), text(t, together.Standings), "other standings")
		if !testmust.Thorough() {
			continue
		}
		open, err := tableset.VerifyTables(context.Background(), log, tableset.Options{Options: o, Workers: workers})
		if err != nil || text(t, open) != text(t, all) {
			t.Errorf("%d workers, all tables open: %v\n%s\nwant\n%s", workers, err, text(t, open), text(t, all))
		}
	}
	t.Logf("%d tables in %d entries: %v", len(tables), len(log.entries), verdicts)
}

// A log that breaks its promise gets no verdict about any table, and no seat is blamed.
func TestTablesInABrokenLog(t *testing.T) {
	sc := newScene(t, clear.Suite{}, 2, nil, 1)
	log := sc.log(t, sc.Entries)
	log.entries = replaced(log.entries, 9, []byte("something else"))
	o := verifier.Options{Log: []note.Verifier{sc.key}, Catalogue: sc.Catalogue()}
	for _, ids := range [][]wire.Hash{nil, {sc.State.ID()}} {
		got, err := tableset.VerifyTables(context.Background(), log, tableset.Options{Options: o, Tables: ids})
		testmust.Requiref(t, err == nil && got.ExitCode() == verifier.LogBroken.ExitCode() && got.Log.Findings[0].Check == verifier.CheckTree,
			"%v, %v", got, err)
		for _, r := range got.Tables {
			testmust.Holdf(t, r.Verdict == verifier.LogBroken && r.Game == "" && r.Result == nil, "table: %s", r.AsLine())
		}
		testmust.Equal(t, len(got.Standings), 0, "standings of a broken log", got.Standings)
	}
	_, err := tableset.VerifyTables(context.Background(), shown{nil, log.checkpoint}, tableset.Options{Options: o})
	testmust.Fail(t, err, "a log that cannot be read has a verdict")
}

// Two players of one name are merged, or a table counts that is not sound, or counts twice.
func TestStandings(t *testing.T) {
	var tables []entered
	want := map[string]int{}
	names := map[string]bool{}
	for seed := range uint64(4) { // every table has the same names with other keys
		sc := newScene(t, clear.Suite{}, 2, nil, 95+seed)
		e := entered{"honest", sc.State.ID(), sc.Entries}
		if seed == 3 {
			e.entries = e.entries[:9]
		}
		tables = append(tables, e)
		result, _ := sc.State.Result()
		for seat, key := range sc.State.Genesis().Seats {
			if seed < 3 {
				want[key] = result[seat]
				names[sc.State.SeatName(table.Seat(seat))] = true
			}
		}
	}
	log, key := mixed(t, tables, 2)
	o := verifier.Options{Log: []note.Verifier{key}, Catalogue: table.Catalogue{Game: games.Lookup, Suite: lookupSuite}}
	twice := []wire.Hash{tables[0].id, tables[1].id, tables[0].id, tables[2].id, tables[3].id}
	got := testmust.Have(tableset.VerifyTables(context.Background(), log, tableset.Options{Options: o, Tables: twice}))(t)
	testmust.Holdf(t, len(got.Tables) == 4 && len(got.Standings) == 6 && len(names) == 2,
		"%d tables, %d players of %d names; want 4, 6, 2", len(got.Tables), len(got.Standings), len(names))
	for _, s := range got.Standings {
		sum, ok := want[s.Key]
		testmust.Holdf(t, ok && s.Sum == sum && s.Tables == 1 && strings.HasPrefix(s.Key, s.Name+"+"), "standing %+v, want sum %d", s, sum)
	}
	testmust.Holdf(t, slices.IsSortedFunc(got.Standings, func(a, b tableset.Standing) int { return b.Sum - a.Sum }),
		"standings %v are in no order", got.Standings)
	testmust.Equal(t, got.ExitCode(), verifier.Unfinished.ExitCode(), "exit code with one table unfinished")
}

// Anybody can write an entry that looks like a genesis entry but is not signed by its organiser. It
// must not change the reports of sound tables, with all entries that name it.
func TestStrangersTable(t *testing.T) {
	sc := newScene(t, clear.Suite{}, 2, nil, 1)
	organiser, _ := logKey(t, "organiser")
	again := *parse(t, sc.Entries[0]).Table
	again.Nonce = bytes.Repeat([]byte{1}, 16)
	entry := testmust.Have(wire.Sign(&again, organiser))(t)
	stranger := parse(t, entry)
	if err := stranger.VerifyOrganiser(); err == nil || stranger.Table == nil {
		t.Fatalf("the test is built wrong: %v", err)
	}
	message := testmust.Have(sc.Forge(sc.Entries[1], func(m *wire.Message) { m.Table = stranger.Hash }))(t)
	o := tableset.Options{Options: verifier.Options{Log: []note.Verifier{sc.key}, Catalogue: sc.Catalogue()}}
	log := sc.log(t, append([][]byte{entry, message}, sc.Entries...))
	got, err := tableset.VerifyTables(t.Context(), log, o)
	testmust.Holdf(t, err == nil && got.ExitCode() == 0 && len(got.Tables) == 1 && got.Tables[0].Verdict == verifier.Sound, "%v, %+v", err, got)
	o.Tables = []wire.Hash{stranger.Hash}
	if got, err := tableset.VerifyTables(t.Context(), log, o); err != nil || got.ExitCode() != 1 || len(got.Tables) != 1 {
		t.Errorf("asked for: %v, %+v", err, got)
	} else if text := got.Tables[0].Headline(); text != "No verdict." {
		t.Errorf("asked for, it is told as\n%s", text)
	}
}

// Verification of tables is cancelled: no goroutine or caller may wait for ever.
func TestTablesAreCalledOff(t *testing.T) {
	sc := newScene(t, clear.Suite{}, 2, nil, 1)
	var entries [][]byte
	for range 50 {
		entries = append(entries, sc.Entries...)
	}
	ctx, cancel := context.WithCancel(context.Background())
	o := tableset.Options{Workers: 2, Options: verifier.Options{Log: []note.Verifier{sc.key}, Catalogue: sc.Catalogue()},
		Progress: func(uint64, int) { cancel() }}
	testmust.Fail(t, testmust.ErrorOf(tableset.VerifyTables(ctx, sc.log(t, entries), o)), "called off")
}

// pieces are byte slices that a source handed out.
type pieces []weak.Pointer[byte]

// copied returns a copy of b at the start of a new allocation of at least size bytes.
func (p *pieces) copied(b []byte, size int) []byte {
	whole := make([]byte, max(size, len(b)))
	*p = append(*p, weak.Make(&whole[0]))
	return whole[:copy(whole, b)]
}

// held counts the pieces that are still in use.
func (p pieces) held() (n int) {
	runtime.GC()
	for _, b := range p {
		if b.Value() != nil {
			n++
		}
	}
	return n
}

const (
	fileSize = 1 << 20
	blobSize = 1<<20 - 64
)

// weighed shows each entry as part of a file, and each blob anew, and counts how many of them are in
// use at once.
type weighed struct {
	shown
	blob         []byte
	files, blobs pieces
	most         int // blobs
	t            testing.TB
}

func (w *weighed) Entries(ctx context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for e, err := range w.shown.Entries(ctx, start, end) {
			if len(w.files)%16 == 15 {
				n := w.files.held()
				testmust.Holdf(w.t, n <= 4, "of %d files %d are kept for one entry of each", len(w.files), n)
			}
			if !yield(w.files.copied(e, fileSize), err) {
				return
			}
		}
	}
}

func (w *weighed) Blob(context.Context, [32]byte) ([]byte, error) {
	if len(w.blobs)%8 == 7 {
		w.most = max(w.most, w.blobs.held())
	}
	return w.blobs.copied(w.blob, 0), nil
}

// fouls are tables of two entries, the second of which names the same blob as its proof. The log has
// some kilobytes, and each blob a megabyte.
func fouls(t *testing.T, n int) (entries [][]byte, blob []byte) {
	t.Helper()
	game, _ := games.Lookup("schwarzer-peter/v1")
	blob = bytes.Repeat([]byte{7}, blobSize)
	for i := range n {
		tb := testmust.Have(tabletest.New(game, tabletest.Config{Seats: 2, Fouls: wire.RecordFouls}, uint64(50_000+i)))(t)
		entry := testmust.Have(tb.Next())(t)
		entry = testmust.Have(tb.Forge(entry, func(m *wire.Message) { m.Proofs = [][]byte{blob} }))(t)
		bare, _ := wire.CutParcel(entry)
		entries = append(entries, tb.Entries[0], bytes.Clone(bare))
	}
	return entries, blob
}

// Many small tables name large blobs. The reports must not keep the blobs, and the tables must not
// all wait together for judgement.
func TestBlobsAreLetGo(t *testing.T) {
	const n = 80
	sc := newScene(t, clear.Suite{}, 2, nil, 1)
	entries, blob := fouls(t, n)
	src := &weighed{shown: sc.log(t, entries), blob: blob, t: t}
	o := verifier.Options{Log: []note.Verifier{sc.key}, Catalogue: sc.Catalogue()}
	r, err := tableset.VerifyTables(t.Context(), src, tableset.Options{Workers: 1, Options: o})
	testmust.Require(t, err == nil && len(r.Tables) == n && r.ExitCode() == verifier.Foul.ExitCode(), r, err)
	testmust.Holdf(t, src.most <= 40 && len(src.blobs) >= n, "of %d blobs %d are kept at once", len(src.blobs), src.most)
	held := src.blobs.held()
	testmust.Holdf(t, held <= 0, "the reports of %d fouls keep %d blobs", n, held)
	runtime.KeepAlive(r)
}

// stalled is a log whose blobs arrive when nothing more is read.
type stalled struct {
	shelved
	read, most atomic.Int64
}

func (s *stalled) Entries(ctx context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for e, err := range s.shelved.Entries(ctx, start, end) {
			s.read.Add(int64(len(e)))
			if !yield(e, err) {
				return
			}
		}
	}
}

func (s *stalled) Blob(ctx context.Context, hash [32]byte) ([]byte, error) {
	synctest.Wait()
	s.most.Store(max(s.most.Load(), s.read.Load()))
	return s.shelved.Blob(ctx, hash)
}

// A worker waits for a blob while anybody writes large entries in the name of its table. The entries
// must wait in the log and not in memory.
func TestWaitingEntriesAreBounded(t *testing.T) { synctest.Test(t, waitingEntriesAreBounded) }

func waitingEntriesAreBounded(t *testing.T) {
	sc := newScene(t, clear.Suite{}, 2, nil, 1)
	entries, blob := fouls(t, 1)
	large := append(bytes.Clone(entries[1][:200]), make([]byte, 60_000)...)
	for range 2000 {
		entries = append(entries, large)
	}
	src := &stalled{shelved: shelved{sc.log(t, entries), map[[32]byte][]byte{sha256.Sum256(blob): blob}}}
	o := verifier.Options{Log: []note.Verifier{sc.key}, Catalogue: sc.Catalogue()}
	r, err := tableset.VerifyTables(t.Context(), src, tableset.Options{Workers: 2, Options: o})
	testmust.Require(t, err == nil && len(r.Tables) == 1 && r.Tables[0].Verdict == verifier.Foul, r, err)
	most := src.most.Load()
	testmust.Holdf(t, most != 0 && most <= 40<<20, "%d MiB wait for one worker", most>>20)
}
