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

// Identity is a player's secrets in a [Vault]: the Ed25519 key that signs, and the card secret of
// every table.
type Identity struct {
	vault   Vault
	content seatRecord
	signer  note.Signer
}

type seatRecord struct {
	Format string `json:"pakli"`
	Key    string `json:"key"`  // a note signer key
	VKey   string `json:"vkey"` // its public half
	// by table id, for later deals "<id>/<n>": the card secret; with "/order" appended: the order
	// of its shuffle, where it is disclosed
	Tables map[string][]byte `json:"tables"`

	// Copied is only in a copy of a seat: by table id, the newest checkpoint, as signed, that the
	// seat believed there when the copy was made.
	Copied map[string][]byte `json:"copied,omitempty"`

	Sum recordSum `json:"sum"`
}

const seatFormat = "seat/v1"

// maxSeat bounds the record, to about ten thousand tables.
const maxSeat = 768 << 10

// CreateIdentity makes a new identity in a vault that has none, and holds the vault until Close. If
// it fails, it closes the vault.
func CreateIdentity(v Vault, name string) (*Identity, error) {
	id := &Identity{vault: v}
	return id.finishOpening(id.createRecord(name))
}

// OpenIdentity reads the identity of a vault, and holds the vault until Close. If it fails, it
// closes the vault.
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

// VerifierKey returns the public key, as a table's organiser needs it.
func (id *Identity) VerifierKey() string { return id.content.VKey }

// Signer returns the signer of this identity.
func (id *Identity) Signer() note.Signer { return id.signer }

// Secret returns the card secret for a table. The first call for a table draws it, and returns only
// once it is in the vault: losing a secret after posting its key would lose every card of the seat.
// No second secret is drawn for a table at which the seat has signed. The draw is hedged by the
// identity's key and the table, so a restored machine never has one card secret at two tables.
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

// LaterSecret is Secret for the seat's n-th card key at a table, n > 1, where a key is for one
// deal. It draws a secret only if the key is not posted yet.
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

// secretName returns the name under which the n-th card secret of a table is kept.
func secretName(table wire.Hash, n int) string {
	if n == 1 {
		return table.String()
	}
	return fmt.Sprintf("%s/%d", table, n)
}

// tableOf returns the table of a card secret by its name.
func tableOf(name string) (wire.Hash, error) {
	text, _, _ := strings.Cut(name, "/")
	return wire.ParseHash(text)
}

// drawSecret draws the n-th card secret of a table, and returns once it is in the vault.
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

// cardSecret is what is known of a card secret before it is drawn, except for its table and suite.
type cardSecret struct{ identity string }

func (cardSecret) Label() string { return "secret/v1" }

func (c cardSecret) AppendTo(b *transcript.Binder) { b.Bytes("identity", []byte(c.identity)) }

// secretStream returns the stream to draw the n-th card secret of a table from. It belongs to no
// message: its context has only suite and table, and n − 1 in place of the deal.
func (id *Identity) secretStream(table wire.Hash, n int, suite proof.Suite, rand io.Reader) (io.Reader, error) {
	at := transcript.Bind(transcript.Suite(suite.Name()), "", transcript.Table{ID: table},
		transcript.Deck{}, transcript.Keys{}, transcript.Deal(n-1), transcript.Parent{}, "", 0).Slot(0)
	return transcript.New(at, cardSecret{id.VerifierKey()}).Hedge([]byte(id.content.Key), rand)
}

// Copy returns the record of a copy of the seat, for use on another device if this one is lost: its
// secrets, and for each table the newest checkpoint believed there, from this vault's journals or,
// if given here, a newer one. At a table without a believed checkpoint the copy cannot be used.
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

// recordSum is in each record the SHA-256 of the record as JSON with "" as its sum. A record that a
// disk or a vault has changed is refused: with a journal that lacks its entry, or has another
// parent, a seat could sign twice.
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

// decodeRecord reads a record that encodeRecord has written, and reports whether b is one.
func decodeRecord(b []byte, record any, s *recordSum) bool {
	if json.Unmarshal(b, record) != nil {
		return false
	}
	again, err := encodeRecord(record, s)
	return err == nil && bytes.Equal(again, b)
}

// takeUp begins the journal of a table at which a seat goes on that another device has also played.
// From then on a copy is a seat like any other: a journal lost later is refused. It drops the kept
// orders of shuffles, since the other device may have been first with those shuffles.
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

// Forget erases the card secrets of a finished table, so that a thief of the seat opens no old
// hand. The log keeps the masked cards for ever, and copies of the vault and old blocks of a disk
// may keep the secrets. The journal stays: the seat does not begin anew where it has signed.
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

// journal is what a seat remembers of one table besides its secrets: the entry that it signed last,
// written before posting, and what it believed of the log, opaque to this package. A seat that was
// told to go on from a head that it did not sign on has that head as Parent, and no Entry.
type journal struct {
	Format   string    `json:"pakli"`
	Table    wire.Hash `json:"table"`
	Parent   wire.Hash `json:"parent"`
	Entry    []byte    `json:"entry"`
	Cards    wire.Hash `json:"cards"` // parent of the last entry that must not be signed in two histories
	Left     bool      `json:"left"`  // the seat leaves no branch again (52.10)
	Believed []byte    `json:"believed"`
	Sum      recordSum `json:"sum"`

	// copied says that there is no journal: the seat is a copy, and may have signed after the copy
	// was made.
	copied bool
}

const journalFormat = "journal/v1"

// hasSigned reports whether the seat has signed at the table.
func (j journal) hasSigned() bool { return j.Parent != wire.Hash{} }

// loadJournal reads the journal of a table. A seat with a secret for the table also has a journal.
// Without it, the seat could sign a second message on a parent, so it does not play. A copy of a
// seat, which says up to where its log was believed, plays once its owner has said that there is no
// other: see PlayHere.
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
	var kept journal // starts empty: nothing is assumed for missing fields, and null is no journal
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

// Vault keeps a seat's records by name, for one holder at a time: while it is held, nobody else can
// open it. Encryption and access are up to the vault.
type Vault interface {
	// ReadRecord returns a record. The error is fs.ErrNotExist if there never was one, and another
	// error if it was kept but cannot be read. The record may be damaged, which its reader finds by
	// its sum, but it is never an older one.
	ReadRecord(name string) ([]byte, error)
	// ReplaceRecord returns once the record is whole and durable, even over a loss of power, or
	// with an error. Until then either the old record or the new one is in place, whatever happens.
	ReplaceRecord(name string, data []byte) error
	// Close lets another hold the vault. Nothing is replaced afterwards.
	Close() error
}

// SeatRecord is the name of the record with the seat's secrets.
const SeatRecord = "seat"

// JournalRecord returns the name of a seat's journal of a table. The journal holds no secret,
// except that the entry signed last is in it before it is posted.
func JournalRecord(table wire.Hash) string { return table.String() + ".journal" }
