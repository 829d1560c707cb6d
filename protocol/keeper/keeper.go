// Package keeper has the lines that keepers sign, and what they prove about time. Keepers are
// cosigners that a table's genesis entry names.
//
// A log can withhold a seat's message. A keeper that holds the message signs a hold; a keeper that
// was shown none signs a silence (docs/spec/66-cosigners.md, 66.8):
//
//	pakli-hold/v1 LF time <t> LF table <id> LF parent <hash> LF seat <n> LF entry <hash> LF
//	pakli-silence/v1 LF time <t> LF table <id> LF parent <hash> LF seat <n> LF
//
// A line is the key's hash of 4 bytes, the time of 8 bytes, in seconds since 1970 by the keeper's
// own clock, and an Ed25519 signature of the text. The key signs only such lines (algorithm 0x01):
// their first words keep them apart, and none is a cosignature. A keeper signs no silence about a
// place after a hold; the two together convict it.
//
// A mark in the log is a checkpoint with the times at which its keepers have seen it
// (docs/spec/52-time.md). Entries below the checkpoint's size were in the log by then; entries
// after the mark came later. So between an entry that mark a covers and an entry that comes after
// mark z, at least as much time has passed as a right clock counts from a to z. The least count of
// several keepers is no more than that, if one of them is right:
//
//	elapsed(a, z) = max(0, min over the keepers k in both of (t_k(z) − t_k(a)) − 1)
//
// One second is subtracted since times are whole seconds. The bound holds if one of these clocks
// runs at the right rate, however wrong it is set. It leaves out the time between marks, in the
// player's favour.
//
// The package reads no clock and keeps nothing; ledger/cosign does. Package exchange has the files
// and requests with lines.
package keeper

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/protocol/wire"
)

// Place is where a seat owes something: at a table, on a parent.
type Place struct {
	Table, Parent wire.Hash
	Seat          int
}

// Lengths in bytes of a line and of its parts.
const (
	Size     = 4 + 8 + 64
	hashSize = 4
	timeSize = 8
	lastTime = 253402300799 // the end of the year 9999, as for cosignatures
)

// holdText is the text that a keeper signs for an entry that it holds.
func holdText(at int64, p Place, entry wire.Hash) []byte {
	return fmt.Appendf(nil, "pakli-hold/v1\ntime %d\ntable %s\nparent %s\nseat %d\nentry %s\n", at, p.Table, p.Parent, p.Seat, entry)
}

// silenceText is the text that a keeper signs if it holds nothing.
func silenceText(at int64, p Place) []byte {
	return fmt.Appendf(nil, "pakli-silence/v1\ntime %d\ntable %s\nparent %s\nseat %d\n", at, p.Table, p.Parent, p.Seat)
}

// SignHold returns the line which says that an entry is held at a time.
func SignHold(s note.Signer, at int64, p Place, entry wire.Hash) ([]byte, error) {
	return signLine(s, at, holdText(at, p, entry))
}

// SignSilence returns the line which says that no message of the seat is held at a time.
func SignSilence(s note.Signer, at int64, p Place) ([]byte, error) {
	return signLine(s, at, silenceText(at, p))
}

func signLine(s note.Signer, at int64, text []byte) ([]byte, error) {
	sig, err := s.Sign(text)
	line := binary.BigEndian.AppendUint32(nil, s.KeyHash())
	return append(binary.BigEndian.AppendUint64(line, uint64(at)), sig...), err
}

// VerifyHold returns when the keeper with this verifier key said that it holds an entry, in seconds
// since 1970.
func VerifyHold(vkey string, line []byte, p Place, entry wire.Hash) (at int64, err error) {
	return verifyLine(vkey, line, func(at int64) []byte { return holdText(at, p, entry) })
}

// VerifySilence returns when the keeper with this verifier key said that it holds no message.
func VerifySilence(vkey string, line []byte, p Place) (at int64, err error) {
	return verifyLine(vkey, line, func(at int64) []byte { return silenceText(at, p) })
}

// NamesKey reports whether a line begins with the hash of the key.
func NamesKey(vkey string, line []byte) bool {
	v, err := wire.ParseVerifier(vkey)
	return err == nil && len(line) == Size && binary.BigEndian.Uint32(line) == v.KeyHash()
}

func verifyLine(vkey string, line []byte, text func(at int64) []byte) (at int64, err error) {
	v, err := wire.ParseVerifier(vkey)
	if err != nil {
		return 0, err
	}
	if !NamesKey(vkey, line) {
		return 0, fmt.Errorf("the line is not of the key of %s", v.Name())
	}
	seconds := binary.BigEndian.Uint64(line[hashSize:])
	if seconds == 0 || seconds > lastTime {
		return 0, fmt.Errorf("the line of %s tells no time", v.Name())
	}
	if at = int64(seconds); !v.Verify(text(at), line[hashSize+timeSize:]) {
		return 0, fmt.Errorf("the line is not what %s has signed of this place", v.Name())
	}
	return at, nil
}

// Message is a message of a seat, with the lines of keepers that say they hold it.
type Message struct {
	Place
	Entry  wire.Hash
	Parcel []byte   // the entry and its blobs (wire.CutParcel)
	Lines  [][]byte // of keepers, not verified
	Names  []string // the keeper's name in each of Lines
}

// NewMessage reads the place of a message that has no lines yet.
func NewMessage(parcel []byte) (m Message, err error) {
	e, err := wire.Parse(parcel)
	switch {
	case err != nil:
		return m, err
	case e.Message == nil:
		return m, fmt.Errorf("entry %s is no message of a seat", e.Hash)
	}
	return Message{Place: Place{e.Message.Table, e.Message.Parent, e.Message.Seat}, Entry: e.Hash, Parcel: parcel}, nil
}
