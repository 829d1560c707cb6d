//go:build linux

package lossyfs_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/trials/faults/lossyfs"
)

// mounted returns a file system with the files of dir, and where it is mounted.
func mounted(t *testing.T, dir string, strict bool) (*lossyfs.FS, string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("NOT RUN: mounting needs root")
	}
	lossy := testmust.Have(lossyfs.New(dir, strict))(t)
	at := t.TempDir()
	server, err := lossy.Mount(at)
	if err != nil {
		t.Skipf("NOT RUN: cannot mount FUSE here: %v", err)
	}
	t.Cleanup(func() { server.Unmount() })
	return lossy, at
}

func write(t *testing.T, path, text string, sync bool) {
	t.Helper()
	f := testmust.Have(os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600))(t)
	defer f.Close()
	testmust.Have(f.WriteString(text))(t)
	if sync {
		testmust.Do(t, f.Sync())
	}
}

func syncDir(t *testing.T, dir string) {
	t.Helper()
	d := testmust.Have(os.Open(dir))(t)
	defer d.Close()
	testmust.Do(t, d.Sync())
}

// after returns the files that are there after a cut, with what is in them.
func after(t *testing.T, lossy *lossyfs.FS, random *rand.Rand) map[string]string {
	t.Helper()
	dir := t.TempDir()
	lossy.Cut()
	testmust.Have(lossy.WriteAfterCut(dir, random))(t)
	files := make(map[string]string)
	for _, name := range testmust.Have(filepath.Glob(filepath.Join(dir, "*")))(t) {
		b := testmust.Have(os.ReadFile(name))(t)
		files[filepath.Base(name)] = string(b)
	}
	return files
}

// What was not synced is gone; what was is there. A file system that kept more
// than that would find no fault in a careless program.
func TestCut(t *testing.T) {
	for _, strict := range []bool{false, true} {
		from := t.TempDir()
		write(t, filepath.Join(from, "old"), "before", false)
		lossy, dir := mounted(t, from, strict)
		write(t, filepath.Join(dir, "old"), "LATER!", false)
		write(t, filepath.Join(dir, "synced"), "synced", true)
		syncDir(t, dir)
		write(t, filepath.Join(dir, "nameless"), "synced, without its name", true)
		write(t, filepath.Join(dir, "lost"), "lost", false)
		testmust.Do(t, os.Rename(filepath.Join(dir, "synced"), filepath.Join(dir, "renamed")))
		got := after(t, lossy, nil)
		testmust.Holdf(t, got["old"] == "before" && got["synced"] == "synced" && len(got) <= 3, "strict %v: after the cut there is %q", strict, got)
		_, ok := got["nameless"]
		testmust.Holdf(t, ok != strict, "strict %v: file whose directory was not synced: there %v", strict, ok)
		err := os.WriteFile(filepath.Join(dir, "more"), nil, 0o600)
		testmust.Fail(t, err, "something was written after the cut")
	}
}

// A shared mapping, which Badger writes through, is durable after msync and
// not before.
func TestMapping(t *testing.T) {
	lossy, dir := mounted(t, t.TempDir(), false)
	f := testmust.Have(os.Create(filepath.Join(dir, "mapped")))(t)
	defer f.Close()
	testmust.Do(t, f.Truncate(3*4096))
	m := testmust.Have(unix.Mmap(int(f.Fd()), 0, 3*4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED))(t)
	copy(m[4096:], "synced")
	testmust.Do(t, unix.Msync(m, unix.MS_SYNC))
	copy(m[8192:], "unsynced")
	got := []byte(after(t, lossy, nil)["mapped"])
	testmust.Holdf(t, len(got) == 3*4096 && bytes.HasPrefix(got[4096:], []byte("synced")) && got[8192] == 0,
		"after the cut: %d bytes, %q, %q", len(got), got[4096:4104], got[8192:8200])
	unix.Munmap(m)
}

// Of an unsynced write any sectors are there: some cuts have a part of it.
func TestTorn(t *testing.T) {
	parts := make(map[int]bool)
	for seed := range uint64(12) {
		lossy, dir := mounted(t, t.TempDir(), false)
		path := filepath.Join(dir, "torn")
		write(t, path, string(bytes.Repeat([]byte{'a'}, 4096)), true)
		syncDir(t, dir)
		write(t, path, string(bytes.Repeat([]byte{'b'}, 4096)), false)
		got := after(t, lossy, rand.New(rand.NewPCG(seed, 1)))["torn"]
		testmust.Requiref(t, len(got) == 4096, "%d bytes, want 4096", len(got))
		n := 0
		for at := 0; at < 4096; at += 512 {
			if piece := got[at : at+512]; piece == string(bytes.Repeat([]byte{'b'}, 512)) {
				n++
			} else if piece != string(bytes.Repeat([]byte{'a'}, 512)) {
				t.Fatalf("sector %d is neither old nor new", at/512)
			}
		}
		parts[n] = true
	}
	testmust.Holdf(t, len(parts) >= 3, "twelve cuts kept %v of 8 sectors", parts)
}
