package bundle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// Collect makes the bundle of a table from all entries of a log. So it has every entry of the table
// that the log had, although the bundle cannot prove this to others. If the entries of src are not
// those that the log signed, the error is tlog.ErrBroken. Blobs that src does not show are left
// out, see [Bundle.MissingBlobs].
func Collect(ctx context.Context, src tlog.EntryReader, id wire.Hash, keys Keys) (*Bundle, error) {
	c, err := src.Checkpoint(ctx)
	if err != nil {
		return nil, err
	}
	list, err := CollectAll(ctx, src, c, []wire.Hash{id}, keys, math.MaxInt)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// CollectAll makes the bundles of several tables under one checkpoint, each as [Collect] does, in
// one reading of the log. It makes the bundle of the first table in any case, and as many of the
// next ones as fit in limit bytes of entries all together. The caller calls it again for the rest.
// A table that is named twice has one bundle, in both places.
func CollectAll(ctx context.Context, src tlog.EntryReader, c tlog.Checkpoint, ids []wire.Hash, keys Keys, limit int) ([]*Bundle, error) {
	if err := c.Verify(keys.Verifiers()...); err != nil {
		return nil, err
	}
	var tree growingTree
	picked, err := PickEntries(ctx, src, c, ids, limit, tree.addLeaf)
	if err != nil {
		return nil, err
	}
	list, hashes := make([]*Bundle, len(picked)), map[int][]tlog.Hash{}
	if tree.size > 0 {
		_, hashes = tree.rootAndProofs()
	}
	for i, entries := range picked {
		if first := slices.Index(ids, ids[i]); first < i {
			list[i] = list[first]
			continue
		}
		if len(entries) == 0 {
			return nil, fmt.Errorf("the log has no table %s", ids[i])
		}
		blobs, err := FetchBlobs(ctx, src, entries)
		if err != nil {
			return nil, err
		}
		if list[i], err = New(Bundle{Table: ids[i], Keys: keys, Checkpoint: c, Entries: entries, Hashes: hashes[i], Blobs: blobs}); err != nil {
			return nil, err
		}
	}
	return list, addMarks(ctx, src, c, list)
}

// TablesUnder lists the tables of a log under c in the order of their genesis entries.
func TablesUnder(ctx context.Context, src tlog.EntryReader, c tlog.Checkpoint) ([]wire.Hash, error) {
	var list []wire.Hash
	seen := map[wire.Hash]bool{}
	err := tlog.ReadAll(ctx, src, c, func(entry []byte, hash tlog.Hash, _ *tlog.Tree) error {
		if _, err := wire.ParseGenesis(entry); err == nil && !seen[wire.Hash(hash)] {
			list, seen[wire.Hash(hash)] = append(list, wire.Hash(hash)), true
		}
		return nil
	})
	return list, err
}

// PickEntries returns the entries of tables of a log under c, which it reads once: those of the
// first table, and of as many of the next ones as fit in limit bytes of entries all together. A
// table that is named twice has its entries in the first place. Unless see is nil, PickEntries
// calls it with the leaf hash of every entry and the place of its table in ids, or [None].
func PickEntries(ctx context.Context, src tlog.EntryReader, c tlog.Checkpoint, ids []wire.Hash, limit int, see func(leaf tlog.Hash, place int)) ([][]Entry, error) {
	p := pickedEntries{places: map[wire.Hash]int{}, entries: make([][]Entry, len(ids)), limit: limit}
	for i, id := range slices.Backward(ids) {
		p.places[id] = i
	}
	err := tlog.ReadAll(ctx, src, c, func(entry []byte, leaf tlog.Hash, tree *tlog.Tree) error {
		place := p.placeOf(entry, leaf)
		if see != nil {
			see(leaf, place)
		}
		if place != None {
			p.addEntry(place, Entry{tree.Size() - 1, bytes.Clone(entry)})
		}
		return nil
	})
	return p.entries, err
}

// pickedEntries collects the entries of some tables.
type pickedEntries struct {
	places  map[wire.Hash]int
	entries [][]Entry // by place
	size    int
	limit   int
}

// placeOf returns the place of the table that an entry belongs to, or None.
func (p *pickedEntries) placeOf(entry []byte, leaf tlog.Hash) int {
	id, named := wire.TableNamed(entry)
	if !named {
		id = wire.Hash(leaf)
	}
	place, wanted := p.places[id]
	if !wanted || place >= len(p.entries) {
		return None
	}
	var genesis []byte
	if began := p.entries[place]; len(began) > 0 {
		genesis = began[0].Bytes
	}
	if !wire.Concerns(entry, id, genesis) {
		return None
	}
	return place
}

// addEntry keeps an entry and drops the last tables while the size exceeds the limit.
func (p *pickedEntries) addEntry(place int, e Entry) {
	p.entries[place] = append(p.entries[place], e)
	for p.size += len(e.Bytes); p.size > p.limit && len(p.entries) > 1; {
		last := len(p.entries) - 1
		for _, e := range p.entries[last] {
			p.size -= len(e.Bytes)
		}
		p.entries = p.entries[:last]
	}
}

// FetchBlobs returns those of the blobs named by entries that src has.
func FetchBlobs(ctx context.Context, src any, entries []Entry) ([][]byte, error) {
	reader := tlog.BlobsOf(src)
	var parsed []*wire.Entry
	for _, e := range entries {
		p, err := wire.ParseEntry(e.Bytes)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, p)
	}
	var blobs [][]byte
	for _, sum := range namedBlobs(parsed) {
		blob, err := reader.Blob(ctx, sum)
		if errors.Is(err, tlog.ErrNoBlob) {
			continue
		}
		if err != nil {
			return nil, err
		}
		blobs = append(blobs, blob)
	}
	return blobs, nil
}
