package mirror_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/mirror"
	"github.com/pakli/pakli/ledger/tlog"
)

// list is a log of fixed entries.
type list struct {
	entries [][]byte
	c       tlog.Checkpoint
}

func newList(t *testing.T, n int) list { return named(t, "entry", n) }

func named(t *testing.T, name string, n int) list {
	t.Helper()
	skey, _, err := note.GenerateKey(nil, "mirror.example")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(skey)
	if err != nil {
		t.Fatal(err)
	}
	l := list{}
	var tree tlog.Tree
	for i := range n {
		entry := fmt.Appendf(nil, "%s %d", name, i)
		l.entries = append(l.entries, entry)
		tree.Append(tlog.LeafHash(entry))
	}
	if l.c, err = tlog.SignCheckpoint(tree.Size(), tree.Root(), signer); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l list) Checkpoint(context.Context) (tlog.Checkpoint, error) { return l.c, nil }

func (l list) Entries(_ context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for i := start; i < end; i++ {
			if i >= uint64(len(l.entries)) {
				yield(nil, errors.New("the connection broke"))
				return
			}
			if !yield(l.entries[i], nil) {
				return
			}
		}
	}
}

// A mirror that loses, repeats or reorders an entry at a tile boundary.
func TestCopyReadsBackEverySize(t *testing.T) {
	ctx := context.Background()
	for _, n := range []int{0, 1, 255, 256, 257, 511, 512, 600} {
		src, dir := newList(t, n), t.TempDir()
		if _, err := mirror.Copy(ctx, src, dir, nothing); err != nil {
			t.Fatal(err)
		}
		c, err := mirror.Dir(dir).Checkpoint(ctx)
		if err != nil || !bytes.Equal(c.Note, src.c.Note) {
			t.Fatalf("size %d: checkpoint %q, %v; want %q", n, c.Note, err, src.c.Note)
		}
		for _, start := range []int{0, n / 2, max(n-1, 0)} {
			i := start
			for e, err := range mirror.Dir(dir).Entries(ctx, uint64(start), uint64(n)) {
				if err != nil || !bytes.Equal(e, src.entries[i]) {
					t.Fatalf("size %d: entry %d is %q, %v", n, i, e, err)
				}
				i++
			}
			if i != n {
				t.Errorf("size %d: entries %d to %d read, want to %d", n, start, i, n)
			}
		}
	}
}

// A mirror that writes a checkpoint which it does not read: as many signatures as a
// checkpoint can have.
func TestLongCheckpoint(t *testing.T) {
	src, dir := newList(t, 3), t.TempDir()
	line := "— other.example " + base64.StdEncoding.EncodeToString(make([]byte, 2424)) + "\n"
	for note := string(src.c.Note); len(note) <= tlog.MaxCheckpoint; note += line {
		src.c.Note = []byte(note)
	}
	if _, err := mirror.Copy(t.Context(), src, dir, nothing); err != nil {
		t.Fatal(err)
	}
	if c, err := mirror.Dir(dir).Checkpoint(t.Context()); err != nil || !bytes.Equal(c.Note, src.c.Note) {
		t.Errorf("%d bytes: %v", len(src.c.Note), err)
	}
}

// A mirror with a bundle missing or cut short must say so and not pretend a
// shorter log.
func TestDamagedMirrorIsAnError(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	if _, err := mirror.Copy(ctx, newList(t, 300), dir, nothing); err != nil {
		t.Fatal(err)
	}
	tile := filepath.Join(dir, "tile", "entries", "000")
	whole, err := os.ReadFile(tile)
	if err != nil {
		t.Fatal(err)
	}
	readAll := func() error {
		for _, err := range mirror.Dir(dir).Entries(ctx, 0, 300) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	for name, data := range map[string][]byte{
		"cut short": whole[:len(whole)-1], "trailing byte": append(bytes.Clone(whole), 0), "empty": {},
	} {
		if err := os.WriteFile(tile, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := readAll(); !errors.Is(err, tlog.ErrMalformed) {
			t.Errorf("%s: error %v, want malformed", name, err)
		}
	}
	if err := os.Remove(tile); err != nil {
		t.Fatal(err)
	}
	if err := readAll(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: error %v, want not exist", err)
	}
}

// A mirror is evidence: neither an interrupted copy nor a log that shows less,
// or something else, may destroy it.
func TestCopyDestroysNothing(t *testing.T) {
	ctx := context.Background()
	good, dir := newList(t, 300), t.TempDir()
	if _, err := mirror.Copy(ctx, good, dir, nothing); err != nil {
		t.Fatal(err)
	}
	interrupted := newList(t, 600)
	interrupted.entries = interrupted.entries[:550]
	lying := newList(t, 600)
	lying.entries[599] = []byte("something else")
	for name, src := range map[string]list{
		"shorter": newList(t, 299), "same size": named(t, "other", 300), "other, more": named(t, "other", 700),
		"interrupted": interrupted, "not its root": lying,
	} {
		if _, err := mirror.Copy(ctx, src, dir, nothing); err == nil {
			t.Errorf("%s: copied over the mirror", name)
		}
		kept, err := mirror.Dir(dir).Checkpoint(ctx)
		if err != nil || !bytes.Equal(kept.Note, good.c.Note) {
			t.Errorf("%s: the checkpoint is gone: %v", name, err)
		}
		i := 0
		for e, err := range mirror.Dir(dir).Entries(ctx, 0, 300) {
			if err != nil || !bytes.Equal(e, good.entries[i]) {
				t.Errorf("%s: entry %d: %q, %v", name, i, e, err)
			}
			i++
		}
	}
	if _, err := mirror.Copy(ctx, newList(t, 600), dir, nothing); err != nil {
		t.Errorf("the log has grown: %v", err)
	}
}

// A device or pipe in a mirror from elsewhere might never end.
func TestOnlyRegularFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("/dev/zero", filepath.Join(dir, "checkpoint")); err != nil {
		t.Skip(err)
	}
	if _, err := mirror.Dir(dir).Checkpoint(context.Background()); err == nil {
		t.Error("an endless checkpoint was read")
	}
}

// nothing: no entry names a blob.
func nothing([]byte) [][32]byte { return nil }

// shelf is a list with blobs beside it.
type shelf struct {
	list
	blobs map[[32]byte][]byte
	err   error
}

func (s *shelf) Blob(_ context.Context, hash [32]byte) ([]byte, error) {
	if s.err != nil {
		return nil, s.err
	}
	if b, ok := s.blobs[hash]; ok {
		return b, nil
	}
	return nil, tlog.ErrNoBlob
}

// A mirror without a blob that its entries name, or with a damaged one.
func TestBlobs(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	blob := bytes.Repeat([]byte{1}, 70_000)
	hash, missing := sha256.Sum256(blob), [32]byte{1}
	names := func([]byte) [][32]byte { return [][32]byte{hash, missing} }
	src := &shelf{list: newList(t, 3), blobs: map[[32]byte][]byte{hash: blob}, err: errDown}
	if _, err := mirror.Copy(ctx, src, dir, names); !errors.Is(err, errDown) {
		t.Errorf("a source that fails: %v", err)
	}
	if _, err := mirror.Dir(dir).Checkpoint(ctx); err == nil {
		t.Error("a checkpoint is there before its blobs are")
	}
	src.err = nil
	if _, err := mirror.Copy(ctx, src, dir, names); err != nil {
		t.Fatal(err)
	}
	d := mirror.Dir(dir)
	if got, err := d.Blob(ctx, hash); err != nil || !bytes.Equal(got, blob) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, err := d.Blob(ctx, missing); !errors.Is(err, tlog.ErrNoBlob) {
		t.Errorf("a blob that the source does not have: %v", err)
	}
	path := filepath.Join(dir, filepath.FromSlash(tlog.BlobPath(hash)))
	for _, damaged := range [][]byte{blob[1:], make([]byte, tlog.MaxBlob+1)} {
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Blob(ctx, hash); err == nil || errors.Is(err, tlog.ErrNoBlob) {
			t.Errorf("damaged: %v", err)
		}
		if _, err := mirror.Copy(ctx, src, dir, names); err != nil {
			t.Fatal(err)
		}
		if got, err := d.Blob(ctx, hash); err != nil || !bytes.Equal(got, blob) {
			t.Errorf("copied again: %d bytes, %v", len(got), err)
		}
	}
}

var errDown = errors.New("the source is down")
