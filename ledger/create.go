package ledger

import (
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
	return build(dir, func(making string) error { return fill(making, o) })
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
		return fill(making, Options{Signer: key.Signer, Store: store})
	})
	return key, err
}

// fill puts an empty log into a directory.
func fill(dir string, o Options) error {
	if err := o.Store.CreateStore(filepath.Join(dir, storeDir)); err != nil {
		return err
	}
	if err := createPromise(filepath.Join(dir, promiseName), o.Signer.Name()); err != nil {
		return err
	}
	return durable.Replace(filepath.Join(dir, markerFile), []byte(marker(o.Signer)), 0o600)
}

const (
	makingDir = "making" // a log that is being made; begun anew after an interruption
	madeDir   = "made"   // the same, whole; moved to its place after an interruption
)

// build has a log made in a directory of its own and moves it to dir when it is whole,
// so that no interruption leaves half of one, or one that is valid and too short.
func build(dir string, make func(making string) error) error {
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
	return finish(dir)
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
	if err := finish(dir); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

// finish moves a whole log to its place. The marker comes last: without it Open does
// not touch what is there.
func finish(dir string) error {
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

// checkEmpty refuses a directory that has anything in it but keys.
func checkEmpty(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		of, unfinished := durable.Unfinished(f.Name())
		if !unfinished {
			of = f.Name()
		}
		if filepath.Ext(of) != ".key" && of != lockFile {
			return fmt.Errorf("%s is not empty, it has %s: a log begins in an empty directory. Name another one, "+
				"or remove what is there if no log has ever been served from it", dir, f.Name())
		}
	}
	return nil
}
