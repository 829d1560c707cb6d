// Package exchange has the requests and files by which keepers receive and show the messages that
// they hold (docs/spec/66-cosigners.md, 66.8): a message with the lines of keepers ([Parse]), what
// a keeper is asked ([Request]), what it shows ([KeeperView]), whether a seat is there
// ([Presence]), and two lines that convict it ([Evidence]).
//
// Each has one spelling: reading and writing give the same bytes. The package checks only the form;
// package keeper verifies lines.
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
	// MaxFile bounds a file, in bytes.
	MaxFile = wire.MaxEntry + wire.MaxAttached + maxLines*256 + 64
)

// Marshal writes a message that keepers hold as a file, with a line of each:
//
//	pakli-held/v1
//	— <name> <base64>
//
//	<the message>
//
// The message itself says which table, parent and seat it is of.
func Marshal(m keeper.Message) []byte {
	b := []byte(Format + "\n")
	for i, line := range m.Lines {
		b = append(b, FormatLine(m.Names[i], line)...)
	}
	return append(append(b, '\n'), m.Parcel...)
}

// Parse reads exactly what Marshal writes.
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
