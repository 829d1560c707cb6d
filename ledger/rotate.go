package ledger

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger/tlog"
)

// Further keys of a log, beside log.key. While a file is there, the log signs
// with its key too.
const (
	nextKeyFile     = "next.key"     // the one to come
	previousKeyFile = "previous.key" // the one that went
	latticeKeyFile  = "mldsa.key"    // ML-DSA-44
)

// A log changes its key in three steps, each followed by a restart and by as
// much time as its readers need to take in a new verifier key:
//
//	NextKey    makes the next key: checkpoints carry both signatures
//	SwitchKey  makes it the log's key; the previous one signs too
//	RetireKey  removes the previous one
//
// So that at any time there is a key that everybody knows: the old one until
// RetireKey, the new one since NextKey.

// LoadKeys reads the key in dir, and the further ones. Their names must be the
// same.
func LoadKeys(dir string) (Key, []Key, error) {
	key, err := LoadKey(dir)
	if err != nil {
		return Key{}, nil, err
	}
	var also []Key
	for _, file := range []string{nextKeyFile, previousKeyFile, latticeKeyFile} {
		k, err := loadKey(dir, file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Key{}, nil, err
		}
		if k.Public != key.Public { // a switch that was interrupted leaves it twice
			also = append(also, k)
		}
	}
	return key, also, nil
}

// NextKey makes the key that the log in dir is going to have.
func NextKey(dir string, rand io.Reader) (Key, error) {
	return addKey(dir, nextKeyFile, tlog.Ed25519, rand)
}

// LatticeKey makes an ML-DSA-44 key for the log in dir.
func LatticeKey(dir string, rand io.Reader) (Key, error) {
	return addKey(dir, latticeKeyFile, tlog.MLDSA44, rand)
}

func addKey(dir, file string, a tlog.Algorithm, rand io.Reader) (Key, error) {
	key, err := LoadKey(dir)
	if err != nil {
		return Key{}, err
	}
	return createKey(dir, file, key.Verifier.Name(), a, rand)
}

// SwitchKey makes the next key the log's, and keeps the one before. The log must
// be closed. A switch that was interrupted is finished by another one.
func SwitchKey(dir string) (Key, error) {
	lock, err := lockDirectory(dir)
	if err != nil {
		return Key{}, err
	}
	defer lock.Close()
	key, err := LoadKey(dir)
	if err != nil {
		return Key{}, err
	}
	next, err := loadKey(dir, nextKeyFile)
	if err != nil {
		return Key{}, err
	}
	if err := checkMarker(dir, key.Signer); err != nil && checkMarker(dir, next.Signer) != nil {
		return Key{}, err
	}
	return next, switchFiles(dir, next)
}

func switchFiles(dir string, next Key) error {
	text, err := os.ReadFile(filepath.Join(dir, keyFile))
	if err != nil {
		return err
	}
	if err := durable.Replace(filepath.Join(dir, previousKeyFile), text, 0o600); err != nil {
		return err
	}
	if err := durable.Replace(filepath.Join(dir, markerFile), []byte(marker(next.Signer)), 0o600); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(dir, nextKeyFile), filepath.Join(dir, keyFile)); err != nil {
		return err
	}
	return durable.SyncDirectory(dir)
}

// RetireKey removes the previous key of the log in dir, for good.
func RetireKey(dir string) error {
	if err := os.Remove(filepath.Join(dir, previousKeyFile)); err != nil {
		return err
	}
	return durable.SyncDirectory(dir)
}
