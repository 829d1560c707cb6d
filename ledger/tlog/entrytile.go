package tlog

import (
	"encoding/binary"
	"fmt"
)

// CheckSize returns ErrTooLarge or ErrEmpty for what cannot be an entry.
func CheckSize(entry []byte) error {
	switch {
	case len(entry) == 0:
		return ErrEmpty
	case len(entry) > MaxEntry:
		return fmt.Errorf("%w: %d bytes, at most %d allowed", ErrTooLarge, len(entry), MaxEntry)
	}
	return nil
}

// AppendEntry appends an entry to an entry tile: its length as two bytes,
// big-endian, and the entry.
func AppendEntry(entryTile, entry []byte) ([]byte, error) {
	if err := CheckSize(entry); err != nil {
		return nil, err
	}
	entryTile = binary.BigEndian.AppendUint16(entryTile, uint16(len(entry)))
	return append(entryTile, entry...), nil
}

// ParseEntryTile reads an entry tile of width entries. The entries are parts of
// it. Errors are ErrMalformed.
func ParseEntryTile(entryTile []byte, width int) ([][]byte, error) {
	if width < 1 || width > TileWidth {
		return nil, malformed("entry tile", "width %d", width)
	}
	entries := make([][]byte, 0, width)
	for rest := entryTile; len(rest) > 0; {
		if len(rest) < 2 || len(rest)-2 < int(binary.BigEndian.Uint16(rest)) {
			return nil, malformed("entry tile", "entry %d is cut short", len(entries))
		}
		end := 2 + int(binary.BigEndian.Uint16(rest))
		if end == 2 {
			return nil, malformed("entry tile", "entry %d is empty", len(entries))
		}
		entries = append(entries, rest[2:end:end])
		rest = rest[end:]
		if len(entries) > width {
			break
		}
	}
	if len(entries) != width {
		return nil, malformed("entry tile", "%d entries or more, %d wanted", len(entries), width)
	}
	return entries, nil
}
