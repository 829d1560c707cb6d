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

// AppendEntry appends an entry to an entry bundle: its length as two bytes,
// big-endian, and the entry.
func AppendEntry(bundle, entry []byte) ([]byte, error) {
	if err := CheckSize(entry); err != nil {
		return nil, err
	}
	bundle = binary.BigEndian.AppendUint16(bundle, uint16(len(entry)))
	return append(bundle, entry...), nil
}

// ParseBundle reads an entry bundle of width entries. The entries are parts of
// bundle. Errors are ErrMalformed.
func ParseBundle(bundle []byte, width int) ([][]byte, error) {
	if width < 1 || width > TileWidth {
		return nil, malformed("entry bundle", "width %d", width)
	}
	entries := make([][]byte, 0, width)
	for rest := bundle; len(rest) > 0; {
		if len(rest) < 2 || len(rest)-2 < int(binary.BigEndian.Uint16(rest)) {
			return nil, malformed("entry bundle", "entry %d is cut short", len(entries))
		}
		end := 2 + int(binary.BigEndian.Uint16(rest))
		if end == 2 {
			return nil, malformed("entry bundle", "entry %d is empty", len(entries))
		}
		entries = append(entries, rest[2:end:end])
		rest = rest[end:]
		if len(entries) > width {
			break
		}
	}
	if len(entries) != width {
		return nil, malformed("entry bundle", "%d entries or more, %d wanted", len(entries), width)
	}
	return entries, nil
}
