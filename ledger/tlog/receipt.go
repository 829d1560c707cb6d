package tlog

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

const receiptHeader = "c2sp.org/tlog-proof@v1"

// A Receipt proves offline that an entry is in the log: a C2SP tlog-proof. It
// does not carry the entry.
type Receipt struct {
	Extra      []byte // not covered by the proof; nil in receipts of pakli
	Index      uint64 // of the entry
	Hashes     []Hash // audit path, as in Inclusion
	Checkpoint []byte // signed, verbatim, with the cosignatures it carries
}

// ParseReceipt reads what [Receipt.Marshal] writes, and nothing else. Errors
// are ErrMalformed.
func ParseReceipt(b []byte) (Receipt, error) {
	if len(b) > maxReceipt {
		return Receipt{}, malformed("receipt", "%d bytes, at most %d allowed", len(b), maxReceipt)
	}
	head, checkpoint, ok := bytes.Cut(b, []byte("\n\n"))
	if !ok {
		return Receipt{}, malformed("receipt", "no empty line before the checkpoint")
	}
	if _, err := ParseCheckpoint(checkpoint); err != nil {
		return Receipt{}, fmt.Errorf("receipt: %w", err)
	}
	r := Receipt{Checkpoint: checkpoint}
	return r, r.parseHead(strings.Split(string(head), "\n"))
}

// parseHead reads the lines before the empty one into r.
func (r *Receipt) parseHead(lines []string) error {
	if lines[0] != receiptHeader {
		return malformed("receipt", "first line %q, not %q", lines[0], receiptHeader)
	}
	lines = lines[1:]
	if len(lines) > 0 && strings.HasPrefix(lines[0], "extra ") {
		if err := r.parseExtra(strings.TrimPrefix(lines[0], "extra ")); err != nil {
			return err
		}
		lines = lines[1:]
	}
	if len(lines) == 0 || !strings.HasPrefix(lines[0], "index ") {
		return malformed("receipt", "no index")
	}
	index, ok := parseDecimal(strings.TrimPrefix(lines[0], "index "))
	if !ok {
		return malformed("receipt", "line %q", lines[0])
	}
	r.Index = index
	return r.parseHashes(lines[1:])
}

func (r *Receipt) parseExtra(s string) error {
	extra, err := base64.StdEncoding.DecodeString(s)
	if err != nil || len(extra) == 0 || base64.StdEncoding.EncodeToString(extra) != s {
		return malformed("receipt", "extra is not canonical base64 of at least one byte")
	}
	r.Extra = extra
	return nil
}

func (r *Receipt) parseHashes(lines []string) error {
	if len(lines) > maxProof {
		return malformed("receipt", "%d hashes, at most %d possible", len(lines), maxProof)
	}
	for i, line := range lines {
		h, ok := parseHash(line)
		if !ok {
			return malformed("receipt", "hash %d is %q", i, line)
		}
		r.Hashes = append(r.Hashes, h)
	}
	return nil
}

// Marshal returns the receipt as bytes of a .tlog-proof file.
func (r Receipt) Marshal() []byte {
	b := []byte(receiptHeader + "\n")
	if len(r.Extra) > 0 {
		b = append(b, "extra "...)
		b = base64.StdEncoding.AppendEncode(b, r.Extra)
		b = append(b, '\n')
	}
	b = fmt.Appendf(b, "index %d\n", r.Index)
	for _, h := range r.Hashes {
		b = base64.StdEncoding.AppendEncode(b, h[:])
		b = append(b, '\n')
	}
	b = append(b, '\n')
	return append(b, r.Checkpoint...)
}

// Verify checks that the log with one of these keys has this entry at r.Index.
// It says nothing about cosignatures, and nothing about Extra.
func (r Receipt) Verify(entry []byte, keys ...note.Verifier) error {
	c, err := OpenCheckpoint(r.Checkpoint, keys...)
	if err != nil {
		return fmt.Errorf("receipt: %w", err)
	}
	p := Inclusion{Index: r.Index, Size: c.Size, Hashes: r.Hashes}
	if err := p.Verify(LeafHash(entry), c.Root); err != nil {
		return fmt.Errorf("receipt: %w", err)
	}
	return nil
}
