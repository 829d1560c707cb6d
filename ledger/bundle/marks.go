package bundle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	sumdb "golang.org/x/mod/sumdb/tlog"

	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// Format2 is the first line of a bundle with marks that claims of its table name (85.10), and of an
// event's bundle (85.11).
const Format2 = "pakli-bundle/v2"

// Mark is a mark of the log with the proof (RFC 6962 §2.1.2) that the checkpoint in the mark
// belongs to the history of the bundle's checkpoint.
type Mark struct {
	Entry
	Proof []tlog.Hash
}

func (m Mark) placeName() string { return fmt.Sprintf("mark %d", m.Index) }

// NamedMarks returns the hashes of the marks named by claims among entries, each once.
func NamedMarks(entries []Entry) (list []wire.Hash) {
	seen := map[wire.Hash]bool{}
	for _, e := range entries {
		p, err := wire.ParseEntry(e.Bytes)
		if err != nil || p.Act == nil || p.Act.Kind != wire.KindTimeout {
			continue
		}
		var body wire.TimeoutBody
		if wire.DecodeAct(p.Act.Body, &body) != nil {
			continue
		}
		for _, h := range body.Marks() {
			if !seen[h] {
				list, seen[h] = append(list, h), true
			}
		}
	}
	return list
}

// checkMarks checks that claims name every mark and that the checkpoint in every mark belongs to
// the log's history.
func (b *Bundle) checkMarks() error {
	named := NamedMarks(b.Entries)
	for i, m := range b.Marks {
		if m.Index >= b.Checkpoint.Size || i > 0 && m.Index <= b.Marks[i-1].Index {
			return checkError(CheckOrder, m.placeName(), "marks ascend, each is there once, and below the size of the log")
		}
		if b.announced == nil && !slices.Contains(named, wire.HashEntry(m.Bytes)) {
			return checkError(CheckTable, m.placeName(), "no claim of the table names it")
		}
		mark, err := wire.ParseMark(m.Bytes)
		if err != nil {
			return checkError(CheckTable, m.placeName(), "no mark: %w", err)
		}
		c, err := tlog.ParseCheckpoint(mark.Note)
		if err != nil {
			return checkError(CheckTable, m.placeName(), "no mark: %w", err)
		}
		p := tlog.Consistency{Old: c.Size, Size: b.Checkpoint.Size, Hashes: m.Proof}
		if err := p.Verify(c.Root, b.Checkpoint.Root); err != nil {
			return checkError(CheckProof, m.placeName(), "its checkpoint is not of this log's history: %w", err)
		}
	}
	return nil
}

// provenEntries returns all entries that the hashes prove, ascending: those of the table and the
// marks.
func (b *Bundle) provenEntries() []Entry {
	list := slices.Clone(b.Entries)
	for _, m := range b.Marks {
		list = append(list, m.Entry)
	}
	slices.SortStableFunc(list, compareIndex)
	return list
}

// Marks calls see with each mark and its index. Parse and New have verified that the marks are in
// the tree of the bundle's checkpoint and that their own checkpoints belong to its history.
func (s Reader) Marks(c tlog.Checkpoint, see func(index uint64, mark []byte)) error {
	if !bytes.Equal(c.Note, s.Bundle.Checkpoint.Note) {
		return errors.New("the bundle is under another checkpoint")
	}
	for _, m := range s.Bundle.Marks {
		see(m.Index, m.Bytes)
	}
	return nil
}

// storedHashes holds the hashes of a log in memory.
type storedHashes []tlog.Hash

// ReadHashes implements sumdb.HashReader.
func (s storedHashes) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	list := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		list[i] = s[at]
	}
	return list, nil
}

// addMarks adds marks to the bundles whose claims name some. It reads the log once more and
// meanwhile keeps its hashes: 64 bytes for each entry.
func addMarks(ctx context.Context, src tlog.EntryReader, c tlog.Checkpoint, list []*Bundle) error {
	wanted := map[wire.Hash]*Mark{}
	for _, b := range list {
		for _, h := range NamedMarks(b.Entries) {
			wanted[h] = nil
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	keys := list[0].Keys.Verifiers()
	var hashes storedHashes
	err := tlog.ReadAll(ctx, src, c, func(entry []byte, leaf tlog.Hash, tree *tlog.Tree) error {
		index := tree.Size() - 1
		if m, named := wanted[wire.Hash(leaf)]; named && m == nil {
			if at, err := marks.ReadMark(index, entry, keys); err == nil && hashes.rootAt(at.Size) == at.Root {
				wanted[wire.Hash(leaf)] = &Mark{Entry: Entry{index, bytes.Clone(entry)}}
			}
		}
		more, err := sumdb.StoredHashesForRecordHash(int64(index), leaf, hashes)
		hashes = append(hashes, more...)
		return err
	})
	if err != nil {
		return err
	}
	for _, b := range list {
		if err := b.addMarks(wanted, hashes); err != nil {
			return err
		}
	}
	return nil
}

// rootAt returns the root of the first size entries.
func (s storedHashes) rootAt(size uint64) tlog.Hash {
	root, err := sumdb.TreeHash(int64(size), s)
	if err != nil || size == 0 {
		return tlog.EmptyRoot()
	}
	return root
}

// addMarks adds those marks named by the bundle's claims that the log has.
func (b *Bundle) addMarks(found map[wire.Hash]*Mark, hashes storedHashes) error {
	for _, h := range NamedMarks(b.Entries) {
		if m := found[h]; m != nil {
			b.Marks = append(b.Marks, *m)
		}
	}
	if len(b.Marks) == 0 {
		return nil
	}
	slices.SortFunc(b.Marks, func(a, b Mark) int { return compareIndex(a.Entry, b.Entry) })
	if err := b.addProofs(hashes); err != nil {
		return err
	}
	return errors.Join(b.checkContent(""), b.checkFits())
}

// addProofs adds the proofs of entries and marks, from all hashes of the log.
func (b *Bundle) addProofs(hashes storedHashes) (err error) {
	for i := range b.Marks {
		size, err := sizeOf(b.Marks[i].Bytes)
		if err == nil && size > 0 {
			b.Marks[i].Proof, err = sumdb.ProveTree(int64(b.Checkpoint.Size), int64(size), hashes)
		}
		if err != nil {
			return err
		}
	}
	b.Hashes, err = proveIndexes(hashes, b.Checkpoint.Size, indexesOf(b.provenEntries()))
	return err
}

// sizeOf returns the size of the checkpoint that a mark carries.
func sizeOf(mark []byte) (uint64, error) {
	m, err := wire.ParseMark(mark)
	if err != nil {
		return 0, err
	}
	c, err := tlog.ParseCheckpoint(m.Note)
	return c.Size, err
}
