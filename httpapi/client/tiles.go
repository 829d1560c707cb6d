package client

import (
	"context"
	"errors"
	"fmt"

	sumdb "golang.org/x/mod/sumdb/tlog"

	"github.com/pakli/pakli/ledger/tlog"
)

// maxTiles bounds the tiles kept: 2 MiB.
const maxTiles = 256

// tileHeight is the height of C2SP tiles: 2^8 hashes.
const tileHeight = 8

// tileReader fetches tiles for golang.org/x/mod/sumdb/tlog, which tells it when
// they are authenticated.
type tileReader struct {
	client *Client
	ctx    context.Context
	failed error // "cannot check"
}

// hashesOf reads the hashes of the tree of a signed checkpoint. What it returns
// hashes up to the signed root; what does not is tlog.ErrBroken.
func (c *Client) hashesOf(ctx context.Context, cp tlog.Checkpoint) sumdb.HashReaderFunc {
	return func(indexes []int64) ([]tlog.Hash, error) {
		r := &tileReader{client: c, ctx: ctx}
		tree := sumdb.Tree{N: int64(cp.Size), Hash: cp.Root}
		hashes, err := sumdb.TileHashReader(tree, r).ReadHashes(indexes)
		if r.failed != nil {
			return nil, r.failed
		}
		if err != nil {
			return nil, fmt.Errorf("%w: tiles do not have the root signed for size %d: %v", tlog.ErrBroken, cp.Size, err)
		}
		return hashes, nil
	}
}

// rootAt computes the root of the first size entries of a signed tree.
func (c *Client) rootAt(ctx context.Context, cp tlog.Checkpoint, size uint64) (tlog.Hash, error) {
	if size == 0 {
		return tlog.EmptyRoot(), nil
	}
	return sumdb.TreeHash(int64(size), c.hashesOf(ctx, cp))
}

// checkLeaves compares entries with a signed tree that has them at indexes.
func (c *Client) checkLeaves(ctx context.Context, cp tlog.Checkpoint, indexes []uint64, entries [][]byte) error {
	stored := make([]int64, len(indexes))
	for i, index := range indexes {
		if index >= cp.Size {
			return fmt.Errorf("%w: entry %d of %d", tlog.ErrRange, index, cp.Size)
		}
		stored[i] = sumdb.StoredHashIndex(0, int64(index))
	}
	hashes, err := c.hashesOf(ctx, cp)(stored)
	if err != nil {
		return err
	}
	for i, e := range entries {
		if tlog.LeafHash(e) != hashes[i] {
			return fmt.Errorf("%w: what is shown as entry %d is not in the tree signed for size %d", tlog.ErrBroken, indexes[i], cp.Size)
		}
	}
	return nil
}

func (r *tileReader) Height() int { return tileHeight }

func (r *tileReader) ReadTiles(tiles []sumdb.Tile) ([][]byte, error) {
	data := make([][]byte, len(tiles))
	for i, t := range tiles {
		if data[i] = r.client.cached(t); data[i] != nil {
			continue
		}
		var err error
		if data[i], err = r.client.hashTile(r.ctx, t); err != nil {
			r.failed = err
			return nil, err
		}
	}
	return data, nil
}

func (r *tileReader) SaveTiles(tiles []sumdb.Tile, data [][]byte) {
	r.client.mu.Lock()
	defer r.client.mu.Unlock()
	for i, t := range tiles {
		if r.client.tiles[t] != nil {
			continue
		}
		for old := range r.client.tiles {
			if len(r.client.tiles) < maxTiles {
				break
			}
			delete(r.client.tiles, old)
		}
		r.client.tiles[t] = data[i]
	}
}

func (c *Client) cached(t sumdb.Tile) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tiles[t]
}

func (c *Client) hashTile(ctx context.Context, t sumdb.Tile) ([]byte, error) {
	tile := tlog.Tile{Level: t.L, Index: uint64(t.N), Width: t.W}
	data, width, err := c.fetch(ctx, tile, func(width int) int { return width * sumdb.HashSize })
	if err != nil {
		return nil, err
	}
	if _, err := tlog.ParseTile(data, width); err != nil {
		return nil, fmt.Errorf("%s: %w", tile.Path(), err)
	}
	return data[:tile.Width*sumdb.HashSize], nil
}

// fetch gets a hash or entry tile. A partial one may be gone when there is a full
// one; then that is fetched, and its width returned.
func (c *Client) fetch(ctx context.Context, t tlog.Tile, limit func(width int) int) ([]byte, int, error) {
	data, err := c.do(ctx, request{path: "/" + t.Path(), limit: limit(t.Width)})
	if p, ok := errors.AsType[*Problem](err); ok && p.Status == statusNotFound && t.Width < tlog.TileWidth {
		full := tlog.Tile{Level: t.Level, Index: t.Index, Width: tlog.TileWidth}
		if data, err := c.do(ctx, request{path: "/" + full.Path(), limit: limit(full.Width)}); err == nil {
			return data, full.Width, nil
		}
	}
	return data, t.Width, err
}

// kept is the beginning of an entry tile, authenticated.
type kept struct {
	index   uint64
	entries [][]byte
}

// entryTile returns the entries from start on, up to end or to the end of the
// entry tile that has start, checked against a signed tree. The caller goes on to
// read up to ahead. The entry tile read last is kept, so that going through it in
// steps fetches it once.
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
		c.kept = kept{index, entries}
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

// fetchEntryTile asks for no more than is to be read. A log need not have such a
// width; then it is asked for the one that belongs to the checkpoint.
func (c *Client) fetchEntryTile(ctx context.Context, cp tlog.Checkpoint, index, ahead uint64) ([][]byte, error) {
	first := index * tlog.TileWidth
	t := tlog.Tile{Level: tlog.EntriesLevel, Index: index, Width: int(min(tlog.TileWidth, ahead-first))}
	whole := int(min(tlog.TileWidth, cp.Size-first))
	limit := func(width int) int { return width * (2 + tlog.MaxEntry) }
	data, width, err := c.fetch(ctx, t, limit)
	if p, ok := errors.AsType[*Problem](err); ok && p.Status == statusNotFound && t.Width < whole {
		t.Width = whole
		data, width, err = c.fetch(ctx, t, limit)
	}
	if err != nil {
		return nil, err
	}
	entries, err := tlog.ParseEntryTile(data, width)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Path(), err)
	}
	entries = entries[:min(len(entries), whole)] // a full one may go beyond the checkpoint
	indexes := make([]uint64, len(entries))
	for i := range indexes {
		indexes[i] = first + uint64(i)
	}
	return entries, c.checkLeaves(ctx, cp, indexes, entries)
}
