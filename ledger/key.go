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

	"github.com/pakli/pakli/ledger/badgerstore"
)

const keyFile = "log.key"

// A Key is an Ed25519 key of a log.
type Key struct {
	Signer   note.Signer
	Verifier note.Verifier
	Public   string // verifier key as text (c2sp.org/signed-note), to be handed to everybody
}

// CreateKey makes a key for the log with this name and keeps it in dir, in a
// file of its own that only its owner may read. The name is the log's origin:
// the URL under which it is served, without scheme and trailing slash. A key
// that is there already is left alone and is an error (fs.ErrExist).
func CreateKey(dir, name string, rand io.Reader) (Key, error) {
	path := filepath.Join(dir, keyFile)
	if _, err := os.Lstat(path); err == nil {
		return Key{}, fmt.Errorf("ledger: key %s: %w", path, fs.ErrExist)
	}
	private, public, err := note.GenerateKey(rand, name)
	if err != nil {
		return Key{}, fmt.Errorf("ledger: key for %q: %w", name, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Key{}, err
	}
	if err := badgerstore.WriteFile(path, []byte(private+"\n"+public+"\n"), 0o600); err != nil {
		return Key{}, err
	}
	return newKey(private, public)
}

// LoadKey reads the key in dir. A file that others may read is refused.
func LoadKey(dir string) (Key, error) {
	path := filepath.Join(dir, keyFile)
	info, err := os.Stat(path)
	if err != nil {
		return Key{}, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return Key{}, fmt.Errorf("ledger: %s may be read by others (mode %v): chmod 600, and consider the key lost", path, info.Mode().Perm())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return Key{}, err
	}
	private, rest, _ := strings.Cut(string(text), "\n")
	public, rest, ok := strings.Cut(rest, "\n")
	if !ok || rest != "" {
		return Key{}, fmt.Errorf("ledger: %s is not a key file: a signer key and a verifier key wanted, a line each", path)
	}
	k, err := newKey(private, public)
	if err != nil {
		return Key{}, fmt.Errorf("ledger: %s: %w", path, err)
	}
	return k, nil
}

func newKey(private, public string) (Key, error) {
	s, err := note.NewSigner(private)
	if err != nil {
		return Key{}, errors.New("malformed signer key") // err would say no more, and must not say the key
	}
	v, err := note.NewVerifier(public)
	if err != nil {
		return Key{}, fmt.Errorf("malformed verifier key: %w", err)
	}
	probe := []byte("pakli: do the two halves of a key belong together?\n")
	sig, err := s.Sign(probe)
	if err != nil {
		return Key{}, err
	}
	if s.Name() != v.Name() || s.KeyHash() != v.KeyHash() || !v.Verify(probe, sig) {
		return Key{}, errors.New("signer key and verifier key do not belong together")
	}
	return Key{Signer: s, Verifier: v, Public: public}, nil
}
