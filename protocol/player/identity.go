package player

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/transcript"
	"github.com/pakli/pakli/protocol/wire"
)

// Identity is a player's secrets, in a [Vault]: the Ed25519 key that signs, and for
// every table the card secret.
type Identity struct {
	vault   Vault
	content seatRecord
	signer  note.Signer
}

type seatRecord struct {
	Format string            `json:"pakli"`
	Key    string            `json:"key"`    // note signer key
	VKey   string            `json:"vkey"`   // its public half
	Tables map[string][]byte `json:"tables"` // table id, for later deals "<id>/<n>" -> card secret; with "/order" behind it the order of its shuffle, where that is disclosed

	// Copied is in a copy of a seat alone: table id -> the newest checkpoint that the seat
	// believed there when the copy was taken, as signed.
	Copied map[string][]byte `json:"copied,omitempty"`

	Sum recordSum `json:"sum"`
}

const seatFormat = "seat/v1"

// maxSeat bounds the record: some ten thousand tables.
const maxSeat = 768 << 10

// CreateIdentity makes a new identity in a vault that has none, and holds the vault until
// Close. If it fails, it closes the vault.
func CreateIdentity(v Vault, name string) (*Identity, error) {
	id := &Identity{vault: v}
	return id.finishOpening(id.createRecord(name))
}

// OpenIdentity reads the identity of a vault, and holds the vault until Close. If it
// fails, it closes the vault.
func OpenIdentity(v Vault) (*Identity, error) {
	id := &Identity{vault: v}
	return id.finishOpening(id.loadRecord())
}

func (id *Identity) finishOpening(err error) (*Identity, error) {
	if err == nil {
		id.signer, err = note.NewSigner(id.content.Key)
	}
	if err != nil {
		return nil, errors.Join(err, id.Close())
	}
	return id, nil
}

func (id *Identity) createRecord(name string) error {
	if err := wire.CheckName(name); err != nil {
		return err
	}
	if _, err := id.vault.ReadRecord(SeatRecord); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(errors.New("there is a seat already, and a seat is never overwritten"), err)
	}
	skey, vkey, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		return err
	}
	id.content = seatRecord{Format: seatFormat, Key: skey, VKey: vkey, Tables: map[string][]byte{}}
	return id.saveRecord()
}

// Close gives up the vault.
func (id *Identity) Close() error { return id.vault.Close() }

// VerifierKey is the public key, as the organiser of a table needs it.
func (id *Identity) VerifierKey() string { return id.content.VKey }

// Signer signs as this identity.
func (id *Identity) Signer() note.Signer { return id.signer }

// Secret returns the card secret for a table. The first call for a table draws
// it and returns only when it is in the vault: a key that was posted and
// then forgotten would lose every card of its seat. There is no second one for a
// table at which the seat has signed. It is hedged by the identity's key and the
// table: a restored machine has not one card secret at two tables.
func (id *Identity) Secret(table wire.Hash, suite proof.Suite, rand io.Reader) (proof.Secret, error) {
	prover, err := proof.ProverOf(suite)
	if err != nil {
		return nil, err
	}
	if b, known := id.content.Tables[secretName(table, 1)]; known {
		return prover.ParseSecret(b)
	}
	j, err := id.loadJournal(table)
	if err != nil {
		return nil, err
	}
	if j.hasSigned() {
		return nil, errors.New("this seat has signed at the table and does not hold its card secret: was it forgotten, or is this an old copy of the seat?")
	}
	// The journal first: a secret without a journal means that the journal was
	// lost, and loadJournal refuses it.
	if err := id.saveJournal(journal{Format: journalFormat, Table: table}); err != nil {
		return nil, err
	}
	return id.drawSecret(table, 1, prover, rand)
}

// LaterSecret is Secret for the n-th card key of the seat at a table, n > 1, where a key is
// for one deal. A secret is drawn only if its key is not posted yet.
func (id *Identity) LaterSecret(table wire.Hash, n int, posted bool, suite proof.Suite, rand io.Reader) (proof.Secret, error) {
	prover, err := proof.ProverOf(suite)
	if err != nil {
		return nil, err
	}
	if b, known := id.content.Tables[secretName(table, n)]; known {
		return prover.ParseSecret(b)
	}
	if posted {
		return nil, errors.New("this seat does not hold the card secret of the present deal: was it forgotten, or is this an old copy of the seat?")
	}
	return id.drawSecret(table, n, prover, rand)
}

// secretName is under which name the n-th card secret of a table is kept.
func secretName(table wire.Hash, n int) string {
	if n == 1 {
		return table.String()
	}
	return fmt.Sprintf("%s/%d", table, n)
}

// tableOf is the table of a card secret that is kept under a name.
func tableOf(name string) (wire.Hash, error) {
	text, _, _ := strings.Cut(name, "/")
	return wire.ParseHash(text)
}

// drawSecret draws the n-th card secret of a table, and returns when it is in the vault.
func (id *Identity) drawSecret(table wire.Hash, n int, prover proof.Prover, rand io.Reader) (proof.Secret, error) {
	stream, err := id.secretStream(table, n, prover, rand)
	if err != nil {
		return nil, err
	}
	secret, err := prover.NewSecret(stream)
	if err != nil {
		return nil, err
	}
	id.content.Tables[secretName(table, n)] = secret.Bytes()
	if err := id.saveRecord(); err != nil {
		delete(id.content.Tables, secretName(table, n))
		return nil, err
	}
	return secret, nil
}

// cardSecret is what is known of a card secret before it is drawn, but its table
// and suite.
type cardSecret struct{ identity string }

func (cardSecret) Label() string { return "secret/v1" }

func (c cardSecret) AppendTo(b *transcript.Binder) { b.Bytes("identity", []byte(c.identity)) }

// secretStream returns the stream from which the n-th card secret for a table is drawn. It
// belongs to no message: of a context it has suite and table, and where the deal would be
// n − 1.
func (id *Identity) secretStream(table wire.Hash, n int, suite proof.Suite, rand io.Reader) (io.Reader, error) {
	at := transcript.Bind(transcript.Suite(suite.Name()), "", transcript.Table{ID: table},
		transcript.Deck{}, transcript.Keys{}, transcript.Deal(n-1), transcript.Parent{}, "", 0).Slot(0)
	return transcript.New(at, cardSecret{id.VerifierKey()}).Hedge([]byte(id.content.Key), rand)
}

// Copy returns the record of a copy of the seat, with which it can be taken up on another
// device when this one is lost: its secrets, and for each table the newest checkpoint that was
// believed there, as this vault's journals have it or, newer, as given here. At a table of which
// nothing was believed yet the copy cannot be taken up.
func (id *Identity) Copy(believed map[wire.Hash][]byte) ([]byte, error) {
	c := id.content
	c.Copied = map[string][]byte{}
	for text := range c.Tables {
		table, err := tableOf(text)
		if err != nil {
			return nil, err
		}
		cp := believed[table]
		if cp == nil {
			j, err := id.loadJournal(table)
			if err != nil {
				return nil, err
			}
			cp = j.Believed
		}
		if cp != nil {
			c.Copied[table.String()] = cp
		}
	}
	return c.encode()
}

// recordSum is in each record the SHA-256 of the record as JSON with "" for its sum. What a disk or a vault
// has changed is no record: of a journal without its entry, or with another parent, a
// seat could sign twice.
type recordSum []byte

func encodeRecord(record any, s *recordSum) ([]byte, error) {
	*s = recordSum{}
	b, err := json.Marshal(record)
	if err != nil {
		return nil, err
	}
	h := sha256.Sum256(b)
	*s = h[:]
	return json.Marshal(record)
}

// decodeRecord reads a record that encode has written, and reports whether it is one.
func decodeRecord(b []byte, record any, s *recordSum) bool {
	if json.Unmarshal(b, record) != nil {
		return false
	}
	again, err := encodeRecord(record, s)
	return err == nil && bytes.Equal(again, b)
}

// takeUp begins the journal of a table at which a seat goes on that another device has played
// too. From then on a copy is a seat like any other: a journal that is lost later is refused. The
// orders of shuffles that it keeps may be of those that the other one was first with.
func (id *Identity) takeUp(j journal) error {
	if err := id.saveJournal(j); err != nil {
		return err
	}
	delete(id.content.Copied, j.Table.String())
	maps.DeleteFunc(id.content.Tables, func(name string, _ []byte) bool {
		return strings.HasPrefix(name, j.Table.String()) && strings.HasSuffix(name, "/order")
	})
	return id.saveRecord()
}

// Forget erases the card secrets of a table that is over, so that a thief of the seat
// opens no old hand. The log keeps its masked cards for ever, and copies of the vault and old blocks of a disk may keep
// the secrets. The journal
// stays: the seat does not begin anew where it has signed.
func (id *Identity) Forget(table wire.Hash) error {
	kept := maps.Clone(id.content.Tables)
	maps.DeleteFunc(id.content.Tables, func(name string, _ []byte) bool {
		of, err := tableOf(name)
		return err == nil && of == table
	})
	if len(kept) == len(id.content.Tables) {
		return fmt.Errorf("this seat has no card secret of table %s", table)
	}
	err := id.saveRecord()
	if err != nil {
		id.content.Tables = kept
	}
	return err
}

func (id *Identity) loadRecord() error {
	b, err := id.vault.ReadRecord(SeatRecord)
	if err != nil {
		return err
	}
	if !decodeRecord(b, &id.content, &id.content.Sum) || id.content.Format != seatFormat || id.content.Tables == nil {
		return fmt.Errorf("it is no seat of format %s, or it is damaged", seatFormat)
	}
	return nil
}

func (id *Identity) saveRecord() error {
	b, err := id.content.encode()
	if err != nil {
		return err
	}
	return id.vault.ReplaceRecord(SeatRecord, b)
}

func (r seatRecord) encode() ([]byte, error) {
	b, err := encodeRecord(&r, &r.Sum)
	if err == nil && len(b) > maxSeat {
		err = errors.New("the seat is full: forget tables that are over, or make a new seat")
	}
	return b, err
}

// journal is what a seat remembers of one table besides its secrets: the
// message it signed last, before it was posted, and what it believed of the
// log, opaque to this package. A seat that was told to go on from a head that it did
// not sign on remembers that as parent, and no message.
type journal struct {
	Format   string    `json:"pakli"`
	Table    wire.Hash `json:"table"`
	Parent   wire.Hash `json:"parent"`
	Entry    []byte    `json:"entry"`
	Cards    wire.Hash `json:"cards"` // parent of the last entry that must not be signed in two histories
	Left     bool      `json:"left"`  // the seat leaves no branch any more (52.10)
	Believed []byte    `json:"believed"`
	Sum      recordSum `json:"sum"`

	// copied says that there is no journal: the seat is a copy, and may have signed
	// since it was taken.
	copied bool
}

const journalFormat = "journal/v1"

// hasSigned reports whether the seat has signed at the table.
func (j journal) hasSigned() bool { return j.Parent != wire.Hash{} }

// loadJournal reads the journal of a table. A seat that has a secret for the
// table has a journal too; without it, it could sign a second message where it
// has signed one, and does not play. A copy of a seat, which says up to where its log was
// believed, plays when its owner has said that there is no other: see PlayHere.
func (id *Identity) loadJournal(table wire.Hash) (j journal, err error) {
	defer func() { err = wrapOwn(err) }()
	j = journal{Format: journalFormat, Table: table}
	b, err := id.vault.ReadRecord(JournalRecord(table))
	_, plays := id.content.Tables[table.String()]
	cp, copied := id.content.Copied[table.String()]
	switch {
	case errors.Is(err, fs.ErrNotExist) && plays && copied:
		j.Believed, j.copied = cp, true
		return j, nil
	case errors.Is(err, fs.ErrNotExist) && !plays:
		return j, nil
	case errors.Is(err, fs.ErrNotExist):
		return j, fmt.Errorf("the seat's journal of this table is missing, and without it the seat could sign twice. Was the seat moved, or copied, without it? (%w)", err)
	case err != nil:
		return j, err
	}
	var kept journal // of what is not there, nothing is assumed: null is no journal
	if !decodeRecord(b, &kept, &kept.Sum) || kept.Format != journalFormat || kept.Table != table {
		return j, fmt.Errorf("what is kept as the seat's journal of table %s is none, or damaged; without it the seat could sign twice", table)
	}
	return kept, nil
}

func (id *Identity) saveJournal(j journal) error {
	b, err := encodeRecord(&j, &j.Sum)
	if err == nil {
		err = id.vault.ReplaceRecord(JournalRecord(j.Table), b)
	}
	return wrapOwn(err)
}

// Vault keeps a seat's records by name, for one holder at a time: while one
// holds it, nobody else can open it. Encryption and access are its
// own business.
type Vault interface {
	// ReadRecord returns a record. If there never was one, the error is fs.ErrNotExist; one
	// that was kept and cannot be read is another error. It may be damaged: its reader finds
	// that by its sum. It is never an older one.
	ReadRecord(name string) ([]byte, error)
	// ReplaceRecord returns when the record is whole and durable, over a loss of power too,
	// or with an error. Until then, whatever happens, the old one is in place or the new.
	ReplaceRecord(name string, data []byte) error
	// Close lets another hold the vault. Nothing is replaced after that.
	Close() error
}

// SeatRecord is the name of the record with the seat's secrets.
const SeatRecord = "seat"

// JournalRecord is the name of a seat's journal of a table. It holds no secret but,
// before it is posted, what the seat signed last.
func JournalRecord(table wire.Hash) string { return table.String() + ".journal" }
