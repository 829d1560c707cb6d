package wire

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Blob names a proof that is too long for an entry: the entry carries its hash
// and size, and the bytes are kept beside the log.
type Blob struct {
	Hash [sha256.Size]byte
	Size int
}

// String returns how an entry names the blob: sha256:<64 hex digits>:<size>.
func (b Blob) String() string {
	return blobPrefix + hex.EncodeToString(b.Hash[:]) + ":" + strconv.Itoa(b.Size)
}

const blobPrefix = "sha256:" // no base64 has a colon

// ErrDetached says that a message names blobs whose bytes are not at hand:
// whether its proofs hold cannot be checked.
var ErrDetached = errors.New("a proof is not at hand")

// parseBlob accepts exactly what String returns, of a size that a blob may have.
func parseBlob(s string) (Blob, error) {
	digits, size, _ := strings.Cut(strings.TrimPrefix(s, blobPrefix), ":")
	hash, err := ParseHash(digits)
	if err != nil {
		return Blob{}, err
	}
	n, err := strconv.Atoi(size)
	if err != nil || n <= MaxInline || n > MaxAttached || strconv.Itoa(n) != size {
		return Blob{}, fmt.Errorf("a blob of %.20s bytes, must have %d to %d", size, MaxInline+1, MaxAttached)
	}
	return Blob{Hash: hash, Size: n}, nil
}

// text returns the message as its entry has it. By its length a proof is written
// in one way and in no other: in base64, or as the name of a blob.
func (m *Message) text() text {
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
	return text{m.Format, m.Table, m.Parent, m.Seat, m.Kind, m.Body, list}
}

// readProofs reads what text writes. The places of blobs stay nil.
func (m *Message) readProofs(list []string) error {
	if len(list) > MaxProofs {
		return fmt.Errorf("proofs must be a list of at most %d", MaxProofs)
	}
	m.Proofs, m.blobs = make([][]byte, len(list)), map[int]Blob{}
	total := 0
	for i, s := range list {
		if strings.HasPrefix(s, blobPrefix) {
			b, err := parseBlob(s)
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
	if total > MaxAttached {
		return fmt.Errorf("blobs of %d bytes, at most %d are allowed", total, MaxAttached)
	}
	return nil
}

// Blobs returns the blobs that the message names, in the order of its proofs.
func (m *Message) Blobs() []Blob {
	var list []Blob
	for i := range m.Proofs {
		if b, ok := m.blobs[i]; ok {
			list = append(list, b)
		}
	}
	return list
}

// Attached returns the bytes of the blobs, in the order of Blobs. Requires: they
// are at hand.
func (m *Message) Attached() [][]byte {
	var list [][]byte
	for i, p := range m.Proofs {
		if _, ok := m.blobs[i]; ok {
			list = append(list, p)
		}
	}
	return list
}

// Detached reports whether bytes of blobs are missing.
func (m *Message) Detached() bool {
	for i := range m.blobs {
		if m.Proofs[i] == nil {
			return true
		}
	}
	return false
}

// Attach gives a parsed message the bytes of its blobs, which get returns by
// their names. If it fails, the message stays as it was.
func (m *Message) Attach(get func(Blob) ([]byte, error)) error {
	found := map[int][]byte{}
	for i := range m.Proofs {
		b, ok := m.blobs[i]
		if !ok {
			continue
		}
		p, err := get(b)
		if err != nil {
			return fmt.Errorf("%w: %s: %w", ErrDetached, b, err)
		}
		if len(p) != b.Size || sha256.Sum256(p) != b.Hash {
			return fmt.Errorf("%w: these %d bytes are not %s", ErrDetached, len(p), b)
		}
		found[i] = p
	}
	for i, p := range found {
		m.Proofs[i] = p
	}
	return nil
}

// Cut takes a parcel apart: an entry as it is logged, and what follows its
// signature line, the bytes of all its blobs in order. It checks neither.
func Cut(parcel []byte) (entry, attached []byte) {
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

// attach gives e the bytes that followed it: those of all its blobs, or none.
func (e *Entry) attach(attached []byte) error {
	if len(attached) == 0 {
		return nil
	}
	if want := e.Size() - len(e.bytes); len(attached) != want {
		return fmt.Errorf("%d bytes follow the one signature, want %d of blobs", len(attached), want)
	}
	return e.Message.Attach(func(b Blob) ([]byte, error) {
		p := bytes.Clone(attached[:b.Size])
		attached = attached[b.Size:]
		return p, nil
	})
}

// Complete returns the parcel of an entry, with the bytes of its blobs, which
// get returns. What is no entry is returned as it is.
func Complete(entry []byte, get func(Blob) ([]byte, error)) ([]byte, error) {
	e, err := Parse(entry)
	if err != nil || e.Message == nil || !e.Message.Detached() {
		return entry, nil
	}
	if err := e.Message.Attach(get); err != nil {
		return nil, err
	}
	return e.Parcel(), nil
}

// Parcel returns the entry and, after it, the bytes of its blobs, if they are at
// hand: what Parse reads.
func (e *Entry) Parcel() []byte {
	parcel := bytes.Clone(e.bytes)
	if e.Message == nil || e.Message.Detached() {
		return parcel
	}
	for _, p := range e.Message.Attached() {
		parcel = append(parcel, p...)
	}
	return parcel
}
