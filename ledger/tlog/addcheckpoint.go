package tlog

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"time"
)

// AddCheckpoint is what a log sends to a cosigner: a checkpoint, and the proof
// that it grew out of the one that this cosigner has cosigned last
// (c2sp.org/tlog-witness).
type AddCheckpoint struct {
	Old        uint64 // size that was cosigned last, 0 if none was
	Hashes     []Hash // consistency proof from Old on
	Checkpoint []byte // signed, verbatim
}

// MaxAddCheckpoint bounds the encoding of an AddCheckpoint.
const MaxAddCheckpoint = MaxCheckpoint + (maxProof+1)*45

// Marshal returns
//
//	old <size> LF {<base64 of a hash> LF} LF <checkpoint>
func (a AddCheckpoint) Marshal() []byte {
	b := fmt.Appendf(nil, "old %d\n", a.Old)
	for _, h := range a.Hashes {
		b = base64.StdEncoding.AppendEncode(b, h[:])
		b = append(b, '\n')
	}
	b = append(b, '\n')
	return append(b, a.Checkpoint...)
}

// ParseAddCheckpoint reads what [AddCheckpoint.Marshal] writes, and nothing else.
// It verifies neither signature nor proof. Errors are ErrMalformed.
func ParseAddCheckpoint(b []byte) (AddCheckpoint, Checkpoint, error) {
	head, note, ok := bytes.Cut(b, []byte("\n\n"))
	if !ok || len(b) > MaxAddCheckpoint {
		return AddCheckpoint{}, Checkpoint{}, malformed("request", "no empty line before the checkpoint, or %d bytes are too many", len(b))
	}
	lines := strings.Split(string(head), "\n")
	number, isOld := strings.CutPrefix(lines[0], "old ")
	old, ok := parseDecimal(number)
	if !isOld || !ok {
		return AddCheckpoint{}, Checkpoint{}, malformed("request", "first line %.40q", lines[0])
	}
	if len(lines)-1 > maxProof {
		return AddCheckpoint{}, Checkpoint{}, malformed("request", "%d hashes, at most %d possible", len(lines)-1, maxProof)
	}
	a := AddCheckpoint{Old: old, Checkpoint: note}
	for i, line := range lines[1:] {
		h, ok := parseHash(line)
		if !ok {
			return AddCheckpoint{}, Checkpoint{}, malformed("request", "hash %d is %.60q", i, line)
		}
		a.Hashes = append(a.Hashes, h)
	}
	c, err := ParseCheckpoint(note)
	return a, c, err
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
