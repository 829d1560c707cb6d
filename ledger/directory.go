package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/gofrs/flock"
	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/internal/regular"
)

const (
	markerFile  = "pakli-ledger"
	markerText  = "pakli ledger v1\nkey %s+%08x\n"
	lockFile    = "lock"
	promiseName = "promise"
	storeDir    = "store"
	blobsDir    = "blobs"

	cosignedFile = "cosigned"

	restoredFile = "restored" // there until somebody confirms how far the log had got
)

// Errors of Open.
var (
	// ErrNotCreated: the directory holds no log. Perhaps it is the wrong one,
	// or a volume is not mounted.
	ErrNotCreated = errors.New("no log in this directory")

	// ErrLocked: another process, or another part of this one, has the log open.
	ErrLocked = errors.New("the log is open in another process")

	// ErrRolledBack: the store does not have what the log has promised.
	ErrRolledBack = errors.New("the store is older than what the log has promised")
)

// lockDirectory keeps other processes out, until the lock is closed. Where there are no
// such locks it refuses: two processes would keep one log.
func lockDirectory(dir string) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(dir, lockFile))
	if ok, err := lock.TryLock(); err != nil {
		return nil, err
	} else if !ok {
		return nil, fmt.Errorf("%s: %w", dir, ErrLocked)
	}
	return lock, nil
}

// sweep removes what a crash has left of files that were being written, by those
// who have the lock.
func sweep(dir string) error {
	err := durable.Sweep(dir, nil)
	if err == nil {
		err = durable.Sweep(filepath.Join(dir, blobsDir), nil)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// checkMarker verifies that dir holds a log of this format and key.
func checkMarker(dir string, s note.Signer) error {
	text, err := regular.Read(filepath.Join(dir, markerFile), 4096)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w: is it the right one, and mounted? Put back what is missing, or restore a backup. "+
			"Only if no log has ever been served from it, empty it and start again", dir, ErrNotCreated)
	}
	if err != nil {
		return err
	}
	if want := marker(s); string(text) != want {
		return fmt.Errorf("%s is of another version of pakli, or of another key: its file pakli-ledger says %q, wanted %q", dir, text, want)
	}
	return nil
}

func marker(s note.Signer) string { return fmt.Sprintf(markerText, s.Name(), s.KeyHash()) }
