package ledger_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
)

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
