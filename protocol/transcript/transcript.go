// Package transcript is pakli's only Fiat–Shamir transform, and a strong one: a challenge depends
// on the protocol version, the suite, the rules, the table, its deck and ordered seat keys, the
// deal, the parent, the kind and the seat of the message, the slot of the proof within the message,
// and on every public value of the statement (docs/spec/20-transcript.md).
//
// Code that does not bind all of this does not compile. A [Context] comes only from [Bind], which
// takes every part as a type of its own, and [Message.Slot]. A [Transcript] comes only from [New],
// which takes a context and a statement and absorbs both. A [Binder], to which a statement writes
// itself, cannot draw.
//
// The hash is SHAKE256 (FIPS 202) over frames: u64 length of the label, label, u64 length of the
// data, data; big-endian. A challenge is 64 bytes squeezed from a copy of the state after a frame
// that names the challenge. That frame stays absorbed, so later challenges depend on it. Challenges
// are uniform bytes and not scalars, so that encodings over other groups can use the package;
// reducing them is the business of the group.
//
// Everything that a prover draws is hedged: nonces, permutations and masks. It comes from a
// [Stream], and a stream only from [Transcript.Hedge], which derives it from the secret, from
// everything absorbed, and from fresh randomness. So a random source that repeats itself repeats no
// nonce under two challenges, and no order or factor at two places.
//
// The package relies on its callers for one thing: a statement must write all of its public values.
// prooftest.Run changes each of them and expects another challenge.
package transcript

import (
	"crypto/sha3"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// Version names this protocol. It is bound first into every transcript.
const Version = "pakli/v1"

// Each part of a context has its own type, so that no two can be swapped unnoticed. The hashes are
// structs: a bare [32]byte would be assignable to every defined array type.
type (
	Suite  string                  // name of the card encoding and its arguments
	Rules  string                  // name of the game
	Table  struct{ ID [32]byte }   // hash of the table's genesis entry
	Deck   struct{ ID [32]byte }   // identity of the deck, card.Deck.ID
	Keys   struct{ Hash [32]byte } // of the ordered card keys of the seats, as posted so far
	Deal   uint32                  // deals begun at this table
	Parent struct{ Hash [32]byte } // of the table's last applied entry
	Kind   string                  // kind of message
	Seat   uint8                   // of the sender
)

// Message is the context of one message: a Context without its slot.
type Message struct{ absorbed []byte }

// Context is the context of one proof. New refuses the zero value.
type Context struct {
	message Message
	slot    uint16
}

// Bind returns the context of one message.
func Bind(suite Suite, rules Rules, table Table, deck Deck, keys Keys, deal Deal, parent Parent, kind Kind, seat Seat) Message {
	var b []byte
	b = appendFrame(b, "version", []byte(Version))
	b = appendFrame(b, "suite", []byte(suite))
	b = appendFrame(b, "rules", []byte(rules))
	b = appendFrame(b, "table", table.ID[:])
	b = appendFrame(b, "deck", deck.ID[:])
	b = appendFrame(b, "keys", keys.Hash[:])
	b = appendFrame(b, "deal", binary.BigEndian.AppendUint32(nil, uint32(deal)))
	b = appendFrame(b, "parent", parent.Hash[:])
	b = appendFrame(b, "kind", []byte(kind))
	b = appendFrame(b, "seat", []byte{byte(seat)})
	return Message{b}
}

// Slot returns the context of proof n of the message, from 0.
func (m Message) Slot(n uint16) Context { return Context{m, n} }

// Statement is what a proof proves, with all its public values.
type Statement interface {
	Label() string    // "shuffle/v1": one per relation, never reused
	AppendTo(*Binder) // every public value, in order
}

// Binder absorbs a statement. It cannot draw.
type Binder struct{ state *sha3.SHAKE }

// Bytes absorbs one public value.
func (b *Binder) Bytes(label string, data []byte) {
	b.state.Write(appendFrame(nil, label, data))
}

// Uint64 absorbs one public number.
func (b *Binder) Uint64(label string, n uint64) {
	b.Bytes(label, binary.BigEndian.AppendUint64(nil, n))
}

// Transcript is the state of one proof: context and statement are absorbed.
type Transcript struct{ state *sha3.SHAKE }

// New binds c and s. It is the only constructor. It panics on a zero Context,
// which is a fault of this program and never of its input.
func New(c Context, s Statement) *Transcript {
	if c.message.absorbed == nil {
		panic("transcript: context was not made by Bind")
	}
	h := sha3.NewSHAKE256()
	h.Write(c.message.absorbed)
	h.Write(appendFrame(nil, "slot", binary.BigEndian.AppendUint16(nil, c.slot)))
	t := &Transcript{h}
	t.Part(s)
	return t
}

// Part absorbs a further statement: that of an argument which is part of this proof and draws its
// challenges from here on.
func (t *Transcript) Part(s Statement) {
	t.Append("statement", []byte(s.Label()))
	s.AppendTo(&Binder{t.state})
}

// Append absorbs a prover's message, such as a commitment.
func (t *Transcript) Append(label string, data []byte) {
	t.state.Write(appendFrame(nil, label, data))
}

// Challenge returns 64 uniform bytes that depend on everything absorbed so far.
func (t *Transcript) Challenge(label string) [64]byte {
	t.state.Write(appendFrame(nil, "challenge", []byte(label)))
	fork := *t.state
	var out [64]byte
	fork.Read(out[:])
	return out
}

// Stream is hedged randomness, the source of everything that a prover draws at one place. It has no
// end. It panics if it does not come from Hedge.
type Stream struct{ state *sha3.SHAKE }

// Read fills b. It never fails.
func (s *Stream) Read(b []byte) (int, error) { return s.state.Read(b) }

// Hedge returns a stream derived from everything absorbed so far, the prover's secret and 32 bytes
// read from rand. It leaves the transcript unchanged.
func (t *Transcript) Hedge(secret []byte, rand io.Reader) (*Stream, error) {
	var fresh [32]byte
	if _, err := io.ReadFull(rand, fresh[:]); err != nil {
		return nil, fmt.Errorf("hedged randomness: %w", err)
	}
	fork := *t.state
	fork.Write(appendFrame(nil, "hedge secret", secret))
	fork.Write(appendFrame(nil, "hedge fresh", fresh[:]))
	return &Stream{&fork}, nil
}

func appendFrame(b []byte, label string, data []byte) []byte {
	b = slices.Grow(b, 8+len(label)+8+len(data))
	b = binary.BigEndian.AppendUint64(b, uint64(len(label)))
	b = append(b, label...)
	b = binary.BigEndian.AppendUint64(b, uint64(len(data)))
	return append(b, data...)
}
