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
	"github.com/pakli/pakli/internal/regular"
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
	if info.Mode().Perm()&0o077 != 0 {
		return "", "", fmt.Errorf("%s may be read by others (mode %v): forbid it with chmod 600, and treat the key as known to them", path, info.Mode().Perm())
	}
	text, err := regular.Read(path, 64<<10)
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
