package serve

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"
)

// watchedFiles is what is read from files that an operator may change while the
// server runs: a certificate, a list of keys. When one has changed, all are read
// again; if that fails, because one is half written or wrong, what was read
// before stays, and the log says so.
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

// recheck is how often files are looked at, at most.
const recheck = time.Second

func newWatched[T any](logger *slog.Logger, clock func() time.Time, read func() (T, error), paths ...string) (*watchedFiles[T], error) {
	w := &watchedFiles[T]{paths: paths, read: read, logger: logger, clock: clock, stamp: stampOf(paths), checked: clock()}
	var err error
	w.value, err = read()
	return w, err
}

// currentValue returns what the files say.
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
	w.stamp = stamp // a wrong file is read again when it has changed again
	value, err := w.read()
	if err != nil {
		w.logger.Error("a changed file is not used", "files", w.paths, "error", err)
		return w.value
	}
	w.logger.Info("a changed file is used", "files", w.paths)
	w.value = value
	return value
}

// stampOf tells versions of files apart.
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
