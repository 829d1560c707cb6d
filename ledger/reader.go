package ledger

import (
	"context"
	"fmt"
	"iter"

	"github.com/transparency-dev/merkle/compact"

	"github.com/pakli/pakli/ledger/tlog"
)

// Checkpoint returns the newest published checkpoint.
func (l *Ledger) Checkpoint(context.Context) (tlog.Checkpoint, error) {
	if err := l.enterStore(); err != nil {
		return tlog.Checkpoint{}, err
	}
	defer l.leaveStore()
	return l.published.Load().checkpoint, nil
}

// Await returns a checkpoint of more than size entries, as soon as one is
// published.
func (l *Ledger) Await(ctx context.Context, size uint64) (tlog.Checkpoint, error) {
	if err := l.enterStore(); err != nil {
		return tlog.Checkpoint{}, err
	}
	l.leaveStore() // who waits does not keep the log from closing
	return l.awaitSize(ctx, size)
}

func (l *Ledger) awaitSize(ctx context.Context, size uint64) (tlog.Checkpoint, error) {
	for {
		p := l.published.Load()
		if p.checkpoint.Size > size {
			return p.checkpoint, nil
		}
		select {
		case <-p.superseded:
		case <-ctx.Done():
			return tlog.Checkpoint{}, ctx.Err()
		case <-l.failed:
			return tlog.Checkpoint{}, l.Err()
		case <-l.sequenced:
			return tlog.Checkpoint{}, ErrClosed
		}
	}
}

// Entries yields the entries start to end-1; see tlog.Reader.
func (l *Ledger) Entries(ctx context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if err := l.enterRange(start, end); err != nil {
			yield(nil, err)
			return
		}
		defer l.leaveStore()
		for entry, err := range l.store.Entries(start, end) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(append(make([]byte, 0, len(entry)), entry...), nil) {
				return
			}
		}
	}
}

// enterRange enters if start ≤ end ≤ published size.
func (l *Ledger) enterRange(start, end uint64) error {
	size := l.published.Load().checkpoint.Size
	if start > end || end > size {
		return fmt.Errorf("%w: from %d to %d, of %d entries", tlog.ErrRange, start, end, size)
	}
	return l.enterStore()
}

// Inclusion proves an entry; see tlog.Reader.
func (l *Ledger) Inclusion(_ context.Context, index, size uint64) (tlog.Inclusion, error) {
	if index >= size {
		return tlog.Inclusion{}, fmt.Errorf("%w: entry %d in a tree of size %d", tlog.ErrRange, index, size)
	}
	if err := l.enterRange(index, size); err != nil {
		return tlog.Inclusion{}, err
	}
	defer l.leaveStore()
	hashes, err := l.engine.inclusionPath(index, size, new(border))
	return tlog.Inclusion{Index: index, Size: size, Hashes: hashes}, err
}

// Consistency proves growth; see tlog.Reader.
func (l *Ledger) Consistency(_ context.Context, old, size uint64) (tlog.Consistency, error) {
	if err := l.enterRange(old, size); err != nil {
		return tlog.Consistency{}, err
	}
	defer l.leaveStore()
	hashes, err := l.engine.consistency(old, size)
	return tlog.Consistency{Old: old, Size: size, Hashes: hashes}, err
}

// Subtrees returns the roots of the largest complete subtrees that the entries start
// to end-1 make up, from left to right: what tlog.Tree.Skip takes.
func (l *Ledger) Subtrees(_ context.Context, start, end uint64) ([]tlog.Hash, error) {
	if err := l.enterRange(start, end); err != nil {
		return nil, err
	}
	defer l.leaveStore()
	return l.engine.nodeHashes(compact.RangeNodes(start, end, nil))
}

// Tile returns the bytes of a hash tile or an entry tile, as
// c2sp.org/tlog-tiles serves them. Every tile within the published tree is
// there, also the partial ones of sizes that never had a checkpoint; any other
// is tlog.ErrRange. What a tile holds never changes.
func (l *Ledger) Tile(ctx context.Context, t tlog.Tile) ([]byte, error) {
	size := l.published.Load().checkpoint.Size
	if !t.IsWithin(size) {
		return nil, fmt.Errorf("%w: %s, of %d entries", tlog.ErrRange, t.Path(), size)
	}
	if err := l.enterStore(); err != nil {
		return nil, err
	}
	defer l.leaveStore()
	if t.Level == tlog.EntriesLevel {
		return l.entryTile(ctx, t)
	}
	return l.store.HashTile(t.Level, t.Index, t.Width)
}

func (l *Ledger) entryTile(ctx context.Context, t tlog.Tile) ([]byte, error) {
	var b []byte
	start := t.Index * tlog.TileWidth
	for entry, err := range l.store.Entries(start, start+uint64(t.Width)) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if b, err = tlog.AppendEntry(b, entry); err != nil {
			return nil, err
		}
	}
	return b, nil
}
