package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/durable"
)

const (
	markerFile = "pakli-ledger"
	markerText = "pakli ledger v1\nkey %s+%08x\n"
	// markerFollows begins another line, where the order is not this directory's.
	markerFollows = "follows "
	lockFile      = "lock"
	promiseName   = "promise"
	storeDir      = "store"
	blobsDir      = "blobs"

	cosignedFile = "cosigned"

	restoredFile = "restored" // there until somebody confirms how far the log had got
)

// Errors of Open.
var (
	// ErrNotCreated says that the directory holds no log. It may be the wrong directory, or a volume
	// may not be mounted.
	ErrNotCreated = errors.New("no log in this directory")

	// ErrLocked says that another process, or another part of this one, has the log open.
	ErrLocked = errors.New("the log is open in another process")

	// ErrFollows says that the directory follows a cluster and was opened alone, or the reverse, or
	// follows another cluster. Going on would fork the log.
	ErrFollows = errors.New("the order of this log is kept elsewhere")

	// ErrRolledBack says that the store lacks what the log has promised.
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

// sweepTemporary removes what a crash has left of files that were being written, by those
// who have the lock.
func sweepTemporary(dir string) error {
	err := durable.Sweep(dir, nil)
	if err == nil {
		err = durable.Sweep(filepath.Join(dir, blobsDir), nil)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// checkMarker verifies that dir holds a log of this format and key, which follows what
// it is opened with.
func checkMarker(dir string, s note.Signer, follows string) error {
	says, err := readMarker(dir, s)
	switch {
	case err != nil || says == follows:
		return err
	case follows == "":
		return fmt.Errorf("%s: %w: it follows %s. Serve it with --trillian, --trillian-tree and --register; "+
			"to go on from it alone, for good, take it out with pakli cluster leave", dir, ErrFollows, says)
	case says == "":
		return fmt.Errorf("%s: %w: it is kept alone. Bring its log to the cluster with pakli cluster import, "+
			"or take an empty directory and pakli cluster join", dir, ErrFollows)
	}
	return fmt.Errorf("%s: %w: it follows %s, and was to follow %s", dir, ErrFollows, says, follows)
}

// readMarker verifies that dir holds a log of this format and key, and returns what it
// follows, if it does.
func readMarker(dir string, s note.Signer) (follows string, err error) {
	text, err := durable.ReadFile(filepath.Join(dir, markerFile), 4096)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s: %w: is it the right one, and mounted? Put back what is missing, or restore a backup. "+
			"Only if no log has ever been served from it, empty it and start again", dir, ErrNotCreated)
	}
	if err != nil {
		return "", err
	}
	rest, ours := strings.CutPrefix(string(text), markerFor(s, ""))
	if line, ok := strings.CutPrefix(rest, markerFollows); ok && ours {
		follows = strings.TrimSuffix(line, "\n")
	}
	if !ours || markerFor(s, follows) != string(text) {
		return "", fmt.Errorf("%s is of another version of pakli, or of another key: its file pakli-ledger says %q, wanted %q", dir, text, markerFor(s, ""))
	}
	return follows, nil
}

func markerFor(s note.Signer, follows string) string {
	text := fmt.Sprintf(markerText, s.Name(), s.KeyHash())
	if follows != "" {
		text += markerFollows + follows + "\n"
	}
	return text
}
