//go:build unix

package durable_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/internal/testmust"
)

// A file is swapped for a pipe and back while it is read. Opening a pipe without a writer would block
// for ever; in that case a minute's timeout ends the test.
func TestSwappedForAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	swap := func(make func(next string) error) {
		testmust.Do(t, make(path+".next"))
		testmust.Do(t, os.Rename(path+".next", path))
	}
	swap(func(next string) error { return os.WriteFile(next, []byte("x"), 0o600) })
	over := make(chan bool)
	files, pipes := 0, 0
	go func() {
		defer close(over)
		for files < 200 || pipes < 200 {
			if _, err := durable.ReadFile(path, 10); err == nil {
				files++
			} else {
				pipes++
			}
		}
	}()
	hangs := time.After(time.Minute)
	for {
		swap(func(next string) error { return syscall.Mkfifo(next, 0o600) })
		swap(func(next string) error { return os.WriteFile(next, []byte("x"), 0o600) })
		select {
		case <-over:
			return
		case <-hangs:
			t.Fatalf("never returns, after %d files and %d pipes", files, pipes)
		default:
		}
	}
}
