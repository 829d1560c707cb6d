package tiles_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tiles"
	"github.com/pakli/pakli/ledger/tlog"
)

func newList(t *testing.T, n int) ledgertest.FixedLog { return newLog(t, "entry", n).upTo(n) }

func newSigner(t *testing.T, name string) *tlog.SignerKey {
	t.Helper()
	_, s := ledgertest.NewKey(t, name, tlog.Ed25519)
	return s
}

// log is a log of fixed entries, with a checkpoint for every size.
type log struct {
	entries [][]byte
	at      []tlog.Checkpoint
}

func newLog(t *testing.T, name string, n int) *log {
	t.Helper()
	signer, l, tree := newSigner(t, "mirror.example"), &log{}, tlog.Tree{}
	for i := range n + 1 {
		l.at = append(l.at, testmust.Have(tlog.SignCheckpoint(tree.Size(), tree.Root(), signer))(t))
		l.entries = append(l.entries, fmt.Appendf(nil, "%s %d", name, i))
		tree.Append(tlog.LeafHash(l.entries[i]))
	}
	return l
}

// upTo returns the log at the size n.
func (l *log) upTo(n int) ledgertest.FixedLog {
	return ledgertest.FixedLog{Signed: l.at[n], List: l.entries[:n:n]}
}

// A mirror loses, repeats or reorders an entry at a tile boundary.
func TestCopyReadsBackEverySize(t *testing.T) {
	ctx := context.Background()
	for _, n := range []int{0, 1, 255, 256, 257, 511, 512, 600} {
		src, dir := newList(t, n), t.TempDir()
		testmust.Have(tiles.CopyLog(ctx, src, dir, nothing))(t)
		c, err := tiles.Directory(dir).Checkpoint(ctx)
		testmust.Requiref(t, err == nil && bytes.Equal(c.Note, src.Signed.Note), "size %d: checkpoint %q, %v; want %q", n, c.Note, err, src.Signed.Note)
		for _, start := range []int{0, n / 2, max(n-1, 0)} {
			i := start
			for e, err := range tiles.Directory(dir).Entries(ctx, uint64(start), uint64(n)) {
				testmust.Requiref(t, err == nil && bytes.Equal(e, src.List[i]), "size %d: entry %d is %q, %v", n, i, e, err)
				i++
			}
			testmust.Equal(t, i, n, "entries to read from", start)
		}
	}
}

// A mirror must be able to read the longest checkpoint that it writes, with the most signatures a
// checkpoint can have.
func TestLongCheckpoint(t *testing.T) {
	src, dir := newList(t, 3), t.TempDir()
	line := "— other.example " + base64.StdEncoding.EncodeToString(make([]byte, 2424)) + "\n"
	for note := string(src.Signed.Note); len(note) <= tlog.MaxCheckpoint; note += line {
		src.Signed.Note = []byte(note)
	}
	testmust.Have(tiles.CopyLog(t.Context(), src, dir, nothing))(t)
	c, err := tiles.Directory(dir).Checkpoint(t.Context())
	testmust.Holdf(t, err == nil && bytes.Equal(c.Note, src.Signed.Note), "%d bytes: %v", len(src.Signed.Note), err)
}

// A mirror with a missing or truncated entry tile must return an error instead of a shorter log.
func TestDamagedMirrorIsAnError(t *testing.T) {
	ctx := context.Background()
	src, dir := newList(t, 300), t.TempDir()
	testmust.Have(tiles.CopyLog(ctx, src, dir, nothing))(t)
	tile := filepath.Join(dir, "tile", "entries", "000")
	whole := testmust.Have(os.ReadFile(tile))(t)
	readAll := func() error { return tlog.ReadAll(ctx, tiles.Directory(dir), src.Signed, nil) }
	for name, data := range map[string][]byte{
		"cut short": whole[:len(whole)-1], "trailing byte": append(bytes.Clone(whole), 0), "empty": {},
	} {
		testmust.Do(t, os.WriteFile(tile, data, 0o644))
		testmust.FailBy(t, readAll(), tlog.ErrMalformed, name, "error", "want malformed")
	}
	testmust.Do(t, os.Remove(tile))
	testmust.FailBy(t, readAll(), fs.ErrNotExist, "missing: error", "want not exist")
}

// A mirror is evidence. Neither an interrupted copy nor a log that shows less, or something else, may
// destroy it.
func TestCopyDestroysNothing(t *testing.T) {
	ctx := context.Background()
	good, dir := newList(t, 300), t.TempDir()
	testmust.Have(tiles.CopyLog(ctx, good, dir, nothing))(t)
	interrupted := newList(t, 600)
	interrupted.List = interrupted.List[:550]
	for name, src := range map[string]ledgertest.FixedLog{
		"shorter": newList(t, 299), "same size": newLog(t, "other", 300).upTo(300), "other, more": newLog(t, "other", 700).upTo(700),
		"interrupted": interrupted,
	} {
		testmust.Fail(t, testmust.ErrorOf(tiles.CopyLog(ctx, src, dir, nothing)), name, "copied over the mirror")
		kept, err := tiles.Directory(dir).Checkpoint(ctx)
		testmust.Holdf(t, err == nil && bytes.Equal(kept.Note, good.Signed.Note), "%s: the checkpoint is gone: %v", name, err)
		wantBeginning(t, dir, good)
	}
	testmust.Have(tiles.CopyLog(ctx, newList(t, 600), dir, nothing))(t, "the log has grown")
}

// A device or pipe in a mirror from elsewhere might never end.
func TestOnlyRegularFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("/dev/zero", filepath.Join(dir, "checkpoint")); err != nil {
		t.Skip(err)
	}
	testmust.Fail(t, testmust.ErrorOf(tiles.Directory(dir).Checkpoint(context.Background())), "an endless checkpoint was read")
}

// nothing is for entries that name no blobs.
func nothing([]byte) [][32]byte { return nil }

// shelf is a list of entries with blobs.
type shelf struct {
	ledgertest.FixedLog
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

// A mirror lacks a blob that its entries name, or has a damaged one.
func TestBlobs(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	blob := bytes.Repeat([]byte{1}, 70_000)
	hash, missing := sha256.Sum256(blob), [32]byte{1}
	names := func([]byte) [][32]byte { return [][32]byte{hash, missing} }
	src := &shelf{FixedLog: newList(t, 3), blobs: map[[32]byte][]byte{hash: blob}, err: errDown}
	testmust.FailBy(t, testmust.ErrorOf(tiles.CopyLog(ctx, src, dir, names)), errDown, "a source that fails")
	testmust.Fail(t, testmust.ErrorOf(tiles.Directory(dir).Checkpoint(ctx)), "a checkpoint is there before its blobs are")
	src.err = nil
	testmust.Have(tiles.CopyLog(ctx, src, dir, names))(t)
	d := tiles.Directory(dir)
	got, err := d.Blob(ctx, hash)
	testmust.Holdf(t, err == nil && bytes.Equal(got, blob), "%d bytes, %v", len(got), err)
	testmust.FailBy(t, testmust.ErrorOf(d.Blob(ctx, missing)), tlog.ErrNoBlob, "a blob that the source does not have")
	path := filepath.Join(dir, filepath.FromSlash(tlog.BlobPath(hash)))
	for _, damaged := range [][]byte{blob[1:], make([]byte, tlog.MaxBlob+1)} {
		testmust.Do(t, os.WriteFile(path, damaged, 0o644))
		_, err := d.Blob(ctx, hash)
		testmust.Holdf(t, err != nil && !errors.Is(err, tlog.ErrNoBlob), "damaged: %v", err)
		testmust.Have(tiles.CopyLog(ctx, src, dir, names))(t)
		got, err := d.Blob(ctx, hash)
		testmust.Holdf(t, err == nil && bytes.Equal(got, blob), "copied again: %d bytes, %v", len(got), err)
	}
}

var errDown = errors.New("the source is down")

// The same entries under another name, or another key of the same name, must not replace what the log
// has signed.
func TestOtherKey(t *testing.T) {
	src, dir := newList(t, 300), t.TempDir()
	sign := func(s ...*tlog.SignerKey) (c tlog.Checkpoint) {
		t.Helper()
		var also []note.Signer
		for _, k := range s[1:] {
			also = append(also, k)
		}
		c = testmust.Have(tlog.SignCheckpoint(src.Signed.Size, src.Signed.Root, s[0], also...))(t)
		return c
	}
	own, next, forged := newSigner(t, "mirror.example"), newSigner(t, "mirror.example"), newSigner(t, "mirror.example")
	all := []*tlog.VerifierKey{forged.Verifier(), own.Verifier(), next.Verifier()}
	if signers, err := tiles.Directory(dir).Signers(t.Context(), all); err != nil || !slices.Equal(signers, all) {
		t.Errorf("of an empty mirror: %v, %v, want all", signers, err)
	}
	src.Signed = sign(own, next)
	testmust.Have(tiles.CopyLog(t.Context(), src, dir, nothing))(t)
	if signers, err := tiles.Directory(dir).Signers(t.Context(), all); err != nil || !slices.Equal(signers, all[1:]) {
		t.Errorf("%v, %v, want %v", signers, err, all[1:])
	}
	_, err := tiles.Directory(dir).Signers(t.Context(), all[:1])
	testmust.FailBy(t, err, tlog.ErrUnsigned, "of another key")
	want := src.Signed
	src.Signed = sign(newSigner(t, "other.example"))
	_, err = tiles.CopyLog(t.Context(), src, dir, nothing)
	testmust.Fail(t, err, "another log was copied over the mirror")
	c, err := tiles.Directory(dir).Checkpoint(t.Context())
	testmust.Holdf(t, err == nil && bytes.Equal(c.Note, want.Note), "the mirror's checkpoint is %q, %v, want %q", c.Note, err, want.Note)
}

// wantBeginning checks that the mirror shows the first entries of a log.
func wantBeginning(t *testing.T, dir string, want ledgertest.FixedLog) {
	t.Helper()
	var tree tlog.Tree
	for entry, err := range tiles.Directory(dir).Entries(t.Context(), 0, want.Signed.Size) {
		testmust.Do(t, err)
		tree.Append(tlog.LeafHash(entry))
	}
	testmust.Equal(t, tree.Root(), want.Signed.Root, "the first", want.Signed.Size, "entries have the signed root")
}

// files returns the names of all files in a mirror.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	testmust.Do(t, fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, path)
		}
		return err
	}))
	return names
}

// A source that lies once, under a true checkpoint, must not leave false entries that later honest
// copies keep.
func TestLiesLeaveNothing(t *testing.T) {
	l, dir := newLog(t, "entry", 300), t.TempDir()
	testmust.Have(tiles.CopyLog(t.Context(), l.upTo(50), dir, nothing))(t)
	before := files(t, dir)
	for _, n := range []int{50, 150, 256, 299} {
		lie := ledgertest.FixedLog{Signed: l.at[n], List: slices.Clone(l.entries[:n])}
		lie.List[n-1] = []byte("lie")
		testmust.FailBy(t, testmust.ErrorOf(tiles.CopyLog(t.Context(), lie, dir, nothing)), tlog.ErrBroken, "size", n)
		after := files(t, dir)
		testmust.Holdf(t, slices.Equal(after, before), "size %d: a refused copy has left %q, there was %q", n, after, before)
		wantBeginning(t, dir, l.upTo(50))
	}
	testmust.Have(tiles.CopyLog(t.Context(), l.upTo(300), dir, nothing))(t)
	for _, n := range []int{50, 150, 256, 300} {
		wantBeginning(t, dir, l.upTo(n))
	}
}

// A log that has signed two histories must be told from bytes that somebody altered on the way. Only
// the first is the log's fault, and the second checkpoint is the evidence.
func TestForkIsToldFromLies(t *testing.T) {
	one, other, dir := newLog(t, "entry", 60), newLog(t, "other", 60), t.TempDir()
	testmust.Have(tiles.CopyLog(t.Context(), one.upTo(50), dir, nothing))(t)
	lie := ledgertest.FixedLog{Signed: other.at[60], List: one.entries[:60]}
	err := testmust.ErrorOf(tiles.CopyLog(t.Context(), lie, dir, nothing))
	testmust.Holdf(t, errors.Is(err, tlog.ErrBroken) && !errors.Is(err, tlog.ErrForked), "altered entries: %v", err)
	testmust.FailBy(t, testmust.ErrorOf(tiles.CopyLog(t.Context(), other.upTo(60), dir, nothing)), tlog.ErrForked)
	kept := testmust.Have(os.ReadFile(filepath.Join(dir, "contradiction")))(t)
	testmust.Hold(t, bytes.Equal(kept, other.at[60].Note), "the other checkpoint is not kept:", string(kept))
	wantBeginning(t, dir, one.upTo(50))
}

// A source that lies could choose the contents of files that a file server shows under the mirror's
// name, if it named them as blobs in entries that the log never signed.
func TestLiesLeaveNoBlobs(t *testing.T) {
	blob, other := []byte("<html>"), []byte("something else")
	hash := sha256.Sum256(blob)
	src := &shelf{FixedLog: newList(t, 300), blobs: map[[32]byte][]byte{hash: blob}}
	names := func([]byte) [][32]byte { return [][32]byte{hash, hash} }
	lie := &shelf{FixedLog: src.FixedLog, blobs: src.blobs}
	lie.List = slices.Clone(lie.List)
	lie.List[299] = []byte("lie")
	for what, lie := range map[string]*shelf{"entries": lie, "blob": {FixedLog: src.FixedLog, blobs: map[[32]byte][]byte{hash: other}}} {
		dir := t.TempDir()
		testmust.Fail(t, testmust.ErrorOf(tiles.CopyLog(t.Context(), lie, dir, names)), what, "a lie was copied")
		left := files(t, dir)
		testmust.Holdf(t, len(left) == 0, "%s: a refused copy has left %q", what, left)
		testmust.Have(tiles.CopyLog(t.Context(), src, dir, names))(t)
		want := []string{"checkpoint", "tile/entries/000", "tile/entries/001.p/44", tlog.BlobPath(hash)}
		got := files(t, dir)
		testmust.Holdf(t, slices.Equal(got, want), "%s: there is %q, want %q", what, got, want)
		if got, err := tiles.Directory(dir).Blob(t.Context(), hash); err != nil || !bytes.Equal(got, blob) {
			t.Errorf("%s: blob %q, %v", what, got, err)
		}
	}
}

// The unfinished files of a copy that was killed must not stay in a mirror for ever, and files of
// others must stay.
func TestHalfWritten(t *testing.T) {
	src, dir := newList(t, 3), t.TempDir()
	part, blob := ".part-"+rand.Text(), tlog.BlobPath([32]byte{1})
	for _, name := range []string{"checkpoint" + part, blob + part, "unverified-1/" + blob + part, "notes" + part} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		testmust.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("half"), 0o644)))
	}
	testmust.Have(tiles.CopyLog(t.Context(), src, dir, nothing))(t)
	got, want := files(t, dir), []string{"checkpoint", "notes" + part, "tile/entries/000.p/3"}
	testmust.Holdf(t, slices.Equal(got, want), "there is %q, want %q", got, want)
}

// An earlier version, or a copy that was killed, has left false entry tiles in a directory. Nothing
// reads them, an error reports them, and the next copy removes them and nothing else.
func TestLeftovers(t *testing.T) {
	l, dir := newLog(t, "entry", 600), t.TempDir()
	for _, n := range []int{100, 200} {
		testmust.Have(tiles.CopyLog(t.Context(), l.upTo(n), dir, nothing))(t)
	}
	for name, width := range map[string]int{
		"tile/entries/000.p/150": 150, "tile/entries/000.p/180": 17, "tile/entries/000.p/230": 230, "tile/entries/000": 256, "unverified-1/0": 256,
	} {
		lie := bytes.Repeat([]byte("\x00\x03lie"), width)
		path := filepath.Join(dir, filepath.FromSlash(name))
		testmust.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, lie, 0o644)))
	}
	for _, n := range []int{100, 150, 180, 200} {
		wantBeginning(t, dir, l.upTo(n))
	}
	strays, err := tiles.Directory(dir).Strays(t.Context())
	if want := []string{"tile/entries/000.p/150", "tile/entries/000.p/180"}; err != nil || !slices.Equal(strays, want) {
		t.Errorf("strays %q, %v, want %q", strays, err, want)
	}
	testmust.Have(tiles.CopyLog(t.Context(), l.upTo(600), dir, nothing))(t)
	for _, n := range []int{150, 180, 230, 256, 600} {
		wantBeginning(t, dir, l.upTo(n))
	}
	want := []string{"checkpoint", "tile/entries/000", "tile/entries/000.p/100", "tile/entries/000.p/200", "tile/entries/001", "tile/entries/002.p/88"}
	got := files(t, dir)
	testmust.Holdf(t, slices.Equal(got, want), "there is %q, want %q", got, want)
	for _, err := range tiles.Directory(dir).Entries(t.Context(), 0, 601) {
		testmust.Fail(t, err, "an entry beyond the checkpoint")
		break
	}
}
