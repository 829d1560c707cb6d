package bundle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// Collect makes the bundle of a table from all entries of a log. So it has every
// entry of the table that the log had, which the bundle will not show to others.
// A source whose entries are not what the log signed is tlog.ErrBroken. Blobs that
// it does not show are left out, see [Bundle.Missing].
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

// CollectAll makes the bundles of several tables under one checkpoint, each as
// [Collect] does, and reads the log once for all of them: for the first of the
// tables, one at least, and of the others as many as have no more than limit bytes of
// entries all together. Who wants all of them calls it again for the rest. A table that
// is named twice has one bundle, in both places.
func CollectAll(ctx context.Context, src tlog.EntryReader, c tlog.Checkpoint, ids []wire.Hash, keys Keys, limit int) ([]*Bundle, error) {
	if err := c.Verify(keys.Verifiers()...); err != nil {
		return nil, err
	}
	p := picking{places: map[wire.Hash]int{}, entries: make([][]Entry, len(ids)), limit: limit}
	for i, id := range ids {
		if _, named := p.places[id]; !named {
			p.places[id] = i
		}
	}
	if err := tlog.ReadAll(ctx, src, c, p.take); err != nil {
		return nil, err
	}
	list, hashes := make([]*Bundle, len(p.entries)), map[int][]tlog.Hash{}
	if p.tree.size > 0 {
		_, hashes = p.tree.root()
	}
	for i, entries := range p.entries {
		if first := p.places[ids[i]]; first < i {
			list[i] = list[first]
			continue
		}
		if len(entries) == 0 {
			return nil, fmt.Errorf("bundle: the log has no table %s", ids[i])
		}
		blobs, err := Fetch(ctx, src, entries)
		if err != nil {
			return nil, err
		}
		if list[i], err = New(Bundle{Table: ids[i], Keys: keys, Checkpoint: c, Entries: entries, Hashes: hashes[i], Blobs: blobs}); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Tables lists the tables of a log under c: of every entry that begins one, in order.
func Tables(ctx context.Context, src tlog.EntryReader, c tlog.Checkpoint) ([]wire.Hash, error) {
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

// picking keeps the entries of some tables, and what proves them; when they take too
// much room, the last table has to go.
type picking struct {
	places  map[wire.Hash]int
	entries [][]Entry // by place
	size    int
	limit   int
	tree    growing
}

func (p *picking) take(entry []byte, hash tlog.Hash, tree *tlog.Tree) error {
	id, named := wire.TableNamed(entry)
	if !named {
		id = wire.Hash(hash)
	}
	place, wanted := p.places[id]
	if !wanted || place >= len(p.entries) || !wire.Concerns(entry, id) {
		p.tree.add(hash, none)
		return nil
	}
	p.tree.add(hash, place)
	p.entries[place] = append(p.entries[place], Entry{tree.Size() - 1, bytes.Clone(entry)})
	for p.size += len(entry); p.size > p.limit && len(p.entries) > 1; {
		last := len(p.entries) - 1
		for _, e := range p.entries[last] {
			p.size -= len(e.Bytes)
		}
		p.entries = p.entries[:last]
	}
	return nil
}

// Fetch returns the blobs that entries name, as far as src has them.
func Fetch(ctx context.Context, src any, entries []Entry) ([][]byte, error) {
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
	for _, sum := range named(parsed) {
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
