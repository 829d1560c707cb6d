package badgerstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/pakli/pakli/internal/durable"
)

// formatFile records which version wrote a store. It lies beside Badger's files because Badger must
// know the size of its memory table before it reads anything: with a smaller one than before, it
// cannot replay its own write-ahead log.
const (
	formatFile = "pakli-store"
	formatText = "pakli badgerstore v1\nmemtable %d\n"
)

// openFormat returns the memory table size of the store in dir. In an empty directory it records the
// format with size want, or with the default if want is 0.
func openFormat(dir string, want int64) (int64, error) {
	text, err := os.ReadFile(filepath.Join(dir, formatFile))
	if errors.Is(err, fs.ErrNotExist) {
		return createFormat(dir, want)
	}
	if err != nil {
		return 0, err
	}
	var size int64
	if _, err := fmt.Sscanf(string(text), formatText, &size); err != nil || fmt.Sprintf(formatText, size) != string(text) {
		return 0, fmt.Errorf("%s is of another program or version: its file pakli-store says %q", dir, text)
	}
	if want != 0 && want != size {
		return 0, fmt.Errorf("%s was created with a memory table of %d bytes, which cannot be changed to %d", dir, size, want)
	}
	return size, nil
}

func createFormat(dir string, size int64) (int64, error) {
	if size == 0 {
		size = DefaultMemTableSize
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	for _, f := range files {
		if of, unfinished := durable.LeftoverOf(f.Name()); !unfinished || of != formatFile { // left over from an earlier try
			return 0, fmt.Errorf("%s has files in it, but none called %s: not a store", dir, formatFile)
		}
	}
	return size, durable.Replace(filepath.Join(dir, formatFile), fmt.Appendf(nil, formatText, size), 0o600)
}

// lockStore keeps other processes out until the lock is released, and removes their temporary files.
// Badger has a lock too, but takes it too late.
func lockStore(dir string) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(dir, formatFile))
	if held, err := lock.TryLock(); err != nil {
		return nil, err
	} else if !held {
		return nil, fmt.Errorf("%s is in use", dir)
	}
	if err := durable.Sweep(dir, nil); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}
