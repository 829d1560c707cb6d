package ledger

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger/tlog"
)

const keyFile = "log.key"

// A Key is a key of a log.
type Key struct {
	Signer   note.Signer
	Verifier note.Verifier
	Public   string // verifier key as text (c2sp.org/signed-note), to be handed to everybody
}

// CreateKey makes an Ed25519 key for the log with this name and keeps it in dir,
// in a file of its own that only its owner may read. The name is the log's
// origin: the URL under which it is served, without scheme and trailing slash. A
// key that is there already is left alone and is an error (fs.ErrExist), and for a
// log that has lost its key none is made: it would be mistaken for the right one.
func CreateKey(dir, name string, rand io.Reader) (Key, error) {
	if _, err := os.Lstat(filepath.Join(dir, markerFile)); err == nil {
		return Key{}, lostKey(dir)
	}
	return createKey(dir, keyFile, name, tlog.Ed25519, rand)
}

func lostKey(dir string) error {
	return fmt.Errorf("%s has a log, and no %s: put its key back, another cannot sign for it", dir, keyFile)
}

func createKey(dir, file, name string, a tlog.Algorithm, rand io.Reader) (Key, error) {
	path := filepath.Join(dir, file)
	if _, err := os.Lstat(path); err == nil {
		return Key{}, fmt.Errorf("key %s: %w", path, fs.ErrExist)
	}
	private, public, err := tlog.GenerateKey(rand, name, a)
	if err != nil {
		return Key{}, fmt.Errorf("key for %q: %w", name, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Key{}, err
	}
	if err := durable.Replace(path, []byte(private+"\n"+public+"\n"), 0o600); err != nil {
		return Key{}, err
	}
	return newKey(private, public)
}

// LoadKey reads the key in dir. A file that others may read is refused.
func LoadKey(dir string) (Key, error) { return loadKey(dir, keyFile) }

func loadKey(dir, file string) (Key, error) {
	private, public, err := ReadKeyFile(filepath.Join(dir, file))
	if err != nil {
		return Key{}, err
	}
	k, err := newKey(private, public)
	if err != nil {
		return Key{}, fmt.Errorf("%s: %w", filepath.Join(dir, file), err)
	}
	return k, nil
}

// ReadKeyFile reads a file with a signer key and a verifier key, a line each. One
// that others may read is refused.
func ReadKeyFile(path string) (private, public string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", "", err
	}
	if durable.OpenToOthers(info) {
		return "", "", fmt.Errorf("%s may be read by others (mode %v): forbid it with chmod 600, and treat the key as known to them", path, info.Mode().Perm())
	}
	text, err := durable.ReadFile(path, 64<<10)
	if err != nil {
		return "", "", err
	}
	private, rest, _ := strings.Cut(string(text), "\n")
	public, rest, ok := strings.Cut(rest, "\n")
	if !ok || rest != "" {
		return "", "", fmt.Errorf("%s is not the key file of a log: it must have two lines, the signer key and the verifier key", path)
	}
	return private, public, nil
}

func newKey(private, public string) (Key, error) {
	// A log says nothing about time with its own signature.
	s, err := tlog.ParseSignerKey(private, nil)
	if err != nil {
		return Key{}, err
	}
	if s.Verifier().String() != public {
		return Key{}, errors.New("signer key and verifier key do not belong together")
	}
	if s.Algorithm() == tlog.Ed25519Cosignature {
		return Key{}, errors.New("the key is a cosigner's, not a log's")
	}
	return Key{Signer: s, Verifier: s.Verifier(), Public: public}, nil
}

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
	follows, err := readMarker(dir, key.Signer)
	if err != nil {
		var interrupted error
		if follows, interrupted = readMarker(dir, next.Signer); interrupted != nil {
			return Key{}, err
		}
	}
	return next, switchFiles(dir, next, follows)
}

func switchFiles(dir string, next Key, follows string) error {
	text, err := os.ReadFile(filepath.Join(dir, keyFile))
	if err != nil {
		return err
	}
	if err := durable.Replace(filepath.Join(dir, previousKeyFile), text, 0o600); err != nil {
		return err
	}
	if err := durable.Replace(filepath.Join(dir, markerFile), []byte(markerFor(next.Signer, follows)), 0o600); err != nil {
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
