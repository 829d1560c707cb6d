package ledger_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tiles"
	"github.com/pakli/pakli/ledger/tlog"
)

const backupOrigin = "example.com/pakli"

func init() { testmust.InMemory() }

func options(k ledger.Key) ledger.Options {
	return ledger.Options{Signer: k.Signer, Store: badgerstore.Options{MemTableSize: 1 << 20, MinFree: 1}}
}

func createStore(t *testing.T) (dir string, key ledger.Key, l *ledger.Ledger) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "log")
	key = testmust.Have(ledger.CreateKey(dir, backupOrigin, rand.Reader))(t)
	testmust.Do(t, ledger.Create(dir, options(key)))
	return dir, key, openBackup(t, dir, key)
}

func openBackup(t *testing.T, dir string, key ledger.Key) *ledger.Ledger {
	t.Helper()
	l := testmust.Have(ledger.Open(dir, options(key)))(t)
	t.Cleanup(func() { l.Close() })
	return l
}

// withKey returns a new directory with the key of another and nothing else.
func withKey(t *testing.T, dir string) string {
	t.Helper()
	b := testmust.Have(os.ReadFile(filepath.Join(dir, "log.key")))(t)
	data := t.TempDir()
	testmust.Do(t, os.WriteFile(filepath.Join(data, "log.key"), b, 0o600))
	return data
}

func fillLog(t *testing.T, l *ledger.Ledger, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		testmust.Have(l.Append(context.Background(), ledgertest.Entry(i)))(t)
	}
}

// named says that an entry "blob HEX" names a blob.
func named(entry []byte) [][sha256.Size]byte {
	text, ok := strings.CutPrefix(string(entry), "blob ")
	h, err := hex.DecodeString(text)
	if !ok || err != nil || len(h) != sha256.Size {
		return nil
	}
	return [][sha256.Size]byte{[sha256.Size]byte(h)}
}

func take(t *testing.T, l *ledger.Ledger, dir string, key ledger.Key) tlog.Checkpoint {
	t.Helper()
	return testmust.Have(ledger.TakeBackup(t.Context(), l, dir, named, key.Verifier))(t)
}

// backedUp is a log of n entries, and a backup of it.
func backedUp(t *testing.T, n int) (dir string, key ledger.Key, l *ledger.Ledger, kept string, c tlog.Checkpoint) {
	t.Helper()
	dir, key, l = createStore(t)
	fillLog(t, l, 0, n)
	kept = filepath.Join(t.TempDir(), "backup")
	return dir, key, l, kept, take(t, l, kept, key)
}

// TestCycles takes backups while clients write, restores them, and goes on from
// the restored log: it has the same root, every receipt up to the backup holds,
// and old entries keep their indexes. The long form is
//
//	PAKLI_BACKUPS=50 go test -run TestCycles -timeout 1h -v ./ledger
func TestCycles(t *testing.T) {
	cycles := 4
	if s := os.Getenv("PAKLI_BACKUPS"); s != "" {
		cycles, _ = strconv.Atoi(s)
	}
	dir, key, l := createStore(t)
	kept := filepath.Join(t.TempDir(), "backup")
	acked := 0
	for cycle := range cycles {
		receipts, stop := write(t, l, cycle)
		c := take(t, l, kept, key) // the same directory every time: only what is new is copied
		stop()
		acked += len(*receipts)
		data := withKey(t, dir)
		restored := testmust.Have(ledger.RestoreBackup(t.Context(), kept, data, options(key), nil, named, key.Verifier))(t)
		again := openBackup(t, data, key)
		got := ledgertest.CheckLog(t, again, key.Verifier)
		testmust.Requiref(t, got.Size == c.Size && got.Root == c.Root && restored.Size == c.Size,
			"restored %d entries with root %v, the backup has %d with %v", got.Size, got.Root, c.Size, c.Root)
		checkReceipts(t, again, key.Verifier, c, *receipts)
		again.Close()
	}
	t.Logf("%d cycles, %d entries acknowledged, 0 lost up to the backup", cycles, acked)
}

type acknowledged struct {
	entry   []byte
	receipt tlog.Receipt
}

// write lets clients append until stop.
func write(t *testing.T, l *ledger.Ledger, cycle int) (*[]acknowledged, func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var mu sync.Mutex
	var list []acknowledged
	var clients sync.WaitGroup
	first := make(chan struct{})
	var once sync.Once
	for c := range 4 {
		clients.Go(func() {
			for i := 0; ctx.Err() == nil && i < 2_000; i++ {
				entry := fmt.Appendf(nil, "cycle %d client %d entry %d", cycle, c, i)
				if i%50 == 0 {
					blob := append(entry, bytes.Repeat([]byte{'b'}, mathrand.IntN(1000))...)
					if err := l.PutBlob(context.Background(), blob); err != nil {
						t.Error(err)
						return
					}
					entry = fmt.Appendf(nil, "blob %x", sha256.Sum256(blob))
				}
				r, err := l.Append(context.Background(), entry)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				list = append(list, acknowledged{entry, r})
				mu.Unlock()
				if i == 20 {
					once.Do(func() { close(first) })
				}
			}
		})
	}
	<-first
	return &list, func() { cancel(); clients.Wait() }
}

func checkReceipts(t *testing.T, l *ledger.Ledger, key note.Verifier, c tlog.Checkpoint, list []acknowledged) {
	t.Helper()
	for _, a := range list {
		if a.receipt.Index >= c.Size {
			continue
		}
		testmust.Do(t, a.receipt.Verify(a.entry, key))
		r, err := l.Append(t.Context(), a.entry)
		testmust.Requiref(t, err == nil && r.Index == a.receipt.Index,
			"%q is at %d (%v) in the restored log, was acknowledged at %d", a.entry, r.Index, err, a.receipt.Index)
		for _, hash := range named(a.entry) {
			testmust.Have(l.Blob(t.Context(), hash))(t)
		}
	}
}

// A backup that lacks what the log has published is refused, whoever knows of
// it: the old directory, a checkpoint, a receipt, a mirror, if the log has signed that. So is one of another
// history. The message says what to do.
func TestOlder(t *testing.T) {
	dir, key, l := createStore(t)
	fillLog(t, l, 0, 300)
	old := filepath.Join(t.TempDir(), "old")
	take(t, l, old, key)
	fillLog(t, l, 300, 301)
	newer := filepath.Join(t.TempDir(), "newer")
	c := take(t, l, newer, key)
	r := testmust.Have(l.Append(t.Context(), ledgertest.Entry(300)))(t)
	checkpoint, receipt := filepath.Join(t.TempDir(), "checkpoint"), filepath.Join(t.TempDir(), "receipt")
	testmust.Do(t, errors.Join(os.WriteFile(checkpoint, c.Note, 0o600), os.WriteFile(receipt, r.Marshal(), 0o600), l.Close()))
	testmust.Do(t, os.RemoveAll(filepath.Join(dir, "store"))) // the promise is left
	forged := filepath.Join(t.TempDir(), "checkpoint")
	testmust.Do(t, os.WriteFile(forged, bytes.Replace(c.Note, []byte("\n301\n"), []byte("\n302\n"), 1), 0o600))
	testmust.Fail(t, testmust.ErrorOf(ledger.FromPath(forged, backupOrigin, key.Verifier)), "a checkpoint that the log has not signed was taken for evidence")
	for _, path := range []string{dir, checkpoint, receipt, newer} {
		e := testmust.Have(ledger.FromPath(path, backupOrigin, key.Verifier))(t)
		data := withKey(t, dir)
		_, err := ledger.RestoreBackup(t.Context(), old, data, options(key), []ledger.KnownTree{e}, named, key.Verifier)
		testmust.Holdf(t, errors.Is(err, ledger.ErrOlder) && strings.Contains(err.Error(), "pakli mirror") && strings.Contains(err.Error(), "new key"),
			"%s: %v, want ErrOlder and the way out", path, err)
		testmust.FailBy(t, testmust.ErrorOf(ledger.Open(data, options(key))), ledger.ErrNotCreated, "after a refusal", "want no log")
		_, err = ledger.RestoreBackup(t.Context(), newer, withKey(t, dir), options(key), []ledger.KnownTree{e}, named, key.Verifier)
		testmust.Do(t, err, path, "the newest backup")
		e.Root[3] ^= 1
		_, err = ledger.RestoreBackup(t.Context(), newer, withKey(t, dir), options(key), []ledger.KnownTree{e}, named, key.Verifier)
		testmust.FailBy(t, err, ledger.ErrOther, path, "with another root")
	}
}

// A backup with a flipped byte, a missing bundle, a missing blob, or a foreign
// key is refused, and no log is made.
func TestDamaged(t *testing.T) {
	dir, key, l := createStore(t)
	fillLog(t, l, 0, 600)
	blob := []byte("a blob")
	testmust.Do(t, l.PutBlob(t.Context(), blob))
	testmust.Have(l.Append(t.Context(), fmt.Appendf(nil, "blob %x", sha256.Sum256(blob))))(t)
	intact := filepath.Join(t.TempDir(), "backup")
	take(t, l, intact, key)
	_, other, _ := createStore(t)
	for name, damage := range map[string]func(dir string) error{
		"byte":    func(dir string) error { return flip(filepath.Join(dir, "tile", "entries", "001")) },
		"bundle":  func(dir string) error { return os.Remove(filepath.Join(dir, "tile", "entries", "000")) },
		"blob":    func(dir string) error { return os.RemoveAll(filepath.Join(dir, "v1")) },
		"text":    func(dir string) error { return flip(filepath.Join(dir, "checkpoint")) },
		"nothing": func(dir string) error { return os.RemoveAll(dir) },
	} {
		damaged := filepath.Join(t.TempDir(), "damaged")
		testmust.Do(t, os.CopyFS(damaged, os.DirFS(intact)))
		testmust.Do(t, damage(damaged))
		data := withKey(t, dir)
		testmust.Fail(t, testmust.ErrorOf(ledger.RestoreBackup(t.Context(), damaged, data, options(key), nil, named, key.Verifier)), name, "restored")
		testmust.FailBy(t, testmust.ErrorOf(ledger.Open(data, options(key))), ledger.ErrNotCreated, name, "want no log")
	}
	_, err := ledger.VerifyBackup(t.Context(), intact, named, other.Verifier)
	testmust.Fail(t, err, "a backup of another key was taken")
	_, err = ledger.RestoreBackup(t.Context(), intact, dir, options(key), nil, named, key.Verifier)
	testmust.Fail(t, err, "restored over a log")
}

func flip(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	b[len(b)/2] ^= 4
	return os.WriteFile(path, b, 0o600)
}

// A restoration that is interrupted leaves no log that could be opened, and can
// be done again.
func TestInterrupted(t *testing.T) {
	dir, key, _, kept, c := backedUp(t, 600)
	data := withKey(t, dir)
	part := filepath.Join(data, "making")
	testmust.Do(t, ledger.Create(part, options(key))) // as far as it got
	short := testmust.Have(ledger.Open(part, options(key)))(t)
	fillLog(t, short, 0, 100)
	short.Close()
	_, err := ledger.Open(data, options(key))
	testmust.Requiref(t, errors.Is(err, ledger.ErrNotCreated), "after an interruption: %v, want no log", err)
	testmust.Have(ledger.RestoreBackup(t.Context(), kept, data, options(key), nil, named, key.Verifier))(t)
	testmust.Equal(t, ledgertest.CheckLog(t, openBackup(t, data, key), key.Verifier).Root, c.Root, "root")
}

// A log that was restored must be told from others until it is confirmed, over
// restarts.
func TestRestored(t *testing.T) {
	dir, key, l, kept, _ := backedUp(t, 3)
	want := func(l *ledger.Ledger, want bool) {
		t.Helper()
		got, err := l.IsUnconfirmed()
		testmust.Holdf(t, err == nil && got == want, "restored: %v, %v, want %v", got, err, want)
	}
	want(l, false)
	data := withKey(t, dir)
	testmust.Have(ledger.RestoreBackup(t.Context(), kept, data, options(key), nil, named, key.Verifier))(t)
	for range 2 {
		again := openBackup(t, data, key)
		want(again, true)
		again.Close()
	}
	again := openBackup(t, data, key)
	testmust.Do(t, again.ConfirmRestored())
	want(again, false)
	again.Close()
	want(openBackup(t, data, key), false)
}

// A second restoration into a directory is refused while the first goes on, and
// takes nothing away from it.
func TestRestoredTwiceAtOnce(t *testing.T) {
	dir, key, _, kept, c := backedUp(t, 300)
	data := withKey(t, dir)
	there, on, seen := make(chan struct{}), make(chan struct{}), 0
	halfway := func(entry []byte) [][sha256.Size]byte {
		if seen++; seen == 150 { // it stops in the middle until it is told to go on
			close(there)
			<-on
		}
		return named(entry)
	}
	done := make(chan error, 1)
	go func() { done <- ledger.Restore(t.Context(), data, options(key), c, tiles.Directory(kept), halfway) }()
	<-there
	testmust.FailBy(t, ledger.Restore(t.Context(), data, options(key), c, tiles.Directory(kept), named), ledger.ErrLocked, "the second")
	close(on)
	testmust.Do(t, <-done, "the first")
	testmust.Equal(t, ledgertest.CheckLog(t, openBackup(t, data, key), key.Verifier).Root, c.Root, "root")
}

// A stray bundle of other entries, which a file server would show, is reported,
// keeps nobody from restoring, and goes with the next backup.
func TestStray(t *testing.T) {
	dir, key, l, kept, _ := backedUp(t, 300)
	stray := filepath.Join(kept, "tile", "entries", "000.p", "1")
	testmust.Do(t, errors.Join(os.MkdirAll(filepath.Dir(stray), 0o755), os.WriteFile(stray, []byte("\x00\x03lie"), 0o644)))
	testmust.FailSaying(t, testmust.ErrorOf(ledger.VerifyBackup(t.Context(), kept, named, key.Verifier)), "000.p/1", "a stray")
	testmust.Have(ledger.RestoreBackup(t.Context(), kept, withKey(t, dir), options(key), nil, named, key.Verifier))(t)
	take(t, l, kept, key)
}
