package ledger_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// Golden directories are logs as versions of pakli have left them: closed, and
// live (of a process that was killed). Every later version opens them, or this
// test says which it does not. A version with another format adds its own, with
//
//	PAKLI_GOLDEN=v2 go test -run TestWriteGolden ./ledger
const goldenEntries = 300

var goldenBlob = []byte("a blob of a golden directory")

// goldenDirs returns the directories, unpacked, by name.
func goldenDirs(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "golden", "*.tar.gz"))
	testmust.Requiref(t, err == nil && len(files) >= 2, "golden directories %v, %v", files, err)
	dirs := make(map[string]string)
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".tar.gz")
		dirs[name] = filepath.Join(t.TempDir(), name)
		unpack(t, f, dirs[name])
	}
	return dirs
}

func unpack(t *testing.T, file, dir string) {
	t.Helper()
	f := testmust.Have(os.Open(file))(t)
	defer f.Close()
	z := testmust.Have(gzip.NewReader(f))(t)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		testmust.Do(t, err)
		path := filepath.Join(dir, filepath.FromSlash(h.Name))
		if h.FileInfo().IsDir() {
			testmust.Do(t, os.MkdirAll(path, 0o700))
			continue
		}
		testmust.Do(t, os.WriteFile(path, testmust.Have(io.ReadAll(r))(t), 0o600))
	}
}

// TestGolden opens what every version has left: the checkpoint is the one that was
// signed then, entries, blobs and what cosigners have seen are there, and the log
// goes on.
func TestGolden(t *testing.T) {
	for name, dir := range goldenDirs(t) {
		t.Run(name, func(t *testing.T) {
			key := testmust.Have(ledger.LoadKey(dir))(t)
			signed := testmust.Have(os.ReadFile(filepath.Join(dir, "cosigned")))(t)
			tables := tableFiles(t, dir)
			l := open(t, dir, key)
			c := ledgertest.CheckLog(t, l, key.Verifier)
			testmust.Holdf(t, c.Size == goldenEntries && bytes.Equal(c.Note, signed), "checkpoint\n%s\nthen it was\n%s", c.Note, signed)
			testmust.Equal(t, testmust.Have(l.CosignedReader().Checkpoint(t.Context()))(t, "cosigned: size").Size, goldenEntries, "cosigned: size")
			b, err := l.Blob(t.Context(), sha256.Sum256(goldenBlob))
			testmust.Holdf(t, err == nil && bytes.Equal(b, goldenBlob), "blob %q, %v", b, err)
			for i := range goldenEntries + 10 {
				r, err := l.Append(t.Context(), ledgertest.Entry(i))
				testmust.Requiref(t, err == nil && r.Index == uint64(i), "entry %d is at %d, %v", i, r.Index, err)
			}
			closeLog(t, l)
			ledgertest.CheckLog(t, open(t, dir, key), key.Verifier)
			after := tableFiles(t, dir)
			for name, text := range tables {
				testmust.Equal(t, after[name], text, "table", name, "was merged, changed or removed")
			}
		})
	}
}

// tableFiles returns the tables of a log's store, by name.
func tableFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "store", "*.sst"))
	testmust.Requiref(t, err == nil && len(files) != 0, "tables %v, %v", files, err)
	tables := make(map[string]string)
	for _, file := range files {
		b := testmust.Have(os.ReadFile(file))(t)
		tables[filepath.Base(file)] = string(b)
	}
	return tables
}

// TestGoldenIsCurrent fails when a log is written in a format of which there is
// no golden directory.
func TestGoldenIsCurrent(t *testing.T) {
	dir, key := create(t)
	known := make(map[string]bool)
	for _, golden := range goldenDirs(t) {
		known[formats(t, golden)] = true
	}
	got := formats(t, dir)
	testmust.Holdf(t, known[got], "no golden directory for %q, key %s", got, key.Public)
}

// formats returns what a directory says of its versions: the first lines of log
// and store, and the beginning of the promise.
func formats(t *testing.T, dir string) string {
	t.Helper()
	var list []string
	for _, name := range []string{"pakli-ledger", "store/pakli-store", "promise"} {
		b := testmust.Have(os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))))(t)
		line, _, _ := strings.Cut(string(b), "\n")
		list = append(list, line[:min(len(line), len("pakli promise v1"))])
	}
	return strings.Join(list, ", ")
}

// A directory of a later version is left alone, whatever part of it is later, and
// not a byte of it is changed.
func TestDowngradeRefused(t *testing.T) {
	for _, file := range []string{"pakli-ledger", "store/pakli-store", "promise"} {
		for name, dir := range goldenDirs(t) {
			key := testmust.Have(ledger.LoadKey(dir))(t)
			path := filepath.Join(dir, filepath.FromSlash(file))
			b := testmust.Have(os.ReadFile(path))(t)
			testmust.Do(t, os.WriteFile(path, bytes.ReplaceAll(b, []byte(" v1"), []byte(" v9")), 0o600))
			before := sums(t, dir)
			if err := attempt(dir, key); err == nil {
				t.Errorf("%s with a later %s was opened", name, file)
			} else if file == "pakli-ledger" && !strings.Contains(err.Error(), "another version") {
				t.Errorf("%s with a later %s: %v", name, file, err)
			}
			testmust.Equal(t, sums(t, dir), before, name, "with a later", file, "was changed")
		}
	}
}

// sums returns a hash of all files but the lock.
func sums(t *testing.T, dir string) [32]byte {
	t.Helper()
	h := sha256.New()
	testmust.Do(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "lock" {
			return err
		}
		b, err := os.ReadFile(path)
		fmt.Fprintf(h, "%s %x\n", path, sha256.Sum256(b))
		return err
	}))
	return [32]byte(h.Sum(nil))
}

// TestWriteGolden writes new golden directories.
func TestWriteGolden(t *testing.T) {
	version := os.Getenv("PAKLI_GOLDEN")
	if version == "" {
		t.Skip("writes golden directories if PAKLI_GOLDEN names a version")
	}
	dir := t.TempDir()
	key := testmust.Have(ledger.CreateKey(dir, "golden.example", rand.Reader))(t)
	testmust.Do(t, ledger.Create(dir, ledger.Options{Signer: key.Signer, Store: small}))
	l := open(t, dir, key)
	fill(t, l, 0, goldenEntries/2)
	closeLog(t, l) // half of it in tables, half in the write-ahead log
	l = open(t, dir, key)
	fill(t, l, goldenEntries/2, goldenEntries)
	c := testmust.Have(l.Checkpoint(t.Context()))(t)
	testmust.Do(t, l.PutBlob(t.Context(), goldenBlob))
	testmust.Do(t, l.PublishCosigned(tlog.Checkpoint{Origin: c.Origin, Size: c.Size, Root: c.Root, Note: c.Note}))
	time.Sleep(100 * time.Millisecond) // until the promise is settled
	pack(t, dir, version+"-live")
	closeLog(t, l)
	pack(t, dir, version+"-closed")
}

func pack(t *testing.T, dir, name string) {
	t.Helper()
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	w := tar.NewWriter(z)
	testmust.Do(t, w.AddFS(os.DirFS(dir)))
	testmust.Do(t, w.Close())
	testmust.Do(t, z.Close())
	testmust.Do(t, os.WriteFile(filepath.Join("testdata", "golden", name+".tar.gz"), b.Bytes(), 0o644))
}
