package ledger_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/tlog"
)

const origin = "example.com/pakli"

// small needs no free disk.
var small = badgerstore.Options{MinFree: 1}

func init() {
	testmust.InMemory()
	badgerstore.DefaultMemTableSize = 1 << 20 // allocating 64 times as much took a fifth of the time of these tests
}

// create makes a log with a new key in a new directory.
func create(t testing.TB) (dir string, key ledger.Key) {
	t.Helper()
	dir = t.TempDir()
	key = testmust.Have(ledger.CreateKey(dir, origin, rand.Reader))(t)
	testmust.Do(t, ledger.Create(dir, ledger.Options{Signer: key.Signer, Store: small}))
	return dir, key
}

func open(t testing.TB, dir string, key ledger.Key) *ledger.Ledger {
	t.Helper()
	l := testmust.Have(ledger.Open(dir, ledger.Options{Signer: key.Signer, Store: badgerstore.Options{}}))(t)
	t.Cleanup(func() { l.Close() })
	return l
}

// attempt opens a log that it closes again, and returns why it could not.
func attempt(dir string, key ledger.Key) error {
	l, err := ledger.Open(dir, ledger.Options{Signer: key.Signer, Store: badgerstore.Options{}})
	if err == nil {
		err = l.Close()
	}
	return err
}

func closeLog(t testing.TB, l *ledger.Ledger) {
	t.Helper()
	testmust.Do(t, l.Close())
}

func fill(t testing.TB, l *ledger.Ledger, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		testmust.Have(l.Append(context.Background(), ledgertest.Entry(i)))(t)
	}
}

// Open makes nothing: an empty directory may be a volume that is not mounted.
func TestOpenNeedsCreate(t *testing.T) {
	dir := t.TempDir()
	key := testmust.Have(ledger.CreateKey(dir, origin, rand.Reader))(t)
	testmust.FailBy(t, attempt(dir, key), ledger.ErrNotCreated, "Open of an empty directory")
	files, _ := os.ReadDir(dir)
	testmust.Holdf(t, len(files) == 1, "Open left %v behind", files)
}

// Create never touches a directory with something in it.
func TestCreateNeedsEmpty(t *testing.T) {
	dir, key := create(t)
	testmust.Fail(t, ledger.Create(dir, ledger.Options{Signer: key.Signer, Store: small}), "a log was created over another")
	ledgertest.CheckLog(t, open(t, dir, key), key.Verifier)
}

// A disk of its own has a folder of the file system's at its root, and is as empty as a directory can be there.
func TestBeginOnDisk(t *testing.T) {
	dir := t.TempDir()
	testmust.Do(t, os.Mkdir(filepath.Join(dir, "lost+found"), 0o700))
	key := testmust.Have(ledger.Begin(dir, origin, small, rand.Reader))(t)
	ledgertest.CheckLog(t, open(t, dir, key), key.Verifier)
}

// A key of another name, or another key of the same name, is refused.
func TestOpenOtherKey(t *testing.T) {
	dir, _ := create(t)
	for _, name := range []string{"example.com/other", origin} {
		other := testmust.Have(ledger.CreateKey(t.TempDir(), name, rand.Reader))(t)
		testmust.FailSaying(t, attempt(dir, other), "another key", "Open with a key of", name)
	}
}

// Two writers on one directory would fork the log.
func TestSecondInstance(t *testing.T) {
	dir, key := create(t)
	l := open(t, dir, key)
	testmust.FailBy(t, attempt(dir, key), ledger.ErrLocked, "second Open")
	fill(t, l, 0, 3)
	closeLog(t, l)
	ledgertest.CheckLog(t, open(t, dir, key), key.Verifier)
}

// A backup of the store that is older than what was signed must not be gone on
// with; nor one that was gone on with under another promise file.
func TestOlderBackup(t *testing.T) {
	dir, key := create(t)
	l := open(t, dir, key)
	fill(t, l, 0, 10)
	closeLog(t, l)
	backup := filepath.Join(t.TempDir(), "backup")
	copyDir(t, dir, backup)
	l = open(t, dir, key)
	fill(t, l, 10, 12)
	closeLog(t, l)

	restore := filepath.Join(t.TempDir(), "restored")
	copyDir(t, dir, restore)
	replaceStore(t, restore, backup)
	if err := attempt(restore, key); !errors.Is(err, ledger.ErrRolledBack) || !strings.Contains(err.Error(), "Restore the newest store") {
		t.Errorf("Open with an older store: %v, want ErrRolledBack and the way out", err)
	}

	// The same sizes, another history.
	l = open(t, backup, key)
	fill(t, l, 20, 25)
	closeLog(t, l)
	replaceStore(t, restore, backup)
	testmust.FailBy(t, attempt(restore, key), ledger.ErrRolledBack, "Open with another history")
}

func replaceStore(t *testing.T, dir, from string) {
	t.Helper()
	testmust.Do(t, os.RemoveAll(filepath.Join(dir, "store")))
	copyDir(t, filepath.Join(from, "store"), filepath.Join(dir, "store"))
}

func copyDir(t *testing.T, from, to string) {
	t.Helper()
	testmust.Do(t, os.CopyFS(to, os.DirFS(from)))
	keys, err := filepath.Glob(filepath.Join(to, "*.key"))
	for _, key := range keys {
		err = errors.Join(err, os.Chmod(key, 0o600))
	}
	testmust.Do(t, err)
}

// Close answers what was accepted, and refuses what comes after.
func TestCloseAnswers(t *testing.T) {
	dir, key := create(t)
	l := open(t, dir, key)
	type answer struct {
		entry []byte
		r     tlog.Receipt
		err   error
	}
	answers := make(chan answer)
	const clients = 32
	for c := range clients {
		go func() {
			var a answer
			for i := 0; a.err == nil; i++ {
				a.entry = ledgertest.Entry(c<<20 + i)
				a.r, a.err = l.Append(context.Background(), a.entry)
				answers <- a
			}
		}()
	}
	closing := make(chan error)
	acknowledged := make(map[uint64][]byte)
	for closed := 0; closed < clients; {
		a := <-answers
		switch {
		case a.err == nil:
			if acknowledged[a.r.Index] = a.entry; len(acknowledged) == 300 {
				go func() { closing <- l.Close() }() // while they append
			}
		case errors.Is(a.err, ledger.ErrClosed):
			closed++
		default:
			t.Fatalf("Append while closing: %v", a.err)
		}
	}
	testmust.Do(t, <-closing)
	reopened := open(t, dir, key)
	c := ledgertest.CheckLog(t, reopened, key.Verifier)
	testmust.Equal(t, int(c.Size), len(acknowledged), "size", c.Size, "acknowledged")
	for index, err := uint64(0), error(nil); index < c.Size && err == nil; index++ {
		for entry := range reopened.Entries(t.Context(), index, index+1) {
			testmust.Holdf(t, bytes.Equal(entry, acknowledged[index]), "entry %d is %q, acknowledged %q", index, entry, acknowledged[index])
		}
	}
}

// Everything after Close is ErrClosed, and nothing hangs or crashes.
func TestAfterClose(t *testing.T) {
	dir, key := create(t)
	l := open(t, dir, key)
	fill(t, l, 0, 3)
	closeLog(t, l)
	ctx := t.Context()
	errs := make(map[string]error)
	_, errs["Append"] = l.Append(ctx, ledgertest.Entry(0))
	_, errs["Checkpoint"] = l.Checkpoint(ctx)
	_, errs["Inclusion"] = l.Inclusion(ctx, 0, 3)
	_, errs["Consistency"] = l.Consistency(ctx, 1, 3)
	_, errs["Tile"] = l.Tile(ctx, tlog.Tile{Level: 0, Index: 0, Width: 3})
	_, errs["Await"] = l.Await(ctx, 3)
	for _, err := range l.Entries(ctx, 0, 3) {
		errs["Entries"] = err
	}
	errs["Close"] = l.Close()
	for name, err := range errs {
		testmust.FailBy(t, err, ledger.ErrClosed, name)
	}
}

// Await returns when there is something new, not before, and ends with its
// context, or with the log.
func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, key := create(t)
		l := open(t, dir, key)
		fill(t, l, 0, 2)
		if c, err := l.Await(t.Context(), 1); err != nil || c.Size != 2 {
			t.Errorf("Await(1) of size 2: %d, %v", c.Size, err)
		}
		done := make(chan error, 1)
		var c tlog.Checkpoint
		await := func(ctx context.Context, size uint64) {
			var err error
			c, err = l.Await(ctx, size)
			done <- err
		}
		go await(t.Context(), 4)
		fill(t, l, 2, 4)
		if synctest.Wait(); len(done) > 0 {
			t.Fatalf("Await(4) of size 4 returned %d, %v", c.Size, <-done)
		}
		fill(t, l, 4, 5)
		err := <-done
		testmust.Holdf(t, err == nil && c.Size == 5, "Await(4): %d, %v; want size 5", c.Size, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		testmust.FailBy(t, testmust.ErrorOf(l.Await(ctx, 100)), context.DeadlineExceeded, "Await with a deadline")
		go await(t.Context(), 100)
		synctest.Wait()
		closeLog(t, l)
		testmust.FailBy(t, <-done, ledger.ErrClosed, "Await over Close")
	})
}

// A clock that stands still or goes back must not stop the log: Trillian's
// signer refuses roots that are not younger than the last one.
func TestClockGoesBack(t *testing.T) {
	dir, key := create(t)
	now := time.Now()
	for _, step := range []time.Duration{10 * 365 * 24 * time.Hour, -time.Hour, 0} {
		l := testmust.Have(ledger.Open(dir, ledger.Options{Signer: key.Signer, Store: badgerstore.Options{Clock: func() time.Time {
			now = now.Add(step)
			return now
		}}}))(t)
		c := testmust.Have(l.Checkpoint(t.Context()))(t)
		fill(t, l, int(c.Size), int(c.Size)+5)
		closeLog(t, l)
	}
	ledgertest.CheckLog(t, open(t, dir, key), key.Verifier)
}

// A process that is killed while it makes its first log must not leave a directory in
// which none ever starts. What each kill leaves is made here of a whole log: a part of
// it where it is made, or all of it on the way to its place.
func TestInterruptedBegin(t *testing.T) {
	for name, leave := range map[string]func(dir, log string){
		"nothing": func(dir, log string) {},
		"a key":   func(dir, log string) { move(t, log, filepath.Join(dir, "making"), "log.key") },
		"a store": func(dir, log string) { move(t, log, filepath.Join(dir, "making"), "log.key", "store") },
		"whole":   func(dir, log string) { move(t, log, filepath.Join(dir, "made")) },
		"moving":  func(dir, log string) { move(t, log, dir, "store"); move(t, log, filepath.Join(dir, "made")) },
		"unmarked": func(dir, log string) {
			move(t, log, dir, "store", "promise", "log.key")
			move(t, log, filepath.Join(dir, "made"))
		},
		"moved": func(dir, log string) { move(t, log, dir); move(t, log, filepath.Join(dir, "made")) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, log := t.TempDir(), t.TempDir()
			testmust.Have(ledger.Begin(log, origin, small, rand.Reader))(t)
			leave(dir, log)
			key := testmust.Have(ledger.Begin(dir, origin, small, rand.Reader))(t)
			ledgertest.CheckLog(t, open(t, dir, key), key.Verifier)
			for _, left := range []string{"making", "made"} {
				testmust.Fail(t, testmust.ErrorOf(os.Stat(filepath.Join(dir, left))), left, "is left")
			}
		})
	}
}

// move moves files, all if none are named.
func move(t *testing.T, from, to string, names ...string) {
	t.Helper()
	testmust.Do(t, os.MkdirAll(to, 0o700))
	if names == nil {
		files := testmust.Have(os.ReadDir(from))(t)
		for _, f := range files {
			names = append(names, f.Name())
		}
	}
	for _, name := range names {
		testmust.Do(t, os.Rename(filepath.Join(from, name), filepath.Join(to, name)))
	}
}

// A directory with a key and a store and nothing else may be a log that has lost its
// promise: nothing may be begun over it, and the message has to lead out.
func TestBeginOverKeyOnly(t *testing.T) {
	dir, _ := create(t)
	for _, name := range []string{"pakli-ledger", "promise"} {
		testmust.Do(t, os.Remove(filepath.Join(dir, name)))
	}
	key := testmust.Have(ledger.Begin(dir, origin, small, rand.Reader))(t)
	testmust.Fail(t, testmust.ErrorOf(ledger.Open(dir, ledger.Options{Signer: key.Signer, Store: small})), "opened without a promise")
	testmust.Do(t, os.Remove(filepath.Join(dir, "log.key")))
	testmust.Fail(t, testmust.ErrorOf(ledger.Begin(dir, origin, small, rand.Reader)), "begun over a store")
	testmust.Do(t, os.RemoveAll(dir)) // as the message says
	testmust.Have(ledger.Begin(dir, origin, small, rand.Reader))(t)
}

// An operator must see that the log stands still while players wait, and must
// not be alarmed where nobody does.
func TestHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, key := create(t)
		stuck, resume := make(chan int), make(chan struct{})
		var once sync.Once
		l := testmust.Have(ledger.Open(dir, ledger.Options{Signer: key.Signer, Store: small, Committed: func(entries int, took time.Duration) {
			testmust.Hold(t, took >= 0, "a batch took", took)
			once.Do(func() { stuck <- entries; <-resume })
		}}))(t)
		time.Sleep(time.Minute)
		if h := l.Health(); h.Err != nil || h.Size != 0 || h.Delay != 0 || h.Waiting != 0 || h.Free < h.Needed || h.Needed == 0 || h.Published != time.Minute {
			t.Errorf("nothing to do: %+v", h)
		}
		fill(t, l, 0, 1)
		testmust.Equal(t, <-stuck, 1, "a batch of entries")
		done := make(chan struct{})
		go func() { fill(t, l, 1, 2); close(done) }()
		time.Sleep(time.Second)
		h := l.Health()
		testmust.Holdf(t, h.Size == 1 && h.Delay == time.Second, "stuck: %+v", h)
		close(resume)
		<-done
		synctest.Wait() // until it has been answered
		h = l.Health()
		testmust.Holdf(t, h.Size == 2 && h.Err == nil, "going on: %+v", h)
		before := l.Health().StoreTables
		closeLog(t, l)
		h = l.Health()
		testmust.Hold(t, h.Err != nil, "a closed log is well")
		testmust.Equal(t, open(t, dir, key).Health().StoreTables, before+1, "tables after closing", before, "before")
	})
}

// The same bytes from several clients at nearly the same time, while the log
// cuts back what it remembers: an entry that is still being committed when its
// copy comes must not get a second index.
func TestOnceOnlyWhileForgetting(t *testing.T) {
	dir, key := create(t)
	l := open(t, dir, key)
	l.KeepFew()
	const entries, copies = 1_000, 3
	indexes := make([][copies]uint64, entries)
	var group sync.WaitGroup
	slots := make(chan struct{}, 96)
	for i := range entries {
		for c := range copies {
			slots <- struct{}{}
			group.Go(func() {
				r, err := l.Append(t.Context(), fmt.Appendf(nil, "entry %d", i))
				testmust.Hold(t, err == nil, err)
				indexes[i][c] = r.Index
				<-slots
			})
		}
	}
	group.Wait()
	for i, at := range indexes {
		testmust.Requiref(t, at == [copies]uint64{at[0], at[0], at[0]}, "entry %d has indexes %v", i, at)
	}
	testmust.Equal(t, testmust.Have(l.Checkpoint(t.Context()))(t, "entries in the log").Size, entries, "entries in the log")
}

func TestMemory(t *testing.T) {
	ledgertest.Run(t, func(t *testing.T) (tlog.Log, note.Verifier) {
		m, key, err := ledgertest.NewMemory("example.com/memory")
		testmust.Do(t, err)
		return m, key
	})
}

// A seam that only one store fits: ledgers run over one without Trillian or Badger.
func TestStoresInMemory(t *testing.T) { ledgertest.RunStore(t, new(ledgertest.Stores)) }

// A cosigned checkpoint that is not shown, is shown for a newer one, wakes those
// who wait for entries, or is forgotten by a restart.
func TestPublishCosigned(t *testing.T) {
	dir, key := create(t)
	l := open(t, dir, key)
	testmust.FailBy(t, testmust.ErrorOf(l.CosignedReader().Checkpoint(t.Context())), tlog.ErrNotCosigned, "before the first")
	fill(t, l, 0, 5)
	five := testmust.Have(l.Checkpoint(t.Context()))(t)
	waiting, stop := context.WithCancel(t.Context())
	woken := make(chan error, 1)
	go func() { _, err := l.Await(waiting, five.Size); woken <- err }()
	cosigned := markstest.Cosign(t, five, key.Verifier, markstest.NewKeeper(t, "cosigner.example", time.Now))
	testmust.Do(t, l.PublishCosigned(cosigned))
	shown := func(r tlog.Reader) []byte {
		t.Helper()
		return testmust.Have(r.Checkpoint(t.Context()))(t).Note
	}
	if !bytes.Equal(shown(l), cosigned.Note) || !bytes.Equal(shown(l.CosignedReader()), cosigned.Note) {
		t.Errorf("published %q and %q, want %q", shown(l), shown(l.CosignedReader()), cosigned.Note)
	}
	select {
	case err := <-woken:
		t.Errorf("a cosignature woke somebody who waits for entries: %v", err)
	default:
	}
	stop()
	<-woken
	fill(t, l, 5, 6)
	testmust.Hold(t, !bytes.Equal(shown(l), cosigned.Note) && bytes.Equal(shown(l.CosignedReader()), cosigned.Note),
		"after one more entry: the log shows the old checkpoint, or has lost the cosigned one")
	testmust.Do(t, l.Close())
	l = open(t, dir, key)
	testmust.Hold(t, bytes.Equal(shown(l.CosignedReader()), cosigned.Note), "after a restart there is another cosigned checkpoint")
}

// Checkpoints that are not this log's, though somebody cosigned them.
func TestPublishCosignedOfOthers(t *testing.T) {
	dir, key := create(t)
	l := open(t, dir, key)
	fill(t, l, 0, 3)
	good := testmust.Have(l.Checkpoint(t.Context()))(t)
	sign := func(size uint64, root tlog.Hash) tlog.Checkpoint {
		return testmust.Have(tlog.SignCheckpoint(size, root, key.Signer))(t)
	}
	other := good
	other.Size = 2
	for what, c := range map[string]tlog.Checkpoint{
		"beyond the log": sign(4, good.Root), "another root": sign(3, tlog.LeafHash(nil)), "another root before": sign(2, good.Root),
		"other fields than the note": other, "no note": {Origin: good.Origin, Size: good.Size, Root: good.Root},
	} {
		testmust.Fail(t, l.PublishCosigned(c), what, "published")
	}
	c, err := l.Checkpoint(t.Context())
	testmust.Holdf(t, err == nil && bytes.Equal(c.Note, good.Note), "checkpoint is now %q, %v", c.Note, err)
}

// A directory in which cosigners have seen more, or something else, than its
// store has.
func TestOpenBehindCosigned(t *testing.T) {
	dir, key := create(t)
	for what, root := range map[string]tlog.Hash{"7\n": tlog.LeafHash(nil), "0\n": tlog.EmptyRoot(), "": {}} {
		text := fmt.Sprintf("%s\n%s%v\n", key.Signer.Name(), what, root)
		if what == "" {
			text = "damaged\n"
		}
		signed := testmust.Have(note.Sign(&note.Note{Text: text}, key.Signer))(t)
		testmust.Do(t, durable.Replace(filepath.Join(dir, "cosigned"), signed, 0o600))
		err := attempt(dir, key)
		testmust.Equal(t, what == "0\n", (err == nil), "cosigned", text, err)
		testmust.Holdf(t, what != "7\n" || errors.Is(err, ledger.ErrRolledBack), "cosigned %q: %v, want ErrRolledBack", text, err)
	}
}

// Stop must keep the log from acknowledging anything more.
func TestStop(t *testing.T) {
	dir, key := create(t)
	l := open(t, dir, key)
	fill(t, l, 0, 2)
	reason := errors.New("cosigners have seen another history")
	l.Stop(reason)
	<-l.FailedChannel()
	testmust.FailBy(t, testmust.ErrorOf(l.Append(t.Context(), []byte("after"))), reason, "append")
	testmust.FailBy(t, l.Ready(t.Context()), reason, "ready")
}

// A change of keys that leaves some reader without a key that it knows, or that
// is cut short at any point.
func TestSwitchKey(t *testing.T) {
	dir, first := create(t)
	checkedBy := func(readers ...note.Verifier) {
		t.Helper()
		key, also, err := ledger.LoadKeys(dir)
		testmust.Do(t, err)
		o := ledger.Options{Signer: key.Signer, Store: badgerstore.Options{}}
		for _, k := range also {
			o.Also = append(o.Also, k.Signer)
		}
		l := testmust.Have(ledger.Open(dir, o))(t)
		defer l.Close()
		r := testmust.Have(l.Append(t.Context(), []byte("the same entry")))(t)
		for i, v := range readers {
			testmust.Do(t, r.Verify([]byte("the same entry"), v), "reader", i)
		}
	}
	checkedBy(first.Verifier)
	testmust.FailBy(t, testmust.ErrorOf(ledger.SwitchKey(dir)), fs.ErrNotExist, "without a next key")
	next := testmust.Have(ledger.NextKey(dir, rand.Reader))(t)
	testmust.FailBy(t, testmust.ErrorOf(ledger.NextKey(dir, rand.Reader)), fs.ErrExist, "a second next key")
	lattice := testmust.Have(ledger.LatticeKey(dir, rand.Reader))(t)
	checkedBy(first.Verifier, next.Verifier, lattice.Verifier)
	interrupted := t.TempDir()
	copyDir(t, dir, interrupted)
	k, err := ledger.SwitchKey(dir)
	testmust.Requiref(t, err == nil && k.Public == next.Public, "switch: %v, %v", k, err)
	checkedBy(first.Verifier, next.Verifier, lattice.Verifier)
	testmust.FailSaying(t, attempt(dir, first), "another key", "opened with the previous key")
	testmust.Do(t, ledger.RetireKey(dir))
	checkedBy(next.Verifier, lattice.Verifier)
	// Cut short after the marker was written, before log.key was replaced.
	for _, name := range []string{"previous.key", "pakli-ledger"} {
		from := filepath.Join(dir, name)
		if name == "previous.key" {
			from = filepath.Join(interrupted, "log.key")
		}
		b := testmust.Have(os.ReadFile(from))(t)
		testmust.Do(t, os.WriteFile(filepath.Join(interrupted, name), b, 0o600))
	}
	dir = interrupted
	testmust.Fail(t, attempt(dir, first), "a switch that was cut short: opened as if nothing had been")
	k, err = ledger.SwitchKey(dir)
	testmust.Requiref(t, err == nil && k.Public == next.Public, "the second attempt: %v, %v", k, err)
	checkedBy(first.Verifier, next.Verifier, lattice.Verifier)
}

// A key of another log, that would sign for it.
func TestOpenWithForeignKey(t *testing.T) {
	dir, key := create(t)
	_, foreign := ledgertest.NewKey(t, "other.example/log", tlog.Ed25519)
	_, err := ledger.Open(dir, ledger.Options{Signer: key.Signer, Store: badgerstore.Options{}, Also: []note.Signer{foreign}})
	testmust.Hold(t, err != nil, "a foreign key signs for the log")
}
