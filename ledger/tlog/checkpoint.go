package tlog

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// A Checkpoint is a log's statement of its size and root. The other fields repeat what Note says.
// Do not rely on them before [OpenCheckpoint] or [Checkpoint.Verify] has verified the signature.
type Checkpoint struct {
	Origin string // name of the log, and of its key
	Size   uint64 // number of entries, below 2^63
	Root   Hash   // RFC 6962 root of the first Size entries
	Note   []byte // the signed note as the log published it
}

// ParseCheckpoint reads a signed checkpoint and checks only its form: a signed note whose text is
// origin, size and root, possibly followed by extension lines, which stay in Note. The base64 of a
// signature must be canonical: otherwise one checkpoint could be written in several ways. Errors
// are ErrMalformed.
func ParseCheckpoint(signed []byte) (Checkpoint, error) {
	if len(signed) > MaxCheckpoint {
		return Checkpoint{}, malformedError("checkpoint", "%d bytes, at most %d allowed", len(signed), MaxCheckpoint)
	}
	_, err := note.Open(signed, note.VerifierList())
	unverified, ok := errors.AsType[*note.UnverifiedNoteError](err)
	if !ok {
		return Checkpoint{}, malformedError("checkpoint", "not a signed note: %v", err)
	}
	for _, s := range unverified.Note.UnverifiedSigs {
		if _, err := base64.StdEncoding.Strict().DecodeString(s.Base64); err != nil {
			return Checkpoint{}, malformedError("checkpoint", "signature of %q is not canonical base64", s.Name)
		}
	}
	return parseText(unverified.Note.Text, signed)
}

// OpenCheckpoint reads a checkpoint and verifies that the log signed it, see
// [Checkpoint.Verify]. Errors are ErrMalformed or ErrUnsigned.
func OpenCheckpoint(signed []byte, keys ...note.Verifier) (Checkpoint, error) {
	c, err := ParseCheckpoint(signed)
	if err != nil {
		return Checkpoint{}, err
	}
	return c, c.Verify(keys...)
}

// Verify checks that c.Note carries a signature by one of the log's keys, that this key has the
// name of the origin, and that the fields of c are those of the note. A log has several keys while
// it changes from one to another. Signatures by other keys are ignored, but an invalid signature by
// a known key is an error. Errors are ErrMalformed or ErrUnsigned.
func (c Checkpoint) Verify(keys ...note.Verifier) error {
	n, err := note.Open(c.Note, note.VerifierList(keys...))
	if err != nil {
		return fmt.Errorf("checkpoint of %q, size %d: %w (%s): %v", c.Origin, c.Size, ErrUnsigned, keyIDs(keys), err)
	}
	signed, err := parseText(n.Text, c.Note)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(n.Sigs, func(s note.Signature) bool { return s.Name == signed.Origin }) {
		return fmt.Errorf("checkpoint: %w: origin %q (%s)", ErrUnsigned, signed.Origin, keyIDs(keys))
	}
	if c.Origin != signed.Origin || c.Size != signed.Size || c.Root != signed.Root {
		return malformedError("checkpoint", "%q, size %d, root %v is not what its note says", c.Origin, c.Size, c.Root)
	}
	return nil
}

// keyIDs names keys in an error.
func keyIDs(keys []note.Verifier) string {
	ids := make([]string, len(keys))
	for i, k := range keys {
		ids[i] = fmt.Sprintf("key %s+%08x", k.Name(), k.KeyHash())
	}
	return strings.Join(ids, ", ")
}

// SignCheckpoint returns a signed checkpoint of a tree. The origin is the name of s's key. Other
// keys of the log may sign it too.
func SignCheckpoint(size uint64, root Hash, s note.Signer, also ...note.Signer) (Checkpoint, error) {
	text := fmt.Sprintf("%s\n%d\n%v\n", s.Name(), size, root)
	signed, err := note.Sign(&note.Note{Text: text}, append([]note.Signer{s}, also...)...)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("checkpoint: %w", err)
	}
	return Checkpoint{Origin: s.Name(), Size: size, Root: root, Note: signed}, nil
}

func parseText(text string, signed []byte) (Checkpoint, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) < 3 {
		return Checkpoint{}, malformedError("checkpoint", "%d lines of text, at least 3 needed", len(lines))
	}
	for i, line := range lines {
		if line == "" {
			return Checkpoint{}, malformedError("checkpoint", "line %d is empty", i+1)
		}
	}
	size, ok := parseDecimal(lines[1])
	if !ok {
		return Checkpoint{}, malformedError("checkpoint", "size %q", lines[1])
	}
	root, ok := parseHash(lines[2])
	if !ok {
		return Checkpoint{}, malformedError("checkpoint", "root %q", lines[2])
	}
	if size == 0 && root != EmptyRoot() {
		return Checkpoint{}, malformedError("checkpoint", "size 0 with root %v", root)
	}
	return Checkpoint{Origin: lines[0], Size: size, Root: root, Note: signed}, nil
}

// parseDecimal reads a number below 2^63 without sign or leading zeros.
func parseDecimal(s string) (uint64, bool) {
	n, err := strconv.ParseUint(s, 10, 63)
	return n, err == nil && strconv.FormatUint(n, 10) == s
}

// AddCheckpoint is the request of a log to a cosigner: a checkpoint, and the proof that it extends
// the one that this cosigner has cosigned last (c2sp.org/tlog-witness).
type AddCheckpoint struct {
	Old        uint64 // size that was cosigned last, or 0
	Hashes     []Hash // consistency proof from Old on
	Checkpoint []byte // signed, verbatim
}

// MaxAddCheckpoint bounds the encoding of an AddCheckpoint.
const MaxAddCheckpoint = MaxCheckpoint + (maxProof+1)*45

// Marshal returns
//
//	old <size> LF {<base64 of a hash> LF} LF <checkpoint>
func (a AddCheckpoint) Marshal() []byte {
	b := fmt.Appendf(nil, "old %d\n%s\n", a.Old, ProofLines(a.Hashes))
	return append(b, a.Checkpoint...)
}

// ParseAddCheckpoint reads what [AddCheckpoint.Marshal] writes, and nothing else.
// It verifies neither signature nor proof. Errors are ErrMalformed.
func ParseAddCheckpoint(b []byte) (AddCheckpoint, Checkpoint, error) {
	head, note, ok := bytes.Cut(b, []byte("\n\n"))
	if !ok || len(b) > MaxAddCheckpoint {
		return AddCheckpoint{}, Checkpoint{}, malformedError("request", "no empty line before the checkpoint, or %d bytes are too many", len(b))
	}
	lines := strings.Split(string(head), "\n")
	number, isOld := strings.CutPrefix(lines[0], "old ")
	old, ok := parseDecimal(number)
	if !isOld || !ok {
		return AddCheckpoint{}, Checkpoint{}, malformedError("request", "first line %.40q", lines[0])
	}
	hashes, err := parseProofLines("request", lines[1:])
	if err != nil {
		return AddCheckpoint{}, Checkpoint{}, err
	}
	c, err := ParseCheckpoint(note)
	return AddCheckpoint{Old: old, Hashes: hashes, Checkpoint: note}, c, err
}

// CosignedAt verifies that c carries a cosignature of k and returns its time.
func (c Checkpoint) CosignedAt(k *VerifierKey) (time.Time, error) {
	sigs, err := c.signaturesOf([]*VerifierKey{k})
	if err != nil {
		return time.Time{}, err
	}
	if len(sigs) == 0 {
		return time.Time{}, fmt.Errorf("checkpoint of %q, size %d: %w: no cosignature of %s+%08x", c.Origin, c.Size, ErrUnsigned, k.Name(), k.KeyHash())
	}
	return timeOf(sigs[0]), nil
}
