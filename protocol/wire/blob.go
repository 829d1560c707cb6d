package wire

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Blob names a proof, or a list of cards, too long for an entry. The entry carries its hash and
// size, and the bytes are kept beside the log.
type Blob struct {
	Hash [sha256.Size]byte
	Size int
}

// String returns the name of the blob in an entry: sha256:<64 hex digits>:<size>.
func (b Blob) String() string {
	return blobPrefix + hex.EncodeToString(b.Hash[:]) + ":" + strconv.Itoa(b.Size)
}

const blobPrefix = "sha256:" // no base64 has a colon

// ErrDetached says that a message names blobs whose bytes are not at hand, so that its proofs
// cannot be checked.
var ErrDetached = errors.New("a proof is not at hand")

// parseBlob accepts exactly what String returns. The size must exceed inline, and must not exceed
// what a message may have.
func parseBlob(s string, inline int) (Blob, error) {
	digits, size, _ := strings.Cut(strings.TrimPrefix(s, blobPrefix), ":")
	hash, err := ParseHash(digits)
	if err != nil {
		return Blob{}, err
	}
	n, err := strconv.Atoi(size)
	if err != nil || n <= inline || n > MaxResidues || strconv.Itoa(n) != size {
		return Blob{}, fmt.Errorf("a blob of %.20s bytes, must have %d to %d", size, inline+1, MaxResidues)
	}
	return Blob{Hash: hash, Size: n}, nil
}

// entryText returns the message as its entry has it. The length of a proof or a list of cards
// decides whether it is written in base64 or as the name of a blob.
func (m *Message) entryText() messageText {
	var list []string
	if m.Proofs != nil {
		list = make([]string, len(m.Proofs))
	}
	for i, p := range m.Proofs {
		b, detached := m.blobs[i]
		switch {
		case p == nil && detached:
			list[i] = b.String()
		case len(p) > MaxInline:
			list[i] = Blob{sha256.Sum256(p), len(p)}.String()
		default:
			list[i] = base64.StdEncoding.EncodeToString(p)
		}
	}
	body := m.Body
	if cards := longCards(body); cards != nil {
		body = json.RawMessage(cardsPrefix + Blob{sha256.Sum256(cards), len(cards)}.String() + cardsSuffix)
	}
	return messageText{m.Format, m.Table, m.Parent, m.Seat, m.Kind, body, list}
}

// cardsPrefix and cardsSuffix surround the name of a blob that is a list of cards.
const cardsPrefix, cardsSuffix = `{"cards":"`, `"}`

// longCards returns the bytes of the cards in a body, one after another, or nil if they are short
// enough for an entry.
func longCards(body json.RawMessage) []byte {
	var list CardsBody
	if len(body) <= MaxCards || DecodeBody(body, &list) != nil {
		return nil
	}
	if all := bytes.Join(list.Cards, nil); len(all) > MaxCards {
		return all
	}
	return nil
}

// NamesCards returns the blob that a body names in place of its cards; false if it names none.
func NamesCards(body json.RawMessage) (Blob, bool) {
	name, named := strings.CutPrefix(string(body), cardsPrefix+blobPrefix)
	name, ends := strings.CutSuffix(name, cardsSuffix)
	b, err := parseBlob(blobPrefix+name, MaxCards)
	return b, named && ends && err == nil
}

// HasLongCards reports whether the entry itself has cards that would have to be a blob at a table
// whose cards may be blobs.
func (m *Message) HasLongCards() bool { return m.cards == nil && longCards(m.Body) != nil }

// readCards keeps the name of a blob in the body. A body that nearly names one does not have the
// form of its kind, which is no matter of the entry's form (10.6).
func (m *Message) readCards() {
	if b, ok := NamesCards(m.Body); ok {
		m.cards = &b
	}
}

// longBytes returns the bytes of everything too long for an entry, in the order of Blobs.
func (m *Message) longBytes() []byte {
	attached := bytes.Clone(longCards(m.Body))
	for _, p := range m.Proofs {
		if len(p) > MaxInline {
			attached = append(attached, p...)
		}
	}
	return attached
}

// readProofs reads what entryText writes. Proofs that are blobs stay nil.
func (m *Message) readProofs(list []string) error {
	if len(list) > MaxProofs {
		return fmt.Errorf("proofs must be a list of at most %d", MaxProofs)
	}
	m.Proofs, m.blobs = make([][]byte, len(list)), map[int]Blob{}
	total := 0
	if m.cards != nil {
		total = m.cards.Size
	}
	for i, s := range list {
		if strings.HasPrefix(s, blobPrefix) {
			b, err := parseBlob(s, MaxInline)
			if err != nil {
				return fmt.Errorf("proof %d: %w", i, err)
			}
			m.blobs[i] = b
			total += b.Size
			continue
		}
		p, err := parseBase64([]byte(s))
		if err != nil {
			return fmt.Errorf("proof %d is not canonical base64", i)
		}
		if len(p) == 0 || len(p) > MaxInline {
			return fmt.Errorf("proof %d has %d bytes, must have 1 to %d, or be a blob", i, len(p), MaxInline)
		}
		m.Proofs[i] = p
	}
	if total > MaxResidues {
		return fmt.Errorf("blobs of %d bytes, at most %d are allowed", total, MaxResidues)
	}
	return nil
}

// Blobs returns the blobs that the message names: its cards, then its proofs in order.
func (m *Message) Blobs() []Blob {
	var list []Blob
	if m.cards != nil {
		list = append(list, *m.cards)
	}
	for i := range m.Proofs {
		if b, ok := m.blobs[i]; ok {
			list = append(list, b)
		}
	}
	return list
}

// BlobBytes returns the bytes of the blobs, in the order of Blobs. Requires: they are at hand.
func (m *Message) BlobBytes() [][]byte {
	var list [][]byte
	if m.cards != nil {
		list = append(list, longCards(m.Body))
	}
	for i, p := range m.Proofs {
		if _, ok := m.blobs[i]; ok {
			list = append(list, p)
		}
	}
	return list
}

// IsDetached reports whether the bytes of any blob are missing.
func (m *Message) IsDetached() bool {
	for i := range m.blobs {
		if m.Proofs[i] == nil {
			return true
		}
	}
	_, named := NamesCards(m.Body)
	return named
}

// AttachBlobs gives a parsed message the bytes of its blobs, which get returns. If it fails, the
// message is unchanged. A body that named its cards then has them as one value. Only the table
// knows how many cards that is, and divides it.
func (m *Message) AttachBlobs(get func(Blob) ([]byte, error)) error {
	body, found := m.Body, map[int][]byte{}
	if m.cards != nil {
		cards, err := m.cards.readBytes(get)
		if err != nil {
			return err
		}
		if body, err = EncodeBody(CardsBody{[][]byte{cards}}); err != nil {
			return err
		}
	}
	for i := range m.Proofs {
		b, ok := m.blobs[i]
		if !ok {
			continue
		}
		p, err := b.readBytes(get)
		if err != nil {
			return err
		}
		found[i] = p
	}
	m.Body = body
	for i, p := range found {
		m.Proofs[i] = p
	}
	return nil
}

func (b Blob) readBytes(get func(Blob) ([]byte, error)) ([]byte, error) {
	p, err := get(b)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDetached, b, err)
	}
	if len(p) != b.Size || sha256.Sum256(p) != b.Hash {
		return nil, fmt.Errorf("%w: these %d bytes are not %s", ErrDetached, len(p), b)
	}
	return p, nil
}

// CutParcel divides a parcel into an entry as logged, and what follows its signature line, which is
// the bytes of all its blobs in order. It checks neither.
func CutParcel(parcel []byte) (entry, attached []byte) {
	blank := bytes.Index(parcel, []byte("\n\n"))
	if blank < 0 {
		return parcel, nil
	}
	end := bytes.IndexByte(parcel[blank+2:], '\n')
	if end < 0 {
		return parcel, nil
	}
	return parcel[:blank+2+end+1], parcel[blank+2+end+1:]
}

// AttachBytes gives e the bytes that followed it, which must be those of all its blobs, or none.
func (e *Entry) AttachBytes(attached []byte) error {
	if len(attached) == 0 {
		return nil
	}
	if want := e.Size() - len(e.bytes); len(attached) != want {
		return fmt.Errorf("%d bytes follow the one signature, want %d of blobs", len(attached), want)
	}
	return e.Message.AttachBlobs(func(b Blob) ([]byte, error) {
		p := bytes.Clone(attached[:b.Size])
		attached = attached[b.Size:]
		return p, nil
	})
}

// CompleteParcel returns an entry followed by the bytes of its blobs, which get returns. Bytes that
// are no entry are returned unchanged.
func CompleteParcel(entry []byte, get func(Blob) ([]byte, error)) ([]byte, error) {
	e, err := Parse(entry)
	if err != nil || e.Message == nil || !e.Message.IsDetached() {
		return entry, nil
	}
	if err := e.Message.AttachBlobs(get); err != nil {
		return nil, err
	}
	return e.Parcel(), nil
}

// Parcel returns what Parse reads: the entry, followed by the bytes of its blobs if they are at
// hand.
func (e *Entry) Parcel() []byte {
	parcel := bytes.Clone(e.bytes)
	if e.Message == nil || e.Message.IsDetached() {
		return parcel
	}
	for _, p := range e.Message.BlobBytes() {
		parcel = append(parcel, p...)
	}
	return parcel
}
