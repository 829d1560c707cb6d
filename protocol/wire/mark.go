package wire

import (
	"bytes"
	"fmt"

	"golang.org/x/mod/sumdb/note"
)

// MarkFormat is the format of a mark (10.13).
const MarkFormat = "mark/v1"

// Mark puts a time into the log: a checkpoint of the log, with the times at which cosigners have
// seen it. Entries after the mark came after those times. Anybody may sign a mark, since the note
// proves itself. Package marks of the ledger judges what it is worth.
type Mark struct {
	Format string `json:"pakli"`
	By     string `json:"by"`
	Note   []byte `json:"note"` // a cosigned checkpoint (c2sp.org/tlog-checkpoint)
}

const markPrefix = `{"pakli":"` + MarkFormat + `",`

// BeginsMark reports whether an entry begins like a mark. It does not look at the rest of the
// entry.
func BeginsMark(entry []byte) bool { return bytes.HasPrefix(entry, []byte(markPrefix)) }

// ParseMark reads a mark and verifies the signature of the key that it names. It is apart from
// [Parse], since a mark concerns no table.
func ParseMark(entry []byte) (*Mark, error) {
	e, text, err := signedText(entry, "mark", MaxEntry)
	if err != nil {
		return nil, err
	}
	m, err := parseMark(text)
	if err != nil {
		return nil, err
	}
	v, err := ParseVerifier(m.By)
	if err != nil {
		return nil, fmt.Errorf("who made the mark: %w", err)
	}
	return m, e.Verify(v)
}

func parseMark(line []byte) (*Mark, error) {
	s := scanner{line: line}
	m := &Mark{Format: MarkFormat}
	s.literal(markPrefix + `"by":`)
	m.By = string(s.text())
	s.literal(`,"note":`)
	m.Note = s.binary()
	s.literal(`}`)
	if err := s.close(); err != nil {
		return nil, err
	}
	if len(m.Note) == 0 || len(m.Note) > MaxMarkNote {
		return nil, fmt.Errorf("the checkpoint of a mark has %d bytes, must have 1 to %d", len(m.Note), MaxMarkNote)
	}
	return m, nil
}

// SignMark writes a mark of a cosigned checkpoint.
func SignMark(checkpoint []byte, by string, s note.Signer) ([]byte, error) {
	return SignChecked(&Mark{Format: MarkFormat, By: by, Note: checkpoint}, s, func(entry []byte) error { _, err := ParseMark(entry); return err })
}
