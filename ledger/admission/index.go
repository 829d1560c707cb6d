package admission

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/wire"
)

// The index says to which table or event, which stands among the tables as one of the game wire.EventFormat, each entry of the log belongs. It is in memory,
// and a file of it spares the next start the reading of all entries. The file is
//
//	magic | size | root of the log at that size |
//	tables | for each: id, game, suite |
//	marks | for each: index, hash |
//	for each entry of the log up to size: 0, or 1 + the number of its table |
//	SHA-256 of all before
//
// with numbers as uvarints and names after their lengths. It is believed no more
// than the entries:
//
//   - its checksum holds, and the log proves that it has grown from that root, so
//     the file is of this log and not of one that was restored since;
//   - it says something of every entry, so none can have been left out;
//   - whoever replays a table finds out if an entry is not of that table.
//
// A file that is missing, stale or wrong costs a pass over all entries, and
// nothing else. It holds only what is known of every entry: when the outcome of
// an append is unknown there is a gap in owners, and nothing is written that
// goes beyond it.
type index struct {
	path   string     // of the file; empty: there is none
	saving sync.Mutex // held while the file is written

	mu       sync.Mutex
	subjects []*subject    // tables and events, in the order in which they were found
	marks    []marks.Place // in the order of the log
	markedBy map[wire.Hash]uint64
	owners   []uint32 // by index in the log: the number of its table, noSubject or unknown
	complete uint64   // nothing below is unknown
	saved    uint64   // what the file covers
	tried    uint64   // what it was last to cover: a disk that fails is not asked every time

	wanted *tlog.Checkpoint // to be saved once all of it is known
}

const (
	indexMagic = "pakli tables v2\n"
	noSubject  = 0
	unknown    = 1<<32 - 1
)

// saveEvery is how many new entries make the file be written anew. It grows with
// the file, so that writing stays cheap.
var saveEvery uint64 = 50_000

const (
	saveEveryShare = 8
	maxIndex       = 1 << 32 // bytes of a file that is looked at: a billion entries
)

// enlist gives a table or event that has begun its number.
func (x *index) enlist(h *subject) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.subjects = append(x.subjects, h)
	h.number = uint32(len(x.subjects))
}

// setOwner says of which table an entry is. Only what was unknown changes.
func (x *index) setOwner(at uint64, owner uint32) {
	for uint64(len(x.owners)) <= at {
		x.owners = append(x.owners, unknown)
	}
	if x.owners[at] == unknown {
		x.owners[at] = owner
	}
	for x.complete < uint64(len(x.owners)) && x.owners[x.complete] != unknown {
		x.complete++
	}
}

func (x *index) addMark(at uint64, hash wire.Hash) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, known := x.markedBy[hash]; known {
		return
	}
	if x.markedBy == nil {
		x.markedBy = map[wire.Hash]uint64{}
	}
	x.markedBy[hash] = at
	x.marks = append(x.marks, marks.Place{Index: at, Hash: hash})
	x.setOwner(at, noSubject)
}

// markAt returns where in the log a mark is.
func (x *index) markAt(hash wire.Hash) (at uint64, known bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	at, known = x.markedBy[hash]
	return at, known
}

// encode returns the file for a checkpoint all of which is known. Tables that began
// after it are not in it, and the others are counted without them.
func (x *index) encode(c tlog.Checkpoint) []byte {
	b := append(make([]byte, 0, 2*c.Size+256*uint64(len(x.subjects))), indexMagic...)
	b = binary.AppendUvarint(b, c.Size)
	b = append(b, c.Root[:]...)
	begun := slices.DeleteFunc(slices.Clone(x.subjects), func(s *subject) bool { return s.index >= c.Size })
	numbers := make([]uint64, len(x.subjects)+1) // in the file
	b = binary.AppendUvarint(b, uint64(len(begun)))
	for i, h := range begun {
		numbers[h.number] = uint64(i) + 1
		b = append(b, h.ID[:]...)
		for _, name := range []string{h.game, h.suite} {
			b = append(binary.AppendUvarint(b, uint64(len(name))), name...)
		}
	}
	marked, _ := slices.BinarySearchFunc(x.marks, c.Size, func(m marks.Place, size uint64) int { return cmp.Compare(m.Index, size) })
	b = binary.AppendUvarint(b, uint64(marked))
	for _, m := range x.marks[:marked] {
		b = append(binary.AppendUvarint(b, m.Index), m.Hash[:]...)
	}
	for _, owner := range x.owners[:c.Size] {
		b = binary.AppendUvarint(b, numbers[owner])
	}
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

var errIndex = errors.New("the index of tables is damaged")

// decodeIndex reads a file.
func decodeIndex(b []byte) (*index, tlog.Checkpoint, error) {
	var c tlog.Checkpoint
	n := len(b) - sha256.Size
	if n < 0 || !bytes.HasPrefix(b, []byte(indexMagic)) || sha256.Sum256(b[:n]) != [sha256.Size]byte(b[n:]) {
		return nil, c, errIndex
	}
	p := indexParser{rest: b[len(indexMagic):n]}
	c.Size = p.number()
	copy(c.Root[:], p.takeBytes(uint64(len(c.Root))))
	x := &index{complete: c.Size, saved: c.Size}
	for range p.count() {
		id, game, suite := wire.Hash(p.takeBytes(uint64(len(wire.Hash{})))), string(p.takeBytes(p.number())), string(p.takeBytes(p.number()))
		h := newSubject(nil, Subject{id, game == bulletin.EventFormat}, game, suite)
		h.number = uint32(len(x.subjects)) + 1
		x.subjects = append(x.subjects, h)
	}
	for range p.count() {
		if index := p.number(); index < c.Size {
			x.addMark(index, wire.Hash(p.takeBytes(uint64(len(wire.Hash{})))))
		}
	}
	if c.Size > uint64(len(p.rest)) {
		return nil, c, errIndex
	}
	x.owners = make([]uint32, c.Size)
	for at := range x.owners {
		owner := p.number()
		if owner > uint64(len(x.subjects)) {
			return nil, c, errIndex
		}
		x.owners[at] = uint32(owner)
	}
	if p.short || len(p.rest) > 0 {
		return nil, c, errIndex
	}
	return x, c, x.distributePlaces()
}

// distributePlaces gives every table its entries; the first is its genesis entry.
func (x *index) distributePlaces() error {
	counts := make([]int, len(x.subjects)+1)
	for _, owner := range x.owners {
		counts[owner]++
	}
	places := make([][]uint64, len(x.subjects)+1)
	for number, n := range counts {
		if number != noSubject {
			places[number] = make([]uint64, 0, n)
		}
	}
	for at, owner := range x.owners {
		if owner != noSubject {
			places[owner] = append(places[owner], uint64(at))
		}
	}
	for _, h := range x.subjects {
		now := h.now.Load()
		if now.places = places[h.number]; !now.hasBegun() {
			return errIndex
		}
		h.index = now.places[0]
	}
	return nil
}

// indexParser cuts a file into parts. Once it has been too short, it gives zeros.
type indexParser struct {
	rest  []byte
	short bool
}

func (p *indexParser) number() uint64 {
	v, n := binary.Uvarint(p.rest)
	if n <= 0 {
		p.short, p.rest = true, nil
		return 0
	}
	p.rest = p.rest[n:]
	return v
}

// count is a number of parts that are still to come, of a byte at least.
func (p *indexParser) count() uint64 { return min(p.number(), uint64(len(p.rest))) }

func (p *indexParser) takeBytes(n uint64) []byte {
	if n > uint64(len(p.rest)) {
		p.short, p.rest = true, nil
		return make([]byte, min(n, uint64(len(wire.Hash{}))))
	}
	var part []byte
	part, p.rest = p.rest[:n], p.rest[n:]
	return part
}

// restoreFile begins with what the file says, if it is of this log as c shows it.
func (x *index) restoreFile(ctx context.Context, log tlog.Log, c tlog.Checkpoint) error {
	if x.path == "" {
		return fs.ErrNotExist
	}
	b, err := durable.ReadFile(x.path, maxIndex)
	if err != nil {
		return err
	}
	found, was, err := decodeIndex(b)
	if err != nil {
		return err
	}
	if was.Size == 0 || was.Size > c.Size {
		return fmt.Errorf("the index of tables covers %d entries of %d", was.Size, c.Size)
	}
	p, err := log.Consistency(ctx, was.Size, c.Size)
	if err != nil {
		return err
	}
	if err := p.Verify(was.Root, c.Root); err != nil {
		return fmt.Errorf("the index of tables is of another log: %w", err)
	}
	x.marks, x.markedBy = found.marks, found.markedBy
	x.subjects, x.owners, x.complete, x.saved = found.subjects, found.owners, found.complete, found.saved
	return nil
}

// SaveIndex writes the index into its file, so that the next Open does not have to
// read what is in the log now. Before that it has to be known of every entry what
// it is: while the outcome of an append is unknown nothing is written.
func (a *Admission) SaveIndex(ctx context.Context) error {
	x := &a.index
	if x.path == "" {
		return nil
	}
	c, err := a.store.log.Checkpoint(ctx)
	if err != nil {
		return err
	}
	x.mu.Lock()
	if x.complete < c.Size || x.saved == c.Size {
		x.mu.Unlock()
		return nil
	}
	b := x.encode(c)
	x.mu.Unlock()
	return x.write(c.Size, b)
}

// write puts a file in place of the one that was there.
func (x *index) write(size uint64, b []byte) error {
	x.saving.Lock()
	defer x.saving.Unlock()
	x.mu.Lock()
	newer := x.saved >= size
	x.mu.Unlock()
	if newer {
		return nil
	}
	if err := durable.Replace(x.path, b, 0o600); err != nil {
		return fmt.Errorf("writing the index of tables: %w", err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.saved = max(x.saved, size)
	return nil
}

// recordEntry notes of which table the log has an entry, as a checkpoint shows, and sees to it
// that the file does not fall far behind.
func (x *index) recordEntry(at uint64, owner uint32, note []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.setOwner(at, owner)
	if x.path == "" {
		return
	}
	if x.wanted == nil && x.complete-max(x.saved, x.tried) >= max(saveEvery, x.saved/saveEveryShare) {
		if c, err := tlog.ParseCheckpoint(note); err == nil {
			x.wanted = &c
		}
	}
	if x.wanted != nil && x.complete >= x.wanted.Size {
		c := *x.wanted
		b := x.encode(c)
		x.tried, x.wanted = c.Size, nil
		go func() { _ = x.write(c.Size, b) }() // else the next start takes longer
	}
}

// upTo is how much of the log is known.
func (x *index) upTo() uint64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.complete
}
