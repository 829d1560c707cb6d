package ledger_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
)

func promisePath(dir string) string { return filepath.Join(dir, "promise") }

// closedLog returns a closed log of Entry(0) to Entry(n-1), and its heads.
func closedLog(t *testing.T, n int) (dir string, key ledger.Key, heads []ledger.Head) {
	t.Helper()
	dir, key = create(t)
	l := open(t, dir, key)
	fill(t, l, 0, n)
	closeLog(t, l)
	var tree tlog.Tree
	for i := range n + 1 {
		heads = append(heads, ledger.Head{Size: tree.Size(), Root: tree.Root()})
		tree.Append(tlog.LeafHash(ledgertest.Entry(i)))
	}
	return dir, key, append(heads, ledger.Head{Size: tree.Size(), Root: tree.Root()})
}

// The four cases of promise.go.
func TestPromise(t *testing.T) {
	const n = 6
	dir, key, heads := closedLog(t, n)
	other := ledger.Head{Size: n, Root: tlog.LeafHash([]byte("another history"))}
	for _, test := range []struct {
		name       string
		kept, next ledger.Head
		ok         bool
	}{
		{"settled", heads[n], heads[n], true},
		{"batch not committed", heads[n], heads[n+1], true},
		{"batch committed, not settled", heads[n-2], heads[n], true},
		{"store went on since", heads[1], heads[3], true},
		{"store before kept", heads[n+1], heads[n+1], false},
		{"store between kept and next", heads[n-1], heads[n+1], false},
		{"other root at kept", other, heads[n+1], false},
		{"other root at next", heads[n-1], other, false},
		{"other root long ago", ledger.Head{Size: 2, Root: other.Root}, heads[n], false},
	} {
		testmust.Do(t, ledger.WritePromise(promisePath(dir), origin, test.kept, test.next))
		l, err := ledger.Open(dir, ledger.Options{Signer: key.Signer, Store: badgerstore.Options{}})
		testmust.Holdf(t, test.ok == (err == nil) && (test.ok || errors.Is(err, ledger.ErrRolledBack)), "%s: %v", test.name, err)
		if err == nil {
			ledgertest.CheckLog(t, l, key.Verifier)
			closeLog(t, l)
		}
	}
}

// A write of the promise that was torn leaves the one before, and what that
// says about its next is settled. With both slots gone nothing is known.
func TestTornPromise(t *testing.T) {
	const n = 6
	for slot := range 2 {
		dir, key, heads := closedLog(t, n)
		testmust.Do(t, ledger.WritePromise(promisePath(dir), origin, heads[n-1], heads[n]))
		testmust.Do(t, ledger.WritePromise(promisePath(dir), origin, heads[n], heads[n]))
		tear(t, promisePath(dir), slot)
		l := open(t, dir, key)
		fill(t, l, n, n+2)
		closeLog(t, l)
		tear(t, promisePath(dir), 0)
		tear(t, promisePath(dir), 1)
		testmust.Fail(t, attempt(dir, key), "opened without a sound promise")
	}
}

// With one slot torn, the other's next must be in the store: no write begins
// before the last batch is done.
func TestTornPromiseIsStrict(t *testing.T) {
	const n = 6
	dir, key, heads := closedLog(t, n)
	testmust.Do(t, ledger.WritePromise(promisePath(dir), origin, heads[n], heads[n+1]))
	f := testmust.Have(os.ReadFile(promisePath(dir)))(t)
	newest := 0
	if f[4096+23] > f[23] { // last byte of the sequence number
		newest = 1
	}
	tear(t, promisePath(dir), 1-newest)
	testmust.FailBy(t, attempt(dir, key), ledger.ErrRolledBack, "store without the promised batch, other slot torn")
}

// A crash before a commit, and another in the first write after it: nothing is
// lost and nobody saw the head that was never committed, so the log must open.
func TestTornAfterCrashOpens(t *testing.T) {
	const n = 6
	dir, key, heads := closedLog(t, n)
	testmust.Do(t, ledger.WritePromise(promisePath(dir), origin, heads[n], heads[n+1]))
	before := testmust.Have(os.ReadFile(promisePath(dir)))(t)
	l := open(t, dir, key)
	after := testmust.Have(os.ReadFile(promisePath(dir)))(t)
	l.Close()
	written := 0
	if bytes.Equal(before[:4096], after[:4096]) {
		written = 1
	}
	testmust.Do(t, os.WriteFile(promisePath(dir), before, 0o600))
	tear(t, promisePath(dir), written)
	testmust.Do(t, attempt(dir, key), "the first write after a crash was torn")
}

// A process is killed as soon as it has answered, and a bit of what its store wrote last is flipped: Badger takes
// a record that is not whole for one that was being written, so the store opens without an entry that was acknowledged.
func TestNewestRecordFlipped(t *testing.T) {
	dir, key := create(t)
	o := ledger.Options{Signer: key.Signer, Store: badgerstore.Options{}}
	killed := ""
	o.SetStep(func(step string) error {
		if step == "published" {
			killed = filepath.Join(t.TempDir(), "killed")
			copyDir(t, dir, killed)
		}
		return nil
	})
	l := testmust.Have(ledger.Open(dir, o))(t)
	fill(t, l, 0, 3)
	closeLog(t, l)
	flipped := filepath.Join(t.TempDir(), "flipped")
	copyDir(t, killed, flipped)
	testmust.Do(t, attempt(killed, key))
	logs := testmust.Have(filepath.Glob(filepath.Join(flipped, "store", "*.mem")))(t)
	b := testmust.Have(os.ReadFile(logs[0]))(t)
	b[len(bytes.TrimRight(b, "\x00"))-1] ^= 1
	testmust.Do(t, os.WriteFile(logs[0], b, 0o600))
	testmust.FailBy(t, attempt(flipped, key), ledger.ErrRolledBack)
}

// tear overwrites the middle of a slot, as a write that was cut off does.
func tear(t *testing.T, path string, slot int) {
	t.Helper()
	f := testmust.Have(os.OpenFile(path, os.O_RDWR, 0))(t)
	defer f.Close()
	testmust.Have(f.WriteAt(make([]byte, 40), int64(slot*4096+30)))(t)
}

// The promise of another log, or none, is not one.
func TestForeignPromise(t *testing.T) {
	dir, key, _ := closedLog(t, 3)
	other := t.TempDir()
	otherKey := testmust.Have(ledger.CreateKey(other, "example.com/other", rand.Reader))(t)
	testmust.Do(t, ledger.Create(other, ledger.Options{Signer: otherKey.Signer, Store: small}))
	foreign := testmust.Have(os.ReadFile(promisePath(other)))(t)
	testmust.Do(t, os.WriteFile(promisePath(dir), foreign, 0o600))
	testmust.Fail(t, attempt(dir, key), "opened with the promise of another log")
	testmust.Do(t, os.Remove(promisePath(dir)))
	testmust.Fail(t, attempt(dir, key), "opened without a promise")
}

// Whatever differs between the entries and what the sequencer made of them
// stops the log before it signs: a flipped bit of an entry in memory, of a leaf
// hash or node (which changes the root), an entry lost, doubled, or moved.
func TestVerifyRoot(t *testing.T) {
	entries := [][]byte{ledgertest.Entry(0), ledgertest.Entry(1), ledgertest.Entry(2)}
	var tree tlog.Tree
	for _, e := range entries {
		tree.Append(tlog.LeafHash(e))
	}
	root := tree.Root()
	testmust.Do(t, ledger.VerifyRoot(&tlog.Tree{}, entries, 3, root[:]))
	flipped := append([]byte{}, entries[1]...)
	flipped[2] ^= 8
	wrongRoot := root
	wrongRoot[31] ^= 1
	for name, err := range map[string]error{
		"entry flipped": ledger.VerifyRoot(&tlog.Tree{}, [][]byte{entries[0], flipped, entries[2]}, 3, root[:]),
		"root flipped":  ledger.VerifyRoot(&tlog.Tree{}, entries, 3, wrongRoot[:]),
		"root missing":  ledger.VerifyRoot(&tlog.Tree{}, entries, 3, nil),
		"size":          ledger.VerifyRoot(&tlog.Tree{}, entries, 4, root[:]),
		"entry lost":    ledger.VerifyRoot(&tlog.Tree{}, entries[:2], 3, root[:]),
		"entry doubled": ledger.VerifyRoot(&tlog.Tree{}, append(entries[:3:3], entries[2]), 3, root[:]),
		"entries moved": ledger.VerifyRoot(&tlog.Tree{}, [][]byte{entries[1], entries[0], entries[2]}, 3, root[:]),
		"other start":   ledger.VerifyRoot(&tree, entries, 3, root[:]),
	} {
		testmust.Fail(t, err, name, "signed")
	}
}

// A key file that others may read, or whose halves do not match, is refused;
// one that is there is never overwritten.
func TestKeyFile(t *testing.T) {
	dir := t.TempDir()
	key := testmust.Have(ledger.CreateKey(dir, origin, rand.Reader))(t)
	path := filepath.Join(dir, "log.key")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
	loaded, err := ledger.LoadKey(dir)
	testmust.Holdf(t, err == nil && loaded.Public == key.Public && loaded.Signer.Name() == origin, "loaded %q, %v; want %q", loaded.Public, err, key.Public)
	_, err = ledger.CreateKey(dir, origin, rand.Reader)
	testmust.FailBy(t, err, os.ErrExist, "second key in one place")
	text := testmust.Have(os.ReadFile(path))(t)
	testmust.Do(t, errors.Join(ledger.Create(dir, ledger.Options{Signer: key.Signer, Store: badgerstore.Options{}}), os.Remove(path)))
	_, err = ledger.CreateKey(dir, origin, rand.Reader)
	testmust.Fail(t, err, "a new key", "for a log that has lost its own")
	other := testmust.Have(ledger.CreateKey(t.TempDir(), origin, rand.Reader))(t)
	private := string(text[:len(text)-len(key.Public)-1])
	for name, bad := range map[string]string{
		"empty": "", "halves of two keys": private + other.Public + "\n", "one half": private,
		"a line more": string(text) + "\n", "public only": key.Public + "\n",
	} {
		testmust.Do(t, os.WriteFile(path, []byte(bad), 0o600))
		testmust.Fail(t, testmust.ErrorOf(ledger.LoadKey(dir)), name, "loaded")
	}
	testmust.Do(t, os.WriteFile(path, text, 0o600))
	testmust.Do(t, os.Chmod(path, 0o640))
	testmust.Fail(t, testmust.ErrorOf(ledger.LoadKey(dir)), "a key that the group may read was loaded")
}
