package serve

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"
)

// watchedFiles is a value read from files that an operator may change while the server runs: a
// certificate, a list of keys. When one file changes, all are read again. If that fails, because one
// is half written or wrong, the old value stays, and the failure is logged.
type watchedFiles[T any] struct {
	paths  []string
	read   func() (T, error)
	logger *slog.Logger
	clock  func() time.Time

	mu      sync.Mutex
	value   T
	stamp   string // of the files when they were read
	checked time.Time
}

// recheck is the least time between two checks of the files.
const recheck = time.Second

func newWatched[T any](logger *slog.Logger, clock func() time.Time, read func() (T, error), paths ...string) (*watchedFiles[T], error) {
	w := &watchedFiles[T]{paths: paths, read: read, logger: logger, clock: clock, stamp: stampOf(paths), checked: clock()}
	var err error
	w.value, err = read()
	return w, err
}

// currentValue returns the value of the files.
func (w *watchedFiles[T]) currentValue() T {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.clock()
	if now.Sub(w.checked) < recheck {
		return w.value
	}
	w.checked = now
	stamp := stampOf(w.paths)
	if stamp == w.stamp {
		return w.value
	}
	w.stamp = stamp // a wrong file is read again only after another change
	value, err := w.read()
	if err != nil {
		w.logger.Error("a changed file is not used", "files", w.paths, "error", err)
		return w.value
	}
	w.logger.Info("a changed file is used", "files", w.paths)
	w.value = value
	return value
}

// stampOf returns a text that differs between versions of the files.
func stampOf(paths []string) string {
	var b strings.Builder
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil {
			fmt.Fprintln(&b, info.ModTime().UnixNano(), info.Size())
		} else {
			fmt.Fprintln(&b, "missing")
		}
	}
	return b.String()
}
