package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	sumdb "golang.org/x/mod/sumdb/tlog"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// Format is the first line of the bundle of a table without marks.
const Format = "pakli-bundle/v1"

// Marshal returns the bundle as a file. The same content gives the same bytes.
func (b *Bundle) Marshal() []byte {
	file := append(b.Manifest(), '\n')
	file = append(file, b.Checkpoint.Note...)
	file = append(file, bytesOf(b.Hashes)...)
	for _, e := range b.Entries {
		file = append(file, e.Bytes...)
	}
	for _, blob := range b.Blobs {
		file = append(file, blob...)
	}
	for _, m := range b.Marks {
		file = append(append(file, m.Bytes...), bytesOf(m.Proof)...)
	}
	return file
}

func bytesOf(hashes []tlog.Hash) []byte {
	list := make([]byte, 0, len(hashes)*sumdb.HashSize)
	for _, h := range hashes {
		list = append(list, h[:]...)
	}
	return list
}

// Manifest returns the manifest: the lines that a person reads first.
func (b *Bundle) Manifest() []byte {
	var w bytes.Buffer
	format := Format
	if b.isSecond() {
		format = Format2
	}
	fmt.Fprintf(&w, "%s\n", format)
	w.WriteString(b.description())
	if b.announced != nil {
		fmt.Fprintf(&w, "tables %d\n", len(b.Tables))
	}
	for _, id := range b.Tables {
		fmt.Fprintf(&w, "table %s\n", id)
	}
	for _, k := range b.Keys.Log {
		fmt.Fprintf(&w, "log %s\n", k)
	}
	for _, k := range b.Keys.Cosigners {
		fmt.Fprintf(&w, "cosigner %s\n", k)
	}
	fmt.Fprintf(&w, "size %d\nroot %s\n", b.Checkpoint.Size, b.Checkpoint.Root)
	fmt.Fprintf(&w, "checkpoint %d %x\n", len(b.Checkpoint.Note), sha256.Sum256(b.Checkpoint.Note))
	fmt.Fprintf(&w, "hashes %d %x\n", len(b.Hashes), sha256.Sum256(bytesOf(b.Hashes)))
	fmt.Fprintf(&w, "entries %d\n", len(b.Entries))
	for _, e := range b.Entries {
		fmt.Fprintf(&w, "entry %d %d %s\n", e.Index, len(e.Bytes), wire.HashEntry(e.Bytes))
	}
	fmt.Fprintf(&w, "blobs %d\n", len(b.Blobs))
	for i, blob := range b.Blobs {
		fmt.Fprintf(&w, "blob %d %x\n", len(blob), b.sums[i])
	}
	if b.isSecond() {
		fmt.Fprintf(&w, "marks %d\n", len(b.Marks))
	}
	for _, m := range b.Marks {
		fmt.Fprintf(&w, "mark %d %d %s\n", m.Index, len(m.Bytes), wire.HashEntry(m.Bytes))
		fmt.Fprintf(&w, "grown %d %x\n", len(m.Proof), sha256.Sum256(bytesOf(m.Proof)))
	}
	return w.Bytes()
}

// isSecond reports whether b needs the second format.
func (b *Bundle) isSecond() bool { return len(b.Marks) > 0 || b.announced != nil }

// description returns the manifest's description of the table, all of which is in the genesis
// entry.
func (b *Bundle) description() string {
	if b.announced != nil {
		return b.describeEvent()
	}
	var w strings.Builder
	g := b.genesis
	fmt.Fprintf(&w, "table %s\ngame %s\nsuite %s\norganiser %s\n", b.Table, g.Game, g.Suite, g.Organiser)
	for _, vkey := range g.Seats {
		fmt.Fprintf(&w, "seat %s\n", vkey)
	}
	return w.String()
}

// Parse reads a bundle. Errors are *Error. The bundle keeps slices of file.
func Parse(file []byte) (*Bundle, error) {
	if len(file) > MaxSize {
		return nil, checkError(CheckManifest, "file", "%d bytes, at most %d are allowed", len(file), MaxSize)
	}
	m := manifest{manifestLines: manifestLines{rest: file}}
	if err := m.readLines(); err != nil {
		return nil, err
	}
	b := &Bundle{Table: m.table, Event: m.event, Tables: m.tables, Keys: m.keys}
	if err := m.cutParts(b); err != nil {
		return nil, err
	}
	if err := b.checkContent(m.description); err != nil {
		return nil, err
	}
	return b, nil
}

// partLine is a manifest line with the length and hash of a part.
type partLine struct {
	place string
	index uint64 // of an entry
	size  int
	sum   string // 64 hex digits
}

type manifest struct {
	manifestLines
	table       wire.Hash
	event       wire.Hash   // of an event's bundle, otherwise zero
	tables      []wire.Hash // of the event
	description string
	keys        Keys
	size        uint64
	root        tlog.Hash
	checkpoint  partLine
	hashes      partLine
	entries     []partLine
	blobs       []partLine
	marks       []partLine // each is followed by its proof
}

// manifestLines is the rest of a manifest. It keeps the first mistake; lines read after a mistake
// are empty.
type manifestLines struct {
	rest []byte
	n    int // of the line read last
	text string
	err  error
}

func (l *manifestLines) noteMistake(format string, args ...any) {
	l.failCheck(CheckManifest, format, args...)
}

func (l *manifestLines) failCheck(check Check, format string, args ...any) {
	if l.err == nil {
		l.err = checkError(check, fmt.Sprintf("line %d", l.n), format, args...)
	}
}

func (l *manifestLines) nextLine() {
	if l.err != nil {
		return
	}
	line, rest, ok := bytes.Cut(l.rest, []byte("\n"))
	l.n++
	switch {
	case len(line) > maxLine:
		l.noteMistake("more than %d bytes", maxLine)
	case !ok:
		l.failCheck(CheckLength, "the file ends in the manifest")
	default:
		l.text, l.rest = string(line), rest
	}
}

// wordsAfter reads a line of a keyword and n words, separated by single spaces, and returns the
// words.
func (l *manifestLines) wordsAfter(keyword string, n int) []string {
	l.nextLine()
	list := strings.SplitN(l.text, " ", n+2)
	if list[0] != keyword || len(list) != n+1 {
		l.noteMistake("%.80q, want %q and %d words", l.text, keyword, n)
		return make([]string, n)
	}
	return list[1:]
}

// nextIs reports whether the next line begins with a keyword.
func (l *manifestLines) nextIs(keyword string) bool {
	return l.err == nil && bytes.HasPrefix(l.rest, []byte(keyword+" "))
}

func (m *manifest) readLines() error {
	m.nextLine()
	marked := m.text == Format2
	if !marked && m.text != Format {
		m.noteMistake("%.40q is not %q or %q", m.text, Format, Format2)
	}
	if marked && m.nextIs("event") {
		m.readEvent()
	} else {
		m.readTable()
	}
	m.readKeys("log", 1, &m.keys.Log, tlog.ParseLogKey)
	m.readKeys("cosigner", 0, &m.keys.Cosigners, tlog.ParseCosignerKey)
	m.readCheckpoint()
	for range m.readCount("entries") {
		words := m.wordsAfter("entry", 3)
		index := m.readNumber(words[0])
		m.entries = append(m.entries, m.readPart("entry "+words[0], words[1:], 1))
		m.entries[len(m.entries)-1].index = index
		if m.err != nil {
			return m.err
		}
	}
	for range m.readCount("blobs") {
		words := m.wordsAfter("blob", 2)
		m.blobs = append(m.blobs, m.readPart("blob "+words[1], words, 1))
		if m.err != nil {
			return m.err
		}
	}
	if marked && m.nextIs("marks") {
		m.readMarks()
	} else if marked {
		m.n = 1
		m.noteMistake("a bundle without marks is a %s", Format)
		return m.err
	}
	if m.nextLine(); m.text != "" {
		m.noteMistake("%.80q, want an empty line", m.text)
	}
	return m.err
}

// readTable checks only the form of the description: checkDescription compares it with the genesis
// entry.
func (m *manifest) readTable() {
	var err error
	if m.table, err = wire.ParseHash(m.wordsAfter("table", 1)[0]); err != nil {
		m.noteMistake("%w", err)
	}
	m.readTerms()
	for n := 0; m.nextIs("seat"); n++ {
		if n == wire.MaxSeats {
			m.noteMistake("more than %d seats", wire.MaxSeats)
		}
		m.nextLine()
		m.description += m.text + "\n"
	}
}

// readEvent reads the event's id and its tables.
func (m *manifest) readEvent() {
	var err error
	if m.event, err = wire.ParseHash(m.wordsAfter("event", 1)[0]); err != nil {
		m.noteMistake("%w", err)
	}
	if m.event == (wire.Hash{}) {
		m.noteMistake("no entry has this hash")
	}
	m.readTerms()
	m.readTables()
}

// readTerms keeps the line just read and the lines of game, suite and organiser as the description.
func (m *manifest) readTerms() {
	m.description = m.text + "\n"
	for _, keyword := range []string{"game", "suite", "organiser"} {
		m.wordsAfter(keyword, 1)
		m.description += m.text + "\n"
	}
}

func (m *manifest) readKeys(keyword string, least int, list *[]*tlog.VerifierKey, parse func(string) (*tlog.VerifierKey, error)) {
	for m.err == nil && len(*list) < least || m.nextIs(keyword) {
		k, err := parse(m.wordsAfter(keyword, 1)[0])
		switch n := len(*list); {
		case err != nil:
			m.noteMistake("%w", err)
		case n == maxKeys:
			m.noteMistake("more than %d keys", maxKeys)
		case n > 0 && byText((*list)[n-1], k) >= 0:
			m.noteMistake("keys are there once, in ascending order")
		default:
			*list = append(*list, k)
		}
	}
}

func (m *manifest) readCheckpoint() {
	m.size = m.readNumber(m.wordsAfter("size", 1)[0])
	text := m.wordsAfter("root", 1)[0]
	root, err := sumdb.ParseHash(text)
	if err != nil || root.String() != text {
		m.noteMistake("%.80q is not a root", text)
	}
	m.root = tlog.Hash(root)
	m.checkpoint = m.readPart("checkpoint", m.wordsAfter("checkpoint", 2), 1)
	m.hashes = m.readPart("hashes", m.wordsAfter("hashes", 2), sumdb.HashSize)
}

// readMarks reads the lines of marks. The bundle of a table in the second format has at least one.
func (m *manifest) readMarks() {
	n := m.readCount("marks")
	if n == 0 && m.event == (wire.Hash{}) {
		m.noteMistake("a bundle without marks is a %s", Format)
	}
	for i := uint64(0); i < n && m.err == nil; i++ {
		words := m.wordsAfter("mark", 3)
		mark := m.readPart("mark "+words[0], words[1:], 1)
		mark.index = m.readNumber(words[0])
		m.marks = append(m.marks, mark, m.readPart("what mark "+words[0]+" has grown to", m.wordsAfter("grown", 2), sumdb.HashSize))
	}
}

// readCount reads the number of lines that follow.
func (m *manifest) readCount(keyword string) uint64 {
	n := m.readNumber(m.wordsAfter(keyword, 1)[0])
	if n > maxEntries {
		m.noteMistake("%d %s, at most %d are allowed", n, keyword, maxEntries)
		return 0
	}
	return n
}

// readPart reads the number of units in a part and the hash of the part.
func (m *manifest) readPart(place string, words []string, unit int) partLine {
	n := m.readNumber(words[0])
	if n > MaxSize/uint64(unit) {
		m.noteMistake("%d is too long", n)
	}
	if sum, err := hex.DecodeString(words[1]); err != nil || len(sum) != sha256.Size || hex.EncodeToString(sum) != words[1] {
		m.noteMistake("%.80q is not a hash", words[1])
	}
	return partLine{place: place, size: int(n) * unit, sum: words[1]}
}

// readNumber reads a decimal number below 2^63 without leading zeros.
func (m *manifest) readNumber(s string) uint64 {
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil || strconv.FormatUint(n, 10) != s {
		m.noteMistake("%.40q is no number", s)
	}
	return n
}

// cutParts cuts the bytes after the manifest into parts and fills b.
func (m *manifest) cutParts(b *Bundle) error {
	if err := m.checkLength(); err != nil {
		return err
	}
	signed := m.takePart(m.checkpoint)
	origin, _, _ := bytes.Cut(signed, []byte("\n"))
	b.Checkpoint = tlog.Checkpoint{Origin: string(origin), Size: m.size, Root: m.root, Note: signed} // B6 compares them
	for hash := range slices.Chunk(m.takePart(m.hashes), sumdb.HashSize) {
		b.Hashes = append(b.Hashes, tlog.Hash(hash))
	}
	for _, p := range m.entries {
		b.Entries = append(b.Entries, Entry{p.index, m.takePart(p)})
	}
	for _, p := range m.blobs {
		b.Blobs = append(b.Blobs, m.takePart(p))
	}
	for pair := range slices.Chunk(m.marks, 2) {
		mark := Mark{Entry: Entry{pair[0].index, m.takePart(pair[0])}}
		for hash := range slices.Chunk(m.takePart(pair[1]), sumdb.HashSize) {
			mark.Proof = append(mark.Proof, tlog.Hash(hash))
		}
		b.Marks = append(b.Marks, mark)
	}
	return m.err
}

// checkLength compares the number of bytes after the manifest with the sum of the parts.
func (m *manifest) checkLength() error {
	left := len(m.rest)
	for _, p := range slices.Concat([]partLine{m.checkpoint, m.hashes}, m.entries, m.blobs, m.marks) {
		if left < p.size {
			return checkError(CheckLength, p.place, "the file ends in it, or before it")
		}
		left -= p.size
	}
	if left > 0 {
		return checkError(CheckLength, "end", "%d bytes follow", left)
	}
	return nil
}

// takePart cuts off the next part and checks its hash, which is a leaf hash for an entry or mark.
func (m *manifest) takePart(p partLine) []byte {
	bytes := m.rest[:p.size:p.size]
	m.rest = m.rest[p.size:]
	sum := wire.Hash(sha256.Sum256(bytes))
	if strings.HasPrefix(p.place, "entry ") || strings.HasPrefix(p.place, "mark ") {
		sum = wire.HashEntry(bytes)
	}
	if sum.String() != p.sum && m.err == nil {
		m.err = checkError(CheckHash, p.place, "its %d bytes do not have the hash of its line", p.size)
	}
	return bytes
}
