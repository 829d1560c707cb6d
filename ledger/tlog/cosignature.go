package tlog

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// timestampSize is the length of the timestamp before a cosignature: u64 BE.
const timestampSize = 8

// cosigned returns what a cosigner signs of a checkpoint's text
// (c2sp.org/tlog-cosignature). With Ed25519 that is
//
//	cosignature/v1 LF time <timestamp> LF <text>
//
// and with ML-DSA-44
//
//	"subtree/v1\n\0" | u8 len, cosigner name | u64 timestamp | u8 len, origin | u64 0 | u64 size | root
//
// so that extension lines are under the former only.
func cosigned(a Algorithm, name string, timestamp uint64, text []byte) ([]byte, error) {
	if timestamp > maxSize {
		return nil, malformed("cosignature", "time %d", timestamp)
	}
	c, err := parseText(string(text), nil)
	if err != nil {
		return nil, err
	}
	if a == Ed25519Cosignature {
		return append(fmt.Appendf(nil, "cosignature/v1\ntime %d\n", timestamp), text...), nil
	}
	if len(c.Origin) > maxKeyName {
		return nil, malformed("checkpoint", "origin of %d bytes", len(c.Origin))
	}
	b := append([]byte("subtree/v1\n\x00"), byte(len(name)))
	b = append(b, name...)
	b = binary.BigEndian.AppendUint64(b, timestamp)
	b = append(b, byte(len(c.Origin)))
	b = append(b, c.Origin...)
	b = binary.BigEndian.AppendUint64(b, 0)
	b = binary.BigEndian.AppendUint64(b, c.Size)
	return append(b, c.Root[:]...), nil
}

// signaturesOf returns the signatures of keys that c carries, in the order of the
// note. Others are ignored. One that is a known key's and does not verify is
// ErrUnsigned, of the whole.
func (c Checkpoint) signaturesOf(keys []*VerifierKey) ([]note.Signature, error) {
	verifiers := make([]note.Verifier, len(keys))
	for i, k := range keys {
		verifiers[i] = k
	}
	n, err := note.Open(c.Note, note.VerifierList(verifiers...))
	if _, none := errors.AsType[*note.UnverifiedNoteError](err); none {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cosignatures on %q, size %d: %w: %v", c.Origin, c.Size, ErrUnsigned, err)
	}
	return n.Sigs, nil
}

// lastTime is the end of the year 9999, the last that RFC 3339 can write.
const lastTime = 253402300799

// timeOf reads the timestamp of a verified cosignature. One that no date can be
// written for attests none: its cosigner's clock is wrong, and its reader is to go on.
func timeOf(s note.Signature) time.Time {
	raw, err := base64.StdEncoding.DecodeString(s.Base64)
	if err != nil || len(raw) < 4+timestampSize {
		return time.Time{}
	}
	seconds := binary.BigEndian.Uint64(raw[4:])
	if seconds == 0 || seconds > lastTime {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0).UTC()
}

// Cosign returns c with more signature lines, as a cosigner answers them. They
// must hold a signature of k, which is taken, and its time; others are not.
func (c Checkpoint) Cosign(lines []byte, k *VerifierKey) (Checkpoint, time.Time, error) {
	if len(lines) == 0 || lines[len(lines)-1] != '\n' || len(c.Note)+len(lines) > MaxCheckpoint {
		return c, time.Time{}, malformed("cosignature", "%d bytes", len(lines))
	}
	// Only the text of c and the lines: what c carries already is not to blame.
	text, _, _ := strings.Cut(string(c.Note), "\n\n")
	answered := Checkpoint{Origin: c.Origin, Size: c.Size, Root: c.Root, Note: append([]byte(text+"\n\n"), lines...)}
	sigs, err := answered.signaturesOf([]*VerifierKey{k})
	if err != nil {
		return c, time.Time{}, err
	}
	if len(sigs) == 0 {
		return c, time.Time{}, malformed("cosignature", "no signature of %s+%08x", k.Name(), k.KeyHash())
	}
	line := fmt.Sprintf("— %s %s\n", sigs[0].Name, sigs[0].Base64)
	more := c
	more.Note = append(append(make([]byte, 0, len(c.Note)+len(line)), c.Note...), line...)
	if _, err := ParseCheckpoint(more.Note); err != nil { // which every reader would say of it
		return c, time.Time{}, err
	}
	return more, timeOf(sigs[0]), nil
}
