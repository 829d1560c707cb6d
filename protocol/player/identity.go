package player

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"filippo.io/age"
	"github.com/gofrs/flock"
	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/transcript"
	"github.com/pakli/pakli/protocol/wire"
)

// Identity is a player's file of secrets: the Ed25519 key that signs, and for
// every table the card secret. The file has mode 0600 and, if a passphrase was
// given, is encrypted with it (age, scrypt). One process at a time may hold it.
type Identity struct {
	path       string
	passphrase string
	lock       *flock.Flock
	content    identityFile
	signer     note.Signer
}

type identityFile struct {
	Format string            `json:"pakli"`
	Key    string            `json:"key"`    // note signer key
	VKey   string            `json:"vkey"`   // its public half
	Tables map[string][]byte `json:"tables"` // table id -> card secret
}

const identityFormat = "seat/v1"

// maxIdentity bounds the file: some ten thousand tables.
const maxIdentity = 1 << 20

// CreateIdentity makes a new identity and its file, which must not exist yet.
func CreateIdentity(path, name, passphrase string) (*Identity, error) {
	if err := wire.CheckName(name); err != nil {
		return nil, err
	}
	skey, vkey, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		return nil, err
	}
	id := &Identity{path: path, passphrase: passphrase, content: identityFile{
		Format: identityFormat, Key: skey, VKey: vkey, Tables: map[string][]byte{}}}
	if err := id.acquire(); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("player: %s exists already; an identity is never overwritten", path), id.Close())
	}
	if err := id.save(); err != nil {
		return nil, errors.Join(err, id.Close())
	}
	return id, id.open()
}

// OpenIdentity reads an identity and locks its file until Close. The passphrase
// is "" for a file without one.
func OpenIdentity(path, passphrase string) (*Identity, error) {
	id := &Identity{path: path, passphrase: passphrase}
	if err := id.acquire(); err != nil {
		return nil, err
	}
	if err := id.load(); err != nil {
		return nil, errors.Join(err, id.Close())
	}
	return id, id.open()
}

// Close gives up the file.
func (id *Identity) Close() error { return id.lock.Unlock() }

// VerifierKey is the public key, as the organiser of a table needs it.
func (id *Identity) VerifierKey() string { return id.content.VKey }

// Signer signs as this identity.
func (id *Identity) Signer() note.Signer { return id.signer }

// Secret returns the card secret for a table. The first call for a table draws
// it and returns only when it is synced to the file: a key that was posted and
// then forgotten would lose every card of its seat. There is no second one for a
// table at which the seat has signed. It is hedged by the identity's key and the
// table: a restored machine has not one card secret at two tables.
func (id *Identity) Secret(table wire.Hash, suite proof.Suite, rand io.Reader) (proof.Secret, error) {
	prover, err := proof.ProverOf(suite)
	if err != nil {
		return nil, err
	}
	if b, known := id.content.Tables[table.String()]; known {
		return prover.ParseSecret(b)
	}
	j, err := id.loadJournal(table)
	if err != nil {
		return nil, err
	}
	if j.Entry != nil {
		return nil, fmt.Errorf("player: %s does not hold the card secret of this table, at which it has signed: was it forgotten, or is the file an old copy?", id.path)
	}
	stream, err := id.hedge(table, suite, rand)
	if err != nil {
		return nil, err
	}
	secret, err := prover.NewSecret(stream)
	if err != nil {
		return nil, err
	}
	// The journal first: a secret without a journal means that the journal was
	// lost, and loadJournal refuses it.
	if err := id.saveJournal(journalFile{Format: journalFormat, Table: table}); err != nil {
		return nil, err
	}
	id.content.Tables[table.String()] = secret.Bytes()
	if err := id.save(); err != nil {
		delete(id.content.Tables, table.String())
		return nil, err
	}
	return secret, nil
}

// cardSecret is what is known of a card secret before it is drawn, but its table
// and suite.
type cardSecret struct{ identity string }

func (cardSecret) Label() string { return "secret/v1" }

func (c cardSecret) AppendTo(b *transcript.Binder) { b.Bytes("identity", []byte(c.identity)) }

// hedge returns the stream from which the card secret for a table is drawn. It
// belongs to no message: of a context it has suite and table alone.
func (id *Identity) hedge(table wire.Hash, suite proof.Suite, rand io.Reader) (io.Reader, error) {
	at := transcript.Bind(transcript.Suite(suite.Name()), "", transcript.Table{ID: table},
		transcript.Deck{}, transcript.Keys{}, 0, transcript.Parent{}, "", 0).Slot(0)
	return transcript.New(at, cardSecret{id.VerifierKey()}).Hedge([]byte(id.content.Key), rand)
}

// Forget erases the card secret of a table that is over, so that a file stolen
// later opens no old hand. The log keeps its masked cards for ever. The journal
// stays: the seat does not begin anew where it has signed.
func (id *Identity) Forget(table wire.Hash) error {
	secret, known := id.content.Tables[table.String()]
	if !known {
		return fmt.Errorf("player: %s has no card secret of table %s", id.path, table)
	}
	delete(id.content.Tables, table.String())
	err := id.save()
	if err != nil {
		id.content.Tables[table.String()] = secret
	}
	return err
}

// acquire locks the file itself and not one of its names: with a lock for each
// symbolic link to it, two processes could sign at once.
func (id *Identity) acquire() error {
	if real, err := filepath.EvalSymlinks(id.path); err == nil {
		id.path = real
	}
	id.lock = flock.New(id.path + ".lock")
	held, err := id.lock.TryLock()
	if err != nil {
		return fmt.Errorf("player: %w", err)
	}
	if !held {
		return fmt.Errorf("player: %s is in use by another process", id.path)
	}
	if err := durable.Sweep(filepath.Dir(id.path), id.mine); err != nil {
		return errors.Join(fmt.Errorf("player: %w", err), id.Close())
	}
	return nil
}

// mine tells whether a file of this name in the directory is of this identity.
// Another one's name may begin with the whole of this one's.
func (id *Identity) mine(name string) bool {
	rest, ok := strings.CutPrefix(name, filepath.Base(id.path))
	if !ok || rest == "" {
		return ok
	}
	rest, dot := strings.CutPrefix(rest, ".")
	table, journal := strings.CutSuffix(rest, journalSuffix)
	_, err := wire.ParseHash(table)
	return dot && journal && err == nil
}

func (id *Identity) open() (err error) {
	id.signer, err = note.NewSigner(id.content.Key)
	if err != nil {
		return errors.Join(fmt.Errorf("player: %s: %w", id.path, err), id.Close())
	}
	return nil
}

func (id *Identity) load() error {
	info, err := os.Stat(id.path)
	if err != nil {
		return fmt.Errorf("player: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("player: %s can be read by others (mode %04o): chmod 600 it", id.path, info.Mode().Perm())
	}
	if info.Size() > maxIdentity {
		return fmt.Errorf("player: %s has %d bytes and is no seat file", id.path, info.Size())
	}
	b, err := os.ReadFile(id.path)
	if err != nil {
		return fmt.Errorf("player: %w", err)
	}
	if b, err = id.decrypt(b); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&id.content); err != nil || id.content.Format != identityFormat || id.content.Tables == nil {
		return fmt.Errorf("player: %s is no seat file of format %s", id.path, identityFormat)
	}
	return nil
}

func (id *Identity) save() error {
	b, err := json.Marshal(id.content)
	if err != nil {
		return err
	}
	if len(b) > maxIdentity*3/4 { // encryption adds some
		return fmt.Errorf("player: %s is full: forget tables that are over, or make a new seat file", id.path)
	}
	if b, err = id.encrypt(b); err != nil {
		return err
	}
	return replace(id.path, b)
}

// ageHeader begins every file that age has encrypted.
const ageHeader = "age-encryption.org/v1\n"

func (id *Identity) decrypt(b []byte) ([]byte, error) {
	encrypted := bytes.HasPrefix(b, []byte(ageHeader))
	switch {
	case !encrypted && id.passphrase == "":
		return b, nil
	case !encrypted:
		return nil, fmt.Errorf("player: %s is not encrypted, but a passphrase was given", id.path)
	case id.passphrase == "":
		return nil, fmt.Errorf("player: %s is encrypted and needs its passphrase", id.path)
	}
	identity, err := age.NewScryptIdentity(id.passphrase)
	if err != nil {
		return nil, err
	}
	r, err := age.Decrypt(bytes.NewReader(b), identity)
	if err != nil {
		return nil, fmt.Errorf("player: %s: %w", id.path, err)
	}
	return io.ReadAll(r)
}

func (id *Identity) encrypt(b []byte) ([]byte, error) {
	if id.passphrase == "" {
		return b, nil
	}
	recipient, err := age.NewScryptRecipient(id.passphrase)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w, err := age.Encrypt(&out, recipient)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(b)
	err = errors.Join(err, w.Close()) // writes the last chunk to out
	return out.Bytes(), err
}

// replace puts secrets in place of a file's content.
func replace(path string, data []byte) error {
	if err := durable.Replace(path, data, 0o600); err != nil {
		return fmt.Errorf("player: %w", err)
	}
	return nil
}

// journalFile is what a seat remembers of one table besides its secrets: the
// message it signed last, before it was posted, and what it believed of the
// log, opaque to this package.
type journalFile struct {
	Format   string    `json:"pakli"`
	Table    wire.Hash `json:"table"`
	Parent   wire.Hash `json:"parent"`
	Entry    []byte    `json:"entry"`
	Believed []byte    `json:"believed"`
}

const (
	journalFormat = "journal/v1"
	journalSuffix = ".journal"
)

func (id *Identity) journalPath(table wire.Hash) string {
	return id.path + "." + table.String() + journalSuffix
}

// loadJournal reads the journal of a table. A seat that has a secret for the
// table has a journal too; without it, it could sign a second message where it
// has signed one, and does not play.
func (id *Identity) loadJournal(table wire.Hash) (journalFile, error) {
	path := id.journalPath(table)
	j := journalFile{Format: journalFormat, Table: table}
	b, err := os.ReadFile(path)
	_, plays := id.content.Tables[table.String()]
	switch {
	case errors.Is(err, os.ErrNotExist) && !plays:
		return j, nil
	case errors.Is(err, os.ErrNotExist):
		return j, fmt.Errorf("player: %s is missing, and without it this seat could sign twice; was the seat file moved without it?", path)
	case err != nil:
		return j, fmt.Errorf("player: %w", err)
	}
	if err := json.Unmarshal(b, &j); err != nil || j.Format != journalFormat || j.Table != table {
		return j, fmt.Errorf("player: %s is no journal of this table; without it this seat could sign twice", path)
	}
	return j, nil
}

func (id *Identity) saveJournal(j journalFile) error {
	b, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return replace(id.journalPath(j.Table), b)
}
