package wire

import (
	"bytes"
	"fmt"

	"golang.org/x/mod/sumdb/note"
)

// Document is signed in the form of an entry (10.1 to 10.3) and is none: its format is of
// no table, and no log takes it. Players agree by such before there is a table (70.12).
type Document struct{ entry Entry }

// Hash is that of 10.2.
func (d *Document) Hash() Hash { return d.entry.Hash }

// Bytes returns the document as it was signed.
func (d *Document) Bytes() []byte { return d.entry.bytes }

// Verify is as for an Entry.
func (d *Document) Verify(v note.Verifier) error { return d.entry.Verify(v) }

// ParseDocument reads a document of a format into a pointer to a struct whose first field
// is the format. Bounds on values are the caller's, and so is the signature.
func ParseDocument(doc []byte, format string, into any) (*Document, error) {
	if len(doc) > MaxDocument {
		return nil, fmt.Errorf("the document has %d bytes, at most %d are allowed", len(doc), MaxDocument)
	}
	text, signature, err := split(doc)
	if err != nil {
		return nil, err
	}
	d := &Document{Entry{Hash: HashEntry(doc), bytes: bytes.Clone(doc)}}
	d.entry.signed = d.entry.bytes[:len(text)+1]
	if d.entry.signer, d.entry.signature, err = parseSignatureLine(signature); err != nil {
		return nil, err
	}
	if begin := `{"pakli":"` + format + `",`; !bytes.HasPrefix(text, []byte(begin)) {
		return nil, fmt.Errorf("the document does not begin with %s", begin)
	}
	return d, decode(text, into)
}

// SignDocument writes a document.
func SignDocument(t any, s note.Signer) ([]byte, error) {
	text, err := canonical(t)
	if err != nil {
		return nil, err
	}
	return note.Sign(&note.Note{Text: string(text) + "\n"}, s)
}
