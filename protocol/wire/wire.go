// Package wire is the only way in: the canonical form of an entry, its writer and its strict parser
// (docs/spec/10-encoding.md).
//
// An entry is one message of one signer: a C2SP signed note whose text is one line of JSON and
// which carries exactly one Ed25519 signature.
//
//	{"pakli":"message/v1","table":"5f…","parent":"a0…","seat":1,"kind":"show","body":{…},"proofs":["…"]}
//
//	— bob Wm9…=
//
// The JSON is canonical: the fields in this order, all of them present, no white space, integers
// only, no null, binary as padded standard base64, hashes as 64 lower-case hex digits, and every
// byte printable ASCII other than the backslash, so that no string has two spellings. A parser
// accepts exactly what the writer would write again, byte for byte. All bounds are in limits.go.
//
// A proof that is too long for an entry is a blob. The entry names it by its hash and size,
// "sha256:5f…:82852". Its bytes follow the entry everywhere but in the log, which keeps them beside
// the entry ([CutParcel], [Message.AttachBlobs]).
//
// The hash of an entry is its RFC 6962 leaf hash, SHA-256(0x00 || entry). The id of a table, the
// parent that a message names and the leaf in the log's tree are all this hash.
//
// The package checks form and signatures. Package table decides whether a message is due, and what
// its body and proofs must say. Parse therefore reads a body only as JSON of this form, and keeps
// it raw until its kind is known to be due (see [DecodeBody]). A body with the wrong fields is a
// foul if it is signed and due, and otherwise no seat's fault.
package wire

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// Formats of an entry's text.
const (
	TableFormat   = "table/v1"
	TableFormat2  = "table/v2"
	MessageFormat = "message/v1"
	ActFormat     = "act/v1"
)

var formats = []string{TableFormat, TableFormat2, MessageFormat, ActFormat}

// Hash is the RFC 6962 leaf hash of an entry.
type Hash [32]byte

// HashEntry returns the hash of an entry's bytes.
func HashEntry(entry []byte) Hash {
	h := sha256.New()
	h.Write([]byte{0})
	h.Write(entry)
	return Hash(h.Sum(nil))
}

// String returns 64 lower-case hex digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText implements encoding.TextMarshaler.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText accepts exactly what MarshalText writes.
func (h *Hash) UnmarshalText(b []byte) error {
	got, err := ParseHash(string(b))
	if err == nil {
		*h = got
	}
	return err
}

// ParseHash accepts exactly what String returns.
func ParseHash(s string) (Hash, error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(Hash{}) || strings.ContainsAny(s, "ABCDEF") {
		return Hash{}, fmt.Errorf("%.70q is not a hash: want 64 lower-case hex digits", s)
	}
	return Hash(b), nil
}

// Entry is a parsed entry. One of Table, Message and Act is set, and none for a signed document
// that concerns no table ([ParseDocument]).
type Entry struct {
	Hash    Hash
	Table   *Genesis
	Message *Message
	Act     *Act

	bytes     []byte
	signed    []byte // the signed text, with its newline
	signer    string // name in the signature line
	signature []byte // after the name: the key's hash and the signature
}

// Bytes returns the entry as it was signed, posted and logged.
func (e *Entry) Bytes() []byte { return e.bytes }

// Parent returns the entry that a message or an act builds on, and zero for other entries.
func (e *Entry) Parent() Hash {
	switch {
	case e.Act != nil:
		return e.Act.Parent
	case e.Message != nil:
		return e.Message.Parent
	}
	return Hash{}
}

// TableID returns the table that a message or an act names, or that a genesis entry begins.
func (e *Entry) TableID() Hash {
	switch {
	case e.Act != nil:
		return e.Act.Table
	case e.Message != nil:
		return e.Message.Table
	}
	return e.Hash
}

// Size returns the bytes that the entry takes in a log, and its blobs beside the log.
func (e *Entry) Size() int {
	n := len(e.bytes)
	for _, b := range e.Blobs() {
		n += b.Size
	}
	return n
}

// Blobs returns the blobs that a message names, and nil for other entries.
func (e *Entry) Blobs() []Blob {
	if e.Message == nil {
		return nil
	}
	return e.Message.Blobs()
}

// Message is what a seat sends to its table.
type Message struct {
	Format string
	Table  Hash
	Parent Hash
	Seat   int
	Kind   Kind
	Body   json.RawMessage
	Proofs [][]byte // nil for a proof whose blob is not at hand

	blobs map[int]Blob // of a parsed message: the proofs that are blobs, by place
	cards *Blob        // the blob that the body names, or nil
}

type messageText struct {
	Format string          `json:"pakli"`
	Table  Hash            `json:"table"`
	Parent Hash            `json:"parent"`
	Seat   int             `json:"seat"`
	Kind   Kind            `json:"kind"`
	Body   json.RawMessage `json:"body"`
	Proofs []string        `json:"proofs"`
}

// Parse reads an entry, alone or followed by all its blobs, and checks its form, except for the
// body. It leaves the signature to [Entry.Verify], since only the table knows the key.
func Parse(parcel []byte) (*Entry, error) {
	entry, attached := CutParcel(parcel)
	e, text, err := signedText(entry, "entry", MaxEntry)
	if err != nil {
		return nil, err
	}
	switch {
	case BeginsTable(text):
		e.Table, err = parseGenesis(text)
	case bytes.HasPrefix(text, []byte(`{"pakli":"`+MessageFormat+`",`)):
		e.Message, err = parseMessage(text)
	case bytes.HasPrefix(text, []byte(`{"pakli":"`+ActFormat+`",`)):
		e.Act, err = parseAct(text)
	default:
		err = fmt.Errorf(`the text does not begin with {"pakli":"…", and one of %s`, strings.Join(formats, ", "))
	}
	if err != nil {
		return nil, err
	}
	if err := e.AttachBytes(attached); err != nil {
		return nil, err
	}
	return e, nil
}

// ParseEntry reads an entry as a log has it: alone. Bytes after its signature line would give a
// message a second place in a tree, under another hash.
func ParseEntry(entry []byte) (*Entry, error) {
	if _, attached := CutParcel(entry); len(attached) > 0 {
		return nil, fmt.Errorf("%d bytes follow the entry", len(attached))
	}
	return Parse(entry)
}

// messagePrefix begins every message and actPrefix every act; the table's id follows.
const (
	messagePrefix = `{"pakli":"` + MessageFormat + `","table":"`
	actPrefix     = `{"pakli":"` + ActFormat + `","table":"`
	tablePrefix2  = `{"pakli":"` + TableFormat2 + `",`
)

// TableNamed returns the table that a message or an act names, and false if the bytes begin like
// neither. It does not look at the rest, and costs a hundredth of parsing: most entries of a log
// are of other tables.
func TableNamed(entry []byte) (Hash, bool) {
	return HashAfter(entry, messagePrefix, actPrefix)
}

// HashAfter returns the hash that follows one of these prefixes; false if the bytes do not begin
// so.
func HashAfter(entry []byte, prefixes ...string) (Hash, bool) {
	for _, prefix := range prefixes {
		if rest, ok := bytes.CutPrefix(entry, []byte(prefix)); ok && len(rest) >= 2*len(Hash{}) {
			id, err := ParseHash(string(rest[:2*len(Hash{})]))
			return id, err == nil
		}
	}
	return Hash{}, false
}

// TableOf returns the table that an entry concerns if it parses (50.3): the one that it names, or
// else the one that it would begin.
func TableOf(entry []byte) Hash {
	if named, ok := TableNamed(entry); ok {
		return named
	}
	return HashEntry(entry)
}

// Concerns reports whether an entry concerns a table (50.3) with this genesis entry. With a genesis
// that does not parse, only the table's own genesis entry does. An entry that does not parse
// concerns no table.
func Concerns(entry []byte, table Hash, genesis []byte) bool {
	if TableOf(entry) != table {
		return false
	}
	e, err := ParseEntry(entry)
	if err != nil || e.Table != nil {
		return err == nil
	}
	began, err := ParseEntry(genesis)
	return err == nil && began.Table != nil && began.Table.Takes(e)
}

// BeginsTable reports whether an entry begins like a genesis entry. It does not look at the rest of
// it.
func BeginsTable(entry []byte) bool {
	return bytes.HasPrefix(entry, []byte(`{"pakli":"`+TableFormat+`",`)) || bytes.HasPrefix(entry, []byte(tablePrefix2))
}

// ParseGenesis reads a genesis entry and verifies the signature of the organiser that it names.
// Anybody can write a genesis entry with another signature, which begins no table (80.4.2).
func ParseGenesis(entry []byte) (*Entry, error) {
	if !BeginsTable(entry) {
		return nil, errNoTable // most entries of a log
	}
	e, err := ParseEntry(entry)
	if err == nil {
		err = e.VerifyOrganiser()
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

var errNoTable = errors.New("the entry begins no table")

// Verify checks that the entry's one signature is by v's key over the text.
func (e *Entry) Verify(v note.Verifier) error {
	if hash := binary.BigEndian.Uint32(e.signature); e.signer != v.Name() || hash != v.KeyHash() {
		return fmt.Errorf("the signature is by the key %s+%08x, and must be by %s+%08x", e.signer, hash, v.Name(), v.KeyHash())
	}
	if !v.Verify(e.signed, e.signature[4:]) {
		return fmt.Errorf("the signature by %s does not verify", e.signer)
	}
	return nil
}

// VerifyOrganiser checks that a genesis entry is signed by the organiser that it names. Without
// this check anybody may have written it.
func (e *Entry) VerifyOrganiser() error {
	if e.Table == nil {
		return errNoTable
	}
	organiser, _, err := e.Table.Verifiers()
	if err != nil {
		return err
	}
	return e.Verify(organiser)
}

// Sign writes the entry for t, a *Genesis, *Message or *Act, followed by the bytes of its blobs, if
// any.
func Sign(t any, s note.Signer) ([]byte, error) {
	line, attached := t, []byte(nil)
	switch m := t.(type) {
	case *Message:
		line = m.entryText()
		attached = m.longBytes()
	case *Act:
		line = m.entryText()
	}
	entry, err := SignChecked(line, s, func(entry []byte) error { _, err := Parse(append(entry, attached...)); return err })
	if err != nil {
		return nil, err
	}
	return append(entry, attached...), nil
}

func parseMessage(line []byte) (*Message, error) {
	s := scanner{line: line}
	m := &Message{Format: MessageFormat}
	s.literal(messagePrefix)
	m.Table = s.hash()
	s.literal(`","parent":"`)
	m.Parent = s.hash()
	s.literal(`","seat":`)
	seat := s.number()
	s.literal(`,"kind":`)
	m.Kind = Kind(s.text())
	s.literal(`,"body":`)
	m.Body = s.object(1)
	s.literal(`,"proofs":`)
	proofs := s.texts()
	s.literal(`}`)
	switch err := s.close(); {
	case err != nil:
		return nil, err
	case seat < 0 || seat >= MaxSeats:
		return nil, fmt.Errorf("seat number %d is out of range 0 to %d", seat, MaxSeats-1)
	case len(m.Kind) == 0 || len(m.Kind) > MaxName:
		return nil, fmt.Errorf("the kind has %d bytes, must have 1 to %d", len(m.Kind), MaxName)
	}
	m.Seat = int(seat)
	m.readCards()
	return m, m.readProofs(proofs)
}

// signedText reads a signed text of at most most bytes, and its signature line.
func signedText(b []byte, what string, most int) (e *Entry, text []byte, err error) {
	if len(b) > most {
		return nil, nil, fmt.Errorf("the %s has %d bytes, at most %d are allowed", what, len(b), most)
	}
	text, signature, err := splitNote(b)
	if err != nil {
		return nil, nil, err
	}
	e = &Entry{Hash: HashEntry(b), bytes: bytes.Clone(b)}
	e.signed = e.bytes[:len(text)+1]
	e.signer, e.signature, err = parseSignatureLine(signature)
	return e, text, err
}

// splitNote separates an entry into its line of text and its signature line, without the newlines.
func splitNote(entry []byte) (text, signature []byte, err error) {
	text, rest, ok := bytes.Cut(entry, []byte("\n\n"))
	if !ok || !bytes.HasSuffix(rest, []byte("\n")) {
		return nil, nil, errors.New("not a signed note, which is a line of text, an empty line and a signature line")
	}
	signature = rest[:len(rest)-1]
	if bytes.IndexByte(signature, '\n') >= 0 || bytes.IndexByte(text, '\n') >= 0 {
		return nil, nil, errors.New("it must have one line of text and one signature")
	}
	return text, signature, checkPlain(text)
}

// checkPlain refuses bytes that a text must not have (10.1.2).
func checkPlain(text []byte) error {
	for i, c := range text {
		if c < 0x20 || c > 0x7e || c == '\\' {
			return fmt.Errorf("byte %d of the text is 0x%02x: only printable ASCII without backslash is allowed", i, c)
		}
	}
	return nil
}

// DecodeCanonical reads canonical JSON: EncodeBody writes what it accepts identically. So it
// refuses white space, repeated, missing and misspelt fields, and numbers or base64 in a second
// spelling.
func DecodeCanonical(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("it is not the JSON that it should be: %.200s", err) // the error may quote all of the text
	}
	again, err := EncodeBody(into)
	if err != nil {
		return err
	}
	if !bytes.Equal(text, again) {
		return fmt.Errorf("not canonical: from byte %d on it should be %.40q", firstDifference(text, again), again[firstDifference(text, again):])
	}
	return nil
}

// EncodeBody writes a body, a move or the text of an entry in canonical JSON.
func EncodeBody(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func firstDifference(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

func checkBinary(what string, list [][]byte) error {
	for i, b := range list {
		if len(b) == 0 {
			return fmt.Errorf("%s %d is empty", what, i)
		}
	}
	return nil
}
