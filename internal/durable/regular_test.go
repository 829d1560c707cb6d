package durable_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/internal/testmust"
)

// A file of just the size, of one byte more, and what is no file.
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
