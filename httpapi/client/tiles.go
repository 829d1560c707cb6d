package client

import (
	"context"
	"errors"
	"fmt"

	sumdb "golang.org/x/mod/sumdb/tlog"

	"github.com/pakli/pakli/ledger/tiles"
	"github.com/pakli/pakli/ledger/tlog"
)

// treeOf returns the tree of a signed checkpoint.
func (c *Client) treeOf(cp tlog.Checkpoint) tiles.Tree {
	return tiles.Tree{Checkpoint: cp, Tiles: c, Kept: &c.tiles}
}

// asBroken gives errors of tiles or entries that do not lead up to a signed root the class
// tlog.ErrBroken: the server shows what the log did not sign.
func asBroken(err error) error {
	if errors.Is(err, tiles.ErrOther) {
		return fmt.Errorf("%w: %v", tlog.ErrBroken, err)
	}
	return err
}

// hashesOf returns a reader of the hashes of a signed tree. Hashes that do not lead up to the signed
// root are tlog.ErrBroken.
func (c *Client) hashesOf(ctx context.Context, cp tlog.Checkpoint) sumdb.HashReaderFunc {
	return func(indexes []int64) ([]tlog.Hash, error) {
		hashes, err := c.treeOf(cp).Hashes(ctx)(indexes)
		return hashes, asBroken(err)
	}
}

// rootAt returns the root of the first size entries of a signed tree.
func (c *Client) rootAt(ctx context.Context, cp tlog.Checkpoint, size uint64) (tlog.Hash, error) {
	root, err := c.treeOf(cp).Root(ctx, size)
	return root, asBroken(err)
}

// checkLeaves compares entries with the leaves of a signed tree at indexes.
func (c *Client) checkLeaves(ctx context.Context, cp tlog.Checkpoint, indexes []uint64, entries [][]byte) error {
	return asBroken(c.treeOf(cp).CheckLeaves(ctx, indexes, entries))
}

// keptTile is the authenticated beginning of an entry tile.
type keptTile struct {
	index   uint64
	entries [][]byte
}

// entryTile returns the entries from start to end-1, or to the end of the entry tile with start,
// checked against a signed tree. The caller will read up to ahead. The last entry tile is kept, so
// that reading it in steps fetches it once.
func (c *Client) entryTile(ctx context.Context, cp tlog.Checkpoint, start, end, ahead uint64) ([][]byte, error) {
	index := start / tlog.TileWidth
	first := index * tlog.TileWidth
	entries := c.keptOf(index)
	if first+uint64(len(entries)) <= start {
		var err error
		if entries, err = c.fetchEntryTile(ctx, cp, index, ahead); err != nil {
			return nil, err
		}
		c.mu.Lock()
		c.kept = keptTile{index, entries}
		c.mu.Unlock()
	}
	return entries[start-first : min(end-first, uint64(len(entries)))], nil
}

func (c *Client) keptOf(index uint64) [][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept.index != index {
		return nil
	}
	return c.kept.entries
}

// fetchEntryTile fetches an entry tile of the width that will be read. If the log lacks that width,
// it fetches the width of the checkpoint.
func (c *Client) fetchEntryTile(ctx context.Context, cp tlog.Checkpoint, index, ahead uint64) ([][]byte, error) {
	first := index * tlog.TileWidth
	t := tlog.Tile{Level: tlog.EntriesLevel, Index: index, Width: int(min(tlog.TileWidth, ahead-first))}
	whole := int(min(tlog.TileWidth, cp.Size-first))
	limit := func(width int) int { return width * (2 + tlog.MaxEntry) }
	data, width, err := c.fetchTile(ctx, t, limit)
	if isNotFound(err) && t.Width < whole {
		t.Width = whole
		data, width, err = c.fetchTile(ctx, t, limit)
	}
	if err != nil {
		return nil, err
	}
	entries, err := tlog.ParseEntryTile(data, width)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Path(), err)
	}
	entries = entries[:min(len(entries), whole)] // a full tile may go beyond the checkpoint
	indexes := make([]uint64, len(entries))
	for i := range indexes {
		indexes[i] = first + uint64(i)
	}
	return entries, c.checkLeaves(ctx, cp, indexes, entries)
}
