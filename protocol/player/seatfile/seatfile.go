// Package seatfile keeps a seat in files, as a [player.Vault].
//
// The seat file holds the secrets. It has mode 0600 (on Windows, everybody who may open its folder
// may read it) and, if a passphrase was given, is encrypted with it (age, scrypt). The journal of
// each table lies beside it under the file's name, a dot, the table and ".journal". It is not
// encrypted: its content is about to be public, and it is written at every move, for which scrypt
// would be too slow. The process that holds the seat locks a file with ".lock" appended to the
// name.
//
// Files are replaced as in package durable. The next process that holds the seat removes what an
// interrupted replacement has left.
package seatfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/sealed"
	"github.com/pakli/pakli/protocol/wire"
)

// maxFile bounds a seat file.
const maxFile = 1 << 20

// Work is the work factor of scrypt for seat files; tests lower it.
var Work = sealed.Machine

// Vault is a seat file with its journals.
type Vault struct {
	path       string
	passphrase string
	lock       *flock.Flock
}

var _ player.Vault = (*Vault)(nil)

// Create makes a new identity and its file, which must not exist yet. An empty passphrase leaves
// the file unencrypted.
func Create(path, name, passphrase string) (*player.Identity, error) {
	if err := wire.CheckName(name); err != nil {
		return nil, err // leave no lock behind
	}
	v, err := holdNew(path, passphrase)
	if err != nil {
		return nil, err
	}
	return nameErrors(path)(player.CreateIdentity(v, name))
}

// Write writes the record of a seat, as from Identity.Copy, to a file that must not exist yet. An
// empty passphrase leaves the file unencrypted.
func Write(path string, record []byte, passphrase string) error {
	v, err := holdNew(path, passphrase)
	if err != nil {
		return err
	}
	return errors.Join(v.ReplaceRecord(player.SeatRecord, record), v.Close())
}

// holdNew holds a seat file that does not exist yet.
func holdNew(path, passphrase string) (*Vault, error) {
	v, err := Hold(path, passphrase)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(v.path); !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("%s exists already, and a seat is never overwritten: choose another name, or another file with --file", path), v.Close())
	}
	return v, nil
}

// Open reads the identity of a seat file and locks it until Close.
func Open(path, passphrase string) (*player.Identity, error) {
	v, err := Hold(path, passphrase)
	if err != nil {
		return nil, err
	}
	return nameErrors(path)(player.OpenIdentity(v))
}

// OpenShared reads the identity of a seat file that another process may hold. The identity can
// sign, but cannot replace what the seat remembers: a move needs a seat that is held.
func OpenShared(path, passphrase string) (*player.Identity, error) {
	path = RealPath(path)
	return nameErrors(path)(player.OpenIdentity(&Vault{path, passphrase, flock.New(path + ".lock")}))
}

// nameErrors names the file in an error.
func nameErrors(path string) func(*player.Identity, error) (*player.Identity, error) {
	return func(id *player.Identity, err error) (*player.Identity, error) {
		if err != nil {
			return nil, fmt.Errorf("seat file %s: %w", path, err)
		}
		return id, nil
	}
}

// ErrInUse says that another process holds the seat file.
var ErrInUse = errors.New("in use by another process")

// Hold locks a seat file, which need not exist. It locks the file itself and not one of its names:
// with a lock for each symbolic link to it, two processes could sign at once.
func Hold(path, passphrase string) (*Vault, error) {
	path = RealPath(path)
	v := &Vault{path, passphrase, flock.New(path + ".lock")}
	held, err := v.lock.TryLock()
	if wrong, is := errors.AsType[*fs.PathError](err); is {
		wrong.Path = path
	}
	if err != nil {
		return nil, err
	}
	if !held {
		return nil, fmt.Errorf("%s is %w", path, ErrInUse)
	}
	if err := durable.Sweep(filepath.Dir(path), v.ownsFile); err != nil {
		return nil, errors.Join(err, v.Close())
	}
	return v, nil
}

// RealPath returns the path of the seat file itself, where path may be a symbolic link to it, or
// path if there is no such file yet.
func RealPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// ownsFile reports whether a file of this name in the directory belongs to this seat. Another
// seat's file name may begin with this one's whole name.
func (v *Vault) ownsFile(name string) bool {
	rest, ok := strings.CutPrefix(name, filepath.Base(v.path))
	if !ok || rest == "" {
		return ok
	}
	rest, dot := strings.CutPrefix(rest, ".")
	table, err := wire.ParseHash(strings.TrimSuffix(rest, ".journal"))
	return dot && err == nil && rest == player.JournalRecord(table)
}

func (v *Vault) recordPath(name string) string {
	if name == player.SeatRecord {
		return v.path
	}
	return v.path + "." + name
}

// Close implements player.Vault.
func (v *Vault) Close() error { return v.lock.Unlock() }

// ReadRecord implements player.Vault.
func (v *Vault) ReadRecord(name string) ([]byte, error) {
	if name != player.SeatRecord {
		return os.ReadFile(v.recordPath(name))
	}
	info, err := os.Stat(v.path)
	if err != nil {
		return nil, err
	}
	if durable.OpenToOthers(info) {
		return nil, fmt.Errorf("it can be read by others (mode %04o): chmod 600 it", info.Mode().Perm())
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("%d bytes are more than any seat file has", info.Size())
	}
	b, err := os.ReadFile(v.path)
	if err != nil {
		return nil, err
	}
	return unsealRecord(b, v.passphrase)
}

// ReplaceRecord implements player.Vault.
func (v *Vault) ReplaceRecord(name string, data []byte) (err error) {
	if !v.lock.Locked() {
		return fmt.Errorf("%s is not held any more", v.path)
	}
	if name == player.SeatRecord && v.passphrase != "" {
		if data, err = sealed.Seal(data, v.passphrase, Work); err != nil {
			return err
		}
	}
	return durable.Replace(v.recordPath(name), data, 0o600)
}

// unsealRecord returns the record in a seat file, decrypted if a passphrase is given.
func unsealRecord(b []byte, passphrase string) ([]byte, error) {
	switch encrypted := sealed.Is(b); {
	case !encrypted && passphrase == "":
		return b, nil
	case !encrypted:
		return nil, errors.New("it is not encrypted, but a passphrase was given")
	case passphrase == "":
		return nil, errors.New("it is encrypted and needs its passphrase")
	}
	return sealed.Unseal(b, passphrase)
}
