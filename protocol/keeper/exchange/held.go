// Package exchange is what keepers are sent and show about messages that they hold, as requests and
// files (docs/spec/66-cosigners.md, 66.8): a message with the lines of keepers ([Parse]), what
// a keeper is asked ([Request]), what it shows ([KeeperView]), whether a seat is there ([Presence]),
// and two lines that convict it ([Evidence]).
//
// Each has one spelling; what is read is written again as the same bytes. Nothing but the form is
// checked: package keeper verifies lines.
package exchange

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/wire"
)

// Format is the first line of a file of held messages.
const Format = "pakli-held/v1"

// Bounds of such a file.
const (
	maxLines = wire.MaxKeepers
	// MaxFile bounds one, in bytes.
	MaxFile = wire.MaxEntry + wire.MaxAttached + maxLines*256 + 64
)

// Marshal writes a message that keepers hold as a file, with a line of each:
//
//	pakli-held/v1
//	— <name> <base64>
//
//	<the message>
//
// It says by itself what it is of.
func Marshal(m keeper.Message) []byte {
	b := []byte(Format + "\n")
	for i, line := range m.Lines {
		b = append(b, FormatLine(m.Names[i], line)...)
	}
	return append(append(b, '\n'), m.Parcel...)
}

// Parse reads what Marshal writes, and nothing else.
func Parse(file []byte) (m keeper.Message, err error) {
	if len(file) > MaxFile {
		return m, fmt.Errorf("a file of %d bytes, at most %d are allowed", len(file), MaxFile)
	}
	head, parcel, ok := bytes.Cut(file, []byte("\n\n"))
	lines := strings.Split(string(head), "\n")
	if !ok || lines[0] != Format || len(lines) < 2 || len(lines) > 1+maxLines {
		return m, fmt.Errorf("no file of the format %s with 1 to %d lines of keepers", Format, maxLines)
	}
	if m, err = keeper.NewMessage(parcel); err != nil {
		return m, err
	}
	for i, text := range lines[1:] {
		name, line, err := ParseLine(text + "\n")
		if err != nil {
			return m, fmt.Errorf("line %d: %w", i+2, err)
		}
		m.Names, m.Lines = append(m.Names, name), append(m.Lines, line)
	}
	return m, nil
}
