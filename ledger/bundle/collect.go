package bundle

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// Source is a log that a bundle is made from. One that is also a tlog.BlobReader
// shows the blobs.
type Source interface {
	Checkpoint(ctx context.Context) (tlog.Checkpoint, error)
	Entries(ctx context.Context, start, end uint64) iter.Seq2[[]byte, error]
}

// Collect makes the bundle of a table from all entries of a log. So it has every
// entry of the table that the log had, which the bundle will not show to others.
// A source whose entries are not what the log signed is tlog.ErrBroken. Blobs that
// it does not show are left out, see [Bundle.Missing].
func Collect(ctx context.Context, src Source, id wire.Hash, keys Keys) (*Bundle, error) {
	c, err := src.Checkpoint(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.Verify(keys.Verifiers()...); err != nil {
		return nil, err
	}
	b := Bundle{Table: id, Keys: keys, Checkpoint: c}
	if b.Entries, b.Hashes, err = choose(ctx, src, c, id); err != nil {
		return nil, err
	}
	if b.Blobs, err = Fetch(ctx, src, b.Entries); err != nil {
		return nil, err
	}
	return New(b)
}

// choose reads the whole log and returns the entries of a table with their proof.
func choose(ctx context.Context, src Source, c tlog.Checkpoint, id wire.Hash) ([]Entry, []tlog.Hash, error) {
	var g growing
	var entries []Entry
	for entry, err := range src.Entries(ctx, 0, c.Size) {
		if err != nil {
			return nil, nil, err
		}
		hash := tlog.LeafHash(entry)
		ours := Of(entry, id)
		if ours {
			entries = append(entries, Entry{g.size, entry})
		}
		g.add(hash, ours)
	}
	if g.size != c.Size {
		return nil, nil, fmt.Errorf("bundle: the source ended after %d of %d entries", g.size, c.Size)
	}
	if len(entries) == 0 {
		return nil, nil, fmt.Errorf("bundle: the log has no table %s", id)
	}
	root, hashes := g.root()
	if root != c.Root {
		return nil, nil, fmt.Errorf("bundle: %w: its %d entries have root %s, but it signed %s", tlog.ErrBroken, c.Size, root, c.Root)
	}
	return entries, hashes, nil
}

// Of reports whether an entry is of a table: its genesis entry, or a message that
// names it. What does not parse is of no table.
func Of(entry []byte, id wire.Hash) bool {
	if named, ok := wire.TableNamed(entry); ok && named != id || !ok && wire.HashEntry(entry) != id {
		return false
	}
	_, err := wire.ParseEntry(entry)
	return err == nil
}

// Fetch returns the blobs that entries name, as far as src has them.
func Fetch(ctx context.Context, src any, entries []Entry) ([][]byte, error) {
	reader, ok := src.(tlog.BlobReader)
	if !ok {
		return nil, nil
	}
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
		if err == nil {
			err = tlog.CheckBlob(blob, sum)
		}
		if err != nil {
			return nil, err
		}
		blobs = append(blobs, blob)
	}
	return blobs, nil
}
