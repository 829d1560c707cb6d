package follow_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/follow"
	"github.com/pakli/pakli/verifier/tableset"
)

// As a log grows, a Follower tells every table once, whatever the steps and restarts, and reads no
// bundle twice but the growing one.
func TestTablesAreToldAsTheyFinish(t *testing.T) {
	a, b := play(t, clear.Suite{}, 1), play(t, clear.Suite{}, 2)
	all := append(filler("before", 300), interleave(a.Entries, b.Entries)...)
	l, dir := newLog(newKey(t, "log.example"), all[:300]...), t.TempDir()
	told := []string{}
	for part := range slices.Chunk(all[300:], 5) {
		l.grow(part...)
		w := open(t, l, dir)
		w.calm()
		told = append(told, w.verdicts...)
		w.Close()
	}
	testmust.Holdf(t, len(told) == 2 && strings.Contains(told[0]+told[1], a.State.ID().String()) && strings.Contains(told[0]+told[1], b.State.ID().String()) && strings.Count(told[0]+told[1], "Sound.") == 2,
		"told %q", told)
	l.asked = map[string]int{}
	w := open(t, l, dir)
	w.calm()
	l.grow(a.Entries...) // repeated: no table begins twice
	l.grow(filler("after", 3)...)
	w.calm()
	w.wantVerdicts()
	testmust.Holdf(t, l.asked["tile/entries/000"] == 0, "old entries are read again: %v", l.asked)
	read, open := w.ReadSoFar()
	testmust.Holdf(t, read == uint64(len(l.entries)) && open == 0, "%d entries read, %d tables in play", read, open)
}

// With more tables in play than a Follower keeps in memory, it replays dropped tables when they move,
// and the verdicts are the same.
func TestFewLiveTables(t *testing.T) {
	var histories [][][]byte
	for seed := range uint64(3) {
		histories = append(histories, play(t, clear.Suite{}, seed).Entries)
	}
	histories = append(histories, cheat(t, play(t, clear.Suite{}, 7)))
	l := newLog(newKey(t, "log.example"), interleave(histories...)...)
	for _, live := range []int{1, 2, 256} {
		w := open(t, l, t.TempDir(), func(o *follow.Options) { o.MaxLive = live })
		w.calm()
		sound := strings.Count(strings.Join(w.verdicts, "\n"), "Sound.")
		testmust.Holdf(t, len(w.verdicts) == 4 && sound == 3 && w.ToldFoul(), "%d live: %q", live, w.verdicts)
	}
}

// bundlesAsked counts the requests for entries.
func (l *log) bundlesAsked() (n int) {
	for path, times := range l.asked {
		if strings.HasPrefix(path, "tile/entries/") {
			n += times
		}
	}
	return n
}

// More tables move by turn than a Follower keeps in memory, in logs of many chunks. The number of
// requests must grow linearly with the log, not with its square, even without a cache. The Follower
// requests each bundle when it reads it, once for the live tables, once for the others, and at most
// once more to replay these.
func TestManyTablesByTurn(t *testing.T) {
	var histories [][][]byte
	for seed := range uint64(6) {
		histories = append(histories, play(t, clear.Suite{}, 20+seed).Entries)
	}
	for _, spread := range []int{0, 20, 80} {
		var all [][]byte
		for _, e := range interleave(histories...) {
			all = append(append(all, e), filler("between", spread)...)
		}
		l := newLog(newKey(t, "log.example"), all...)
		w := open(t, l, t.TempDir(), func(o *follow.Options) { o.MaxLive = 4 })
		w.KeepNoEntries()
		w.calm()
		w.wantVerdicts("Sound.", "Sound.", "Sound.", "Sound.", "Sound.", "Sound.")
		bundles := (len(all) + tlog.TileWidth - 1) / tlog.TileWidth
		n := l.bundlesAsked()
		testmust.Holdf(t, n <= 4*bundles, "%d bundles were asked for, of %d", n, bundles)
	}
}

// For a table that moves seldom, only the bundles with its entries are read again, in the next run,
// too.
func TestRevivedFromItsBundles(t *testing.T) {
	p := play(t, clear.Suite{}, 1)
	l := newLog(newKey(t, "log.example"), p.Entries[:3]...)
	l.grow(filler("between", 5000)...).grow(p.Entries[3:6]...).grow(filler("between", 5000)...)
	w := open(t, l, t.TempDir())
	w.calm()
	w.Close()
	l.asked = map[string]int{}
	l.grow(p.Entries[6:]...)
	w = open(t, l, w.dir)
	w.calm()
	w.wantVerdicts("Sound.")
	n := l.bundlesAsked()
	testmust.Holdf(t, n <= 3, "%d bundles were asked for: %v", n, l.asked)
}

// A dropped table with a false proof is replayed among others. The batch must name that table and no
// other.
func TestFalseProofAtARevivedTable(t *testing.T) {
	var histories [][][]byte
	for seed := range uint64(5) {
		histories = append(histories, play(t, clear.Suite{}, seed).Entries)
	}
	p := play(t, clear.Suite{}, 6)
	forged := falsify(t, p)
	for at := range histories {
		l := newLog(newKey(t, "log.example"), interleave(slices.Insert(slices.Clone(histories), at, forged)...)...)
		w := open(t, l, t.TempDir(), func(o *follow.Options) { o.MaxLive = 4 })
		w.calm()
		all := strings.Join(w.verdicts, "\n")
		testmust.Holdf(t, len(w.verdicts) == 6 && strings.Count(all, "Sound.") == 5 && strings.Contains(all, "table "+p.State.ID().String()+"  Foul by seat"),
			"as number %d: %s", at, all)
	}
}

// The log shows only part of a chunk after a verdict in it was told. The Follower does not tell the
// verdict again, and counts nothing twice that it replayed.
func TestShownInPart(t *testing.T) {
	a, b := play(t, clear.Suite{}, 1), play(t, clear.Suite{}, 2)
	l := newLog(newKey(t, "log.example"), a.Entries[:5]...)
	w := open(t, l, t.TempDir(), func(o *follow.Options) { o.MaxLive = 1 })
	w.calm()
	l.grow(a.Entries[5:]...).grow(b.Entries[:10]...).grow(filler("more", 300)...).grow(b.Entries[10:]...)
	l.lie = func(tile tlog.Tile, data []byte) ([]byte, error) {
		if tile.Level == tlog.EntriesLevel && tile.Index > 0 {
			return nil, errors.New("no answer")
		}
		return data, nil
	}
	w.step()
	w.step()
	w.wantVerdicts("Sound.")
	l.lie = nil
	w.calm()
	w.wantVerdicts("Sound.", "Sound.")
	report, err := os.ReadFile(filepath.Join(w.dir, "tables", b.State.ID().String()+".json"))
	testmust.Holdf(t, err == nil && bytes.Contains(report, []byte(`"void":0`)), "%v\n%s", err, report)
}

// Somebody begins tables without end. The Follower gives up the one that moved longest ago and says
// so, and verifies the others. The run has then not checked everything, since the abandoned table may
// be foul.
func TestTooManyTablesInPlay(t *testing.T) {
	old, last := play(t, clear.Suite{}, 1), play(t, clear.Suite{}, 2)
	l := newLog(newKey(t, "log.example"), old.Entries[:3]...)
	for seed := range uint64(4) {
		l.grow(play(t, clear.Suite{}, 10+seed).Entries[0])
	}
	l.grow(last.Entries...).grow(old.Entries[3:]...)
	w := open(t, l, t.TempDir(), func(o *follow.Options) { o.MaxOpen = 4 })
	w.step()
	w.wantVerdicts("Sound.")
	testmust.Hold(t, w.ToldUnchecked() && w.HasDoubts(), "a table was given up, and all is well")
	testmust.Holdf(t, strings.Contains(w.verdicts[0], last.State.ID().String()) && strings.Contains(strings.Join(w.notices, "\n"), "table "+old.State.ID().String()+" is followed no more"),
		"verdicts %q, notices %q", w.verdicts, w.notices)
}

// Anybody can write an entry that looks like a genesis entry but is not signed by its organiser. It
// is no table, takes no place among the tables in play, and is not in doubt.
func TestStrangersTable(t *testing.T) {
	p := play(t, clear.Suite{}, 1)
	begins := testmust.Have(wire.Parse(p.Entries[0]))(t)
	begins.Table.Nonce = bytes.Repeat([]byte{1}, 16)
	entry := testmust.Have(wire.Sign(begins.Table, newKey(t, "stranger").signer))(t)
	l := newLog(newKey(t, "log.example"), append([][]byte{entry}, p.Entries...)...)
	w := open(t, l, t.TempDir())
	w.calm()
	w.wantVerdicts("Sound.")
	_, open := w.ReadSoFar()
	testmust.Holdf(t, open == 0 && !w.ToldUnchecked(), "%d tables in play, unchecked: %v", open, w.ToldUnchecked())
}

// The evidence of a foul is a bundle that gives the verdict without the log.
func TestFoulLeavesABundle(t *testing.T) {
	p := play(t, clear.Suite{}, 3)
	l := newLog(newKey(t, "log.example"), append(filler("before", 300), cheat(t, p)...)...)
	w := open(t, l, t.TempDir())
	w.calm()
	w.wantVerdicts("Foul by seat")
	file := testmust.Have(os.ReadFile(filepath.Join(w.dir, "foul-"+p.State.ID().String()+".pakli")))(t)
	b := testmust.Have(bundle.Parse(file))(t)
	r, err := tableset.VerifyAgainst(t.Context(), bundle.Reader{Bundle: b}, tableset.AgainstOptions{Options: verifier.Options{Table: p.State.ID(), Log: keysOf(l), Catalogue: catalogue}})
	testmust.Holdf(t, err == nil && r.Verdict == verifier.Foul, "offline: %v, %+v", err, r)
}

// The server withdraws the entries as soon as the foul is seen. There is no bundle, but the Follower
// tells the verdict.
func TestFoulIsToldWithoutItsEntries(t *testing.T) {
	l := newLog(newKey(t, "log.example"), append(filler("before", 300), cheat(t, play(t, clear.Suite{}, 3))...)...)
	shown := map[uint64]bool{}
	l.lie = func(tile tlog.Tile, data []byte) ([]byte, error) {
		if tile.Level == tlog.EntriesLevel && shown[tile.Index] {
			return nil, errors.New("gone")
		}
		shown[tile.Index] = tile.Level == tlog.EntriesLevel
		return data, nil
	}
	w := open(t, l, t.TempDir())
	w.step()
	w.wantVerdicts("Foul by seat")
}

// While the server withholds a blob, there is no verdict and no blame. When the blob appears, the
// Follower tells the table, in a later run, too; after the patience the table cannot be checked.
func TestMissingBlob(t *testing.T) {
	p := play(t, clear.BulkySuite{}, 4)
	l := newLog(newKey(t, "log.example"), p.Entries...)
	blobs := l.blobs
	l.blobs = nil
	w := open(t, l, t.TempDir())
	w.step()
	w.wantVerdicts()
	testmust.Hold(t, w.HasDoubts(), "nothing is in doubt")
	w.Close()
	w = open(t, l, w.dir)
	w.step()
	w.wantVerdicts()
	l.blobs = blobs
	w.calm()
	w.wantVerdicts("Sound.")

	l.blobs = nil
	w = open(t, l, t.TempDir())
	w.step()
	w.now = w.now.Add(time.Hour)
	w.step()
	w.wantVerdicts("Cannot check")
	w.innocent()
	testmust.Hold(t, !w.ToldFoul() && w.ToldUnchecked(), "a missing blob is a foul, or nothing")
}

// hold makes a log withhold bundles of entries.
func (l *log) hold(held func(n uint64) bool) {
	l.lie = func(tile tlog.Tile, data []byte) ([]byte, error) {
		if tile.Level == tlog.EntriesLevel && held(tile.Index) {
			return nil, errors.New("held back")
		}
		return data, nil
	}
}

// complaints counts the complaints that were told.
func (w *watch) complaints() (n int) {
	for _, notice := range w.notices {
		if strings.Contains(notice, "were not shown") {
			n++
		}
	}
	return n
}

// Tables lack a blob. In the next run the log shows the blobs but withholds entries of one table.
// That table is in doubt, and after the patience told as one that cannot be checked; the other is
// told at once.
func TestMissingBlobAndThenEntries(t *testing.T) {
	p, q := play(t, clear.BulkySuite{}, 1), play(t, clear.BulkySuite{}, 4)
	for _, shown := range []bool{true, false} {
		l := newLog(newKey(t, "log.example"), p.Entries...)
		l.grow(filler("between", 600)...).grow(q.Entries...)
		blobs := l.blobs
		l.blobs = nil
		w := open(t, l, t.TempDir())
		w.step()
		w.wantVerdicts()
		w.Close()
		l.blobs = blobs
		l.hold(func(n uint64) bool { return n == 0 })
		w = open(t, l, w.dir)
		w.step()
		if w.wantVerdicts("Sound."); !w.HasDoubts() || !strings.HasPrefix(w.verdicts[0], "table "+q.State.ID().String()) {
			t.Errorf("nothing is in doubt, or another table is told: %q", w.verdicts)
		}
		if shown {
			l.lie = nil
			w.calm()
			w.wantVerdicts("Sound.", "Sound.")
			continue
		}
		w.now = w.now.Add(time.Hour)
		w.step()
		if w.wantVerdicts("Sound.", "Cannot check"); !w.ToldUnchecked() || w.ToldFoul() || w.complaints() != 1 {
			t.Errorf("unchecked: %v, foul: %v, notices %q", w.ToldUnchecked(), w.ToldFoul(), w.notices)
		}
		w.innocent()
	}
}

// A growing log always shows its newest bundle late, but each tree in time. A complaint about the
// first tree would be false.
func TestNoComplaintOfWhatWasShown(t *testing.T) {
	l := newLog(newKey(t, "log.example"), filler("a", 300)...)
	l.hold(func(n uint64) bool { return n == uint64(len(l.entries)-1)/tlog.TileWidth })
	w := open(t, l, t.TempDir())
	for i := range 6 {
		w.step()
		testmust.Require(t, w.HasDoubts(), "the test is built wrong: all is shown")
		w.now = w.now.Add(20 * time.Second)
		l.grow(filler(fmt.Sprint("b", i), 300)...)
	}
	testmust.Equal(t, w.complaints(), 0, "complaints", w.notices)
}

// After a complaint the log shows that tree and at once withholds another. The Follower complains of
// that one, too, after its own patience.
func TestSecondComplaint(t *testing.T) {
	l := newLog(newKey(t, "log.example"), filler("a", 300)...)
	l.hold(func(n uint64) bool { return n == uint64(len(l.entries)-1)/tlog.TileWidth })
	w := open(t, l, t.TempDir())
	for want := 1; want <= 2; want++ {
		w.step()
		testmust.Holdf(t, w.complaints() == want-1, "before the patience is over: %q", w.notices)
		w.now = w.now.Add(2 * time.Minute)
		w.step()
		w.step()
		if last := w.notices[len(w.notices)-1]; w.complaints() != want || !strings.Contains(last, fmt.Sprintf("signed %d entries", len(l.entries))) {
			t.Errorf("complaint %d: %q", want, w.notices)
		}
		l.grow(filler("b", 600)...)
	}
}

// A report has no JSON, here because a year has five digits. Tables told stay told, in the next run,
// too; the Follower only says that the report is missing.
func TestReportThatCannotBeWritten(t *testing.T) {
	p := play(t, clear.Suite{}, 1)
	l := newLog(newKey(t, "log.example"), p.Entries[:5]...)
	w := open(t, l, t.TempDir())
	w.calm()
	r := &verifier.Report{Table: p.State.ID(), Cosigned: []tlog.Cosignature{{Time: time.Unix(1<<43, 0)}}}
	testmust.Do(t, w.GiveUpTable(verifier.Table{Report: r, Err: errors.New("no blob")}), "the following ends")
	w.wantVerdicts("Cannot check")
	testmust.Holdf(t, len(w.notices) == 1 && strings.Contains(w.notices[0], p.State.ID().String()), "notices %q", w.notices)
	w.Close()
	l.grow(p.Entries[5:]...)
	w = open(t, l, w.dir)
	w.calm()
	w.wantVerdicts()
}

// Two trees have the same size, larger than the believed one, and the log shows no tile of either.
// The two notes suffice as evidence. The second may come in a later run.
func TestForkOfOneSizeUnshown(t *testing.T) {
	k := newKey(t, "log.example")
	begin := filler("common", 10)
	a, b := newLog(k, append(begin, filler("a", 90)...)...), newLog(k, append(begin, filler("b", 90)...)...)
	l := newLog(k, begin...)
	w := open(t, l, t.TempDir(), hears("bela", &b.shows))
	w.step()
	l.shows = a.shows
	e := w.broken(k)
	testmust.Hold(t, len(e.Proof.Hashes) == 0, "a proof where none is needed")

	l = newLog(k, begin...)
	w = open(t, l, t.TempDir())
	w.calm()
	l.shows = a.shows
	w.step()
	w.innocent()
	w.Close()
	w = open(t, l, w.dir)
	l.shows = b.shows
	w.broken(k)
}

// A state has both notes because the process ended after it wrote the second one and before it
// compared them.
func TestForkInTheState(t *testing.T) {
	k := newKey(t, "log.example")
	l := newLog(k, filler("common", 10)...)
	w := open(t, l, t.TempDir())
	w.calm()
	w.Close()
	for _, word := range []string{"a", "b"} {
		c := newLog(k, filler(word, 100)...).shows
		testmust.Do(t, os.WriteFile(filepath.Join(w.dir, "unproven", word), c.Note, 0o644))
	}
	testmust.FailBy(t, openAs(t, l, w.dir), tlog.ErrBroken, "opened")
}

// A log forks and shows the tiles of its new history, at sizes of every shape. Its own tiles prove
// that the new tree does not extend the old one.
func TestForkLater(t *testing.T) {
	k := newKey(t, "log.example")
	for _, sizes := range [][2]int{{1, 1}, {10, 10}, {1, 2}, {2, 3}, {7, 8}, {8, 9}, {100, 300}, {256, 300}, {256, 512}, {257, 600}, {300, 301}} {
		l := newLog(k, filler("a", sizes[0])...)
		w := open(t, l, t.TempDir())
		w.calm()
		entries := filler("a", sizes[1])
		entries[sizes[0]-1] = []byte("another")
		*l = *newLog(k, entries...)
		e := w.broken(k)
		testmust.Holdf(t, e.First.Size == uint64(sizes[0]) && e.Second.Size == uint64(sizes[1]),
			"%v: evidence of sizes %d and %d", sizes, e.First.Size, e.Second.Size)
		testmust.Holdf(t, sizes[0] != sizes[1] || len(e.Proof.Hashes) == 0, "%v: a proof where none is needed", sizes)
	}
}

// A log goes back. An old checkpoint of the same tree is no evidence, since it was once true and
// anybody can show it again. One of another tree is evidence.
func TestGoingBack(t *testing.T) {
	k := newKey(t, "log.example")
	l := newLog(k, filler("a", 300)...)
	w := open(t, l, t.TempDir())
	w.calm()
	l.shows = l.sign(200)
	w.step()
	if w.innocent(); !w.HasDoubts() || !strings.Contains(w.notices[len(w.notices)-1], "old copy") || w.BelievedCheckpoint().Size != 300 {
		t.Errorf("notices %q, believed %d", w.notices, w.BelievedCheckpoint().Size)
	}
	l.grow()
	w.calm()
	l.shows = newLog(k, filler("b", 200)...).shows
	w.broken(k)
}

// A server shows two histories to two Followers, which exchange checkpoints.
func TestSplitView(t *testing.T) {
	k := newKey(t, "log.example")
	common := filler("common", 90)
	anna := newLog(k, append(slices.Clone(common), filler("a", 10)...)...)
	bela := newLog(k, append(slices.Clone(common), filler("b", 300)...)...)

	// bela has the larger tree. Her tiles prove at once that it does not extend anna's.
	w := open(t, bela, t.TempDir(), hears("anna", &anna.shows))
	w.broken(k)

	// anna's log is smaller than the checkpoint that bela heard. That accuses nobody; the Follower
	// keeps the checkpoint and proves the fork when the log has grown past it.
	heard := bela.shows
	w = open(t, anna, t.TempDir(), hears("bela", &heard))
	w.step()
	w.innocent()
	testmust.Holdf(t, w.HasDoubts() && w.BelievedCheckpoint().Size == 100, "notices %q, believed %d", w.notices, w.BelievedCheckpoint().Size)
	w.Close()
	w = open(t, anna, w.dir) // without bela's checkpoints
	anna.grow(filler("more", 400)...)
	w.broken(k)
}

// Followers of one history lag behind each other, which is no finding. A Follower believes a
// checkpoint of another if the log shows its tree.
func TestGossipOfOneHistory(t *testing.T) {
	k := newKey(t, "log.example")
	l := newLog(k, filler("a", 300)...)
	older, newer := l.sign(20), l.shows
	l.shows = l.sign(100)
	w := open(t, l, t.TempDir(), hears("older", &older), hears("newer", &newer))
	w.step()
	testmust.Equal(t, w.BelievedCheckpoint().Size, 300, "believed", w.notices)
	l.shows = newer
	w.calm()
	b, err := os.ReadFile(filepath.Join(w.dir, "checkpoint"))
	testmust.Holdf(t, err == nil && bytes.Equal(b, newer.Note), "shown to others: %v %s", err, b)
}

// Peers that show nothing, garbage or another log's checkpoint do not accuse the log or stop the
// Follower.
func TestGossipOfNothing(t *testing.T) {
	k := newKey(t, "log.example")
	l := newLog(k, filler("a", 10)...)
	foreign, forged := newLog(newKey(t, "log.example"), filler("b", 10)...).shows, newLog(k, filler("b", 10)...).shows
	forged.Note = bytes.Replace(forged.Note, []byte("\n10\n"), []byte("\n11\n"), 1)
	for name, c := range map[string]tlog.Checkpoint{"foreign": foreign, "forged": forged, "empty": {}, "garbage": {Note: []byte("<html>")}, "huge": {Note: bytes.Repeat([]byte("x"), 1<<20)}} {
		w := open(t, l, t.TempDir(), hears(name, &c))
		w.step()
		if w.innocent(); w.BelievedCheckpoint().Size != 10 || len(w.notices) != 1 {
			t.Errorf("%s: believed %d, notices %q", name, w.BelievedCheckpoint().Size, w.notices)
		}
	}
}

// A server or network alters or drops tiles. The Follower believes nothing and accuses nobody. After
// the patience it complains and shows what the log signed, and when the tiles come it continues.
func TestHostileTiles(t *testing.T) {
	lies := map[string]func(tlog.Tile, []byte) ([]byte, error){
		"none":   func(tlog.Tile, []byte) ([]byte, error) { return nil, errors.New("connection refused") },
		"flip":   func(_ tlog.Tile, b []byte) ([]byte, error) { b[len(b)-1] ^= 1; return b, nil },
		"cut":    func(_ tlog.Tile, b []byte) ([]byte, error) { return b[:len(b)-1], nil },
		"long":   func(_ tlog.Tile, b []byte) ([]byte, error) { return append(b, 0), nil },
		"empty":  func(tlog.Tile, []byte) ([]byte, error) { return nil, nil },
		"broken": func(tlog.Tile, []byte) ([]byte, error) { return nil, tlog.ErrBroken }, // an error that a surface must not return
		"entries": func(t tlog.Tile, b []byte) ([]byte, error) {
			if t.Level == tlog.EntriesLevel {
				b[len(b)-1] ^= 1
			}
			return b, nil
		},
	}
	for name, lie := range lies {
		l := newLog(newKey(t, "log.example"), filler("a", 100)...)
		w := open(t, l, t.TempDir())
		w.calm()
		l.grow(play(t, clear.Suite{}, 5).Entries...)
		l.lie = lie
		w.step()
		w.now = w.now.Add(time.Hour)
		w.step()
		w.step()
		complaints, _ := filepath.Glob(filepath.Join(w.dir, "complaint-*"))
		w.innocent()
		testmust.Requiref(t, w.HasDoubts() && len(complaints) == 1, "%s: notices %q, complaints %q", name, w.notices, complaints)
		file := testmust.Have(os.ReadFile(complaints[0]))(t)
		c, err := follow.ParseComplaint(file)
		testmust.Holdf(t, err == nil && c.Verify(l.key.key) == nil && c.Size == l.shows.Size, "%s: complaint: %v\n%s", name, err, file)
		testmust.Fail(t, testmust.ErrorOf(follow.ParseComplaint(append(file[:len(file)-1], 'x'))), name, "a complaint with a byte behind the checkpoint")
		read, _ := w.ReadSoFar()
		testmust.Holdf(t, read == 100, "%s: %d entries read", name, read)
		l.lie = nil
		w.calm()
		w.wantVerdicts("Sound.")
	}
}

// A log that does not answer is not at fault, and the Follower asks again.
func TestNoAnswer(t *testing.T) {
	l := newLog(newKey(t, "log.example"), filler("a", 10)...)
	w := open(t, l, t.TempDir())
	honest := l.shows
	l.shows = tlog.Checkpoint{Note: []byte("502 Bad Gateway")}
	w.step()
	w.now = w.now.Add(time.Hour)
	w.step()
	w.innocent()
	testmust.Holdf(t, w.HasDoubts() && w.BelievedCheckpoint().Size == 0, "believed %d", w.BelievedCheckpoint().Size)
	l.shows = honest
	w.calm()
}

// A Follower that is stopped during a step is in doubt about nothing.
func TestStopped(t *testing.T) {
	l := newLog(newKey(t, "log.example"), filler("a", 10)...)
	w := open(t, l, t.TempDir())
	ctx, stop := context.WithCancel(t.Context())
	l.lie = func(tlog.Tile, []byte) ([]byte, error) { stop(); return nil, ctx.Err() }
	err := w.Step(ctx)
	testmust.Holdf(t, err == nil && !w.HasDoubts() && len(w.notices) == 0, "%v, %q", err, w.notices)
}

// A log accepts requests for checkpoints, hashes or entries and never answers. A step still ends,
// hears the checkpoints of others, and after the patience complains of what the log signed and does
// not show.
func TestSilentLog(t *testing.T) {
	k := newKey(t, "log.example")
	for name, silent := range map[string]func(path string) bool{
		"checkpoint": func(path string) bool { return path == "checkpoint" },
		"hashes":     func(path string) bool { return strings.HasPrefix(path, "tile/0") },
		"entries":    func(path string) bool { return strings.HasPrefix(path, "tile/entries") },
		"tiles":      func(path string) bool { return strings.HasPrefix(path, "tile/") },
		"everything": func(string) bool { return true },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLog(k, filler("a", 300)...)
				gossip, heard := l.sign(200), 0
				w := open(t, l, t.TempDir(), hears("anna", &gossip), func(o *follow.Options) {
					o.Now = time.Now
					ask := o.Gossip[0].Checkpoint
					o.Gossip[0].Checkpoint = func(ctx context.Context) ([]byte, error) { heard++; return ask(ctx) }
				})
				l.silent = silent
				for range 3 {
					w.step()
				}
				complaints, _ := filepath.Glob(filepath.Join(w.dir, "complaint-*"))
				if w.innocent(); heard < 3 || !w.HasDoubts() || (len(complaints) == 0) != (name == "checkpoint") {
					t.Errorf("others were asked %d times, complaints %q, notices %q", heard, complaints, w.notices)
				}
				gossip = newLog(k, filler("b", 200)...).shows
				testmust.FailBy(t, w.Step(t.Context()), tlog.ErrBroken, "what others show is not heard")
			})
		})
	}
}

// A log never answers for one tree, that of a fork. The Follower builds the tree that the log shows
// from nothing, which proves the fork.
func TestSilentAboutOneTree(t *testing.T) {
	k := newKey(t, "log.example")
	l := newLog(k, filler("a", 100)...)
	gossip := l.shows
	w := open(t, l, t.TempDir(), hears("anna", &gossip), func(o *follow.Options) { o.Patience = 50 * time.Millisecond })
	w.calm()
	gossip = newLog(k, append(filler("a", 100), filler("b", 50)...)...).shows
	l.silent = func(path string) bool { return path == "tile/0/000.p/150" }
	l.grow(filler("c", 200)...)
	w.broken(k)
}

// A log shows one tile a minute. Other sources are asked in between, even within a chunk of entries,
// and the log is asked again when the chunk is read.
func TestSlowLog(t *testing.T) {
	k := newKey(t, "log.example")
	l := newLog(k, filler("a", 5000)...)
	gossip, heard := l.sign(200), 0
	var w *watch
	l.lie = func(tile tlog.Tile, data []byte) ([]byte, error) {
		w.now = w.now.Add(time.Minute)
		return data, nil
	}
	w = open(t, l, t.TempDir(), hears("anna", &gossip), func(o *follow.Options) {
		ask := o.Gossip[0].Checkpoint
		o.Gossip[0].Checkpoint = func(ctx context.Context) ([]byte, error) { heard++; return ask(ctx) }
	})
	w.step()
	read, _ := w.ReadSoFar()
	testmust.Holdf(t, heard >= 10 && w.IsPaused() && read == 4096, "others were asked %d times while %d entries were read", heard, read)
	w.calm()
	read, _ = w.ReadSoFar()
	testmust.Holdf(t, !w.IsPaused() && read == 5000, "%d entries read", read)

	w = open(t, l, t.TempDir(), hears("anna", &gossip))
	fork, asked := newLog(k, filler("b", 5000)...).shows, 0
	l.lie = func(tile tlog.Tile, data []byte) ([]byte, error) {
		w.now = w.now.Add(time.Minute)
		if asked++; asked > 4 {
			gossip = fork
		}
		return data, nil
	}
	w.broken(k)
	read, _ = w.ReadSoFar()
	testmust.Holdf(t, read <= 0, "what another showed was heard after %d entries", read)
}
