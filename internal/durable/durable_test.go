package durable_test

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/internal/testmust"
)

// writer is the environment variable that makes this test binary replace a file for ever.
const writer = "PAKLI_DURABLE_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(writer); path != "" {
		for n := 0; ; n++ {
			if err := durable.Replace(path, content(n), 0o600); err != nil {
				os.Stderr.WriteString(err.Error())
				os.Exit(1)
			}
			os.Stdout.WriteString("x")
		}
	}
	os.Exit(m.Run())
}

// content is a file of one repeated letter, so that half a file or a mixture of two shows.
func content(n int) []byte { return bytes.Repeat([]byte{byte('a' + n%2)}, 100_000+10_000*(n%2)) }

func whole(b []byte) bool { return bytes.Equal(b, content(0)) || bytes.Equal(b, content(1)) }

// names returns the names of the files in a directory.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	files := testmust.Have(os.ReadDir(dir))(t)
	for _, f := range files {
		list = append(list, f.Name())
	}
	return list
}

// A process that is killed while it writes must not leave half a file in place of a whole one, a file
// that passes for one, or a file that stays for ever.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	testmust.Do(t, durable.Replace(path, content(0), 0o600))
	left := 0
	for n := 0; n < 30 || left == 0 && n < 300; n++ {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), writer+"="+path)
		var complaint bytes.Buffer
		child.Stderr = &complaint
		said := testmust.Have(child.StdoutPipe())(t)
		testmust.Do(t, child.Start())
		io.ReadFull(said, make([]byte, 1+n%3)) // returns after as many writes, during the next
		child.Process.Kill()
		child.Wait()
		testmust.Requiref(t, complaint.Len() <= 0, "%s", complaint.Bytes())
		b, err := os.ReadFile(path)
		testmust.Requiref(t, err == nil && whole(b), "after kill %d: %d bytes, %v", n, len(b), err)
		for _, name := range names(t, dir) {
			of, unfinished := durable.LeftoverOf(name)
			testmust.Holdf(t, name == "file" || unfinished && of == "file", "%s is not told from a file", name)
			if unfinished {
				left++
			}
		}
	}
	testmust.Hold(t, left != 0, "no child was killed while it wrote")
	testmust.Do(t, durable.Sweep(dir, nil))
	got := names(t, dir)
	testmust.Holdf(t, len(got) == 1, "after sweeping there is %q", got)
}

// Secrets must not get the mode of an existing file, and must not be written through a link.
func TestMode(t *testing.T) {
	dir := t.TempDir()
	path, elsewhere := filepath.Join(dir, "file"), filepath.Join(dir, "elsewhere")
	testmust.Do(t, os.WriteFile(path, nil, 0o644))
	want := func(mode fs.FileMode) {
		t.Helper()
		testmust.Do(t, durable.Replace(path, []byte("x"), mode))
		info, err := os.Lstat(path)
		if err != nil || info.Mode() != mode {
			t.Errorf("mode %v, %v, want %v", info.Mode(), err, mode)
		}
	}
	want(0o600)
	want(0o400)
	testmust.Do(t, os.Remove(path))
	testmust.Do(t, os.Symlink(elsewhere, path))
	want(0o600)
	testmust.FailBy(t, testmust.ErrorOf(os.Lstat(elsewhere)), fs.ErrNotExist, "written through a link")
}

// A file that cannot be replaced must stay, without another file beside it.
func TestFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a directory")
	testmust.Do(t, os.MkdirAll(filepath.Join(path, "full"), 0o700))
	testmust.Fail(t, durable.Replace(path, []byte("x"), 0o600), "a directory was replaced")
	got := names(t, dir)
	testmust.Holdf(t, len(got) == 1, "there is %q", got)
	testmust.FailBy(t, durable.Replace(filepath.Join(dir, "nowhere", "x"), nil, 0o600), fs.ErrNotExist)
	testmust.FailBy(t, durable.Sweep(filepath.Join(dir, "nowhere"), nil), fs.ErrNotExist)
}

// Sweeping removes a file that somebody else is writing, or one with a similar name.
func TestSweepsItsOwn(t *testing.T) {
	dir := t.TempDir()
	const word = ".part-ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	keep := []string{".part-ABCDEFGHIJKLMNOPQRSTUVWXYZ", "b" + word, "mine", "mine.part-", "mine.part-1"}
	for _, name := range append(keep, "mine"+word, "mine.part-1"+word) {
		testmust.Do(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	testmust.Do(t, durable.Sweep(dir, func(name string) bool { return name != "b" }))
	got := names(t, dir)
	testmust.Equal(t, len(got), len(keep), "kept", got, keep)
}

// A file has exactly the maximum size, one byte more, or is no regular file.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	want := bytes.Repeat([]byte("x"), 1000)
	testmust.Do(t, os.WriteFile(path, want, 0o600))
	got, err := durable.ReadFile(path, 1000)
	testmust.Holdf(t, err == nil && bytes.Equal(got, want), "%d bytes, %v", len(got), err)
	got, err = durable.ReadFile(path, 999)
	testmust.Holdf(t, err != nil && len(got) == 0, "one byte too many: %d bytes, %v", len(got), err)
	testmust.Fail(t, testmust.ErrorOf(durable.ReadFile(dir, 1000)), "a directory is read")
	testmust.Fail(t, testmust.ErrorOf(durable.ReadFile(os.DevNull, 1000)), "a device is read")
	_, err = durable.ReadFile(filepath.Join(dir, "none"), 1000)
	testmust.Holdf(t, os.IsNotExist(err), "no file: %v", err)
}
