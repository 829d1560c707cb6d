package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger/tlog"
)

// Create makes a new, empty log in dir, which must be empty, missing, or hold
// nothing but keys. It leaves the log closed.
func Create(dir string, o Options) error {
	return buildAside(dir, func(making string) error { return fillDirectory(making, o) })
}

// Begin returns the key of the log in dir. If there is neither key nor log, it makes
// both: an Ed25519 key with this name, see [CreateKey], and an empty log in a store of
// this kind. A process that is killed meanwhile leaves nothing that the next Begin does
// not finish or begin anew.
func Begin(dir, name string, store Stores, rand io.Reader) (key Key, err error) {
	if key, err = LoadKey(dir); errors.Is(err, fs.ErrNotExist) {
		// A name that no key can have is refused before anything is made.
		if _, _, err := tlog.GenerateKey(rand, name, tlog.Ed25519); err != nil {
			return Key{}, fmt.Errorf("key for %q: %w", name, err)
		}
	}
	lock, err := lockNew(dir)
	if err != nil {
		return Key{}, err
	}
	defer lock.Close()
	if key, err = LoadKey(dir); !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if _, err := os.Lstat(filepath.Join(dir, markerFile)); err == nil {
		return Key{}, lostKey(dir)
	}
	err = buildLocked(dir, func(making string) error {
		if key, err = CreateKey(making, name, rand); err != nil {
			return err
		}
		return fillDirectory(making, Options{Signer: key.Signer, Store: store})
	})
	return key, err
}

// fillDirectory puts an empty log into a directory.
func fillDirectory(dir string, o Options) error {
	if err := o.Store.CreateStore(filepath.Join(dir, storeDir)); err != nil {
		return err
	}
	if err := createPromise(filepath.Join(dir, promiseName), o.Signer.Name()); err != nil {
		return err
	}
	return durable.Replace(filepath.Join(dir, markerFile), []byte(markerFor(o.Signer, o.Follows)), 0o600)
}

const (
	makingDir = "making" // a log that is being made; begun anew after an interruption
	madeDir   = "made"   // the same, whole; moved to its place after an interruption
)

// buildAside has a log made in a directory of its own and moves it to dir when it is whole,
// so that no interruption leaves half of one, or one that is valid and too short.
func buildAside(dir string, make func(making string) error) error {
	lock, err := lockNew(dir)
	if err != nil {
		return err
	}
	defer lock.Close()
	return buildLocked(dir, make)
}

func buildLocked(dir string, make func(making string) error) error {
	making := filepath.Join(dir, makingDir)
	if err := os.RemoveAll(making); err != nil {
		return err
	}
	if err := checkEmpty(dir); err != nil {
		return err
	}
	if err := make(making); err != nil {
		return err
	}
	if err := os.Rename(making, filepath.Join(dir, madeDir)); err != nil {
		return err
	}
	return moveIntoPlace(dir)
}

// lockNew locks a directory, which it makes if need be, and puts a whole log in its
// place that an interruption has left beside it.
func lockNew(dir string) (*flock.Flock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	lock, err := lockDirectory(dir)
	if err != nil {
		return nil, err
	}
	if err := moveIntoPlace(dir); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

// moveIntoPlace moves a whole log to its place. The marker comes last: without it Open does
// not touch what is there.
func moveIntoPlace(dir string) error {
	made := filepath.Join(dir, madeDir)
	if _, err := os.Stat(made); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, name := range []string{storeDir, promiseName, blobsDir, restoredFile, keyFile, markerFile} {
		if name == markerFile {
			if err := durable.SyncDirectory(dir); err != nil {
				return err
			}
		}
		err := os.Rename(filepath.Join(made, name), filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("a new log cannot be put in its place: %w", err)
		}
	}
	if err := os.RemoveAll(made); err != nil {
		return err
	}
	return durable.SyncDirectory(dir)
}

// diskFolder is what a new file system has at its root, where a disk of its own is the directory of a log.
const diskFolder = "lost+found"

// checkEmpty refuses a directory that has anything in it but keys.
func checkEmpty(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		of, unfinished := durable.LeftoverOf(f.Name())
		if !unfinished {
			of = f.Name()
		}
		if filepath.Ext(of) != ".key" && of != lockFile && of != diskFolder {
			return fmt.Errorf("%s is not empty, it has %s: a log begins in an empty directory. Name another one, "+
				"or remove what is there if no log has ever been served from it", dir, f.Name())
		}
	}
	return nil
}

// Restore makes a log in dir, which must be as Create wants it, of the first
// c.Size entries of a copy and the blobs that named says they name. It makes one
// only if their root is that of c, and leaves it closed.
//
// The caller makes sure that the log has published nothing beyond c. Otherwise
// going on would fork it.
func Restore(ctx context.Context, dir string, o Options, c tlog.Checkpoint, from tlog.EntryReader, named tlog.BlobNamer) error {
	return buildAside(dir, func(making string) error {
		if err := fillDirectory(making, o); err != nil {
			return err
		}
		l, err := Open(making, o)
		if err != nil {
			return err
		}
		if err := errors.Join(l.order.(*sequencer).appendCopy(ctx, c, from, named), l.Close()); err != nil {
			return err
		}
		return durable.Replace(filepath.Join(making, restoredFile), []byte(restoredText), 0o600)
	})
}

// appendCopy appends everything, in order.
func (l *sequencer) appendCopy(ctx context.Context, c tlog.Checkpoint, from tlog.EntryReader, named tlog.BlobNamer) error {
	var last *batch
	err := tlog.ReadAll(ctx, from, c, func(entry []byte, leaf tlog.Hash, _ *tlog.Tree) (err error) {
		for _, hash := range named(entry) {
			blob, err := tlog.BlobsOf(from).Blob(ctx, hash)
			if err == nil {
				err = l.PutBlob(ctx, blob)
			}
			if err != nil {
				return err
			}
		}
		last, err = l.refillEntry(entry, leaf, last)
		return err
	})
	if err != nil {
		return err
	}
	if last != nil {
		<-last.done
	}
	if err := l.Err(); err != nil {
		return err
	}
	if got := l.published.Load().checkpoint; got.Size != c.Size || got.Root != c.Root {
		return fmt.Errorf("the copy gives %d entries with root %v, its checkpoint says %d with %v", got.Size, got.Root, c.Size, c.Root)
	}
	return nil
}

// refillEntry queues an entry after those before it, and waits for the last
// batch if there is no room.
func (l *sequencer) refillEntry(entry []byte, leaf tlog.Hash, last *batch) (*batch, error) {
	if err := tlog.CheckSize(entry); err != nil {
		return nil, err
	}
	p := &pendingEntry{entry: bytes.Clone(entry), leaf: leaf}
	for {
		b, err := l.queue.addEntry(p)
		if !errors.Is(err, tlog.ErrBusy) {
			return b, err
		}
		if <-last.done; last.err != nil {
			return nil, last.err
		}
	}
}

// restoredText is for people; that the file is there is what counts.
const restoredText = "made by a restoration; removed when enough cosigners have said that they know of nothing further\n"

// IsUnconfirmed reports whether the log was made by Restore, and it has not
// been confirmed since that the log had published nothing further. Then it may be an
// old copy, and the caller must not serve it without asking.
func (l *Ledger) IsUnconfirmed() (bool, error) {
	_, err := os.Stat(filepath.Join(l.dir, restoredFile))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// HoldEntries keeps the log from taking entries (tlog.ErrUnconfirmed), or ends that. It is read meanwhile.
func (l *Ledger) HoldEntries(held bool) { l.held.Store(held) }

// ConfirmRestored says that those who would know have been asked, see IsUnconfirmed.
func (l *Ledger) ConfirmRestored() error {
	if err := os.Remove(filepath.Join(l.dir, restoredFile)); err != nil {
		return err
	}
	return durable.SyncDirectory(l.dir)
}
