package exchange

import (
	"fmt"
	"strings"

	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/wire"
)

// EvidenceFormat is the first line of a file that convicts a keeper.
const EvidenceFormat = "pakli-evidence/v2"

// Evidence is two lines of a keeper that cannot both be true: that it held a message of a seat,
// and, later by its own clock, that it held none on the same parent.
//
//	pakli-evidence/v2
//	keeper <vkey>
//	table <id>
//	parent <hash>
//	seat <n>
//	entry <hash>
//	hold <the signature line>
//	silence <the signature line>
type Evidence struct {
	Key string // of the keeper's lines; the file does not say whose it is
	keeper.Place
	Entry         wire.Hash // the entry held
	Hold, Silence []byte
}

// Check verifies both lines, and returns their times. An error says why they prove nothing.
func (e *Evidence) Check() (held, silent int64, err error) {
	if held, err = keeper.VerifyHold(e.Key, e.Hold, e.Place, e.Entry); err != nil {
		return 0, 0, fmt.Errorf("hold: %w", err)
	}
	if silent, err = keeper.VerifySilence(e.Key, e.Silence, e.Place); err != nil {
		return 0, 0, fmt.Errorf("silence: %w", err)
	}
	if silent <= held {
		return 0, 0, fmt.Errorf("the silence, at %d, is not later than the hold, at %d: both can be true", silent, held)
	}
	return held, silent, nil
}

// Marshal returns the file.
func (e *Evidence) Marshal() []byte {
	name, _, _ := strings.Cut(e.Key, "+")
	return fmt.Appendf(nil, "%s\nkeeper %s\ntable %s\nparent %s\nseat %d\nentry %s\nhold %ssilence %s",
		EvidenceFormat, e.Key, e.Table, e.Parent, e.Seat, e.Entry, FormatLine(name, e.Hold), FormatLine(name, e.Silence))
}

// ParseEvidence reads exactly what Marshal writes. It checks only the form.
func ParseEvidence(file []byte) (e *Evidence, err error) {
	e = new(Evidence)
	lines := strings.SplitAfter(string(file), "\n")
	words := []string{"keeper", "table", "parent", "seat", "entry", "hold", "silence"}
	if len(lines) != 2+len(words) || lines[0] != EvidenceFormat+"\n" || len(file) > 4096 {
		return nil, fmt.Errorf("no file of the format %s", EvidenceFormat)
	}
	for i, word := range words {
		value, ok := strings.CutPrefix(lines[1+i], word+" ")
		if ok {
			ok = e.setField(word, value) == nil
		}
		if !ok {
			return nil, fmt.Errorf("line %d of %s: want %s", i+2, EvidenceFormat, word)
		}
	}
	if string(e.Marshal()) != string(file) {
		return nil, fmt.Errorf("the file is not in the one spelling of %s", EvidenceFormat)
	}
	return e, nil
}

func (e *Evidence) setField(word, value string) (err error) {
	text := strings.TrimSuffix(value, "\n")
	switch word {
	case "keeper":
		_, err = wire.ParseVerifier(text)
		e.Key = text
	case "table":
		e.Table, err = wire.ParseHash(text)
	case "parent":
		e.Parent, err = wire.ParseHash(text)
	case "seat":
		e.Seat, err = seatOf(text)
	case "entry":
		e.Entry, err = wire.ParseHash(text)
	case "hold":
		_, e.Hold, err = ParseLine(value)
	case "silence":
		_, e.Silence, err = ParseLine(value)
	}
	return err
}
