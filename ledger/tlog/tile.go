package tlog

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// EntriesLevel is the level of entry tiles, which C2SP calls entry bundles; in pakli a bundle is a
// table in one file (ledger/bundle). Entry tiles have the places and widths of the tiles of level
// 0.
const EntriesLevel = -1

// A Tile names up to 256 consecutive hashes of the tree, or as many entries.
// Hash i of the tile is the root of the subtree over the entries
// [(256·Index+i)·256^Level, (256·Index+i+1)·256^Level).
type Tile struct {
	Level int    // 0 to 63, or EntriesLevel
	Index uint64 // place in its level
	Width int    // 1 to 256; below 256 the tile is partial
}

// Path returns the resource name under a log's URL, without a leading slash:
// tile/<L>/<N>[.p/<W>], with N in groups of three digits, all but the last
// prefixed with x, and "entries" for L in an entry tile.
func (t Tile) Path() string {
	level := "entries"
	if t.Level != EntriesLevel {
		level = strconv.Itoa(t.Level)
	}
	path := fmt.Sprintf("%03d", t.Index%1000)
	for n := t.Index / 1000; n > 0; n /= 1000 {
		path = fmt.Sprintf("x%03d/%s", n%1000, path)
	}
	path = "tile/" + level + "/" + path
	if t.Width != TileWidth {
		path += ".p/" + strconv.Itoa(t.Width)
	}
	return path
}

// ParseTilePath reads a path as [Tile.Path] writes it. It refuses leading zeros, superfluous groups
// and a full tile written as a partial one. Errors are ErrMalformed.
func ParseTilePath(path string) (Tile, error) {
	t, ok := parseTilePath(path)
	// Each part is parsed loosely; the result must yield the same path again.
	if !ok || t.Path() != path {
		return Tile{}, malformedError("tile path", "%q", path)
	}
	return t, nil
}

func parseTilePath(path string) (Tile, bool) {
	rest, ok := strings.CutPrefix(path, "tile/")
	if !ok || len(path) > 64 {
		return Tile{}, false
	}
	levelText, rest, _ := strings.Cut(rest, "/")
	level, ok := parseLevel(levelText)
	if !ok {
		return Tile{}, false
	}
	number, widthText, partial := strings.Cut(rest, ".p/")
	width := uint64(TileWidth)
	if partial {
		if width, ok = parseDecimal(widthText); !ok || width == 0 || width >= TileWidth {
			return Tile{}, false
		}
	}
	digits := strings.NewReplacer("x", "", "/", "").Replace(number)
	index, err := strconv.ParseUint(digits, 10, 63)
	return Tile{Level: level, Index: index, Width: int(width)}, err == nil
}

func parseLevel(s string) (int, bool) {
	if s == "entries" {
		return EntriesLevel, true
	}
	level, ok := parseDecimal(s)
	return int(level), ok && level <= maxTileLevel
}

// IsWithin reports whether a tree of this size has all hashes, or entries, of t.
// All tiles within the size of a published checkpoint must be served.
func (t Tile) IsWithin(size uint64) bool {
	shift := 8 * max(t.Level, 0)
	if t.Width < 1 || t.Width > TileWidth || shift > 63 {
		return false
	}
	n := size >> shift // complete subtrees of this level
	return t.Index <= n/TileWidth && t.Index*TileWidth+uint64(t.Width) <= n
}

// ParseTile reads the hashes of a hash tile of this width. Errors are
// ErrMalformed.
func ParseTile(data []byte, width int) ([]Hash, error) {
	if width < 1 || width > TileWidth || len(data) != width*tlog.HashSize {
		return nil, malformedError("tile", "%d bytes for %d hashes", len(data), width)
	}
	hashes := make([]Hash, 0, width)
	for h := range slices.Chunk(data, tlog.HashSize) {
		hashes = append(hashes, Hash(h))
	}
	return hashes, nil
}

// CheckSize returns ErrTooLarge or ErrEmpty if the entry's size is not allowed.
func CheckSize(entry []byte) error {
	switch {
	case len(entry) == 0:
		return ErrEmpty
	case len(entry) > MaxEntry:
		return fmt.Errorf("%w: %d bytes, at most %d allowed", ErrTooLarge, len(entry), MaxEntry)
	}
	return nil
}

// AppendEntry appends an entry to an entry tile: its length in two bytes, big-endian, then the
// entry.
func AppendEntry(entryTile, entry []byte) ([]byte, error) {
	if err := CheckSize(entry); err != nil {
		return nil, err
	}
	entryTile = binary.BigEndian.AppendUint16(entryTile, uint16(len(entry)))
	return append(entryTile, entry...), nil
}

// ParseEntryTile reads an entry tile of width entries. The entries it returns are slices of
// entryTile. Errors are ErrMalformed.
func ParseEntryTile(entryTile []byte, width int) ([][]byte, error) {
	if width < 1 || width > TileWidth {
		return nil, malformedError("entry tile", "width %d", width)
	}
	entries := make([][]byte, 0, width)
	for rest := entryTile; len(rest) > 0; {
		if len(rest) < 2 || len(rest)-2 < int(binary.BigEndian.Uint16(rest)) {
			return nil, malformedError("entry tile", "entry %d is cut short", len(entries))
		}
		end := 2 + int(binary.BigEndian.Uint16(rest))
		if end == 2 {
			return nil, malformedError("entry tile", "entry %d is empty", len(entries))
		}
		entries = append(entries, rest[2:end:end])
		rest = rest[end:]
		if len(entries) > width {
			break
		}
	}
	if len(entries) != width {
		return nil, malformedError("entry tile", "%d entries or more, %d wanted", len(entries), width)
	}
	return entries, nil
}
